"""Garbage collection on the GUI thread only: a worker must not delete its Qt objects."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

LOOK_MILLISECONDS = 250


class GuiThreadCollector(QObject):
    """Collects between events of its thread, while Python's automatic collection is off.

    Python collects in whichever thread allocates the object that reaches the threshold. A worker would then
    delete cycles of widgets and models, and Qt may crash.
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
        """Exclude existing objects from collection: modules and the window, which stay until the end.

        A collection of the remaining objects takes milliseconds.
        """
        gc.freeze()

    def end(self) -> None:
        """Turn Python's automatic collection on again."""
        self._timer.stop()
        gc.enable()


def collect_what_is_due() -> None:
    """Collect the oldest generation above its threshold, as Python would."""
    counts, thresholds = gc.get_count(), gc.get_threshold()
    for generation in (2, 1, 0):
        if counts[generation] > thresholds[generation]:
            gc.collect(generation)
            return
