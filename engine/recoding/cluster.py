"""k-member clustering: clusters of alike records, each released under the labels it has in common [1]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.kernels.arrays import Codes, IntArray
from engine.monitor import Monitor
from engine.params import Integer, param
from engine.privacy import Requirement
from engine.recoding.base import Recoding, RecodingMethod, RecodingTask, recoding_methods
from engine.recoding.distinct import NO_GROUP, DistinctRecords
from engine.recoding.grouped import Shares, shared_recoding
from engine.recoding.growth import Grower
from engine.recoding.label_costs import LabelCosts
from engine.recoding.leftover_placement import LeftoverPlacement
from engine.recoding.requirement_check import highest_node, records_of, strictest_needed
from engine.words import N_, lazy


@recoding_methods.register("cluster")
@dataclass(frozen=True, slots=True)
class Cluster(RecodingMethod):
    """Grow clusters one after the other; each begins at the record furthest from where the last one began.

    A cluster takes in the record that raises the cost of its labels least, until it meets the requirement.
    Where it is large enough but its sensitive values are too much alike, it takes in records whose values are
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
