"""The one decorator of all compiled kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

from engine.kernels.compiled.cache import folder

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

numba.config.CACHE_DIR = str(folder())  # numba sets its options at run time


def compiled(kernel: Kernel) -> Kernel:
    """Compile a function at its first call, or load what an earlier run compiled; it runs without the GIL.

    Kernels fill arrays they are given and make none, so numba need not count references.
    """
    made: Kernel = numba.njit(nogil=True, cache=True, error_model="numpy", boundscheck=False, _nrt=False)(
        kernel
    )
    return made
