"""A list of texts, one column of which takes the room the others leave."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

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
        theme_manager().theme_changed.connect(self._fit_columns)

    def show_rows(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        """Show other lines."""
        self._headings = tuple(headings)
        self.texts.show(headings, rows)
        self._fit_columns()

    def _fit_columns(self) -> None:
        header = self.horizontalHeader()
        for place in range(len(self._headings)):
            if place == self._stretched:
                header.setSectionResizeMode(place, QHeaderView.ResizeMode.Stretch)
                continue
            header.setSectionResizeMode(place, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(place, min(column_width(self.texts, place), scaled(_WIDEST)))
