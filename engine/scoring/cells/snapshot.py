"""Cells: equal classes of a node joined, so that any requirement is evaluated on few numbers.

Two classes of one node are equal if all their measures agree exactly (size, and per sensitive attribute
distinct values and distances). No threshold distinguishes them, so one entry with a count represents them
all. On Adult with nine attributes 36.5 million classes make 1.4 million cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.frequency import EquivalenceClasses, Measure, Problem
from engine.kernels.arrays import Counts, IntArray

Array = NDArray[Any]
Key: TypeAlias = str | Measure  # type of a column of cells


@dataclass(frozen=True, eq=False)
class JoinedClasses:
    """Classes of one node joined into cells, which are runs of sorted classes.

    Attributes
    ----------
    order : ndarray of int64, shape (n_classes,)
    starts : ndarray of int64, shape (n_cells,)
        Start of each cell within `order`.
    sizes : ndarray of int64, shape (n_cells,)
        Records per class.
    """

    order: IntArray
    starts: IntArray
    sizes: Counts

    @property
    def classes(self) -> Counts:
        """Number of classes in each cell."""
        return np.diff(self.starts, append=len(self.order))

    @property
    def first(self) -> IntArray:
        """One class of each cell."""
        return self.order[self.starts]

    def sums(self, values: Array) -> Array:
        """Return the sum of a value of each class by cell."""
        return np.asarray(np.add.reduceat(values[self.order], self.starts))


def join_alike(sizes: Counts, measures: list[Array]) -> JoinedClasses:
    """Join classes that are equal in size and every measure.

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_classes,)
    measures : list of ndarray, each of shape (n_classes,)
    """
    order = np.lexsort((*measures, sizes))
    begins = np.zeros(len(sizes), dtype=np.bool_)
    begins[0] = True
    for values in (sizes, *measures):
        ordered = values[order]
        begins[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(begins)
    return JoinedClasses(order, starts, sizes[order[starts]])


class LabelSums(Protocol):
    """The sums of every cell that metrics over labels need."""

    def of(self, name: str, cells: IntArray) -> Array:
        """Return the sums of a weight of an attribute's labels over the records of some cells.

        Parameters
        ----------
        name : str
            "leaves q" or "spans q" with the number of the attribute.
        cells : ndarray of int64
            Cells to sum.

        Returns
        -------
        ndarray of int64 or float64, same shape as `cells`
            0 if all labels of the level have the same weight.
        """


class KindsOfClasses(EquivalenceClasses, Protocol):
    """Kinds of equal classes."""

    @property
    def records(self) -> Counts:
        """Records per class."""


@dataclass(frozen=True, eq=False)
class CellSnapshot:
    """The scores at one moment; its arrays do not change.

    Attributes
    ----------
    nodes : ndarray of int64, shape (n_scored,)
        Node numbers in the order they were scored.
    starts : ndarray of int64, shape (n_scored,)
        First cell of each node.
    records : ndarray of int, shape (n_cells,)
        Number of records in the classes of the cell.
    kinds : ndarray of int32, shape (n_cells,), or None
        Entry of `classes` for the classes of each cell; None if it is the number of the cell.
    classes : KindsOfClasses
        One entry per kind.
    are_sorted : bool
        Whether the cells of each node are known to be in ascending order of class size.
    """

    nodes: IntArray
    starts: IntArray
    records: NDArray[np.integer[Any]]
    kinds: NDArray[np.int32] | None
    classes: KindsOfClasses
    label_sums: LabelSums
    are_sorted: bool = False

    @property
    def n_cells(self) -> int:
        """Number of cells of all nodes."""
        return len(self.records)

    def by_cell(self, values: Array, cells: slice = slice(None)) -> Array:
        """Return a value per kind as one per cell, of all cells or of some."""
        return values[cells] if self.kinds is None else values[self.kinds[cells]]

    @property
    def sizes(self) -> NDArray[np.integer[Any]]:
        """Different persons per class, for each cell."""
        return self.by_cell(self.classes.sizes)

    @property
    def records_per_class(self) -> NDArray[np.integer[Any]]:
        """Records per class, for each cell."""
        return self.by_cell(self.classes.records)

    def blocks(self, n_cells: int) -> Iterator[tuple[slice, slice, IntArray]]:
        """Yield positions of nodes, their cells, and where those of each begin among these.

        Parameters
        ----------
        n_cells : int
            Approximate number of cells of a block, which has all cells of its nodes.
        """
        bounds, first = np.append(self.starts, self.n_cells), 0
        while first < len(self.nodes):
            last = int(np.searchsorted(bounds, bounds[first] + n_cells, side="right")) - 1
            last = min(max(last, first + 1), len(self.nodes))
            low = int(bounds[first])
            yield slice(first, last), slice(low, int(bounds[last])), self.starts[first:last] - low
            first = last


@dataclass(frozen=True, eq=False)
class SizeClasses:
    """All class sizes up to the largest: the kinds of classes without sensitive values."""

    sizes: Counts
    sampling_fraction: float | None = None

    @property
    def records(self) -> Counts:
        return self.sizes

    def measured(self, measure: Measure) -> IntArray:
        raise KeyError(measure)

    def default_distance(self, column: str) -> str:
        raise KeyError(column)


@dataclass(frozen=True, eq=False)
class ColumnClasses:
    """Classes with their measures in columns; also their label sums."""

    problem: Problem
    columns: Mapping[Key, Array]

    @property
    def sizes(self) -> Counts:
        """Narrow in memory, compared exactly."""
        return self.columns.get("persons", self.columns["size"])

    @property
    def records(self) -> Counts:
        """Narrow in memory."""
        return self.columns["size"]

    def measured(self, measure: Measure) -> Array:
        return self.columns[measure]

    def default_distance(self, column: str) -> str:
        return self.problem.sensitive_attribute(column).default_distance

    @property
    def sampling_fraction(self) -> float | None:
        return self.problem.sampling_fraction

    def of(self, name: str, cells: IntArray) -> Array:
        values = self.columns[name][cells]
        return values if values.dtype.kind == "f" else values.astype(np.int64)


class CellStore:
    """Growing columns of cells, written by one thread and read by others through snapshots.

    Parameters
    ----------
    dtypes : mapping of str or Measure to dtype
        Names and types of the columns.
    n_nodes : int
        Expected number of nodes; more fit as well.
    """

    def __init__(self, dtypes: Mapping[Key, np.dtype[np.generic]], n_nodes: int) -> None:
        self._columns: dict[Key, Array] = {name: np.zeros(4096, dtype) for name, dtype in dtypes.items()}
        self._nodes = np.empty(n_nodes, dtype=np.int64)
        self._starts = np.empty(n_nodes + 1, dtype=np.int64)
        self._starts[0] = 0
        self._n_scored = 0

    @property
    def n_scored(self) -> int:
        """Nodes whose cells are complete."""
        return self._n_scored

    def append(self, node: int, cells: Mapping[Key, Array]) -> None:
        """Append the cells of one node; missing columns are 0."""
        if self._n_scored == len(self._nodes):
            self._nodes = np.append(self._nodes, np.empty(self._n_scored + 1, dtype=np.int64))
            self._starts = np.append(self._starts, np.empty(self._n_scored + 1, dtype=np.int64))
        start = int(self._starts[self._n_scored])
        stop = start + len(cells["size"])
        for name, column in self._columns.items():
            if stop > len(column):
                # a new array, so that snapshots of the old one do not change
                grown = np.zeros(max(stop, 2 * len(column)), column.dtype)
                grown[:start] = column[:start]
                self._columns[name] = grown
        for name, values in cells.items():
            self._columns[name][start:stop] = values
        self._nodes[self._n_scored] = node
        self._starts[self._n_scored + 1] = stop
        self._n_scored += 1

    @property
    def n_bytes(self) -> int:
        """Memory of the columns."""
        return sum(column.nbytes for column in self._columns.values())

    def snapshot(self, problem: Problem, first: int = 0, last: int | None = None) -> CellSnapshot:
        """Return the complete nodes, or those from position `first` up to but without `last`."""
        last = self._n_scored if last is None else last  # read first, since columns may only grow after it
        starts = self._starts
        low, stop = int(starts[first]), int(starts[last])
        columns = {name: column[low:stop] for name, column in list(self._columns.items())}
        stored = ColumnClasses(problem, columns)
        return CellSnapshot(
            self._nodes[first:last], starts[first:last] - low, columns["records"], None, stored, stored
        )
