"""Use of compiled kernels: numpy serves until they are loaded, or if they cannot be."""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from types import ModuleType

from engine.kernels.compiled import cache
from engine.words import N_

# Modules of engine.kernels.compiled, each with a `warm_up()` that calls all its kernels on tiny inputs. Those
# of a tuple are needed together; a lattice is scored by one of two kinds of walk.
_LOOK_UPS = ("cell_evaluation", "by_size")
PLAIN_WALK = ("roots", "subtree", *_LOOK_UPS)
FULL_WALK = ("roots", "full_walk", "cell_order", "measures", *_LOOK_UPS, "sorted_cells")
# what the others serve is used later
WALKS_OVER_CLASSES = ("label_walk", "combination_walk", "spread_walk", "target_walk", "known_sets")
IN_ORDER = (PLAIN_WALK, FULL_WALK, WALKS_OVER_CLASSES, ("partitions", "covering", "rebuilding", "distinct"))
MODULES = tuple(dict.fromkeys(name for names in IN_ORDER for name in names))

# Seconds of numpy's work that make kernels worth fetching. Compiling those of a walk takes some 10 to 20
# seconds, once for all later runs; loading compiled ones, and numba itself, takes the seconds given here.
WORTH_COMPILING, WORTH_LOADING = 10.0, 0.7  # seconds
PREPARING = N_("Preparing fast scoring (once)")  # progress text while kernels compile
CHOICE = "ANONYMIZER_KERNELS"  # environment variable; "numpy" disables kernels

_loading = threading.Lock()
_loaded: dict[str, ModuleType] = {}
_is_warm = threading.Event()
_awaited: list[Sequence[str]] = [()]  # the modules that a task asked for last


def kernels(name: str = "cell_evaluation") -> ModuleType | None:
    """Return a module of compiled kernels; None if numpy must serve.

    A call from any thread. It never compiles, but once `warm_up` has loaded some module, it loads others that
    an earlier run compiled. None before, without numba, while another thread is loading, or if the
    environment has ``ANONYMIZER_KERNELS=numpy``.
    """
    if not _is_warm.is_set() or _keeps_to_numpy():
        return None
    if name not in _loaded and cache.is_complete(name) and _loading.acquire(blocking=False):
        try:
            _load(name)
        finally:
            _loading.release()
    return _loaded.get(name)


def await_kernels(names: Sequence[str]) -> None:
    """Note that a task works by numpy for want of these modules, so that they are compiled before others."""
    _awaited[0] = names


def are_awaited(names: Sequence[str]) -> bool:
    """Return whether a task works by numpy until these modules are compiled."""
    awaited = set(_awaited[0])
    return bool(awaited) and awaited <= set(names) and not is_compiled(names)


def is_possible() -> bool:
    """Return whether numba is available and not disabled."""
    return not _keeps_to_numpy() and find_spec("numba") is not None


def is_compiled(names: Sequence[str] = MODULES) -> bool:
    """Return whether an earlier run compiled some modules, so that `warm_up` takes a moment."""
    return all(map(cache.is_complete, names))


def required(name: str) -> ModuleType:
    """Return a module of compiled kernels to a caller who has checked that they are loaded."""
    return _loaded[name]


def warm_up(names: Sequence[str] = MODULES) -> bool:
    """Load modules of compiled kernels, compiling those that no earlier run did; seconds the first time.

    Meant for a background thread. Repeated or parallel calls do the work once.

    Parameters
    ----------
    names : sequence of str
        The modules that a task needs; all by default.

    Returns
    -------
    bool
        Whether `kernels` now returns compiled ones.
    """
    if _keeps_to_numpy():
        return False
    for name in names:
        with _loading:
            if not _load(name):
                return False
    _is_warm.set()
    return True


def warm_up_if_worth(seconds: float, names: Sequence[str]) -> bool:
    """Load or compile kernels if the work would take numpy long enough.

    Parameters
    ----------
    seconds : float
        Approximate seconds of the work by numpy.
    names : sequence of str
        The modules that the work needs.

    Returns
    -------
    bool
        Whether `kernels` now returns compiled ones.
    """
    is_worth = seconds > (WORTH_LOADING if is_compiled(names) else WORTH_COMPILING)
    return warm_up(names) if is_worth or all(name in _loaded for name in names) else False


def _load(name: str) -> bool:
    """Load or compile a module; the caller holds the lock."""
    if name not in _loaded:
        try:
            module = importlib.import_module(f"engine.kernels.compiled.{name}")
            module.warm_up()
        except (ImportError, OSError):  # no numba for this Python, or no folder for machine code
            return False
        cache.mark_complete(name)
        _loaded[name] = module
    return True


def _keeps_to_numpy() -> bool:
    return os.environ.get(CHOICE) == "numpy"
