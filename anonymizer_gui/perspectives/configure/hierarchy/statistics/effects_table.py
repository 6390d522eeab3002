"""A row per level: what it does, its loss as a bar of the utility ramp, and what would be suppressed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.statistics.effects import EffectRow
from anonymizer_gui.perspectives.configure.hierarchy.statistics.level_table import LevelTable
from anonymizer_gui.theming import Text, current_theme, ramp_colors, scaled
from anonymizer_gui.widgets.layouts import named
from anonymizer_gui.widgets.meter import draw_meter
from anonymizer_gui.widgets.tables import CELL_PADDING
from anonymizer_gui.widgets.texts_table import Cell, Heading

_WORDS, _BAR, _VALUE, _OUTCOME = range(4)
_HEADINGS = (Heading(""), Heading(""), Heading(""), Heading("", is_number=True))  # not shown
_LEAST_WORDS, _LEAST_BAR, _MOST_BAR = 84, 32, 120


class EffectsTable(LevelTable):
    """Read only, without a header: every cell says what it is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "effectsTable", self.tr("The optimum with each level"))
        self._rows: tuple[EffectRow, ...] = ()
        self._needed = dict.fromkeys((_WORDS, _VALUE, _OUTCOME), 0)
        self.horizontalHeader().hide()

    def show_rows(self, rows: Sequence[EffectRow]) -> None:
        """Show the effects of the levels from 0 on."""
        self._rows = tuple(reversed(rows))
        self.show_cells(_HEADINGS, map(_cells, rows))
        header = self.horizontalHeader()
        for section in (_BAR, _VALUE, _OUTCOME):
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(_WORDS, QHeaderView.ResizeMode.Stretch)

    def paint_cell(self, painter: QPainter, cell: QRect, row: int, column: int) -> None:
        if column != _BAR:
            super().paint_cell(painter, cell, row, column)
            return
        effect, theme = self._rows[row], current_theme()
        colour = theme.fail_line if effect.colour is None else ramp_colors(theme)[effect.colour].name()
        place = QRectF(cell).adjusted(CELL_PADDING, 0, -CELL_PADDING, -1)
        draw_meter(painter, place, theme, effect.share or 0.0, color=colour)

    def measure(self) -> None:
        for section, use in ((_WORDS, Text.CELL_STRONG), (_VALUE, Text.CELL), (_OUTCOME, Text.CELL)):
            self._needed[section] = self.needed_width(section, use)

    def share_width(self) -> None:
        value, outcome = self._needed[_VALUE], self._needed[_OUTCOME]
        room = self.viewport().width() - value - outcome
        bar = min(max(room - self._needed[_WORDS], scaled(_LEAST_BAR)), scaled(_MOST_BAR))
        self.setColumnWidth(_BAR, max(min(bar, room - scaled(_LEAST_WORDS)), 0))
        self.setColumnWidth(_VALUE, value)
        self.setColumnWidth(_OUTCOME, outcome)


def _cells(row: EffectRow) -> tuple[Cell, ...]:
    """A level as it is shown; the bar is drawn."""
    hint = row.details or row.words
    outcome = Cell(row.outcome, hint, "danger" if row.fails else "text_2")
    return Cell(row.words, hint, is_strong=row.is_best), Cell("", hint), Cell(row.value, hint), outcome
