"""List of the most exposed records, with an explanation of the selected one below."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from anonymizer_gui.perspectives.risk.exposed_model import BEFORE, RISK, ExposedModel, ExposedRows
from anonymizer_gui.theming import Text, scaled, theme_manager
from anonymizer_gui.widgets.buttons import fold_text, make_button
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.fits_room import FitsRoom
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, nest, vbox
from anonymizer_gui.widgets.removable_chip import RemovableChip
from anonymizer_gui.widgets.scroll_body import scrolled
from anonymizer_gui.widgets.search_field import SearchField
from anonymizer_gui.widgets.tables import prepare_table
from anonymizer_gui.widgets.texts_table import column_width

_WIDEST, _EXPLANATION_HEIGHT = 140, 136
_ROOM_FOR_CHIPS, _ROOM_FOR_WORDS = 330, 460
_EXPLANATION_SHARE = 0.56  # largest share of the height


@dataclass(frozen=True)
class RecordWords:
    """Texts about the selected record: number, chips, released cells, and a sentence."""

    record: int
    title: str
    chips: tuple[tuple[str, str, str], ...]  # text, tone and meaning
    cells: tuple[tuple[str, str], ...]
    sentence: str


class _ExplanationFrame(FitsRoom, QFrame):
    """Explanation of one record."""

    table_requested = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("part", "footer")
        self.setObjectName("recordExplained")
        self._record = self._n_chips = 0
        self._title = make_label("", Text.TITLE)
        self._chips = [Chip(""), Chip("")]
        self.button = make_button(self.tr("Show in table"), small=True, kind="quiet", icon_name="table")
        self.button.setObjectName("showInTable")
        self.button.setToolTip(
            self.tr("Show in table: go to this record in Analyze utility, next to its original")
        )
        self.button.setAccessibleName(self.tr("Show in table"))
        self.button.clicked.connect(lambda: self.table_requested.emit(self._record))
        self._cells = make_label("", Text.CELL, "text_2", wraps=True)
        self._cells.setTextFormat(Qt.TextFormat.RichText)
        self._sentence = named(make_label("", Text.CELL, "text_2", wraps=True), "recordSentence")
        head = hbox(self._title, *self._chips, STRETCH, self.button, spacing=8)
        column = self._column = QVBoxLayout()
        column.setContentsMargins(14, 10, 12, 8)
        column.setSpacing(6)
        nest(column, head)
        column.addWidget(self._cells)
        column.addWidget(self._sentence)
        column.addStretch(1)
        vbox(scrolled(column), margins=0, of=self)

    def show_record(self, words: RecordWords) -> None:
        self._record = words.record
        self._title.setText(words.title)
        for chip, (text, tone, meaning) in zip(self._chips, words.chips, strict=False):
            chip.show_status(text, tone, icon_name="")
            chip.setToolTip(meaning)
        self._n_chips = len(words.chips)
        self._show_chips()
        # Texts come from data: markup in them is not interpreted.
        self._cells.setText(" · ".join(f"{escape(name)} <b>{escape(text)}</b>" for name, text in words.cells))
        self._sentence.setText(words.sentence)

    def sentence(self) -> str:
        return self._sentence.text()

    def _fit(self) -> None:
        self._show_chips()
        # If there is no room for everything, the conclusion comes before its reasons.
        is_low = self.height() < scaled(_EXPLANATION_HEIGHT)
        self._column.removeWidget(self._sentence)
        self._column.insertWidget(1 if is_low else 2, self._sentence)
        fold_text(self.button, self.tr("Show in table"), is_folded=self.width() < scaled(_ROOM_FOR_WORDS))

    def _show_chips(self) -> None:
        """Hide the last chips if there is no room; the sentence covers what they warn about."""
        room = self._n_chips if self.width() >= scaled(_ROOM_FOR_CHIPS) else 1
        for place, chip in enumerate(self._chips):
            chip.setVisible(place < room)


class ExposedView(FitsRoom, QWidget):
    """A click or the arrow keys select a record."""

    record_chosen = Signal(int)  # counted from 0
    table_requested = Signal(int)
    usual_requested = Signal()  # the most exposed records again

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("exposedView")
        self.model = ExposedModel(self)
        self.table = named(QTableView(), "exposedRecords", self.tr("Most exposed records"))
        self.table.setModel(self.model)
        prepare_table(self.table)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.table.horizontalHeader()
        header.setSortIndicator(RISK, Qt.SortOrder.DescendingOrder)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.table.setSortingEnabled(True)
        header.setSortIndicatorShown(False)  # the model's titles have the arrow
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.search = named(SearchField(), "exposedSearch", self.tr("Show only records with these words"))
        self.search.setPlaceholderText(self.tr("Values or record numbers"))
        self.search.textChanged.connect(self._on_words)
        self._nothing = ElidedLabel("", Text.CELL, "text_3")
        self._singled_out = RemovableChip(self.tr("Singled out by unchanged columns"))
        self._singled_out.setObjectName("singledOutChip")
        self._singled_out.removal_requested.connect(self.usual_requested)
        self._chip_row = QWidget()
        hbox(self._singled_out, STRETCH, margins=(8, 6, 8, 2), of=self._chip_row)
        self._chip_row.hide()
        found = hbox((self.search, 1), self._nothing, spacing=8, margins=(8, 6, 8, 6))
        self._search_row = QWidget()
        self._search_row.setLayout(found)
        self._search_row.hide()
        self.explained = _ExplanationFrame()
        self.explained.table_requested.connect(self.table_requested)
        vbox(self._chip_row, self._search_row, (self.table, 1), self.explained, spacing=0, margins=0, of=self)
        theme_manager().theme_changed.connect(self._fit_columns)

    def show_rows(self, rows: ExposedRows, *, are_singled_out: bool = False) -> None:
        """Show other records and select the first, or the one selected before if it is still listed.

        `are_singled_out` is whether they are those that unchanged columns single out, under a chip.
        """
        before = self.chosen
        self._chip_row.setVisible(are_singled_out)
        self.model.show_rows(rows)
        self._fit_columns()
        self._choose(before)

    def forget(self) -> None:
        """Forget the record and the words sought in another table."""
        self.search.clear()
        with QSignalBlocker(self.table.selectionModel()):
            self.table.setCurrentIndex(QModelIndex())
        self.table.scrollToTop()

    @property
    def chosen(self) -> int | None:
        """Selected record, counted from 0."""
        row = self.table.currentIndex().row()
        return None if row < 0 or row >= self.model.rowCount() else self.model.record(row)

    def show_explained(self, words: RecordWords) -> None:
        """Show the explanation of the selected record."""
        self.explained.show_record(words)

    def show_search(self, visible: bool) -> None:
        """Show the search field, or hide it and show all records."""
        self._search_row.setVisible(visible)
        if visible:
            self.search.setFocus()
        else:
            self.search.clear()

    def _fit(self) -> None:
        height = min(scaled(_EXPLANATION_HEIGHT), round(_EXPLANATION_SHARE * self.height()))
        self.explained.setFixedHeight(height)

    def _choose(self, record: int | None) -> None:
        row = None if record is None else self.model.row_of(record)
        n_rows = self.model.rowCount()
        self.explained.setVisible(n_rows > 0)
        if not n_rows:
            return
        index = self.model.index(row or 0, 0)
        with QSignalBlocker(self.table.selectionModel()):
            flags = QItemSelectionModel.SelectionFlag
            self.table.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        self.table.scrollTo(index)
        self.table.viewport().update()
        self.record_chosen.emit(self.model.record(index.row()))

    def _on_row(self) -> None:
        if (record := self.chosen) is not None:
            self.record_chosen.emit(record)

    def _on_words(self, words: str) -> None:
        before = self.chosen
        self.model.set_words(words)
        is_empty = not self.model.rowCount()
        self._nothing.setText(self.tr("no listed record matches") if is_empty else "")
        self._choose(before)

    def _fit_columns(self) -> None:
        header = self.table.horizontalHeader()
        for place in range(self.model.columnCount()):
            wanted = column_width(self.model, place)
            header.resizeSection(place, wanted if place <= BEFORE else min(wanted, scaled(_WIDEST)))
