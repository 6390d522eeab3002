"""All nodes of a lattice as a table over arrays: sorted and filtered by an index, never by a proxy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from anonymizer_gui.widgets.marks import Mark
from anonymizer_gui.widgets.numbers import (
    DASH,
    as_exact_count,
    as_percent,
    as_significant,
    as_vector,
)

Index = QModelIndex | QPersistentModelIndex
Array = NDArray[Any]
BoolArray = NDArray[np.bool_]

NODE_ROLE = int(Qt.ItemDataRole.UserRole)
MARK_ROLE = NODE_ROLE + 1
COLOUR_ROLE = NODE_ROLE + 2  # colour class of the node
SHARE_ROLE = NODE_ROLE + 3  # length of the bar beside a value, 0 to 1

_NOTHING: Array = np.zeros(0)
_Right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_Left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class Kind(Enum):
    """How the numbers of a column are written."""

    RANK = "rank"
    MARK = "mark"
    LEVELS = "levels"
    VALUE = "value"
    COUNT = "count"
    PERCENT = "percent"
    NUMBER = "number"


@dataclass(frozen=True, eq=False)
class NodeColumn:
    """One column: values per node number, nan where there is none; None while being computed."""

    key: str
    title: str
    kind: Kind
    values: Array | None = None
    text: Callable[[float], str] | None = None
    tooltip: str = ""

    def shown(self, node: int) -> str:
        """The text of one cell."""
        if self.values is None:
            return ""
        value = self.values[node]
        if value != value:  # nan
            return DASH
        if self.text is not None:
            return self.text(float(value))
        match self.kind:
            case Kind.COUNT:
                return as_exact_count(float(value)) if value else "0"
            case Kind.PERCENT:
                return as_percent(float(value), keep_zeros=True)
            case Kind.RANK:
                return as_exact_count(float(value)) if value else DASH
            case _:
                return as_significant(float(value))


@dataclass(frozen=True, eq=False)
class NodeTable:
    """What the list shows of all nodes at one moment.

    Attributes
    ----------
    levels : ndarray of int16, shape (n_nodes, n_qi)
    satisfies, scored : ndarray of bool, shape (n_nodes,)
    colours : ndarray of uint8, shape (n_nodes,)
    columns : sequence of NodeColumn
    visible : ndarray of bool, shape (n_nodes,)
        Nodes that pass the filters, whether or not they satisfy.
    shares : ndarray of float64, shape (n_nodes,)
        Length of the bar beside the value.
    """

    levels: NDArray[np.int16] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int16))
    satisfies: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    scored: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    colours: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, dtype=np.uint8))
    columns: Sequence[NodeColumn] = ()
    visible: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    shares: Array = field(default_factory=lambda: _NOTHING)


class NodesModel(QAbstractTableModel):
    """Rows are nodes in the order of the sorted column."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self._table = NodeTable()
        self._shows_failing = False
        self._sort_key, self._order = "rank", Qt.SortOrder.AscendingOrder
        self._rows: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._places: NDArray[np.int64] | None = None
        self._marks: Mapping[int, Mark] = {}
        self.describe: Callable[[int], str] = lambda node: ""

    # -- what it shows -------------------------------------------------------------------------

    def set_table(self, table: NodeTable) -> None:
        """Show other numbers; the order and the choice of rows follow them."""
        self.beginResetModel()
        self._table = table
        self._choose_rows()
        self.endResetModel()

    def set_shows_failing(self, shows: bool) -> None:
        """List nodes that fail as well."""
        if shows != self._shows_failing:
            self.beginResetModel()
            self._shows_failing = shows
            self._choose_rows()
            self.endResetModel()

    def set_marks(self, marks: Mapping[int, Mark]) -> None:
        """Give some nodes another mark than their status."""
        before, self._marks = self._marks, dict(marks)
        column = self._column_of(Kind.MARK)
        for node in {*before, *self._marks}:
            row = self.row_of(node)
            if row is not None and column is not None:
                cell = self.index(row, column)
                self.dataChanged.emit(cell, self.index(row, self.columnCount() - 1))

    @property
    def table(self) -> NodeTable:
        return self._table

    @property
    def shows_failing(self) -> bool:
        return self._shows_failing

    def node(self, row: int) -> int:
        """Number of the node in a row."""
        return int(self._rows[row])

    def row_of(self, node: int) -> int | None:
        """The row of a node, if it is listed."""
        if self._places is None:
            self._places = np.full(len(self._table.scored), -1, dtype=np.int64)
            self._places[self._rows] = np.arange(len(self._rows))
        row = int(self._places[node]) if node < len(self._places) else -1
        return row if row >= 0 else None

    def nodes(self) -> NDArray[np.int64]:
        """Node numbers from the first row to the last."""
        return self._rows

    def column_key(self, column: int) -> str:
        return self._table.columns[column].key

    # -- Qt ------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._table.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        node, column = int(self._rows[index.row()]), self._table.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            if column.kind is Kind.MARK:
                return None
            if column.kind is Kind.LEVELS:
                return as_vector(self._table.levels[node].tolist())
            return column.shown(node)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(_Left if column.kind is Kind.LEVELS else _Right)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.describe(node)
        if role == Qt.ItemDataRole.AccessibleTextRole and column.kind is Kind.MARK:
            return self._mark(node).value
        if role == NODE_ROLE:
            return node
        if role == MARK_ROLE and column.kind is Kind.MARK:
            return self._mark(node)
        if role == COLOUR_ROLE:
            return int(self._table.colours[node])
        if role == SHARE_ROLE and column.kind is Kind.VALUE:
            return float(self._table.shares[node])
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self._table.columns):
            return None
        column = self._table.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tooltip or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(_Left if column.kind is Kind.LEVELS else _Right)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if not 0 <= column < len(self._table.columns):
            return
        self.beginResetModel()
        self._sort_key, self._order = self._table.columns[column].key, order
        self._choose_rows()
        self.endResetModel()

    # ------------------------------------------------------------------------------------------

    def _choose_rows(self) -> None:
        table = self._table
        chosen = table.visible & table.scored
        if not self._shows_failing:
            chosen = chosen & table.satisfies
        rows = np.flatnonzero(chosen)
        self._rows = rows[self._sorted(rows)] if len(rows) else rows
        self._places = None

    def _sorted(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Positions in sorting order; what does not exist comes last in both directions."""
        key = self._sort_key
        column = next((column for column in self._table.columns if column.key == key), None)
        falling = self._order == Qt.SortOrder.DescendingOrder
        if column is None or (column.values is None and column.kind is not Kind.LEVELS):
            key, falling = "rank", False
            column = next((column for column in self._table.columns if column.key == key), None)
        if column is not None and column.kind is Kind.LEVELS:
            order = np.lexsort(self._table.levels[rows].T[::-1])
            return order[::-1] if falling else order
        if column is None or column.values is None:
            return np.arange(len(rows))
        if column.kind is Kind.RANK and (placed := _by_place(column.values[rows])) is not None:
            return placed[::-1] if falling else placed
        values = np.asarray(column.values[rows], dtype=np.float64)
        missing = np.isnan(values)
        if column.kind is Kind.RANK:
            missing = values == 0
        values = np.where(missing, np.inf, -values if falling else values)
        ranks = self._ranks(rows)
        return np.lexsort((rows, ranks, values))

    def _ranks(self, rows: NDArray[np.int64]) -> Array:
        """Rank of each row, failing nodes after all others in the order of their value."""
        value = next((c.values for c in self._table.columns if c.kind is Kind.VALUE), None)
        for column in self._table.columns:
            if column.kind is Kind.RANK and column.values is not None:
                ranks = np.asarray(column.values[rows], dtype=np.float64)
                if value is None:
                    return np.where(ranks == 0, np.inf, ranks)
                worst = len(column.values) + 1
                order = np.argsort(np.argsort(np.nan_to_num(value[rows], nan=np.inf), kind="stable"))
                return np.where(ranks == 0, worst + order, ranks)
        return np.zeros(len(rows))

    def _mark(self, node: int) -> Mark:
        if node in self._marks:
            return self._marks[node]
        return Mark.SATISFIES if self._table.satisfies[node] else Mark.FAILS

    def _column_of(self, kind: Kind) -> int | None:
        for i, column in enumerate(self._table.columns):
            if column.kind is kind:
                return i
        return None


def _by_place(ranks: Array) -> NDArray[np.int64] | None:
    """Positions in the order of ranks that differ and are above 0, without sorting; None for others."""
    if not len(ranks) or ranks.dtype.kind != "i" or ranks.min() < 1:
        return None
    places = np.full(int(ranks.max()) + 1, -1, dtype=np.int64)
    places[ranks] = np.arange(len(ranks))
    order = places[places >= 0]
    return order if len(order) == len(ranks) else None
