"""Size of a dialog limited by the window behind it."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog

_AROUND = 24  # of the window behind that stays visible


def take_room(dialog: QDialog, wanted: QSize) -> None:
    """Give a dialog its preferred size, at most that of the window behind, at least its minimum."""
    if (behind := dialog.parentWidget()) is not None:
        wanted = wanted.boundedTo(behind.window().size() - QSize(2 * _AROUND, 2 * _AROUND))
    dialog.resize(wanted.expandedTo(dialog.minimumSize()))
