"""The decorator of all compiled kernels."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any, TypeVar

import numba

from engine.kernels.compiled.cache import folder

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

numba.config.CACHE_DIR = str(folder())  # numba has no other way to set it at run time


def _leave_linear_algebra_out() -> None:
    """Load the functions of numba on arrays as they are without scipy.

    Otherwise numba imports scipy.linalg to learn whether it can multiply matrices, which takes longer than
    loading all kernels, and no kernel does.
    """
    from numba.np import linalg

    ensure_blas = linalg.ensure_blas

    def lack_blas() -> None:
        raise ImportError("kernels multiply no matrices")

    linalg.ensure_blas = lack_blas
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ensure_blas


with suppress(ImportError, AttributeError):  # another numba may have other modules
    _leave_linear_algebra_out()


def compiled(kernel: Kernel) -> Kernel:
    """Compile a function at its first call, or load it from an earlier run; it runs without the GIL.

    Kernels fill given arrays and allocate none, so numba need not count references.
    """
    made: Kernel = numba.njit(nogil=True, cache=True, error_model="numpy", boundscheck=False, _nrt=False)(
        kernel
    )
    return made
