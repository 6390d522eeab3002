"""k-member clustering: clusters of alike records, each released under the labels it has in common [1]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.kernels.arrays import BoolArray, Codes, Counts, FloatArray, IntArray
from engine.kernels.covering import NO_GROUP
from engine.monitor import Monitor
from engine.params import Integer, param
from engine.privacy import Requirement
from engine.recoding.allowed_labels import LabelCosts
from engine.recoding.base import Recoding, RecodingMethod, RecodingTask, recoding_methods
from engine.recoding.distinct import DistinctRecords, Shares, shared_recoding
from engine.recoding.leftover_placement import LeftoverPlacement
from engine.recoding.requirement_check import highest_node, records_of, strictest_needed
from engine.words import N_, _, lazy

LARGEST_CACHE = 1 << 24  # costs kept by label, as numbers; 128 MB
COMPACTING = 0.8  # share of rows still free below which the others are put out of the way


class CommonCosts:
    """Return the label cost of a cluster after it takes in a row."""

    def __init__(self, records: DistinctRecords, costs: LabelCosts) -> None:
        self._attributes, self._costs = records.problem.attributes, costs
        self._known: dict[tuple[int, int, int], tuple[FloatArray, IntArray]] = {}
        self._n_kept = 0

    def of(self, q: int, level: int, leaf: int) -> tuple[FloatArray, IntArray]:
        """Cost and level of the lowest common label by leaf, each of shape (n_leaves,).

        Parameters
        ----------
        q : int
            Column.
        level, leaf : int
            The label of the cluster: that of any of its leaves, on its level.
        """
        attribute = self._attributes[q]
        levels = attribute.hierarchy.levels
        key = (q, level, int(levels[level].codes[leaf]))
        if (found := self._known.get(key)) is None:
            common = np.full(attribute.hierarchy.n_leaves, attribute.hierarchy.height, dtype=np.int64)
            for number in range(attribute.maximum, level - 1, -1):
                codes = levels[number].codes
                common[codes == codes[leaf]] = number
            found = self._costs.tables[q][common, leaf], common
            self._n_kept += 2 * len(common)
            if self._n_kept > LARGEST_CACHE:
                self._known.clear()
                self._n_kept = 2 * len(common)
            self._known[key] = found
        return found


class _Free:
    """The rows of a block that are in no cluster yet, in the order they had."""

    def __init__(self, records: DistinctRecords, rows: IntArray) -> None:
        self.rows = rows
        self.counts = records.counts[rows].copy()
        self.leaves = np.ascontiguousarray(records.leaves[rows].T, dtype=np.int64)
        self.values = [codes[rows] for codes in records.sensitive]
        self.taken = np.zeros(len(rows))  # inf where no record is left: nobody is as far away
        self.n_rows = len(rows)

    def take(self, place: int, most: int) -> int:
        """Take up to `n` records of a row."""
        n_taken = min(int(self.counts[place]), most)
        self.counts[place] -= n_taken
        if not self.counts[place]:
            self.taken[place] = np.inf
            self.n_rows -= 1
        return n_taken

    def compact(self) -> None:
        """Forget rows that are taken, when they are many."""
        if self.n_rows >= COMPACTING * len(self.rows):
            return
        left = self.counts > 0
        self.rows, self.counts, self.taken = self.rows[left], self.counts[left], self.taken[left]
        self.leaves = np.ascontiguousarray(self.leaves[:, left])
        self.values = [values[left] for values in self.values]


class Grower:
    """Grows the clusters of one block of rows after another.

    Parameters
    ----------
    requirement : Requirement
        What every cluster has to meet; table-wide models are excluded.
    """

    def __init__(
        self, records: DistinctRecords, requirement: Requirement, costs: LabelCosts, monitor: Monitor
    ) -> None:
        self._records, self._requirement, self._monitor = records, requirement, monitor
        self._common = CommonCosts(records, costs)
        self._least = max(requirement.k or 1, 1)
        self._by_size = records.are_sizes_enough(requirement)
        names = {column for model in requirement.models for column in model.columns}
        sensitive = records.problem.sensitive
        self._guides = [
            (j, a.table_counts / a.table_counts.sum()) for j, a in enumerate(sensitive) if a.name in names
        ]
        self._n_records = int(records.counts.sum())
        self._n_taken = 0
        self._found: list[tuple[list[int], list[int], list[int]]] = []
        self.n_clusters = 0

    def shares(self) -> Shares:
        """Members of the clusters found, in the order they were formed."""
        columns = ([entry for found in self._found for entry in found[i]] for i in range(3))
        return Shares(*(np.array(column, dtype=np.int64) for column in columns))

    def grow(self, rows: IntArray, first: int) -> None:
        """Form clusters of the records of some rows until those left are too few, or too much alike.

        Parameters
        ----------
        rows : ndarray of int64, shape (n_rows,)
        first : int
            Place of the row that clusters begin furthest from.
        """
        free = _Free(self._records, rows)
        leaves = free.leaves[:, first]
        while free.n_rows:
            free.compact()
            seed = int(np.argmax(np.where(free.counts > 0, self._distances(free, leaves), -1.0)))
            leaves = free.leaves[:, seed].copy()
            if not self._cluster(free, seed):
                return

    def _distances(self, free: _Free, leaves: IntArray) -> FloatArray:
        """Return the cost of the common label of each row and one record."""
        total = np.zeros(len(free.rows))
        for q, leaf in enumerate(leaves.tolist()):
            attribute = self._records.problem.attributes[q]
            total += self._common.of(q, attribute.minimum, leaf)[0][free.leaves[q]]
        return total

    def _cluster(self, free: _Free, seed: int) -> bool:
        """Grow one cluster; False if no free records are left before it meets the requirement."""
        attributes = self._records.problem.attributes
        levels = [attribute.minimum for attribute in attributes]
        leaves = free.leaves[:, seed].tolist()
        costs = np.empty((len(attributes), len(free.rows)))
        for q, leaf in enumerate(leaves):
            costs[q] = self._common.of(q, levels[q], leaf)[0][free.leaves[q]]
        total = costs.sum(axis=0) + free.taken
        members = _Members(self._guides, free)
        place = seed
        while True:
            n_taken = free.take(place, max(self._least - members.size, 1))
            total[place] += free.taken[place]
            members.add(place, n_taken)
            self._n_taken += n_taken
            self._monitor.step(self._n_taken, self._n_records, _("Forming clusters"))
            if self._is_safe(members):
                self._keep(members)
                return True
            if not free.n_rows:
                self._n_taken -= members.size
                return False
            place = self._cheapest(free, total, members)
            changed = False
            for q in range(len(attributes)):
                _unused, common = self._common.of(q, levels[q], leaves[q])
                level = int(common[free.leaves[q, place]])
                if level != levels[q]:
                    levels[q], changed = level, True
                    costs[q] = self._common.of(q, level, leaves[q])[0][free.leaves[q]]
            if changed:
                total = costs.sum(axis=0) + free.taken

    def _cheapest(self, free: _Free, total: FloatArray, members: _Members) -> int:
        """Return the free row of least cost, among rows with sensitive values that the cluster lacks."""
        if members.size >= self._least and self._guides:
            lacking = members.lacking(free)
            if lacking is not None:
                return int(np.argmin(np.where(lacking, total, np.inf)))
        return int(np.argmin(total))

    def _is_safe(self, members: _Members) -> bool:
        if members.size < self._least:
            return False
        if self._by_size:
            return True
        places = np.array(members.places)
        classes = self._records.classes(
            np.zeros(len(places), dtype=np.int64), members.rows(), np.array(members.counts, dtype=np.int64)
        )
        return bool(self._requirement.fulfilled(classes)[0])

    def _keep(self, members: _Members) -> None:
        clusters = [self.n_clusters] * len(members.places)
        self._found.append((members.rows().tolist(), clusters, members.counts))
        self.n_clusters += 1


class _Members:
    """Members of a growing cluster, and its sensitive values."""

    def __init__(self, guides: list[tuple[int, FloatArray]], free: _Free) -> None:
        self._guides, self._free = guides, free
        self._found: list[Counts] = [np.zeros(len(shares), dtype=np.int64) for _unused, shares in guides]
        self.places: list[int] = []
        self.counts: list[int] = []
        self.size = 0

    def add(self, place: int, n_records: int) -> None:
        """Take in some records of a row."""
        self.places.append(place)
        self.counts.append(n_records)
        self.size += n_records
        for (j, _unused), found in zip(self._guides, self._found, strict=True):
            found[self._free.values[j][place]] += n_records

    def rows(self) -> IntArray:
        """The rows taken."""
        return self._free.rows[self.places]

    def lacking(self, free: _Free) -> BoolArray | None:
        """Free rows whose sensitive values are rarer here than in the table; None if there are none."""
        wanted = free.counts > 0
        for (j, shares), found in zip(self._guides, self._found, strict=True):
            narrowed = wanted & (found < shares * (self.size + 1))[free.values[j]]
            wanted = narrowed if narrowed.any() else wanted
        return wanted if wanted.any() else None


@recoding_methods.register("cluster")
@dataclass(frozen=True, slots=True)
class Cluster(RecodingMethod):
    """Grow clusters one after the other; each begins at the record furthest from where the last one began.

    A cluster takes in the record that raises the cost of its labels least, until it meets the requirement.
    If it is large enough but its sensitive values are too much alike, it takes in records whose values are
    rarer in it than in the table. Records left over at the end join the clusters that they cost least. Only
    records that are alike on the highest levels allowed come together, so that no cell has to be hidden.

    References
    ----------
    .. [1] Byun, Kamra, Bertino, Li (2007). Efficient k-Anonymization Using Clustering Techniques. DASFAA.
    """

    title: ClassVar[str] = lazy("Clusters (k-member)")
    summary: ClassVar[str] = lazy(
        "Groups the most similar records and releases each group with the labels that its records "
        "share; slow on large tables."
    )
    weakness: ClassVar[str] = lazy(
        "Labels are as precise as the records of a group allow, so each shows how much they "
        "differ; the last groups collect the remaining records and have the most general labels."
    )
    source: ClassVar[str] = lazy("Byun, Kamra, Bertino and Li 2007")

    block: int = param(
        20_000,
        Integer(
            minimum=100,
            label=N_("Records compared with each other"),
            help=N_(
                "Largest number of distinct records; larger tables are split into blocks of "
                "similar records. The time grows with its square."
            ),
            usual=(5_000, 20_000, 50_000),
        ),
    )

    def improve(self, task: RecodingTask, monitor: Monitor) -> Recoding:
        records = records_of(task)
        costs = LabelCosts(task.problem, task.weights)

        def recode(requirement: Requirement) -> Recoding:
            random = np.random.default_rng(task.seed)
            grower = Grower(records, requirement, costs, monitor)
            for rows in self._blocks(records):
                grower.grow(rows, int(random.integers(len(rows))))
            return _housed(records, requirement, costs, grower.shares(), monitor)

        return strictest_needed(task, recode, highest_node(records, task.requirement))

    def _blocks(self, records: DistinctRecords) -> Iterator[IntArray]:
        """Rows that are compared: alike on the highest levels, and neighbours in the hierarchies."""
        attributes = records.problem.attributes
        keys: list[Codes] = [
            attribute.hierarchy.levels[number].codes[records.leaves[:, q]]
            for number in range(max(attribute.maximum for attribute in attributes) + 1)
            for q, attribute in reversed(list(enumerate(attributes)))
            if attribute.minimum <= number <= attribute.maximum
        ]
        tops, n_tops = records.top_classes()
        order = np.lexsort(np.array([*keys, tops]))
        ends = np.searchsorted(tops[order], np.arange(n_tops), side="right")
        for rows in np.split(order, ends[:-1]):
            n_blocks = -(-len(rows) // self.block)
            for block in np.array_split(rows, n_blocks):
                yield np.sort(block)


def _housed(
    records: DistinctRecords, requirement: Requirement, costs: LabelCosts, found: Shares, monitor: Monitor
) -> Recoding:
    """The clusters with those left over in them, or as few clusters more as there have to be."""
    tops, n_tops = records.top_classes()
    taken = np.bincount(found.rows, weights=found.counts, minlength=records.n_rows).astype(np.int64)
    left = np.flatnonzero(taken < records.counts)
    # Where no cluster at all was found the whole class is one, if that is safe.
    has_cluster = np.zeros(n_tops, dtype=np.bool_)
    has_cluster[tops[found.rows]] = True
    is_one = requirement.fulfilled(records.classes(tops)) & ~has_cluster
    whole = left[is_one[tops[left]]]
    n_clusters = int(found.groups.max(initial=NO_GROUP)) + 1
    found = found.joined_by(whole, n_clusters + np.cumsum(is_one)[tops[whole]] - 1, records.counts[whole])
    left = left[~is_one[tops[left]]]
    placement = LeftoverPlacement(records, requirement, costs, found, monitor)
    placement.settle(left, records.counts[left] - taken[left])
    return shared_recoding(records, placement.found)
