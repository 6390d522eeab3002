"""The records of a table as an item model: order and filter are one array of record numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from engine.kernels.arrays import IntArray
from engine.table import Column, Table

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_DISPLAY = Qt.ItemDataRole.DisplayRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class RecordsModel(QAbstractTableModel):
    """Shows texts as they are in the table; numbers stand right."""

    def __init__(self, table: Table | None = None, limit: int | None = None, parent: QObject | None = None):
        super().__init__(parent)
        self._limit = limit
        self._table = Table(())
        self._columns: list[tuple[tuple[str, ...], Any, bool]] = []
        self._order: IntArray = np.zeros(0, dtype=np.int64)
        self._sorted_by: tuple[int, Qt.SortOrder] | None = None
        self._needle = ""
        if table is not None:
            self.set_table(table)

    @property
    def table(self) -> Table:
        return self._table

    @property
    def n_shown(self) -> int:
        """Records that pass the filter."""
        return len(self._order)

    def set_table(self, table: Table | None) -> None:
        """Show another table, unsorted and unfiltered."""
        self.beginResetModel()
        self._table = table or Table(())
        self._columns = [(c.labels, c.codes, c.data_type.is_numeric) for c in self._table.columns]
        self._sorted_by, self._needle = None, ""
        self._update_order()
        self.endResetModel()

    def set_filter(self, needle: str) -> None:
        """Show only records with a cell that contains the text, whatever its case."""
        if needle != self._needle:
            self.beginResetModel()
            self._needle = needle
            self._update_order()
            self.endResetModel()

    def row_of(self, record: int) -> int | None:
        """The row that shows a record, if any does."""
        found = np.flatnonzero(self._order == record)
        return int(found[0]) if len(found) else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by the order of the column's type; a negative column gives the table's own order."""
        self.layoutAboutToBeChanged.emit()
        self._sorted_by = (column, order) if 0 <= column < len(self._columns) else None
        self._update_order()
        self.layoutChanged.emit()

    def _update_order(self) -> None:
        n_records = self._table.n_records
        chosen = np.arange(n_records)
        if self._needle:
            hit = np.zeros(n_records, dtype=np.bool_)
            for column in self._table.columns:
                hit |= self._matching(column)[column.codes]
            chosen = np.flatnonzero(hit)
        if self._sorted_by is not None:
            codes = self._columns[self._sorted_by[0]][1][chosen]
            ascending = self._sorted_by[1] == Qt.SortOrder.AscendingOrder
            chosen = chosen[np.argsort(codes if ascending else -codes, kind="stable")]
        self._order = chosen[: self._limit] if self._limit is not None else chosen

    def _matching(self, column: Column) -> Any:
        needle = self._needle.casefold()
        return np.array([needle in label.casefold() for label in column.labels], dtype=np.bool_)

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if role not in (_DISPLAY, Qt.ItemDataRole.TextAlignmentRole) or not index.isValid():
            return None
        labels, codes, is_numeric = self._columns[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if is_numeric else _LEFT
        return labels[codes[self._order[index.row()]]]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if role != _DISPLAY:
            return None
        if orientation == Qt.Orientation.Horizontal:
            return self._table.names[section] if section < len(self._columns) else None
        return str(int(self._order[section]) + 1) if section < len(self._order) else None
