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
