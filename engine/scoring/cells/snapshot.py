"""Cells: equal classes of a node joined, so that any requirement is evaluated on few numbers.

Two classes of one node are equal if all their measures agree exactly (size, and per sensitive attribute
distinct values and distances). No threshold distinguishes them, so one entry with a count represents them
all. On Adult with nine attributes 36.5 million classes make 1.4 million cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.frequency import EquivalenceClasses, Measure, Problem
from engine.kernels.arrays import Counts, IntArray

Array = NDArray[Any]
Key: TypeAlias = str | Measure  # type of a column of cells

WORTH_COUNTING = 4  # up to this many times the number of classes, sizes are counted, not sorted
# Odd multipliers spread the bits of each measure (splitmix64's constants).
_MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


class Joined(Protocol):
    """Classes of one node joined into cells; arrays have one entry per cell."""

    @property
    def sizes(self) -> Counts:
        """Records per class."""

    @property
    def classes(self) -> Counts:
        """Number of classes in the cell."""

    @property
    def first(self) -> IntArray:
        """One class of each cell."""

    def sums(self, values: Array) -> Array:
        """Return the sum of a value of each class by cell."""


@dataclass(frozen=True, eq=False)
class BySize:
    """One cell per size, found by counting: for classes without measures other than size."""

    all_sizes: Counts
    sizes: Counts
    classes: Counts

    @property
    def first(self) -> IntArray:
        raise NotImplementedError("classes without measures have nothing to look up")

    def sums(self, values: Array) -> Array:
        """Exact, since sums of integers stay below 2**53."""
        return np.bincount(self.all_sizes, weights=values)[self.sizes]


@dataclass(frozen=True, eq=False)
class ByOrder:
    """Cells as runs of sorted classes.

    Attributes
    ----------
    order : ndarray of int64, shape (n_classes,)
    starts : ndarray of int64, shape (n_cells,)
        Start of each cell within `order`.
    sizes : ndarray of int64, shape (n_cells,)
    """

    order: IntArray
    starts: IntArray
    sizes: Counts

    @property
    def classes(self) -> Counts:
        lengths = np.empty(len(self.starts), dtype=np.int64)
        np.subtract(self.starts[1:], self.starts[:-1], out=lengths[:-1])
        lengths[-1] = len(self.order) - self.starts[-1]
        return lengths

    @property
    def first(self) -> IntArray:
        return self.order[self.starts]

    def sums(self, values: Array) -> Array:
        return np.asarray(np.add.reduceat(values[self.order], self.starts))


def join_alike(sizes: Counts, measures: list[Array]) -> Joined:
    """Join classes that are equal in size and every measure.

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_classes,)
    measures : list of ndarray, each of shape (n_classes,)

    Returns
    -------
    Joined
        Cells never contain different classes; equal ones may rarely be in two cells (a hash decides the
        order, the values decide the cells).
    """
    if not measures and int(sizes.max()) <= WORTH_COUNTING * len(sizes) + 256:
        counts = np.bincount(sizes)
        present = np.flatnonzero(counts)
        return BySize(sizes, present, counts[present])
    order, starts = _sorted(sizes, measures)
    return ByOrder(order, starts, sizes[order[starts]])


def _sorted(sizes: Counts, measures: list[Array]) -> tuple[IntArray, IntArray]:
    n_classes = len(sizes)
    index_bits = n_classes.bit_length()
    keys = sizes
    if measures:
        mixed = sizes.astype(np.uint64) * np.uint64(_MIX[0])
        for turn, measure in enumerate(measures):
            bits = measure.view(np.uint64) if measure.dtype == np.float64 else measure.astype(np.uint64)
            mixed = (mixed ^ (mixed >> np.uint64(29))) + bits * np.uint64(_MIX[(turn + 1) % 3])
        mixed ^= mixed >> np.uint64(31)
        keys = (mixed >> np.uint64(index_bits + 1)).astype(np.int64)
    packed = (keys << index_bits) | np.arange(n_classes)
    packed.sort()
    order = packed & ((1 << index_bits) - 1)
    begins = np.zeros(n_classes, dtype=np.bool_)
    begins[0] = True
    for values in (sizes, *measures):
        ordered = values[order]
        begins[1:] |= ordered[1:] != ordered[:-1]
    return order, np.flatnonzero(begins)


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
    label_sums : LabelSums
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

    def by_cell(self, values: Array) -> Array:
        """Return a value per kind as one per cell."""
        return values if self.kinds is None else values[self.kinds]

    @property
    def sizes(self) -> NDArray[np.integer[Any]]:
        """Different persons per class, for each cell."""
        return self.by_cell(self.classes.sizes)

    @property
    def records_per_class(self) -> NDArray[np.integer[Any]]:
        """Records per class, for each cell."""
        return self.by_cell(self.classes.records)

    def part(self, first: int, last: int) -> CellSnapshot:
        """Return the nodes from position `first` up to but without `last`."""
        bounds = np.append(self.starts, self.n_cells)
        low, high = int(bounds[first]), int(bounds[last])
        kinds = np.arange(low, high, dtype=np.int32) if self.kinds is None else self.kinds[low:high]
        return CellSnapshot(
            self.nodes[first:last],
            self.starts[first:last] - low,
            self.records[low:high],
            kinds,
            self.classes,
            _LaterSums(self.label_sums, low),
            self.are_sorted,
        )


@dataclass(frozen=True)
class _LaterSums:
    """Label sums of cells, numbered from a later first cell."""

    whole: LabelSums
    first: int

    def of(self, name: str, cells: IntArray) -> Array:
        return self.whole.of(name, cells + self.first)


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
