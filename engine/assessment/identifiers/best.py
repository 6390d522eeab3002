"""Best quasi-identifiers of a table, found without counting every subset of its columns.

Adding columns never joins classes, so singletons remain singletons. The chosen columns together with all
that may still be added therefore bound every choice among them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

import numpy as np

from engine.assessment.identifiers.coded import CodedColumns, Subset
from engine.assessment.identifiers.partitioning import at_once
from engine.kernels.arrays import Counts, IntArray
from engine.kernels.partitions import Partition
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.words import _


@dataclass
class BestSubsets:
    """Best subsets so far: most singletons, then fewest columns; all tied ones are stored.

    Attributes
    ----------
    n_singletons : int
        Singletons of each; 0 without any.
    subsets : list of tuple of int
    """

    n_singletons: int = 0
    subsets: list[Subset] = field(default_factory=list)

    def offer(self, subset: Subset, n_singletons: int) -> None:
        """Store a subset that is not an identifier, if none is better."""
        if not n_singletons or n_singletons < self.n_singletons:
            return
        if n_singletons > self.n_singletons or len(subset) < len(self.subsets[0]):
            self.subsets.clear()
        elif len(subset) > len(self.subsets[0]):
            return
        self.n_singletons = n_singletons
        self.subsets.append(subset)

    def may_improve(self, size: int, n_singletons: int) -> bool:
        """Return whether subsets of at least `size` columns and at most `n_singletons` could be stored."""
        if not n_singletons or n_singletons < self.n_singletons:
            return False
        return n_singletons > self.n_singletons or size <= len(self.subsets[0])


def find_best(
    coded: CodedColumns, max_size: int, monitor: Monitor = SILENT
) -> tuple[list[Subset], BestSubsets]:
    """Find the smallest identifiers and the best quasi-identifiers up to a size.

    Parameters
    ----------
    coded : CodedColumns
    max_size : int
        Largest number of columns, at least 1.
    monitor : Monitor
        May stop between two steps, each of which reads every row a few times.

    Returns
    -------
    identifiers : list of tuple of int
        Minimal subsets whose records all differ, in order of size and position.
    best : BestSubsets
        Best of the subsets that are not identifiers.

    Notes
    -----
    Depth-first search, starting with the columns that separate most. A branch is pruned if all its columns
    together are not an identifier and have too few singletons, which is safe because singletons and distinct
    combinations never decrease when columns are added; or if the remaining columns have too few values to
    split the classes. Column numbers are those of the table.
    """
    found, best = _Branches(coded, max_size, monitor).search()
    if coded.n_records == 1:
        return [(column,) for column in range(coded.n_columns)], best
    smallest = [s for s in found if not any(set(other) < set(s) for other in found)]
    identifiers = [subset for reduced in smallest for subset in coded.unreduced(reduced)]
    subsets = sorted(subset for reduced in best.subsets for subset in coded.unreduced(reduced))
    return sorted(identifiers, key=lambda s: (len(s), s)), BestSubsets(best.n_singletons, subsets)


class _Branches:
    """Search tree over the kept columns: a subset's children add one later column."""

    def __init__(self, coded: CodedColumns, max_size: int, monitor: Monitor) -> None:
        self._coded = coded
        self._max_size = max_size
        self._monitor = monitor
        self._partitioning = coded.blocks[0].partitioning()
        self._identifiers: list[Subset] = []
        self._best = BestSubsets()
        self._n_first = 0

    def search(self) -> tuple[list[Subset], BestSubsets]:
        """Return identifiers, some of which may contain others, and the best other subsets; kept columns."""
        if self._coded.whole[0]:  # without a singleton of all columns together, no subset has one
            self._visit((), self._partitioning.partition(()))
        return self._identifiers, self._best

    def _visit(self, chosen: Subset, partition: Partition) -> None:
        columns = np.arange(chosen[-1] + 1 if chosen else 0, self._coded.n_kept, dtype=np.int64)
        if not len(columns) or not self._may_reach(chosen, partition, columns):
            return
        figures = self._figures(partition, columns)
        extends = [self._judge((*chosen, c), row) for c, row in zip(columns.tolist(), figures, strict=True)]
        if len(chosen) + 1 == self._max_size:
            return
        bounds = self._bounds(partition, columns)
        for column, is_open, bound in zip(columns.tolist(), extends, bounds, strict=True):
            subset = (*chosen, column)
            if is_open and (
                bound[1] == self._coded.n_records or self._best.may_improve(len(subset) + 1, int(bound[0]))
            ):
                self._visit(subset, self._partitioning.refined(partition, column))
            if not chosen:
                self._n_first += 1

    def _figures(self, partition: Partition, columns: IntArray) -> Counts:
        """Return the counts of the chosen columns with each of the later ones."""
        found = []
        step = at_once(self._coded.blocks[0].codes.shape[1])
        for begin in range(0, len(columns), step):
            found.append(self._partitioning.extended(partition, columns[begin : begin + step]))
            self._tell()
        return np.concatenate(found)

    def _may_reach(self, chosen: Subset, partition: Partition, columns: IntArray) -> bool:
        """Return whether the remaining columns can split the classes finely enough.

        A class with more rows than the remaining columns have combinations cannot be split completely.
        """
        n_added = min(self._max_size - len(chosen), len(columns))
        cardinalities = np.sort(self._coded.blocks[0].cardinalities[columns])[::-1][:n_added]
        n_parts = min(prod(cardinalities.tolist()), self._coded.n_records)
        sizes = np.diff(partition.starts)
        is_split = sizes <= n_parts
        if is_split.all():
            return True
        n_singletons = int(partition.settled[0] + np.where(is_split, sizes, n_parts - 1).sum())
        return self._best.may_improve(len(chosen) + 1, n_singletons)

    def _judge(self, subset: Subset, figures: Counts) -> bool:
        """Store a subset as identifier or offer it as best; return whether to extend it."""
        if figures[1] == self._coded.n_records:
            self._identifiers.append(subset)
            return False
        self._best.offer(subset, int(figures[0]))
        return True

    def _bounds(self, partition: Partition, columns: IntArray) -> list[Counts]:
        """Return the counts of the chosen columns with each column and all later ones."""
        bounds: list[Counts] = []
        for column in reversed(columns.tolist()):
            partition = self._partitioning.refined(partition, column)
            bounds.append(partition.figures)
            self._tell()
        return bounds[::-1]

    def _tell(self) -> None:
        text = _("Best so far: {n_singletons} unique records").format(
            n_singletons=as_exact_count(self._best.n_singletons)
        )
        self._monitor.step(self._n_first, self._coded.n_kept, text)
