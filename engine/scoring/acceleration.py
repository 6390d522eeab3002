"""Use of compiled kernels: numpy serves until they are loaded, or if they cannot be."""

from __future__ import annotations

import importlib
import os
import threading
from importlib.util import find_spec
from types import ModuleType

from engine.kernels.compiled import cache
from engine.words import N_

# modules of engine.kernels.compiled, each with a `warm_up()` that calls all its kernels on tiny inputs
MODULES = (
    "cell_evaluation",
    "by_size",
    "covering",
    "distinct",
    "measures",
    "partitions",
    "rebuilding",
    "roots",
    "subtree",
)
# Seconds of numpy's work that make kernels worth fetching. Compiling takes some 25 seconds, once for all
# later runs; loading compiled ones, and numba itself, takes the seconds given here.
WORTH_COMPILING, WORTH_LOADING = 10.0, 0.7  # seconds
PREPARING = N_("Preparing fast scoring (once)")  # progress text while kernels compile
CHOICE = "ANONYMIZER_KERNELS"  # environment variable; "numpy" disables kernels

_loading = threading.Lock()
_loaded: dict[str, ModuleType] = {}
_is_warm = threading.Event()


def kernels(name: str = "cell_evaluation") -> ModuleType | None:
    """Return a module of compiled kernels; None if numpy must serve.

    A cheap call from any thread. None before `warm_up` has finished, without numba, or if the environment has
    ``ANONYMIZER_KERNELS=numpy``.
    """
    if not _is_warm.is_set() or _keeps_to_numpy():
        return None
    return _loaded[name]


def is_possible() -> bool:
    """Return whether numba is available and not disabled."""
    return not _keeps_to_numpy() and find_spec("numba") is not None


def is_compiled() -> bool:
    """Return whether an earlier run compiled the kernels, so that `warm_up` takes a moment."""
    return cache.is_complete()


def required(name: str) -> ModuleType:
    """Return a module of compiled kernels to a caller who has checked that they are loaded."""
    return _loaded[name]


def warm_up() -> bool:
    """Load all compiled kernels, compiling those that no earlier run did; seconds the first time.

    Meant for a background thread. Repeated or parallel calls do the work once.

    Returns
    -------
    bool
        Whether `kernels` now returns compiled ones.
    """
    if _keeps_to_numpy():
        return False
    with _loading:
        if not _is_warm.is_set():
            try:
                modules = {
                    name: importlib.import_module(f"engine.kernels.compiled.{name}") for name in MODULES
                }
                for module in modules.values():
                    module.warm_up()
            except (ImportError, OSError):  # no numba for this Python, or no folder for machine code
                return False
            cache.mark_complete()
            _loaded.update(modules)
            _is_warm.set()
    return True


def warm_up_if_worth(seconds: float) -> bool:
    """Load or compile the kernels if the work would take numpy long enough.

    Parameters
    ----------
    seconds : float
        Approximate seconds of the work by numpy.

    Returns
    -------
    bool
        Whether `kernels` now returns compiled ones.
    """
    is_worth = seconds > (WORTH_LOADING if cache.is_complete() else WORTH_COMPILING)
    return warm_up() if is_worth or _is_warm.is_set() else False


def _keeps_to_numpy() -> bool:
    return os.environ.get(CHOICE) == "numpy"
