"""Item model of all nodes of a lattice over arrays, sorted and filtered by an index without a proxy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal

from anonymizer_gui.models.node_columns import Kind, NodeColumn, NodeTable, RowOrder, Rows, sorted_rows
from anonymizer_gui.tables.rows_model import Index
from anonymizer_gui.widgets.marks import Mark
from engine.numbers import as_vector

SORTED_AT_ONCE = 60_000  # more nodes are sorted by the receiver of `order_changed`
NODE_ROLE = int(Qt.ItemDataRole.UserRole)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class NodesModel(QAbstractTableModel):
    """One row per node in the order of the sort column."""

    order_changed = Signal(object)  # RowOrder: request to sort the rows by another column

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self.table = NodeTable()
        self.order = RowOrder()
        self._rows: Rows = np.zeros(0, dtype=np.int64)
        self._places: Rows | None = None
        self._marks: Mapping[int, Mark] = {}
        self.describe: Callable[[int], str] = lambda node: ""

    # -- content -------------------------------------------------------------------------------

    def set_table(self, table: NodeTable, rows: Rows | None = None) -> None:
        """Replace the values; `rows` are the listed nodes in the current order, if known."""
        self.beginResetModel()
        self.table = table
        self._rows = sorted_rows(table, self.order) if rows is None else rows
        self._places = None
        self.endResetModel()

    def set_marks(self, marks: Mapping[int, Mark]) -> None:
        """Mark some nodes with something other than their status."""
        before, self._marks = self._marks, dict(marks)
        column = next((i for i, c in enumerate(self.table.columns) if c.kind is Kind.MARK), None)
        for node in {*before, *self._marks}:
            row = self.row_of(node)
            if row is not None and column is not None:
                cell = self.index(row, column)
                self.dataChanged.emit(cell, self.index(row, self.columnCount() - 1))

    def node(self, row: int) -> int:
        """Return the number of the node in a row."""
        return int(self._rows[row])

    def row_of(self, node: int) -> int | None:
        """Return the row of a node, or None if it is not listed."""
        if self._places is None:
            self._places = np.full(len(self.table.listed), -1, dtype=np.int64)
            self._places[self._rows] = np.arange(len(self._rows))
        row = int(self._places[node]) if node < len(self._places) else -1
        return row if row >= 0 else None

    def nodes(self) -> Rows:
        """Return the node numbers from the first row to the last."""
        return self._rows

    def column(self, section: int) -> NodeColumn:
        return self.table.columns[section]

    def column_key(self, section: int) -> str:
        return self.table.columns[section].key

    def text(self, node: int, column: NodeColumn) -> str:
        """Return the text of a cell; marks and glyphs are drawn instead."""
        if column.kind is Kind.MARK:
            return ""
        if column.kind is Kind.LEVELS:
            return as_vector(self.table.levels[node].tolist())
        return column.cell_text(node)

    def mark(self, node: int) -> Mark:
        """Return the mark of a node, by default its status."""
        if node in self._marks:
            return self._marks[node]
        return Mark.SATISFIES if self.table.satisfies[node] else Mark.FAILS

    def copied(self, rows: Sequence[int], sections: Sequence[int]) -> str:
        """Return rows below their headings with all digits, tab-separated for the clipboard."""
        nodes = self._rows[np.asarray(rows, dtype=np.int64)]
        columns = [self.table.columns[section] for section in sections]
        cells = [
            [self.mark(node).value for node in nodes.tolist()]
            if column.kind is Kind.MARK
            else self.table.exact(column, nodes)
            for column in columns
        ]
        lines = ["\t".join(_plain(cell) for cell in line) for line in zip(*cells, strict=True)]
        head = "\t".join(_plain(column.file_name or column.key) for column in columns)
        return "\n".join([head, *lines])

    # -- Qt ------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.table.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        if role == NODE_ROLE:
            return self.node(index.row())
        column = self.table.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return None if column.kind is Kind.MARK else self.text(self.node(index.row()), column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(_LEFT if column.kind.is_left else _RIGHT)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.describe(self.node(index.row()))
        if role == Qt.ItemDataRole.AccessibleTextRole and column.kind is Kind.MARK:
            return self.mark(self.node(index.row())).value
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self.table.columns):
            return None
        column = self.table.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tooltip or None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return column.name
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(_LEFT if column.kind.is_left else _RIGHT)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if not 0 <= column < len(self.table.columns):
            return
        self.order = RowOrder(self.table.columns[column].key, order == Qt.SortOrder.DescendingOrder)
        if len(self.table.listed) <= SORTED_AT_ONCE:
            self.set_table(self.table)
        self.order_changed.emit(self.order)


def _plain(text: str) -> str:
    """Return a text without tabs and line breaks, for one cell of the clipboard."""
    return " ".join(text.split()) if any(mark in text for mark in "\t\r\n") else text
