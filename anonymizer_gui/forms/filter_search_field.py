"""Filter field with the look of a search field and the completion of a filter."""

from __future__ import annotations

from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms.filter_edit import FilterEdit
from anonymizer_gui.theming import follow_theme
from anonymizer_gui.widgets.search_field import make_room_for_glass, paint_glass


class FilterSearchField(FilterEdit):
    """`FilterEdit` with the magnifying glass of `SearchField`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("size", "small")
        follow_theme(self._make_room)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        paint_glass(self)

    def _make_room(self) -> None:
        make_room_for_glass(self)
