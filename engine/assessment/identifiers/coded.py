"""What the search of column subsets works on: columns that differ, and rows that differ with their counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.assessment.identifiers.partitioning import Partitioning
from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray
from engine.kernels.partitions import NarrowCodes, Partition, figures_of
from engine.monitor import SILENT, Monitor
from engine.table import Column
from engine.words import N_, _

Subset = tuple[int, ...]  # numbers of columns, ascending

# Shares of rows that differ: at most the first, rows are joined at all; above the second, columns share a
# block, so that all blocks together take at most four times the memory of the first.
_WORTH_REPLACING, _WORTH_JOINING = 0.97, 0.75
_NARROW = 1 << 16
TEXT = N_("Comparing columns")


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows that differ on the kept columns from one on; they serve all subsets of these.

    Attributes
    ----------
    first : int
        The first of the kept columns.
    codes : ndarray of uint16 or int32, shape (n_kept - first, n_rows)
    cardinalities : ndarray of int64, shape (n_kept - first,)
    weights : ndarray of int32, shape (n_rows,)
        Records that each row stands for.
    """

    first: int
    codes: NarrowCodes
    cardinalities: IntArray
    weights: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.weights)

    def partitioning(self) -> Partitioning:
        """What one worker splits the rows by."""
        return Partitioning(self.codes, self.cardinalities, self.weights)

    def joined(self, first: int, by_later: Partition) -> Rows:
        """The rows that differ from some later column on, by the partition of these columns."""
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
    """Columns of a table, reduced to what their subsets can be told apart by.

    Kept columns are numbered from the one that separates most pairs of records to the one that separates
    fewest: supersets of the first then have little left to split, and the last ones few rows that differ.

    Attributes
    ----------
    n_records, n_columns : int
        Of the table, before anything is reduced.
    kept : tuple of int
        For each column the number of the kept one that separates the same records; -1 where it is constant.
    blocks : tuple of Rows
        With fewer and fewer rows for later and later columns; the first one serves all.
    whole : ndarray of int64, shape (3,)
        Figures of all columns together: singletons, distinct combinations, ordered pairs of equal records.
    """

    n_records: int
    n_columns: int
    kept: Subset
    blocks: tuple[Rows, ...]
    whole: Counts

    @classmethod
    def of(cls, columns: Sequence[Column], n_records: int, monitor: Monitor = SILENT) -> CodedColumns:
        """Reduce columns of `n_records` records, at least one of each."""
        kept, chosen = _which_differ(columns, monitor)
        cardinalities = np.array([len(c.labels) for c in chosen], dtype=np.int64)
        width = np.uint16 if max(cardinalities, default=0) <= _NARROW else np.int32
        codes: NarrowCodes = np.empty((len(chosen), n_records), dtype=width)
        for place, column in enumerate(chosen):
            codes[place] = column.codes
        rows = Rows(0, codes, cardinalities, np.ones(n_records, dtype=np.int32))
        blocks, whole = _blocks(rows, monitor)
        return cls(n_records, len(columns), kept, blocks, whole)

    @property
    def n_kept(self) -> int:
        """Number of columns that differ."""
        return len(self.blocks[0].codes)

    def block(self, column: int) -> Rows:
        """The fewest rows that serve all subsets whose first column is this kept one."""
        return next(rows for rows in reversed(self.blocks) if rows.first <= column)

    @cached_property
    def figures_of_none(self) -> Counts:
        """Figures of constant columns: all records in one class."""
        return figures_of(np.array([self.n_records], dtype=np.int64))

    def reduced(self, subset: Subset) -> Subset:
        """The kept columns that separate the same records as a subset of the table's columns."""
        return tuple(sorted({self.kept[column] for column in subset} - {-1}))

    def unreduced(self, subset: Subset) -> list[Subset]:
        """The smallest subsets of the table's columns that stand for kept ones, in order of the table."""
        alike = [[c for c in range(self.n_columns) if self.kept[c] == place] for place in subset]
        made: list[Subset] = [()]
        for columns in alike:
            made = [(*chosen, column) for chosen in made for column in columns]
        return sorted(tuple(sorted(chosen)) for chosen in made)


def _blocks(rows: Rows, monitor: Monitor) -> tuple[tuple[Rows, ...], Counts]:
    """Rows for the first, later and still later columns, and the figures of all columns together.

    Column after column is added from the last one on. One block serves neighbouring columns as long as
    it has not many more rows than the last of them would need.
    """
    partitioning = rows.partitioning()
    partition = partitioning.partition(())
    n_least = 0  # rows that the last of the columns of a block needs
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
    """Number the columns that are not constant and no copies under other names, the most separating first."""
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
    """Whether each value of one column always comes with the same value of the other."""
    if len(column.labels) != len(other.labels):
        return False
    if not np.array_equal(np.sort(column.counts), np.sort(other.counts)):
        return False
    partner: Codes = np.full(len(column.labels), -1, dtype=np.int32)
    partner[column.codes] = other.codes
    same: BoolArray = partner[column.codes] == other.codes
    return bool(same.all()) and len(np.unique(partner)) == len(partner)
