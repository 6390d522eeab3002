"""Tells workers whether the window's thread comes round, so that they let it go first where it is late."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QTimer

BEAT_MILLISECONDS = 15
LATE_SECONDS = 0.04  # since the last beat: an event that takes longer is felt
STEP_BACK_SECONDS = 0.003


class Pulse(QObject):
    """Beats in the window's thread while there are workers.

    Both share one interpreter. A worker in Python gives it up many times a second, but each time the window
    waits for it anew: an event of some hundred calls of Qt takes twice as long beside one.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._last: float | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(BEAT_MILLISECONDS)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        """Begin to beat."""
        if not self._timer.isActive():
            self._beat()
            self._timer.start()

    def stop(self) -> None:
        """Nobody is to wait any more."""
        self._timer.stop()
        self._last = None

    def let_go_first(self) -> None:
        """On a worker's thread: pause for a moment if the window is late."""
        last = self._last
        if last is not None and time.monotonic() - last > LATE_SECONDS:
            time.sleep(STEP_BACK_SECONDS)

    def _beat(self) -> None:
        self._last = time.monotonic()
