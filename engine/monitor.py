"""Progress and cancellation: all that a long computation knows of its caller."""

from __future__ import annotations

from typing import Protocol


class Monitor(Protocol):
    """Observer of a long computation."""

    def step(self, done: int, total: int, text: str = "") -> None:
        """Report progress; raise `CancelledError` if the job was asked to stop."""


class SilentMonitor:
    """A monitor that shows nothing and never cancels."""

    def step(self, done: int, total: int, text: str = "") -> None:
        """Accept any progress."""


SILENT: Monitor = SilentMonitor()


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

    def step(self, done: int, total: int, text: str = "") -> None:
        """Pass progress on."""
        self._monitor.step(self._part * max(total, 1) + done, self._n_parts * max(total, 1), text)
