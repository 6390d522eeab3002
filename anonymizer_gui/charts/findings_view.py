"""Generic view of an analysis without its own chart: its sentence and its tables of values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLabel, QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.labels import make_label, set_tone
from anonymizer_gui.widgets.layouts import named, vbox
from anonymizer_gui.widgets.texts_table import Cell, TextsTable, headings_of
from engine.numbers import DASH, as_exact_count, as_percent, as_significant

if TYPE_CHECKING:
    from engine.assessment.base import Figure, FigureColumn, FigureTable, Findings

_MOST_ROWS = 1000  # shown; files and the clipboard have all rows


class FindingsView(QWidget):
    """One list per table of values."""

    def __init__(self, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._key = key
        self._sentence = named(make_label("", Text.TITLE, wraps=True), f"{key}.sentence")
        self._parts: list[QWidget] = []
        self._column = vbox(self._sentence, spacing=6, margins=(12, 8, 12, 8), of=self)

    def sentence(self) -> QLabel:
        return self._sentence

    def show_findings(self, found: Findings) -> None:
        """Show the findings of another release."""
        told = found.statement()
        self._sentence.setText(told.sentence)
        set_tone(self._sentence, told.tone)
        for part in self._parts:
            part.hide()
            self._column.removeWidget(part)
            part.deleteLater()
        self._parts = []
        for table in found.tables():
            self._parts += [make_label(table.title, Text.SECTION, "text_2"), self._listed(table)]
        for part in self._parts:
            self._column.addWidget(part)

    def _listed(self, table: FigureTable) -> TextsTable:
        listed = TextsTable(f"{self._key}.{table.key}", table.title)
        rows = [
            [Cell(_text(figure, column)) for figure, column in zip(row, table.columns, strict=True)]
            for row in table.rows[:_MOST_ROWS]
        ]
        listed.show_rows(headings_of(table, [column.key for column in table.columns]), rows)
        return listed


def _text(figure: Figure, column: FigureColumn) -> str:
    if figure is None or isinstance(figure, str):
        return DASH if figure is None else figure
    if column.is_share:
        return as_percent(figure, keep_zeros=True)
    return as_exact_count(figure) if isinstance(figure, int) else as_significant(figure)
