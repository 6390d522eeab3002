"""Progress and cancellation: all that a long computation knows of its caller."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import Event
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

P = ParamSpec("P")
R = TypeVar("R")
_INTERVAL = 0.05  # seconds between two updates of a bar


class Monitor(Protocol):
    """Observer of a long computation. A function with one ends with `CancelledError` if it asks to stop."""

    def step(self, done: int, total: int, text: str = "") -> None:
        """Report progress; raise `CancelledError` if the job was asked to stop."""


class StoppableMonitor:
    """Passes progress on, and says when a computation is to end with the best that it has.

    Parameters
    ----------
    stop : Event
        Set to end the computation so.
    """

    def __init__(self, monitor: Monitor, stop: Event) -> None:
        self._monitor, self._stop = monitor, stop

    @property
    def is_enough(self) -> bool:
        return self._stop.is_set()

    def step(self, done: int, total: int, text: str = "") -> None:
        """Pass progress on."""
        self._monitor.step(done, total, text)


def is_enough(monitor: Monitor) -> bool:
    """Return whether a computation that has a valid result should end with it; few monitors ever say so."""
    return bool(getattr(monitor, "is_enough", False))


class SilentMonitor:
    """A monitor that shows nothing and never cancels."""

    def step(self, done: int, total: int, text: str = "") -> None:
        """Accept any progress."""


SILENT: Monitor = SilentMonitor()
SHARES = 1_000_000  # total of a job whose progress is known only as a share


class PartMonitor:
    """Maps the progress of one of several equal parts onto that of the complete job.

    Parameters
    ----------
    monitor : Monitor
        Monitor of the complete job.
    part, n_parts : int
        Index of the part, from 0, and number of parts.
    """

    def __init__(self, monitor: Monitor, part: int, n_parts: int) -> None:
        self._monitor, self._part, self._n_parts = monitor, part, n_parts

    @property
    def is_enough(self) -> bool:
        return is_enough(self._monitor)

    def step(self, done: int, total: int, text: str = "") -> None:
        """Pass progress on."""
        self._monitor.step(self._part * max(total, 1) + done, self._n_parts * max(total, 1), text)


class StretchMonitor:
    """Maps the progress of a part onto a stretch of the progress of the complete job; it never goes back.

    Parameters
    ----------
    monitor : Monitor
        Monitor of the complete job.
    begin, end : float
        Shares of the complete job.
    """

    def __init__(self, monitor: Monitor, begin: float, end: float) -> None:
        self._monitor, self._begin, self._end = monitor, begin, end
        self._reached = 0.0

    @property
    def is_enough(self) -> bool:
        return is_enough(self._monitor)

    def step(self, done: int, total: int, text: str = "") -> None:
        """Pass progress on."""
        self._reached = max(self._reached, min(done / max(total, 1), 1.0))
        share = self._begin + (self._end - self._begin) * self._reached
        self._monitor.step(round(share * SHARES), SHARES, text)


class BarMonitor:
    """A monitor that moves a progress bar."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None
        self._last = 0.0

    def step(self, done: int, total: int, text: str = "") -> None:
        """Show progress, a few times a second at most."""
        now = time.monotonic()
        if now - self._last < _INTERVAL and done < total:
            return
        self._last = now
        if self._task is None:
            self._task = self._progress.add_task("", total=total)
        self._progress.update(self._task, total=max(total, 1), completed=done, description=text)


@contextmanager
def progress_bar() -> Iterator[BarMonitor]:
    """Show a bar on standard error, or in a notebook, while the block runs; the monitor moves it."""
    from rich.console import Console  # takes long to import, which a silent call does not need
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield BarMonitor(bar)


def with_progress(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function with a `monitor` show a bar for `progress=True`, in place of the monitor."""

    @wraps(function)
    def shown(*args: Any, progress: bool = False, **settings: Any) -> R:
        if not progress:
            return function(*args, **settings)
        with progress_bar() as monitor:
            return function(*args, **settings | {"monitor": monitor})

    return cast("Callable[P, R]", shown)
