"""A field to search or filter by, with a magnifying glass at its left."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit

from anonymizer_gui.theming import current_theme, paint_icon, scaled, theme_manager

_LEFT, _SIDE, _GAP = 9, 14, 5


class SearchField(QLineEdit):
    """The glass is painted: an action's icon would sit too low under the style sheet."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("size", "small")
        theme_manager().theme_changed.connect(self._make_room)
        self._make_room()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        paint_glass(self)

    def _make_room(self) -> None:
        make_room_for_glass(self)


def paint_glass(field: QLineEdit) -> None:
    """Paint the glass at the left end of a field."""
    side = scaled(_SIDE)
    place = QRectF(_LEFT, (field.height() - side) / 2, side, side)
    paint_icon(QPainter(field), place, "search", current_theme().text_2)


def make_room_for_glass(field: QLineEdit) -> None:
    """Keep the text clear of the glass; the padding of the field comes on top."""
    field.setTextMargins(scaled(_SIDE) + _GAP, 0, 0, 0)
