"""Item model of the records of a table; order and filter are one array of record numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QObject, Qt

from anonymizer_gui.widgets.tables import LEFT, NOWHERE, RIGHT, Index
from engine.kernels.arrays import Codes
from engine.table import Table

_MEASURED = 10  # texts measured to find a column width
_DISPLAY = Qt.ItemDataRole.DisplayRole


class RecordsModel(QAbstractTableModel):
    """Shows the texts of the table, numbers right-aligned.

    Filtering and sorting ten million records here would block the window: `show_order` takes the order
    computed by `engine.table.ordering`.
    """

    def __init__(self, table: Table | None = None, limit: int | None = None, parent: QObject | None = None):
        super().__init__(parent)
        self._limit = limit
        self.table = Table(())
        self._columns: list[tuple[tuple[str, ...], Any, bool]] = []
        self.order: Codes | None = None  # None is the order of the table
        self.n_shown = 0
        if table is not None:
            self.set_table(table)

    def set_table(self, table: Table | None, order: Codes | None = None) -> None:
        """Replace the table; all records in table order by default."""
        self.beginResetModel()
        self.table = table or Table(())
        self._columns = [(c.labels, c.codes, c.data_type.is_numeric) for c in self.table.columns]
        self._take(order)
        self.endResetModel()

    def show_order(self, order: Codes | None) -> None:
        """Show other records or another order; None shows all in table order."""
        self.beginResetModel()
        self._take(order)
        self.endResetModel()

    def record_of(self, row: int) -> int:
        """Return the record in a row."""
        return row if self.order is None else int(self.order[row])

    def longest_texts(self, column: int, n_rows: int) -> list[str]:
        """Return some of the longest texts in the first rows of a column.

        Used to find widths. A call through Qt may wait for a worker to release the interpreter lock, so
        thousands of them would block the window.
        """
        labels, codes, _ = self._columns[column]
        texts = {labels[codes[self.record_of(row)]] for row in range(min(n_rows, self.n_shown))}
        return sorted(texts, key=len)[-_MEASURED:]

    def row_of(self, record: int) -> int | None:
        """Return the row of a record, or None if it is hidden."""
        if self.order is None:
            return record if 0 <= record < self.n_shown else None
        found = np.flatnonzero(self.order[: self.n_shown] == record)
        return int(found[0]) if len(found) else None

    def _take(self, order: Codes | None) -> None:
        self.order = order
        self.n_shown = self.table.n_records if order is None else len(order)
        if self._limit is not None:
            self.n_shown = min(self.n_shown, self._limit)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else self.n_shown

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if role not in (_DISPLAY, Qt.ItemDataRole.TextAlignmentRole) or not index.isValid():
            return None
        labels, codes, is_numeric = self._columns[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if is_numeric else LEFT
        return labels[codes[self.record_of(index.row())]]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if role != _DISPLAY:
            return None
        if orientation == Qt.Orientation.Horizontal:
            return self.table.names[section] if section < len(self._columns) else None
        return str(self.record_of(section) + 1) if section < self.n_shown else None
