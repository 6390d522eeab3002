"""The decorator of all compiled kernels."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeVar

import numba
from llvmlite.binding import get_host_cpu_name
from numba.core import caching

from engine.kernels.compiled.cache import folder

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

# Processors, by LLVM's name, for which it makes slow code, and a target whose code is fast on them. On Zen 5
# walks without contents then take 1/1.3 to 1/2.3 of the time, those with contents 1.08 times; on rocketlake
# 1.08 times, and as long as before.
TARGETS = {"znver5": "x86-64-v3"}

numba.config.CACHE_DIR = str(folder())  # numba has no other way to set these at run time
numba.config.CPU_NAME = numba.config.CPU_NAME or TARGETS.get(get_host_cpu_name())


class _ByContent(caching.UserProvidedCacheLocator):  # type: ignore[misc]  # numba has no types
    """Files of our kernels in a folder that is named by all of their sources, wherever these are."""

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _ByContent | None:
        ours = Path(py_file).is_relative_to(Path(__file__).parents[1])
        return super().from_function(py_func, py_file) if ours else None

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        return Path(py_file).parent.name

    def get_source_stamp(self) -> str:
        """Return a constant: the folder has another name for other sources."""
        return ""


with suppress(AttributeError):  # another numba goes on comparing paths and times
    caching.CacheImpl._locator_classes.insert(0, _ByContent)


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


def compiled(kernel: Kernel, is_inner: bool | None = None) -> Kernel:
    """Compile a function at its first call, or load it from an earlier run; it runs without the GIL.

    Kernels fill given arrays and allocate none, so numba need not count references. An inner one is called by
    kernels only: it gets no wrappers for calls from Python and C, whose compilation takes as long as its own,
    and a call from Python ends the process. Private ones are inner by default.
    """
    if is_inner is None:
        is_inner = kernel.__name__.startswith("_")
    made: Kernel = numba.njit(
        nogil=True,
        cache=True,
        error_model="numpy",
        boundscheck=False,
        _nrt=False,
        no_cpython_wrapper=is_inner,
        no_cfunc_wrapper=is_inner,
    )(kernel)
    return made


def compiled_from(name: str, *modules: ModuleType, called: Collection[str] = ()) -> dict[str, Any]:
    """Return the kernels of interpreted modules compiled; they call the compiled ones of one another.

    Kernels are the functions whose arguments and results have no declared types.

    Parameters
    ----------
    name : str
        The module that the compiled ones are of.
    called : collection of str
        Kernels that Python calls although others call them too.
    """
    names: dict[str, Any] = {}
    for module in modules:
        names |= vars(module)
    names["__name__"] = name
    own = [
        function
        for module in modules
        for function in vars(module).values()
        if isinstance(function, FunctionType) and {*function.__annotations__.values()} <= {"Any", "None"}
    ]
    inner = {used for f in own for used in f.__code__.co_names} - {*called}
    made = {
        f.__name__: compiled(FunctionType(f.__code__, names, f.__name__), f.__name__ in inner) for f in own
    }
    names |= made
    return made
