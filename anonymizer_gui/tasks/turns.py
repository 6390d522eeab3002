"""Calls made one by one, each in a turn of the event loop of its own."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

Slot = Callable[[], object]


class Turns(QObject):
    """Makes the calls asked for in their order; between two of them hands are answered and widgets drawn.

    Several views that follow one change would together hold the window up longer than each alone. A
    call that is asked for again while it waits is made once.

    Parameters
    ----------
    pause : int
        Milliseconds between two calls; with as many as a frame takes, what each changes is drawn apart.
    """

    def __init__(self, pause: int = 0, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pause = pause
        self._waiting: dict[Slot, None] = {}
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._take_one)

    @property
    def is_idle(self) -> bool:
        """Whether no call waits."""
        return not self._waiting

    def ask(self, call: Slot) -> None:
        """Make a call in a turn of its own, once those asked for before are made."""
        self._waiting[call] = None
        if not self._timer.isActive():
            self._timer.start(0)

    def catch_up(self) -> None:
        """Make every call that waits now."""
        while self._waiting:
            self._make_first()

    def forget(self) -> None:
        """Make none of the calls that wait."""
        self._waiting.clear()

    def _take_one(self) -> None:
        if self._waiting:
            self._make_first()
        if self._waiting:
            self._timer.start(self._pause)

    def _make_first(self) -> None:
        call = next(iter(self._waiting))
        del self._waiting[call]
        call()
