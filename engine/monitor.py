"""Progress and cancellation: all that a long computation knows of its caller."""

from __future__ import annotations

from threading import Event
from typing import Protocol


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
