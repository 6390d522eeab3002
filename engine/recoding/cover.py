"""Cheapest-first cover: every record is released on its cheapest safe node, then improved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.kernels import label_trees
from engine.kernels.arrays import Counts, IntArray
from engine.monitor import Monitor, StretchMonitor
from engine.params import Flag, Integer, param
from engine.privacy import Requirement
from engine.recoding.allowed_labels import LabelCosts, labels_of, mean_joins
from engine.recoding.base import ImprovementSteps, Recoding, RecodingMethod, RecodingTask, recoding_methods
from engine.recoding.cover_walk import CoverWalk
from engine.recoding.distinct import DistinctRecords, Shares, shared_recoding
from engine.recoding.leftover_placement import housed
from engine.recoding.rebuilding import rebuilt
from engine.recoding.requirement_check import highest_node, records_of, strictest_needed
from engine.scoring import acceleration
from engine.scoring.acceleration import fetch_if_worth
from engine.words import N_, _, lazy

REFINING = N_("Refining classes")
SWEEPS = 2  # a third one finds next to nothing
MOST_LOOKS = 1 << 30  # at groups and at rows of them, all sweeps together: some minutes for large tables
SECONDS_PER_PAIR = 0.000025  # of a row and a group, interpreted: four looks at it


class GroupRefinement:
    """Groups that meet a requirement throughout, while records move to groups in which they cost less.

    Costs are integers, so that rounding decides nothing. Every change is checked against the requirement
    before it is made.

    Parameters
    ----------
    found : Shares
        Groups that meet the requirement.
    steps : ImprovementSteps
        One for every group.
    """

    def __init__(
        self,
        records: DistinctRecords,
        requirement: Requirement,
        costs: LabelCosts,
        found: Shares,
        monitor: Monitor,
        steps: ImprovementSteps,
    ) -> None:
        self._steps = steps
        self._records, self._requirement, self._monitor = records, requirement, monitor
        self._least = requirement.k or 1
        self._tree, lowest = labels_of(records.problem, costs)
        self._lowest = np.column_stack(
            [low[leaves] for low, leaves in zip(lowest, records.leaves.T, strict=True)]
        ).astype(np.int32)
        dearest = np.argsort(-mean_joins(self._lowest, self._tree), kind="stable")
        self._lowest = np.ascontiguousarray(self._lowest[:, dearest])  # the first decide most comparisons
        order = np.argsort(found.groups, kind="stable")
        cuts = np.flatnonzero(np.diff(found.groups[order])) + 1
        self._rows: list[IntArray] = np.split(found.rows[order], cuts)
        self._counts: list[Counts] = np.split(found.counts[order], cuts)
        n_groups = len(self._rows)
        fetch_if_worth(len(found.rows) * n_groups * SECONDS_PER_PAIR, ("rebuilding",), monitor)
        self._kernels = acceleration.kernels("rebuilding") or label_trees
        self._sizes = np.array([int(counts.sum()) for counts in self._counts], dtype=np.int64)
        self._labels = np.zeros((n_groups, len(lowest)), dtype=np.int32)
        self._costs = np.zeros(n_groups, dtype=np.int64)
        self._n_looks = self._n_sweeps = 0
        for number in range(n_groups):
            monitor.step(0, n_groups, _(REFINING))
            self._labels[number], self._costs[number] = self._common(self._rows[number])

    def sweep(self) -> int:
        """Refine every group once, in descending order of cost; return the cost saved over all records.

        In very large tables the sweep ends when `MOST_LOOKS` is reached.
        """
        saved = 0
        order = np.argsort(-self._costs * self._sizes, kind="stable").tolist()
        for done, number in enumerate(order):
            if self._n_looks > MOST_LOOKS or not self._steps.may_go_on():
                break
            self._done = self._n_sweeps * len(order) + done, max(SWEEPS, self._n_sweeps + 1) * len(order)
            self._monitor.step(*self._done, _(REFINING))
            if self._sizes[number] and self._costs[number]:
                saved += self._give_up(number) or self._let_go(number)
        self._n_sweeps += 1
        return saved

    def shares(self) -> Shares:
        """Return the current groups."""
        kept = np.flatnonzero(self._sizes).tolist()
        return Shares(
            np.concatenate([self._rows[number] for number in kept]),
            np.repeat(np.arange(len(kept)), [len(self._rows[number]) for number in kept]),
            np.concatenate([self._counts[number] for number in kept]),
        )

    def _give_up(self, number: int) -> int:
        """Dissolve a group into others if its records cost less there; return the cost saved."""
        rows, counts = self._rows[number], self._counts[number]
        before = int(self._costs[number] * self._sizes[number])
        hosts: list[int] = []
        undo: list[tuple[int, NDArray[np.int32], int]] = []
        spent = 0
        for row, count in zip(rows.tolist(), counts.tolist(), strict=True):
            host, change = self._cheapest(row, count, number, before - spent)
            spent += change
            if spent >= before:
                break
            undo.append((host, self._labels[host].copy(), int(self._costs[host])))
            self._widen(host, row)
            self._sizes[host] += count
            hosts.append(host)
        if spent < before and self._are_safe(hosts, rows, counts):
            for host, row, count in zip(hosts, rows, counts, strict=True):
                self._add(host, row, count)
            self._sizes[number] = 0
            return before - spent
        for (host, labels, cost), count in reversed(list(zip(undo, counts.tolist(), strict=False))):
            self._labels[host], self._costs[host] = labels, cost
            self._sizes[host] -= count
        return 0

    def _let_go(self, number: int) -> int:
        """Move single rows of a group to cheaper ones if the rest still meets the requirement.

        Returns
        -------
        int
            Cost saved over all records.
        """
        saved = place = 0
        while place < len(self._rows[number]) and len(self._rows[number]) > 1:
            if self._n_looks > MOST_LOOKS:
                break
            self._n_looks += len(self._rows[number])
            self._monitor.step(*self._done, _(REFINING))
            rows, counts = self._rows[number], self._counts[number]
            row, count = int(rows[place]), int(counts[place])
            rest = _without(rows, place)
            place += 1
            n_left = int(self._sizes[number]) - count
            if n_left < self._least:
                continue
            labels, cost = self._common(rest)
            gain = int(self._costs[number] * self._sizes[number]) - cost * n_left
            host, change = self._cheapest(row, count, number, gain)
            if change >= gain:
                continue
            rest_counts = _without(counts, place - 1)
            if not self._is_safe(rest, rest_counts):
                continue
            if not self._are_safe([host], rows[place - 1 : place], counts[place - 1 : place]):
                continue
            self._rows[number], self._counts[number] = rest, rest_counts
            self._labels[number], self._costs[number] = labels, cost
            self._sizes[number] = n_left
            self._widen(host, row)
            self._sizes[host] += count
            self._add(host, row, count)
            saved += gain - change
            place -= 1
        return saved

    def _cheapest(self, row: int, count: int, but: int, most: int) -> tuple[int, int]:
        """Return the group that a row joins at least cost, and the added cost; any if that reaches `most`."""
        self._n_looks += len(self._sizes)
        host, change = self._kernels.cheapest_group(
            self._lowest[row], count, but, most, self._tree, self._labels, self._sizes, self._costs
        )
        return int(host), int(change)

    def _widen(self, host: int, row: int) -> None:
        """Make the labels of a group cover a row that has joined it."""
        self._costs[host] = self._kernels.cover(host, row, self._lowest, self._tree, self._labels)

    def _common(self, rows: IntArray) -> tuple[NDArray[np.int32], int]:
        """Return the labels that rows have in common, and their cost."""
        common = np.empty(self._lowest.shape[1], dtype=np.int32)
        return common, int(self._kernels.common_of(rows, self._lowest, self._tree, common))

    def _add(self, host: int, row: int, count: int) -> None:
        self._rows[host] = np.append(self._rows[host], row)
        self._counts[host] = np.append(self._counts[host], count)

    def _are_safe(self, hosts: list[int], rows: IntArray, counts: Counts) -> bool:
        """Return whether groups still meet the requirement if each accepts one of the rows."""
        distinct = list(dict.fromkeys(hosts))
        place = {host: number for number, host in enumerate(distinct)}
        members = [self._rows[host] for host in distinct]
        labels = np.repeat(np.arange(len(distinct)), [len(found) for found in members])
        classes = self._records.classes(
            np.concatenate((labels, [place[host] for host in hosts])),
            np.concatenate((*members, rows)),
            np.concatenate((*(self._counts[host] for host in distinct), counts)),
        )
        return bool(self._requirement.fulfilled(classes).all())

    def _is_safe(self, rows: IntArray, counts: Counts) -> bool:
        classes = self._records.classes(np.zeros(len(rows), dtype=np.int64), rows, counts)
        return bool(self._requirement.fulfilled(classes)[0])


def _without(values: IntArray, place: int) -> IntArray:
    return np.concatenate((values[:place], values[place + 1 :]))


# Shares of the time at which leftover records are placed, and at which improving begins.
PARTS_BY_SIZE, PARTS_BY_MODEL = (0.2, 0.21), (0.2, 0.25)


@recoding_methods.register("cover")
@dataclass(frozen=True, slots=True)
class CheapestFirstCover(RecodingMethod):
    """Walk the nodes from the cheapest to the dearest and release on each what is safe there.

    At every node only the records not released yet are grouped. A class that meets the requirement is
    released, and its records are done; the others continue with costlier nodes. What remains after the last
    node joins the classes that it costs least, or is suppressed if that costs no more and the limit allows
    it. What a node or a class costs is the mean share of its columns' values that its labels leave open.

    Improving looks at every class again, the dearest first: its records move to other classes, one by one or
    all of them, wherever all records together cost less then and every class still meets the requirement.
    Where classes need a size only, a few at a time are broken up and rebuilt after that, and records are
    exchanged by simulated annealing.

    Every class has the lowest labels its records share. In lattices of more than a million nodes those on
    random ways from the lowest node to the highest are walked.
    """

    title: ClassVar[str] = lazy("Cheapest-first cover")
    summary: ClassVar[str] = lazy(
        "Usually the most precise release. It goes from the most precise labels to the most "
        "general ones and releases every record at the first safe ones; seconds with k alone, "
        "longer with l or t."
    )
    weakness: ClassVar[str] = lazy(
        "A record has general labels because no more precise ones were safe for the records left "
        "at that time; an attacker who knows the order learns that it is not among those released "
        "before."
    )

    can_stop: ClassVar[bool] = True

    refine: bool = param(
        True,
        Flag(
            label=N_("Improve the classes"),
            help=N_("Moves records to other classes afterwards if that makes labels more precise."),
        ),
    )
    rounds: int = param(
        100,
        Integer(
            minimum=0,
            maximum=100_000,
            label=N_("Rebuild rounds"),
            help=N_(
                "How often classes are split and rebuilt if they only need a size. A hundred "
                "rounds take ten seconds for 30,000 records (hours without compiled kernels); "
                "more rounds give more precise labels."
            ),
            usual=(0, 100, 1000),
        ),
    )
    ways: int = param(
        1000,
        Integer(
            minimum=1,
            maximum=10_000,
            label=N_("Paths through large lattices"),
            help=N_(
                "Number of paths from the lowest to the highest node that are followed if a "
                "lattice has more than a million nodes."
            ),
        ),
    )

    steps: int | None = param(
        None,
        Integer(
            minimum=1,
            maximum=1_000_000_000,
            label=N_("Stop after steps"),
            help=N_(
                "Ends improving after this number of steps; empty: never. If you stop a try, this is the "
                "step at which you did, so that the recipe makes the same release."
            ),
        ),
    )

    def improve(self, task: RecodingTask, monitor: Monitor) -> Recoding:
        records = records_of(task)
        costs = share_costs(task)
        steps = ImprovementSteps(self.steps or 0, monitor)

        n_passes = 0  # models of the whole table may ask for more of them

        def recode(requirement: Requirement) -> Recoding:
            nonlocal n_passes
            begin, end = (
                (1 - 0.5**n_passes, 1 - 0.5 ** (n_passes + 1)) if task.requirement.table_wide else (0, 1)
            )
            n_passes += 1
            whole = StretchMonitor(monitor, begin, end)
            shares = PARTS_BY_SIZE if records.are_sizes_enough(requirement) else PARTS_BY_MODEL
            cuts = (0.0, *shares, 1.0) if self.refine else (0.0, 0.9, 1.0, 1.0)
            walking, housing, refining = (StretchMonitor(whole, *part) for part in pairwise(cuts))
            walk = CoverWalk(records, requirement, costs, walking, n_ways=self.ways, seed=task.seed)
            found = housed(records, requirement, costs, walk.groups(by_class=self.refine), housing)
            if self.refine and len(found.rows):
                found = self._refined(records, requirement, costs, found, task.seed, refining, steps)
            return shared_recoding(records, found)

        made = strictest_needed(task, recode, highest_node(records, task.requirement))
        return replace(made, stopped_after=steps.stopped_after)

    def _refined(
        self,
        records: DistinctRecords,
        requirement: Requirement,
        costs: LabelCosts,
        found: Shares,
        seed: int,
        monitor: Monitor,
        steps: ImprovementSteps,
    ) -> Shares:
        if records.are_sizes_enough(requirement):
            return rebuilt(records, costs, found, requirement.k or 1, self.rounds, seed, monitor, steps)
        refinement = GroupRefinement(records, requirement, costs, found, monitor, steps)
        for _sweep in range(SWEEPS):
            if not refinement.sweep():
                break
        return refinement.shares()


def share_costs(task: RecodingTask) -> LabelCosts:
    """Cost of labels by the share of a column's values that they leave open, with column weights."""
    n_leaves = np.array([attribute.hierarchy.n_leaves for attribute in task.problem.attributes])
    weights = np.ones(len(n_leaves)) if task.weights is None or not task.weights.sum() else task.weights
    return LabelCosts(task.problem, weights * (n_leaves - 1) / n_leaves)
