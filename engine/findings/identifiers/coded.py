"""Distinct columns and distinct rows for the search of subsets, and partitions of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.kernels import partitions
from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray
from engine.kernels.partitions import FIGURES, NarrowCodes, Partition, Room, Scratch, figures_of, whole
from engine.monitor import SILENT, Monitor
from engine.records import Column
from engine.records.stored import refuse_cut
from engine.scoring.acceleration import kernels
from engine.words import N_, _

Subset = tuple[int, ...]  # numbers of columns, ascending

# Shares of distinct rows: up to the first, equal rows are joined; above the second, columns share a
# block, so that all blocks together need at most four times the memory of the first.
_WORTH_REPLACING, _WORTH_JOINING = 0.97, 0.75
_NARROW = 1 << 16
TEXT = N_("Comparing columns")


@dataclass(frozen=True, eq=False)
class Rows:
    """Distinct rows on the kept columns from one on, for all subsets of these columns.

    Attributes
    ----------
    first : int
        First kept column.
    codes : ndarray of uint16 or int32, shape (n_kept - first, n_rows)
    cardinalities : ndarray of int64, shape (n_kept - first,)
    weights : ndarray of int32, shape (n_rows,)
        Number of records of each row.
    """

    first: int
    codes: NarrowCodes
    cardinalities: IntArray
    weights: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.weights)

    def partitioning(self) -> Partitioning:
        """Return the partitioning of the rows for one worker."""
        return Partitioning(self.codes, self.cardinalities, self.weights)

    def joined(self, first: int, by_later: Partition) -> Rows:
        """Return the distinct rows from a later column on, by the partition of these columns."""
        firsts = by_later.rows[by_later.starts[:-1]]
        is_kept = np.ones(len(self), dtype=np.bool_)
        is_kept[by_later.rows] = False
        is_kept[firsts] = True
        weights = self.weights.copy()
        if by_later.n_classes:
            weights[firsts] = np.add.reduceat(by_later.weights, by_later.starts[:-1])
        codes = np.ascontiguousarray(self.codes[first - self.first :, is_kept])
        return Rows(first, codes, self.cardinalities[first - self.first :], weights[is_kept])


@dataclass(frozen=True, eq=False)
class CodedColumns:
    """Columns of a table, without duplicates and constants.

    Kept columns are numbered by descending number of separated pairs of records: supersets of the first ones
    then have few classes to split, and the last ones few distinct rows.

    Attributes
    ----------
    n_records, n_columns : int
        Size of the table before the reduction.
    kept : tuple of int
        Kept column that separates the same records, per column; -1 for constant columns.
    blocks : tuple of Rows
        Blocks with fewer rows for later columns; the first one is for all columns.
    whole : ndarray of int64, shape (3,)
        Counts of all columns together: singletons, distinct combinations, ordered pairs of equal records.
    """

    n_records: int
    n_columns: int
    kept: Subset
    blocks: tuple[Rows, ...]
    whole: Counts

    @classmethod
    def of(cls, columns: Sequence[Column], n_records: int, monitor: Monitor = SILENT) -> CodedColumns:
        """Reduce columns of `n_records` records, at least one of each.

        Raises
        ------
        TableError
            A column has more different values than are listed.
        """
        for column in columns:
            refuse_cut(column)
        kept, chosen = _which_differ(columns, monitor)
        cardinalities = np.array([len(c.labels) for c in chosen], dtype=np.int64)
        width = np.uint16 if max(cardinalities, default=0) <= _NARROW else np.int32
        n_rows, records = len(columns[0].codes), columns[0].records
        codes: NarrowCodes = np.empty((len(chosen), n_rows), dtype=width)
        for place, column in enumerate(chosen):
            codes[place] = column.codes
        weights = np.ones(n_rows, dtype=np.int32) if records is None else records.astype(np.int32)
        rows = Rows(0, codes, cardinalities, weights)
        blocks, whole = _blocks(rows, monitor)
        return cls(n_records, len(columns), kept, blocks, whole)

    @property
    def n_kept(self) -> int:
        """Number of kept columns."""
        return len(self.blocks[0].codes)

    def block(self, column: int) -> Rows:
        """Return the smallest block for all subsets whose first column is this kept one."""
        return next(rows for rows in reversed(self.blocks) if rows.first <= column)

    @cached_property
    def figures_of_none(self) -> Counts:
        """Return the counts of constant columns: all records in one class."""
        return figures_of(np.array([self.n_records], dtype=np.int64))

    def reduced(self, subset: Subset) -> Subset:
        """Return the kept columns that separate the same records as a subset of the table's columns."""
        return tuple(sorted({self.kept[column] for column in subset} - {-1}))

    def unreduced(self, subset: Subset) -> list[Subset]:
        """Return the smallest subsets of the table's columns equivalent to kept ones, in table order."""
        alike = [[c for c in range(self.n_columns) if self.kept[c] == place] for place in subset]
        made: list[Subset] = [()]
        for columns in alike:
            made = [(*chosen, column) for chosen in made for column in columns]
        return sorted(tuple(sorted(chosen)) for chosen in made)


def _blocks(rows: Rows, monitor: Monitor) -> tuple[tuple[Rows, ...], Counts]:
    """Return the blocks of distinct rows, and the counts of all columns together.

    Columns are added one by one, starting with the last. Adjacent columns share a block if it has not
    many more rows than the last of them needs.
    """
    partitioning = rows.partitioning()
    partition = partitioning.partition(())
    n_least = 0  # rows needed by the last column of a block
    blocks: list[Rows] = []
    for column in reversed(range(len(rows.codes))):
        refined = partitioning.refined(partition, column)
        n_distinct = int(refined.figures[1])
        if _WORTH_JOINING * n_distinct > n_least:
            if n_least:
                blocks.append(rows.joined(column + 1, partition))
            n_least = n_distinct
        partition = refined
        monitor.step(0, 1, _(TEXT))
    whole = partition.figures
    blocks.append(rows.joined(0, partition) if whole[1] <= _WORTH_REPLACING * len(rows) else rows)
    return tuple(reversed(blocks)), whole


def _which_differ(columns: Sequence[Column], monitor: Monitor) -> tuple[Subset, list[Column]]:
    """Number the columns except constants and duplicates, the most separating first."""
    by_variety = sorted(range(len(columns)), key=lambda c: (int((columns[c].counts ** 2).sum()), c))
    chosen: list[Column] = []
    kept = [-1] * len(columns)
    for number in by_variety:
        monitor.step(0, 1, _(TEXT))
        column = columns[number]
        if len(column.labels) < 2:
            continue
        twin = next((i for i, other in enumerate(chosen) if _separate_alike(column, other)), None)
        if twin is None:
            twin = len(chosen)
            chosen.append(column)
        kept[number] = twin
    return tuple(kept), chosen


def _separate_alike(column: Column, other: Column) -> bool:
    """Return whether each value of one column always occurs with the same value of the other."""
    if len(column.labels) != len(other.labels):
        return False
    if not np.array_equal(np.sort(column.counts), np.sort(other.counts)):
        return False
    partner: Codes = np.full(len(column.labels), -1, dtype=np.int32)
    partner[column.codes] = other.codes
    same: BoolArray = partner[column.codes] == other.codes
    return bool(same.all()) and len(np.unique(partner)) == len(partner)


BUDGET = 5_000_000  # cells processed between two checks of the monitor: some tens of milliseconds
_SLOWER = 1 << 9  # how many times slower interpreted code is, about


def at_once(n_rows: int) -> int:
    """Return by how many columns to extend a partition of `n_rows` rows between two checks of the monitor."""
    budget = BUDGET if kernels("partitions") is not None else BUDGET // _SLOWER
    return max(2, budget // n_rows)


class Partitioning:
    """Partition by a subset, derived from that by its first columns, which are cached.

    Meant for subsets in lexicographic order. Each thread needs its own object.
    """

    def __init__(self, codes: NarrowCodes, cardinalities: IntArray, weights: NDArray[np.int32]) -> None:
        self._codes = codes
        self._cardinalities = cardinalities
        self._stack: list[tuple[tuple[int, ...], Partition]] = [((), whole(weights))]
        self._kernels = kernels("partitions") or partitions
        # by number of columns; a partition is overwritten by the next of its size
        self._rooms: list[Room] = []
        self._scratch = Scratch(int(max(cardinalities, default=1)))

    def partition(self, subset: tuple[int, ...]) -> Partition:
        """Return the partition by some columns in ascending order; valid until the next call."""
        while self._stack[-1][0] != subset[: len(self._stack[-1][0])]:
            self._stack.pop()
        columns, partition = self._stack[-1]
        for column in subset[len(columns) :]:
            columns, partition = (*columns, column), self._refined(partition, column, len(columns))
            self._stack.append((columns, partition))
        return partition

    def refined(self, partition: Partition, column: int) -> Partition:
        """Return a partition split by one more column."""
        return self._refined(partition, column, None)

    def _refined(self, partition: Partition, column: int, depth: int | None) -> Partition:
        room = None
        if depth is not None:
            if depth == len(self._rooms):
                self._rooms.append(Room.of(len(self._codes[column])))
            room = self._rooms[depth]
        return partitions.refine(self._kernels, partition, self._codes[column], self._scratch, room)

    def extended(self, partition: Partition, columns: IntArray) -> Counts:
        """Return the counts of a partition's columns with each of some others, shape (n_columns, 3)."""
        figures = np.empty((len(columns), FIGURES), dtype=np.int64)
        added = self._codes, self._cardinalities, columns
        partitions.extend(self._kernels, partition, *added, figures, self._scratch)
        return figures
