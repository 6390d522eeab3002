"""Whether compiled kernels are at hand: numpy serves until they are loaded, and where they cannot be."""

from __future__ import annotations

import importlib
import os
import threading
from importlib.util import find_spec
from types import ModuleType

from engine.kernels.compiled import cache
from engine.words import N_

# Modules of engine.kernels.compiled, each with a `warm_up()` that calls all its kernels on tiny inputs.
MODULES = (
    "judging",
    "by_size",
    "covering",
    "distinct",
    "measures",
    "partitions",
    "rebuilding",
    "roots",
    "subtree",
)
# What numpy has to take for kernels to be worth fetching. Compiling takes some 25 seconds, but once for
# all later runs; loading what an earlier run compiled, and numba itself, takes what it says.
WORTH_COMPILING, WORTH_LOADING = 10.0, 0.7  # seconds
PREPARING = N_("Preparing fast scoring (once)")  # what is told while kernels compile
CHOICE = "ANONYMIZER_KERNELS"  # environment variable; "numpy" keeps to numpy

_loading = threading.Lock()
_loaded: dict[str, ModuleType] = {}
_is_warm = threading.Event()


def kernels(name: str = "judging") -> ModuleType | None:
    """Return a module of compiled kernels; None where numpy has to serve.

    Cheap to ask, by any thread. None before `warm_up` is through, without numba, or where the
    environment says ``ANONYMIZER_KERNELS=numpy``.
    """
    if not _is_warm.is_set() or _keeps_to_numpy():
        return None
    return _loaded[name]


def is_possible() -> bool:
    """Whether there is a compiler and nobody asked for numpy."""
    return not _keeps_to_numpy() and find_spec("numba") is not None


def is_compiled() -> bool:
    """Whether an earlier run compiled the kernels, so that `warm_up` is a matter of a moment."""
    return cache.is_complete()


def required(name: str) -> ModuleType:
    """Return a module of compiled kernels to who has seen that they are there."""
    return _loaded[name]


def warm_up() -> bool:
    """Load all compiled kernels, compiling what no earlier run did; seconds the first time.

    Meant for a background thread. Called again, or by several threads, the work is done once.

    Returns
    -------
    bool
        Whether `kernels` answers with compiled ones from now on.
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
            except (ImportError, OSError):  # no numba for this Python, or no room for machine code
                return False
            cache.mark_complete()
            _loaded.update(modules)
            _is_warm.set()
    return True


def warm_up_if_worth(seconds: float) -> bool:
    """Load the kernels, or even compile them, where the work at hand takes numpy long enough.

    Parameters
    ----------
    seconds : float
        What the work would take by numpy, about.

    Returns
    -------
    bool
        Whether `kernels` answers with compiled ones from now on.
    """
    is_worth = seconds > (WORTH_LOADING if cache.is_complete() else WORTH_COMPILING)
    return warm_up() if is_worth or _is_warm.is_set() else False


def _keeps_to_numpy() -> bool:
    return os.environ.get(CHOICE) == "numpy"
