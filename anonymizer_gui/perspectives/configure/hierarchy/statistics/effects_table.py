"""A row per level: what it does, its loss as a bar of the utility ramp, and what would be suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.statistics.effects import EffectRow
from anonymizer_gui.perspectives.configure.hierarchy.statistics.level_table import (
    LevelTable,
    needed_width,
    paint_text,
)
from anonymizer_gui.theming import Text, current_theme, font, ramp_colors, scaled
from anonymizer_gui.widgets.meter import draw_meter
from anonymizer_gui.widgets.tables import CELL_PADDING

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_Role = Qt.ItemDataRole
_WORDS, _BAR, _VALUE, _OUTCOME = range(4)
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_ALIGNMENTS = (_LEFT, _LEFT, _LEFT, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEAST_WORDS, _LEAST_BAR, _MOST_BAR = 84, 32, 120


class EffectsModel(QAbstractTableModel):
    """The highest level first, as in the statistics."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[EffectRow, ...] = ()

    def show_rows(self, rows: Sequence[EffectRow]) -> None:
        """Show the effects of the levels from 0 on."""
        self.beginResetModel()
        self._rows = tuple(reversed(rows))
        self.endResetModel()

    def effect(self, row: int) -> EffectRow:
        """The level of a row."""
        return self._rows[row]

    def texts(self, column: int) -> list[str]:
        """All texts of a column."""
        return [_text(row, column) for row in self._rows]

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else _OUTCOME + 1

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], index.column()
        match role:
            case _Role.DisplayRole:
                return _text(row, column)
            case _Role.ToolTipRole:
                return row.details or row.words
            case _Role.TextAlignmentRole:
                return _ALIGNMENTS[column]
            case _Role.FontRole:
                return font(_use(row, column))
            case _Role.ForegroundRole:
                return current_theme().color(_tone(row, column))
        return None


def _text(row: EffectRow, column: int) -> str:
    return (row.words, "", row.value, row.outcome)[column]


def _use(row: EffectRow, column: int) -> Text:
    return Text.CELL_STRONG if column == _WORDS and row.is_best else Text.CELL


def _tone(row: EffectRow, column: int) -> str:
    if column != _OUTCOME:
        return "text"
    return "danger" if row.fails else "text_2"


class EffectsTable(LevelTable):
    """Read only, without a header: every cell says what it is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("effectsTable")
        self.setAccessibleName(self.tr("The optimum with each level"))
        self.effects = EffectsModel(self)
        self._needed = dict.fromkeys((_WORDS, _VALUE, _OUTCOME), 0)
        self.setModel(self.effects)
        header = self.horizontalHeader()
        header.hide()
        for section in (_BAR, _VALUE, _OUTCOME):
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(_WORDS, QHeaderView.ResizeMode.Stretch)

    def paint_cell(self, painter: QPainter, cell: QRect, row: int, column: int) -> None:
        effect, theme = self.effects.effect(row), current_theme()
        if column == _BAR:
            colour = theme.fail_line if effect.colour is None else ramp_colors(theme)[effect.colour].name()
            place = QRectF(cell).adjusted(CELL_PADDING, 0, -CELL_PADDING, -1)
            draw_meter(painter, place, theme, effect.share or 0.0, color=colour)
            return
        use, tone = _use(effect, column), _tone(effect, column)
        paint_text(painter, cell, _text(effect, column), _ALIGNMENTS[column], use, tone)

    def measure(self) -> None:
        for section, use in ((_WORDS, Text.CELL_STRONG), (_VALUE, Text.CELL), (_OUTCOME, Text.CELL)):
            self._needed[section] = needed_width(self.effects.texts(section), use)

    def share_width(self) -> None:
        value, outcome = self._needed[_VALUE], self._needed[_OUTCOME]
        room = self.viewport().width() - value - outcome
        bar = min(max(room - self._needed[_WORDS], scaled(_LEAST_BAR)), scaled(_MOST_BAR))
        self.setColumnWidth(_BAR, max(min(bar, room - scaled(_LEAST_WORDS)), 0))
        self.setColumnWidth(_VALUE, value)
        self.setColumnWidth(_OUTCOME, outcome)
