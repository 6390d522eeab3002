"""Refinement of groups: records move to cheaper groups while every group meets the requirement."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, IntArray
from engine.monitor import Monitor
from engine.privacy import Requirement
from engine.recoding.allowed_labels import joined, labels_of, mean_joins
from engine.recoding.distinct import DistinctRecords
from engine.recoding.grouped import Shares
from engine.recoding.improvement_steps import ImprovementSteps
from engine.recoding.label_costs import LabelCosts
from engine.scoring import acceleration
from engine.scoring.kernel_compilation import fetch_if_worth
from engine.words import N_, _

REFINING = N_("Refining classes")
SWEEPS = 2  # a third one finds next to nothing
HOPELESS = 1 << 60
MOST_LOOKS = 1 << 30  # at groups and at rows of them, all sweeps together: some minutes for large tables
SECONDS_PER_ROW = 0.002  # by numpy
MOST_KEPT = 1 << 23  # cached costs by label, as numbers; 64 MB


class GroupRefinement:
    """Groups that meet a requirement throughout, while records move to groups where they cost less.

    Costs are integers, so that rounding decides nothing. Every change is checked against the requirement
    before it is made.

    Parameters
    ----------
    records : DistinctRecords
    requirement : Requirement
    costs : LabelCosts
    found : Shares
        Groups that meet the requirement.
    monitor : Monitor
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
        fetch_if_worth(len(found.rows) * SECONDS_PER_ROW, ("rebuilding",), monitor)
        self._kernels = acceleration.kernels("rebuilding")
        # Labels are numbered column by column, the lowest ones first.
        starts = [int(low.min()) for low in lowest]
        ends = [*starts[1:], len(self._tree.costs)]
        dearest = np.argsort(-mean_joins(self._lowest, self._tree), kind="stable").tolist()
        self._lowest = np.ascontiguousarray(self._lowest[:, dearest])  # the first decide most comparisons
        self._starts, self._ends = [starts[q] for q in dearest], [ends[q] for q in dearest]
        self._joins: dict[int, Counts] = {}
        self._n_kept = 0
        order = np.argsort(found.groups, kind="stable")
        cuts = np.flatnonzero(np.diff(found.groups[order])) + 1
        self._rows: list[IntArray] = np.split(found.rows[order], cuts)
        self._counts: list[Counts] = np.split(found.counts[order], cuts)
        n_groups = len(self._rows)
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
        if self._kernels is not None:
            host, change = self._kernels.cheapest_group(
                self._lowest[row], count, but, most, self._tree, self._labels, self._sizes, self._costs
            )
            return int(host), int(change)
        after = np.zeros(len(self._sizes), dtype=np.int64)
        for q, label in enumerate(self._lowest[row].tolist()):
            after += self._join_costs(q, label)[self._labels[:, q] - self._starts[q]]
        change = self._sizes * (after - self._costs) + count * after
        change[self._sizes == 0] = HOPELESS
        change[but] = HOPELESS
        host = int(np.argmin(change))
        return host, int(change[host])

    def _widen(self, host: int, row: int) -> None:
        """Make the labels of a group cover a row that has joined it."""
        if self._kernels is not None:
            cost = self._kernels.cover(host, row, self._lowest, self._tree, self._labels)
        else:
            self._labels[host] = joined(self._labels[host], self._lowest[row], self._tree)
            cost = self._tree.costs[self._labels[host]].sum()
        self._costs[host] = cost

    def _join_costs(self, q: int, label: int) -> Counts:
        """Return the cost of every label of a column after it covers another value."""
        if label not in self._joins:
            if self._n_kept > MOST_KEPT:
                self._joins.clear()
                self._n_kept = 0
            every = np.arange(self._starts[q], self._ends[q])
            self._joins[label] = self._tree.costs[joined(every, np.full_like(every, label), self._tree)]
            self._n_kept += len(every)
        return self._joins[label]

    def _common(self, rows: IntArray) -> tuple[NDArray[np.int32], int]:
        """Return the labels that rows have in common, and their cost."""
        if self._kernels is not None:
            common = np.empty(self._lowest.shape[1], dtype=np.int32)
            return common, int(self._kernels.common_of(rows, self._lowest, self._tree, common))
        labels = self._lowest[rows]
        while len(labels) > 1:  # pairs are joined until one is left
            half = len(labels) // 2
            paired = joined(labels[:half], labels[half : 2 * half], self._tree)
            labels = np.concatenate((paired, labels[2 * half :])).astype(np.int32)
        return labels[0], int(self._tree.costs[labels[0]].sum())

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
