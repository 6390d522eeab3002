"""The one decorator of all compiled kernels, and where their machine code is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import platformdirs

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def _cache_folder() -> Path:
    """A folder named by the sources of all kernels.

    Numba notices a change of a kernel's own file only, not of the kernels it calls, and would go on
    with machine code of the old ones.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return Path(platformdirs.user_cache_path("anonymizer", appauthor=False)) / f"kernels-{digest.hexdigest()[:16]}"


numba.config.CACHE_DIR = str(_cache_folder())  # type: ignore[attr-defined]  # numba sets its options at run time


def compiled(kernel: Kernel) -> Kernel:
    """Compile a function at its first call, or load what an earlier run compiled; it runs without the GIL."""
    made: Kernel = numba.njit(nogil=True, cache=True, error_model="numpy", boundscheck=False)(kernel)
    return made
