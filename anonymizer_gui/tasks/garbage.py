"""Lets the window's thread alone take garbage away: a worker may not end what Qt knows only there."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

LOOK_MILLISECONDS = 250


class GarbageKeeper(QObject):
    """Collects between the events of the thread it lives in; Python's own collection rests meanwhile.

    Python collects in whichever thread happens to make one object too many. Cycles of widgets and
    models in the garbage would then be taken down by a worker, under which Qt may crash.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self.set_aside()
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MILLISECONDS)
        self._timer.timeout.connect(collect_what_is_due)
        self._timer.start()

    def set_aside(self) -> None:
        """Never look again at what is there now: imported modules and the window, which stay anyway.

        What is left to look at is so little that a collection takes milliseconds.
        """
        gc.freeze()

    def end(self) -> None:
        """Give collecting back to Python."""
        self._timer.stop()
        gc.enable()


def collect_what_is_due() -> None:
    """Collect the oldest generation whose threshold is passed, as Python would, in this thread."""
    counts, thresholds = gc.get_count(), gc.get_threshold()
    for generation in (2, 1, 0):
        if counts[generation] > thresholds[generation]:
            gc.collect(generation)
            return
