"""A table of figures as words: the last column takes the room that is left."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from anonymizer_gui.models.texts_model import Cell, Heading, TextsModel
from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.tables import prepare_table

_LEAST, _WIDEST = 60, 300  # of the first column: numbers far from their names are hard to read


class FiguresTable(QTableView):
    """Columns are as wide as their words; the first gives way where there is no room."""

    row_chosen = Signal(int)

    def __init__(self, name: str, *, chooses: bool = False, parent: QWidget | None = None) -> None:
        """With `chooses` a row can be selected."""
        super().__init__(parent)
        self._texts = TextsModel(parent=self)
        self.setModel(self._texts)
        prepare_table(self)
        self.setAccessibleName(name)
        modes = QAbstractItemView.SelectionMode
        self.setSelectionMode(modes.SingleSelection if chooses else modes.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        if chooses:
            self.selectionModel().currentRowChanged.connect(lambda index: self.row_chosen.emit(index.row()))

    @property
    def texts(self) -> TextsModel:
        """What it says."""
        return self._texts

    def show_figures(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        """Show other figures."""
        self._texts.show(headings, rows)
        self._fit()

    def choose(self, row: int) -> None:
        """Select a row."""
        self.selectRow(row)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        n_columns = self._texts.columnCount()
        if not n_columns:
            return
        wanted = [
            max(self.sizeHintForColumn(place), self.horizontalHeader().sectionSizeHint(place)) + 10
            for place in range(n_columns)
        ]
        room = self.viewport().width()
        spare = room - sum(wanted)
        if spare < 0:
            wanted[0] = max(wanted[0] + spare, _LEAST)
        else:
            wanted[0] = max(min(wanted[0] + spare, scaled(_WIDEST)), wanted[0])
        for place, width in enumerate(wanted):
            self.setColumnWidth(place, width)
