"""Search or filter field with a magnifying glass at its left."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QLineEdit

from anonymizer_gui.theming import follow_theme, paint_icon, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.drawn import Drawn

_LEFT, _SIDE, _GAP = 9, 14, 5


class SearchGlass(Drawn):
    """Base class before that of a field: draws the glass, which the style sheet would place too low."""

    is_over = True

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("size", "small")
        follow_theme(self._make_room)

    def draw(self, painter: ThemedPainter) -> None:
        super().draw(painter)
        side = scaled(_SIDE)
        place = QRectF(_LEFT, (self.height() - side) / 2, side, side)
        paint_icon(painter, place, "search", painter.theme.text_2)

    def _make_room(self) -> None:
        """Keep the text clear of the glass, in addition to the padding of the field."""
        assert isinstance(self, QLineEdit)
        self.setTextMargins(scaled(_SIDE) + _GAP, 0, 0, 0)


class SearchField(SearchGlass, QLineEdit):
    """One line to search in the view next to it."""
