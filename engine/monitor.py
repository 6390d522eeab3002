"""Progress out, cancellation in: all that a long computation knows of the world."""

from __future__ import annotations

from typing import Protocol


class Monitor(Protocol):
    """Watches a long computation."""

    def step(self, done: int, total: int, text: str = "") -> None:
        """Report progress; raises `CancelledError` when the job was asked to stop."""


class SilentMonitor:
    """A monitor that shows nothing and never cancels."""

    def step(self, done: int, total: int, text: str = "") -> None:
        """Accept any progress."""


SILENT: Monitor = SilentMonitor()


class PartMonitor:
    """Maps the progress of one of several equal parts onto the whole.

    Parameters
    ----------
    monitor : Monitor
        Of the whole.
    part, n_parts : int
        Which part it is, counted from 0, and how many there are.
    """

    def __init__(self, monitor: Monitor, part: int, n_parts: int) -> None:
        self._monitor, self._part, self._n_parts = monitor, part, n_parts

    def step(self, done: int, total: int, text: str = "") -> None:
        """Pass progress on."""
        self._monitor.step(self._part * max(total, 1) + done, self._n_parts * max(total, 1), text)
