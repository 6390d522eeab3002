"""A list of texts, one column of which takes the room the others leave."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from anonymizer_gui.models.texts_model import Cell, Heading, TextsModel
from anonymizer_gui.perspectives.risk.column_widths import column_width
from anonymizer_gui.theming import scaled, theme_manager
from anonymizer_gui.widgets.tables import prepare_table

_WIDEST = 320


class TextsTable(QTableView):
    """Shows cells as they are given."""

    def __init__(self, name: str, title: str, *, stretched: int, parent: QWidget | None = None) -> None:
        """`name` is the object's name, `title` what assistive technology calls the list."""
        super().__init__(parent)
        self.texts = TextsModel(parent=self)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setModel(self.texts)
        prepare_table(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._stretched = stretched
        self._headings: tuple[Heading, ...] = ()
        self._widths: list[int] = []
        theme_manager().theme_changed.connect(self._fit_columns)

    def show_rows(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        """Show other lines."""
        self._headings = tuple(headings)
        self.texts.show(headings, rows)
        self._fit_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._stretch()

    def _fit_columns(self) -> None:
        widest = scaled(_WIDEST)
        self._widths = [min(column_width(self.texts, i), widest) for i in range(len(self._headings))]
        for place, width in enumerate(self._widths):
            self.horizontalHeader().resizeSection(place, width)
        self._stretch()

    def _stretch(self) -> None:
        """Give one column what the others leave, at least what it needs."""
        if 0 <= self._stretched < len(self._widths):
            header = self.horizontalHeader()
            others = sum(header.sectionSize(i) for i in range(len(self._widths)) if i != self._stretched)
            rest = self.viewport().width() - others
            header.resizeSection(self._stretched, max(rest, self._widths[self._stretched]))
