"""Compilation of the kernels in a process of its own, so that no thread of this one is blocked."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress

from engine import child
from engine.kernels.compiled import cache
from engine.monitor import SILENT, Monitor
from engine.scoring.acceleration import (
    IN_ORDER,
    PREPARING,
    WORTH_COMPILING,
    are_awaited,
    is_compiled,
    is_possible,
    warm_up,
    warm_up_if_worth,
)
from engine.words import _

PATIENCE = 0.05  # seconds between two checks of the monitor
_QUIETLY = sum(getattr(subprocess, n, 0) for n in ("CREATE_NO_WINDOW", "BELOW_NORMAL_PRIORITY_CLASS"))


def warm_up_apart(monitor: Monitor = SILENT, tasks: Sequence[Sequence[str]] = IN_ORDER) -> bool:
    """Load compiled kernels like `engine.scoring.acceleration.warm_up`, compiling in another process.

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
    """Load kernels, or compile them in another process, if the work would take numpy long enough.

    Parameters
    ----------
    seconds : float
        Approximate seconds of the work by numpy.
    names : sequence of str
        The modules that the work needs.
    monitor : Monitor
        As `warm_up_apart`.

    Returns
    -------
    bool
        Whether `kernels` now returns compiled ones.

    Raises
    ------
    CancelledError
        If the monitor cancels.
    """
    if seconds > WORTH_COMPILING and not is_compiled(names):
        return warm_up_apart(monitor, [names])
    return warm_up_if_worth(seconds, names)


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
