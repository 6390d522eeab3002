"""Rows of a file as they are: skipped ones, the row with the names, and what could be read differently."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import CELL_PADDING, TableView
from anonymizer_gui.theming import Text, font, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, vbox
from engine.numbers import as_exact_count
from engine.records.opening.raw_rows import RawRows, Row

_WIDEST, _NUMBERS, _GAP = 220, 56, "…"


class RawTable(TableView):
    """A click on the number of a row, or Enter, requests that it has the names of the columns."""

    header_requested = Signal(int)  # number of the row

    def __init__(self, title: str) -> None:
        super().__init__("rawTable", title)
        self._rows: list[Row] = []
        self._skipped = self._header = self._total = 0
        self._titles = 0
        self._is_left_out = False
        self.horizontalHeader().setStretchLastSection(True)
        self.clicked.connect(lambda index: None if index.column() else self._request(index))
        self.activated.connect(self._request)

    def show_raw(self, raw: RawRows, skipped: int, *, has_header: bool, leaves_out: bool) -> None:
        """Show rows, with those that would be skipped, and the total if it is left out."""
        gap: list[Row] = [(0, ())] if raw.last and raw.last[0][0] > raw.first[-1][0] + 1 else []
        self._rows = [*raw.first, *gap, *raw.last]
        self._skipped, self._titles = skipped, raw.n_titles if skipped < raw.n_titles else 0
        due = max(skipped, self._titles)
        named = (number for number, cells in self._rows if number > due and any(cells))
        self._header = next(named, 0) if has_header else 0
        self._total = 0 if raw.total is None else raw.total.row
        self._is_left_out = leaves_out
        width = max((len(cells) for _number, cells in self._rows), default=0)
        headings = [Heading("", is_number=True), *(Heading(letters(place)) for place in range(width))]
        self.texts.show_made([*headings, Heading("")], self._rows, self._cell)
        self._span(raw, width)
        self._fit(width, {row for top, bottom, _left, _right in raw.merged for row in range(top, bottom + 1)})

    def _cell(self, row: Row, column: int) -> Cell:
        number, cells = row
        is_skipped, is_title = number <= self._skipped, self._skipped < number <= self._titles
        fill = "accent_soft" if number == self._header else ""
        tone = "text_3" if is_skipped or not number else "text"
        if is_title or (number == self._total and not self._is_left_out):
            fill, tone = "warn_soft", "warn"
        is_struck = is_skipped or (number == self._total and self._is_left_out)
        note, place = self._note(number, is_title), column - 1
        if not number:
            return Cell(_GAP, tone="text_3")
        if column == 0:
            shown = as_exact_count(number)
            words = self.tr("Row {row}: {note}").format(row=shown, note=note) if note else shown
            tip = self.tr("Click to make row {row} the column names").format(row=shown)
            return Cell(shown, tip, "text_3", spoken=words, fill=fill)
        if column == self.texts.columnCount() - 1:
            return Cell(note, tone="accent_text" if number == self._header else tone, fill=fill)
        if not any(cells):
            return Cell(self.tr("blank row, ignored") if place == 0 else "", tone="text_3", fill=fill)
        text = cells[place] if place < len(cells) else ""
        is_strong = number == self._header
        return Cell(text, tone=tone, is_strong=is_strong, fill=fill, is_struck=is_struck)

    def _note(self, number: int, is_title: bool) -> str:
        if 0 < number <= self._skipped:
            return self.tr("skipped")
        if is_title:
            return self.tr("looks like a title")
        if number == self._header:
            return self.tr("column names")
        if number == self._total:
            return self.tr("excluded") if self._is_left_out else self.tr("looks like a total")
        return ""

    def _span(self, raw: RawRows, width: int) -> None:
        """Draw merged cells, and blank rows, as one cell."""
        self.clearSpans()
        places = {number: place for place, (number, _cells) in enumerate(self._rows) if number}
        blank = [(number, number, 1, width) for number, cells in self._rows if number and not any(cells)]
        for top, bottom, left, right in (*raw.merged, *blank):
            inside = [
                places[number] for number in range(top, min(bottom, top + width) + 1) if number in places
            ]
            n_columns = min(right, width) - left + 1
            if inside and len(inside) * n_columns > 1:
                self.setSpan(inside[0], left, len(inside), n_columns)

    def _fit(self, width: int, merged: set[int]) -> None:
        metrics = QFontMetrics(font(Text.CELL_STRONG))
        self.setColumnWidth(0, scaled(_NUMBERS))
        rows = [cells for number, cells in self._rows if number not in merged and number > self._titles]
        for place in range(width):
            texts = (cells[place] for cells in rows if place < len(cells))
            wanted = max(map(metrics.horizontalAdvance, texts), default=0) + 2 * CELL_PADDING + 4
            self.setColumnWidth(place + 1, min(max(wanted, scaled(_NUMBERS)), scaled(_WIDEST)))

    def _request(self, index: QModelIndex) -> None:
        if number := self._rows[index.row()][0]:
            self.header_requested.emit(number)


def letters(place: int) -> str:
    """Return the letters by which spreadsheets call a column, counted from 0."""
    rest, own = divmod(place, 26)
    return (letters(rest - 1) if rest else "") + chr(ord("A") + own)


@dataclass(frozen=True)
class Offer:
    """What could be read differently: words, the text of a button, and what it does."""

    words: str
    button: str
    act: Callable[[], None]


class OfferRow(QWidget):
    """Offers side by side, each with its button."""

    def __init__(self) -> None:
        super().__init__()
        self._row = hbox(spacing=24, margins=0, of=self)
        self._shown: list[QWidget] = []

    def show_offers(self, offers: Sequence[Offer]) -> None:
        """Replace the offers; the keyboard stays among them."""
        had_focus = any(old.isAncestorOf(QApplication.focusWidget() or self) for old in self._shown)
        for old in self._shown:
            self._row.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._shown = [self._made(number, offer) for number, offer in enumerate(offers)]
        for widget in self._shown:
            self._row.addWidget(widget, 1)
        self.setVisible(bool(offers))
        if had_focus and self._shown:
            self._shown[0].show()
            self._shown[0].findChildren(QPushButton)[0].setFocus()

    def _made(self, number: int, offer: Offer) -> QWidget:
        made = QWidget()
        button = make_button(offer.button, f"offer{number}", small=True)
        button.setAccessibleDescription(offer.words)
        button.clicked.connect(offer.act)
        words = make_label(offer.words, Text.CELL, "text_2", wraps=True)
        vbox(words, hbox(button, STRETCH), STRETCH, spacing=4, margins=0, of=made)
        return made
