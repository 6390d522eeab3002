"""The decorator of all compiled kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

from engine.kernels.compiled.cache import folder

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

numba.config.CACHE_DIR = str(folder())  # numba has no other way to set it at run time


def compiled(kernel: Kernel) -> Kernel:
    """Compile a function at its first call, or load it from an earlier run; it runs without the GIL.

    Kernels fill given arrays and allocate none, so numba need not count references.
    """
    made: Kernel = numba.njit(nogil=True, cache=True, error_model="numpy", boundscheck=False, _nrt=False)(
        kernel
    )
    return made
