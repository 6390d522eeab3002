"""Size of a dialog limited by the window behind it."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog

_SMALLEST = QSize(1280, 720)  # of a usual window
_AROUND = 24  # of the window behind that stays visible


def room_for(dialog: QDialog) -> QSize:
    """Return the largest size of a dialog, which leaves some of the window behind visible."""
    behind = dialog.parentWidget()
    whole = _SMALLEST if behind is None else behind.window().size().expandedTo(_SMALLEST)
    return whole - QSize(2 * _AROUND, 2 * _AROUND)


def take_room(dialog: QDialog, wanted: QSize) -> None:
    """Give a dialog its preferred size, at most that of the window behind, at least its minimum."""
    dialog.resize(wanted.boundedTo(room_for(dialog)).expandedTo(dialog.minimumSize()))
