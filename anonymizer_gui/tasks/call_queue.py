"""Queue of calls, long ones each made in its own iteration of the event loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, Qt, QTimer, Signal

Slot = Callable[[], object]


class CallQueue(QObject):
    """Makes calls in order; between two of them user input is handled and widgets are drawn.

    Several views that follow one change would together block the window longer than each alone. A call
    requested again while queued is made once.

    Parameters
    ----------
    pause : int
        Milliseconds between two calls; with the length of a frame, each change is drawn separately.
    together : int
        Milliseconds up to which short calls are made in one iteration, so that their changes are drawn at
        once, with all that changed when they were requested.
    """

    _due = Signal()

    def __init__(self, pause: int = 0, parent: QObject | None = None, *, together: int = 0) -> None:
        super().__init__(parent)
        self._pause, self._together = pause, together
        self._waiting: dict[Slot, None] = {}
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._take_one)
        self._is_due = False
        self._due.connect(self._on_due, Qt.ConnectionType.QueuedConnection)

    @property
    def is_idle(self) -> bool:
        """Return whether the queue is empty."""
        return not self._waiting

    def ask(self, call: Slot) -> None:
        """Queue a call."""
        self._waiting[call] = None
        if self._timer.isActive() or self._is_due:
            return
        if self._together:
            self._is_due = True
            self._due.emit()  # arrives before widgets are painted, which has a low priority
        else:
            self._timer.start(0)

    def ask_each(self, calls: Iterator[Slot]) -> None:
        """Queue calls of which each is yielded after the one before was made."""

        def make_next() -> None:
            call = next(calls, None)
            if call is not None:
                call()
                self.ask(make_next)

        self.ask(make_next)

    def catch_up(self) -> None:
        """Make all queued calls now."""
        while self._waiting:
            self._make_first()

    def forget(self) -> None:
        """Remove all queued calls."""
        self._waiting.clear()

    def _on_due(self) -> None:
        self._is_due = False
        self._take_one()

    def _take_one(self) -> None:
        end = time.monotonic() + self._together / 1000
        left = len(self._waiting)  # a call that queues itself waits for the next iteration
        while left:
            self._make_first()
            left = min(left - 1, len(self._waiting)) if time.monotonic() < end else 0
        if self._waiting:
            self._timer.start(self._pause)

    def _make_first(self) -> None:
        call = next(iter(self._waiting))
        del self._waiting[call]
        call()
