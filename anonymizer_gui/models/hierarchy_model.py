"""Item model of a hierarchy over the values of a column: value, records, one column per level."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QObject, Qt

from anonymizer_gui.theming import Text, current_theme, font
from anonymizer_gui.widgets.tables import LEFT, NOWHERE, RIGHT, Index
from engine.hierarchies import Hierarchy
from engine.hierarchies.statistics import level_codes
from engine.kernels.arrays import Codes, Counts
from engine.numbers import as_exact_count
from engine.table import Column

_Role = Qt.ItemDataRole
VALUE, RECORDS, FIRST_LEVEL = 0, 1, 2
ABSENT = "–"


class HierarchyModel(QAbstractTableModel):
    """One row per value of the table, sorted by type; level 0 is the value."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._column: Column | None = None
        self._hierarchy: Hierarchy | None = None
        self._codes: Codes = np.zeros((0, 0), dtype=np.int32)
        self._counts: Counts = np.zeros(0, dtype=np.int64)
        self.n_groups: tuple[int, ...] = ()

    def show_hierarchy(self, column: Column | None, hierarchy: Hierarchy | None) -> None:
        """Show a column with its hierarchy, or only values and records without one."""
        self.beginResetModel()
        self._column = column
        self._hierarchy = hierarchy if column is not None else None
        if column is None:
            self._codes, self.n_groups = np.zeros((0, 0), dtype=np.int32), ()
            self._counts = np.zeros(0, dtype=np.int64)
        else:
            self._counts = column.counts
            if hierarchy is None:
                self._codes = np.zeros((1, len(column.labels)), dtype=np.int32)
                self.n_groups = ()
            else:
                self._codes = level_codes(hierarchy, column)
                self.n_groups = tuple(len(np.unique(codes[codes >= 0])) for codes in self._codes)
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._counts)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        if parent.isValid() or self._column is None:
            return 0
        return FIRST_LEVEL + max(len(self._codes) - 1, 0)

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid() or self._column is None:
            return None
        row, column = index.row(), index.column()
        if role == _Role.DisplayRole:
            return self._text(row, column)
        if role == _Role.TextAlignmentRole:
            return RIGHT if column == RECORDS else LEFT
        if role == _Role.ForegroundRole:
            theme = current_theme()
            if column == RECORDS:
                return theme.color("text_2")
            if column >= FIRST_LEVEL and self._codes[column - 1, row] < 0:
                return theme.color("danger")
            return theme.color("text")
        if role == _Role.ToolTipRole and column >= FIRST_LEVEL and self._codes[column - 1, row] < 0:
            return self.tr("This value is not in the hierarchy.")
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == _Role.TextAlignmentRole:
            return RIGHT if section == RECORDS else LEFT
        if role == _Role.FontRole:
            return font(Text.HEADER)
        if role != _Role.DisplayRole:
            return None
        if section == VALUE:
            return self.tr("0 original")
        return self.tr("Records") if section == RECORDS else str(section - 1)

    def _text(self, row: int, column: int) -> str:
        assert self._column is not None
        if column == RECORDS:
            return as_exact_count(int(self._counts[row]))
        if column == VALUE or self._hierarchy is None:
            return self._column.labels[row]
        code = int(self._codes[column - 1, row])
        return ABSENT if code < 0 else self._hierarchy.levels[column - 1].labels[code]
