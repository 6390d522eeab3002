"""Generic view of an analysis without its own chart: its sentence and its tables of values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.labels import make_label, set_tone
from anonymizer_gui.widgets.layouts import named, vbox
from anonymizer_gui.widgets.scroll_body import scrolled
from anonymizer_gui.widgets.texts_table import Cell, TextsTable, headings_of
from engine.numbers import DASH, as_exact_count, as_percent, as_significant

if TYPE_CHECKING:
    from engine.findings.blocks import Figure, FigureColumn, FigureTable, Findings

_MOST_ROWS = 1000  # shown; files and the clipboard have all rows
_FEW, _LEAST_HEIGHT = 8, 160  # rows of a list that is seen as a whole; height of a longer one


def _as_share(fraction: float) -> str:
    return as_percent(fraction, keep_zeros=True)


class FindingsView(QWidget):
    """One list per table of values."""

    def __init__(
        self, key: str, parent: QWidget | None = None, *, as_share: Callable[[float], str] = _as_share
    ) -> None:
        """Create the view; `as_share` writes a fraction as the other pages around it do."""
        super().__init__(parent)
        self._key, self._as_share = key, as_share
        self._sentence = named(make_label("", Text.TITLE, wraps=True), f"{key}.sentence")
        self._parts: list[QWidget] = []
        self._lists = vbox(spacing=6, margins=0)
        column = vbox(self._sentence, (self._lists, 1), spacing=6, margins=(12, 8, 12, 8))
        vbox(scrolled(column), margins=0, of=self)

    def sentence(self) -> QLabel:
        return self._sentence

    def show_findings(self, found: Findings) -> None:
        """Show the findings of another release."""
        told = found.statement()
        self._sentence.setText(told.sentence)
        set_tone(self._sentence, told.tone)
        for part in self._parts:
            part.hide()
            self._lists.removeWidget(part)
            part.deleteLater()
        while self._lists.takeAt(0) is not None:
            pass
        self._parts = []
        for table in found.tables():
            self._parts += [make_label(table.title, Text.SECTION, "text_2"), self._listed(table)]
        for part in self._parts:
            self._lists.addWidget(part)
        if all(len(table.rows) <= _FEW for table in found.tables()):
            self._lists.addStretch(1)

    def _listed(self, table: FigureTable) -> TextsTable:
        listed = TextsTable(f"{self._key}.{table.key}", table.title)
        rows = [
            [Cell(self._text(figure, column)) for figure, column in zip(row, table.columns, strict=True)]
            for row in table.rows[:_MOST_ROWS]
        ]
        listed.show_rows(headings_of(table, [column.key for column in table.columns]), rows)
        if len(rows) <= _FEW:
            listed.setSizeAdjustPolicy(TextsTable.SizeAdjustPolicy.AdjustToContents)
            listed.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        else:
            listed.setMinimumHeight(scaled(_LEAST_HEIGHT))
        return listed

    def _text(self, figure: Figure, column: FigureColumn) -> str:
        if figure is None or isinstance(figure, str):
            return DASH if figure is None else figure
        if column.is_share:
            return self._as_share(figure)
        return as_exact_count(figure) if isinstance(figure, int) else as_significant(figure)
