"""Search or filter field with a magnifying glass at its left."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit

from anonymizer_gui.theming import current_theme, follow_theme, paint_icon, scaled

_LEFT, _SIDE, _GAP = 9, 14, 5


class SearchField(QLineEdit):
    """Paints the glass, because the style sheet would place an action icon too low."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("size", "small")
        follow_theme(self._make_room)

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
    """Keep the text clear of the glass, in addition to the padding of the field."""
    field.setTextMargins(scaled(_SIDE) + _GAP, 0, 0, 0)
