"""Use of compiled kernels; numpy, or the same code interpreted, serves until they are loaded.

Another process compiles them, so that no thread of this one is blocked.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from types import ModuleType

from engine import child
from engine.errors import CancelledError
from engine.kernels.compiled import cache
from engine.monitor import SILENT, Monitor
from engine.words import N_, _

# Modules of engine.kernels.compiled. Those of a tuple are needed together; a lattice is scored by one of two
# kinds of walk.
PLAIN_WALK = ("roots", "cell_order", "subtree", "by_size")
FULL_WALK = ("roots", "contents", "cell_order", "by_size", "sorted_cells")
# what the others serve is used later
WALKS_OVER_CLASSES = ("label_walk", "covered_leaves", "known_suppression")
# kernels of scoring that `rehearse` uses, with those that these modules are used with
REHEARSED = ("subtree", "contents", *WALKS_OVER_CLASSES)
IN_ORDER = (PLAIN_WALK, FULL_WALK, WALKS_OVER_CLASSES, ("partitions", "covering", "rebuilding", "worlds"))
MODULES = tuple(dict.fromkeys(name for names in IN_ORDER for name in names))

# Seconds of work without kernels that make these worth fetching. Compiling those of a walk takes 10 to 20
# seconds, once for all later runs; loading compiled ones, and numba itself, takes the seconds given here.
WORTH_COMPILING, WORTH_LOADING = 10.0, 0.7  # seconds
PREPARING = N_("Preparing fast scoring (once)")  # progress text while kernels compile
CHOICE = "ANONYMIZER_KERNELS"  # environment variable; "numpy" disables kernels

PATIENCE = 0.05  # seconds between two checks of the monitor
_QUIETLY = sum(getattr(subprocess, n, 0) for n in ("CREATE_NO_WINDOW", "BELOW_NORMAL_PRIORITY_CLASS"))

_loading = threading.Lock()
_loaded: dict[str, ModuleType] = {}
_is_warm = threading.Event()
_rehearsing = threading.local()
_awaited: list[Sequence[str]] = [()]  # the modules that a task asked for last


def kernels(name: str = "by_size") -> ModuleType | None:
    """Return a module of compiled kernels; None if numpy must serve.

    A call from any thread. It never compiles, but once `warm_up` has loaded some module, it loads others that
    an earlier run compiled. None before, without numba, while another thread is loading, or if the
    environment has ``ANONYMIZER_KERNELS=numpy``.
    """
    if getattr(_rehearsing, "is_on", False):
        return required(name)
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
    return importlib.import_module(f"engine.kernels.compiled.{name}")


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


def _load(name: str) -> bool:
    """Load or compile a module; the caller holds the lock."""
    if name not in _loaded:
        try:
            module = required(name)
            _use(name, module)
        except (ImportError, OSError):  # no numba for this Python, or no folder for machine code
            return False
        cache.mark_complete(name)
        _loaded[name] = module
    return True


def _use(name: str, module: ModuleType) -> None:
    """Call the kernels of a module for the first time; this thread alone is given those of other modules."""
    _rehearsing.is_on = True
    try:
        if name in REHEARSED:
            importlib.import_module("engine.scoring.rehearsal").rehearse(name)  # it scores, by this module
        elif hasattr(module, "warm_up"):
            module.warm_up()
    finally:
        _rehearsing.is_on = False


def _keeps_to_numpy() -> bool:
    return os.environ.get(CHOICE) == "numpy"


def warm_up_apart(monitor: Monitor = SILENT, tasks: Sequence[Sequence[str]] = IN_ORDER) -> bool:
    """Load compiled kernels like `warm_up`, compiling in another process.

    Compiling blocks the interpreter for many seconds and cannot be stopped from inside. Loading takes less
    than a second.

    Parameters
    ----------
    monitor : Monitor
        Shown progress while something is compiled; asked often whether to cancel.
    tasks : sequence of sequence of str
        The modules of each task. Those of a task are loaded before those of the next one are compiled; a
        task whose modules are awaited comes first, also where another one has begun.

    Returns
    -------
    bool
        Whether `kernels` now returns compiled ones.

    Raises
    ------
    CancelledError
        If the monitor cancels; the other process is ended then.
    """
    if not is_possible():
        return False
    is_ready = True
    left = list(tasks)
    while left:
        names = next(filter(are_awaited, left), left[0])
        left.remove(names)
        if not is_compiled(names) and not _compile(names, left, len(tasks), monitor):
            left.insert(0, names)  # what it has compiled is kept
            continue
        is_ready = is_ready and is_compiled(names) and warm_up(names)
    monitor.step(len(tasks), len(tasks))
    return is_ready


def fetch_if_worth(seconds: float, names: Sequence[str], monitor: Monitor = SILENT) -> bool:
    """Load kernels, or compile them in another process, if the work would take long without them.

    Parameters
    ----------
    seconds : float
        Approximate seconds of the work without kernels.
    names : sequence of str
        The modules that the work needs.

    Returns
    -------
    bool
        Whether `kernels` now returns compiled ones.
    """
    are_loaded = all(name in _loaded for name in names)
    if are_loaded or is_compiled(names):
        return (are_loaded or seconds > WORTH_LOADING) and warm_up(names)
    return seconds > WORTH_COMPILING and warm_up_apart(monitor, [names])


@contextmanager
def fetching(seconds: float, names: Sequence[str]) -> Iterator[None]:
    """Load kernels as `fetch_if_worth` does, but compile them while the work in this context goes on.

    If the work is done first, the other process is ended; what it has compiled is kept for later runs.
    """
    if seconds <= WORTH_COMPILING or is_compiled(names) or not is_possible():
        fetch_if_worth(seconds, names)
        yield
        return
    done = threading.Event()
    beside = threading.Thread(target=_compile_until, args=(done, names), name="compiling")
    beside.start()
    try:
        yield
    finally:
        done.set()
        beside.join()


def _compile_until(done: threading.Event, names: Sequence[str]) -> None:
    class UntilDone:
        def step(self, _done: int, _total: int, _text: str = "") -> None:
            if done.is_set():
                raise CancelledError

    with suppress(CancelledError):
        warm_up_apart(UntilDone(), [names])


def _compile(names: Sequence[str], others: Sequence[Sequence[str]], total: int, monitor: Monitor) -> bool:
    """Compile modules in another process; stop and return False once those of another task are awaited."""
    done = total - len(others) - 1
    monitor.step(done, total, _(PREPARING))
    process = subprocess.Popen(
        child.command(__name__, *names),
        env=os.environ | {cache.PLACE: str(cache.folder().parent)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        creationflags=_QUIETLY,
    )
    try:
        while process.poll() is None:
            monitor.step(done, total, _(PREPARING))
            if any(map(are_awaited, others)):
                return False
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)
        return True
    finally:
        process.kill()
        process.wait()


def serve(names: Sequence[str]) -> int:
    """Compile kernels as a child process that leaves the processor to others; return the exit code."""
    getattr(os, "nice", int)(10)
    return int(not warm_up(names))
