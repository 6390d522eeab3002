"""Number of visible records and memory in use, for the status strip."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.labels import ElidedLabel
from engine.numbers import as_decimal, as_exact_count, with_unit

EVERY = 2_000  # milliseconds
_MEGABYTE, _GIGABYTE = 1 << 20, 1 << 30
_STEP = 10  # megabytes; smaller changes are not shown, so that the number does not flicker
DOT = " · "


class MemoryLabel(ElidedLabel):
    """Label that updates every two seconds.

    Parameters
    ----------
    measure : callable
        Returns the bytes in use; 0 if unknown, and then the label omits memory.
    """

    def __init__(self, measure: Callable[[], int], parent: QWidget | None = None) -> None:
        super().__init__("", Text.CELL, "text_3", parent=parent)
        self.setObjectName("memoryLabel")
        self._measure = measure
        self._records = ""
        self._timer = QTimer(self)
        self._timer.setInterval(EVERY)
        self._timer.timeout.connect(self.look)

    def start(self) -> None:
        """Show the values now and update them while the window exists."""
        self.look()
        self._timer.start()

    def look(self) -> None:
        """Update the memory in use."""
        n_bytes = self._measure()
        parts = [self._records, as_memory(n_bytes) if n_bytes else ""]
        text = DOT.join(filter(None, parts))
        self.setAccessibleName(self.tr("Visible records and memory in use: {text}").format(text=text))
        self.set_hint(self.tr("Visible records and memory in use") if text else "")
        self.setText(text)
        self.updateGeometry()
        self.setVisible(bool(text))

    def show_records(self, n_shown: int, n_all: int) -> None:
        """Show the number of visible records and of all records; nothing without a table."""
        if not n_all:
            self._records = ""
        elif n_shown == n_all:
            self._records = self.tr("{n_all} records").format(n_all=as_exact_count(n_all))
        else:
            self._records = self.tr("{n_shown} of {n_all} records").format(
                n_shown=as_exact_count(n_shown), n_all=as_exact_count(n_all)
            )
        self.look()


def as_memory(n_bytes: int) -> str:
    """Return bytes rounded for display: 310 MB, 1.4 GB."""
    if n_bytes < _GIGABYTE:
        return with_unit(str(max(round(n_bytes / _MEGABYTE / _STEP), 1) * _STEP), "MB")
    return with_unit(as_decimal(n_bytes / _GIGABYTE, 1), "GB")
