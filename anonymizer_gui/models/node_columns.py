"""Columns of the node list: values, format and row order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer_gui.widgets.level_glyph import Glyph
from engine.numbers import DASH, as_exact_count, as_percent, as_significant, as_vector

Array = NDArray[Any]
BoolArray = NDArray[np.bool_]
Rows = NDArray[np.int64]


class Kind(Enum):
    """Format of the numbers of a column."""

    RANK = "rank"
    MARK = "mark"
    LEVELS = "levels"
    LEVEL = "level"
    VALUE = "value"
    COUNT = "count"
    PERCENT = "percent"
    NUMBER = "number"
    TEXT = "text"

    @property
    def is_left(self) -> bool:
        """Return whether the text is aligned left."""
        return self in (Kind.LEVELS, Kind.TEXT)

    @property
    def is_integer(self) -> bool:
        """Return whether the numbers are counts."""
        return self in (Kind.RANK, Kind.COUNT, Kind.LEVEL)


@dataclass(frozen=True, eq=False)
class NodeColumn:
    """One column.

    Attributes
    ----------
    values : ndarray, shape (n_nodes,), or None
        One number per node, nan for no value; None while being computed.
    text : callable, optional
        Formats a value.
    tooltip : str
        Definition of the column.
    file_name : str
        Name of the column in a file, `key` by default.
    is_usual : bool
        Whether it is shown by default.
    has_filter : bool
        Whether it has a filter field.
    missing : str
        Text of a cell without a value.
    short : str
        Title where room is scarce.
    """

    key: str
    title: str
    kind: Kind
    values: Array | None = None
    text: Callable[[float], str] | None = None
    tooltip: str = ""
    file_name: str = ""
    is_usual: bool = True
    has_filter: bool = True
    missing: str = DASH
    short: str = ""

    @property
    def name(self) -> str:
        """Title of the column, extended where the title alone would be ambiguous."""
        return self.title if len(self.title) > 1 else self.tooltip or self.title

    def cell_text(self, node: int) -> str:
        """Return the text of one cell."""
        if self.values is None:
            return ""
        value = float(self.values[node])
        if value != value:  # nan
            return self.missing
        if self.text is not None:
            return self.text(value)
        match self.kind:
            case Kind.LEVEL:
                return str(int(value))
            case Kind.COUNT:
                return as_exact_count(value) if value else "0"
            case Kind.PERCENT:
                return as_percent(value, keep_zeros=True)
            case Kind.RANK:
                return as_exact_count(value) if value else DASH
            case _:
                return as_significant(value)

    def exact(self, nodes: Rows) -> list[str]:
        """Return values of nodes with all digits, empty texts for no value."""
        if self.values is None:
            return [""] * len(nodes)
        values = self.values[nodes]
        if values.dtype.kind == "b":
            return ["true" if value else "false" for value in values.tolist()]
        if self.kind is Kind.RANK:
            return [str(value) if value else "" for value in values.tolist()]
        if self.kind is Kind.TEXT and self.text is not None:
            return ["" if value != value else self.text(value) for value in values.tolist()]
        if values.dtype.kind != "f":
            return [str(value) for value in values.tolist()]
        whole = self.kind.is_integer
        return [
            "" if value != value else str(int(value)) if whole and abs(value) != np.inf else repr(value)
            for value in values.tolist()
        ]


@dataclass(frozen=True, eq=False)
class NodeTable:
    """Values of all nodes that the list shows.

    Attributes
    ----------
    levels : ndarray of int16, shape (n_nodes, n_qi)
    satisfies : ndarray of bool, shape (n_nodes,)
    colours : ndarray of uint8, shape (n_nodes,)
    listed : ndarray of bool, shape (n_nodes,)
        Nodes that have a row.
    shares : ndarray of float64, shape (n_nodes,)
        Length of the bar next to the value.
    heights : tuple of int, length n_qi
        Highest level of each hierarchy.
    optimum : sequence of int, length n_qi, or None
        Levels that the others are compared with.
    """

    levels: NDArray[np.int16] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int16))
    satisfies: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    colours: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, dtype=np.uint8))
    columns: Sequence[NodeColumn] = ()
    listed: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    shares: Array = field(default_factory=lambda: np.zeros(0))
    heights: tuple[int, ...] = ()
    optimum: Sequence[int] | None = None

    def __post_init__(self) -> None:
        if self.levels.shape[1] != len(self.heights):
            raise ValueError(f"{self.levels.shape[1]} levels of a node, but {len(self.heights)} heights")

    def column(self, key: str) -> NodeColumn | None:
        """Return the column of a key, or None."""
        return next((column for column in self.columns if column.key == key), None)

    def of_kind(self, kind: Kind) -> NodeColumn | None:
        """Return the first column of a kind, or None."""
        return next((column for column in self.columns if column.kind is kind), None)

    def glyph(self, node: int) -> Glyph:
        """Return the glyph of a node, with the levels that differ from the optimum."""
        levels = tuple(self.levels[node].tolist())
        differing = frozenset(
            q for q, level in enumerate(levels) if self.optimum is not None and level != self.optimum[q]
        )
        return Glyph(levels, self.heights, differing, not self.satisfies[node])

    def exact(self, column: NodeColumn, nodes: Rows) -> list[str]:
        """Return values of a column with all digits, for the clipboard."""
        if column.kind is Kind.LEVELS:
            return [as_vector(levels) for levels in self.levels[nodes].tolist()]
        return column.exact(nodes)


@dataclass(frozen=True)
class RowOrder:
    """Sort column and direction of the rows."""

    key: str = "rank"
    is_falling: bool = False


def sorted_rows(table: NodeTable, order: RowOrder) -> Rows:
    """Return node numbers in row order; missing values last in both directions, ties by rank."""
    rows = _by_rank(table)
    column = table.column(order.key)
    if column is not None and column.kind is Kind.LEVELS:
        by_levels = np.lexsort(table.levels[rows].T[::-1])
        return rows[by_levels[::-1] if order.is_falling else by_levels]
    if column is None or column.values is None:
        return rows
    if column.kind is Kind.RANK:
        n_ranked = int(np.count_nonzero(column.values[rows]))
        return np.concatenate((rows[:n_ranked][::-1], rows[n_ranked:])) if order.is_falling else rows
    values = np.asarray(column.values[rows], dtype=np.float64)
    keys = np.where(np.isnan(values), np.inf, -values if order.is_falling else values)
    return rows[np.lexsort((np.isnan(values), keys))] if np.isinf(keys).any() else rows[_stable(keys)]


def _stable(keys: Array) -> Rows:
    return np.argsort(keys, kind="stable")


def _by_rank(table: NodeTable) -> Rows:
    """Return listed nodes by rank, then those without a rank by their value."""
    rows = np.flatnonzero(table.listed)
    ranked = table.of_kind(Kind.RANK)
    if ranked is None or ranked.values is None:
        return rows
    ranks = ranked.values[rows]
    with_rank, others = rows[ranks > 0], rows[ranks == 0]
    value = table.of_kind(Kind.VALUE)
    if len(others) and value is not None and value.values is not None:
        others = others[_stable(np.nan_to_num(value.values[others], nan=np.inf))]
    return np.concatenate((_placed(with_rank, ranks[ranks > 0]), others))


def _placed(rows: Rows, ranks: Array) -> Rows:
    """Return rows sorted by rank; distinct ranks need no sorting."""
    if not len(rows):
        return rows
    places = np.full(int(ranks.max()) + 1, -1, dtype=np.int64)
    places[ranks] = np.arange(len(ranks))
    order = places[places >= 0]
    return rows[order if len(order) == len(ranks) else _stable(ranks)]
