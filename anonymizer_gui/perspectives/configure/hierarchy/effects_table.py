"""A row per level: what it does, its loss as a bar of the utility ramp, and what would be suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.effects import EffectRow
from anonymizer_gui.perspectives.configure.hierarchy.level_table import (
    LevelDelegate,
    LevelTable,
    needed_width,
)
from anonymizer_gui.theming import Text, current_theme, font, ramp_colors, scaled
from anonymizer_gui.widgets.meter import draw_meter
from anonymizer_gui.widgets.tables import CELL_PADDING

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_Role = Qt.ItemDataRole
_WORDS, _BAR, _VALUE, _OUTCOME = range(4)
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
                side = Qt.AlignmentFlag.AlignRight if column == _OUTCOME else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
            case _Role.FontRole if column == _WORDS and row.is_best:
                return font(Text.CELL_STRONG)
            case _Role.ForegroundRole if column == _OUTCOME:
                return current_theme().color("danger" if row.fails else "text_2")
        return None


def _text(row: EffectRow, column: int) -> str:
    return (row.words, "", row.value, row.outcome)[column]


class _BarDelegate(LevelDelegate):
    def paint_content(self, painter: QPainter, cell: QRect, index: Index) -> None:
        model = index.model()
        if index.column() != _BAR or not isinstance(model, EffectsModel):
            super().paint_content(painter, cell, index)
            return
        row, theme = model.effect(index.row()), current_theme()
        colour = QColor(theme.fail_line) if row.colour is None else ramp_colors(theme)[row.colour]
        place = QRectF(cell).adjusted(CELL_PADDING, 0, -CELL_PADDING, -1)
        draw_meter(painter, place, theme, row.share or 0.0, color=colour.name())


class EffectsTable(LevelTable):
    """Read only, without a header: every cell says what it is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("effectsTable")
        self.setAccessibleName(self.tr("The optimum with each level"))
        self.effects = EffectsModel(self)
        self._needed = dict.fromkeys((_WORDS, _VALUE, _OUTCOME), 0)
        self.setModel(self.effects)
        self.setItemDelegate(_BarDelegate(self))
        header = self.horizontalHeader()
        header.hide()
        for section in (_BAR, _VALUE, _OUTCOME):
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(_WORDS, QHeaderView.ResizeMode.Stretch)

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
