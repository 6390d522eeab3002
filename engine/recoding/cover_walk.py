"""The cover of the lattice: nodes by increasing cost, each releases the classes that are safe on it."""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.frequency import Problem
from engine.kernels import covering
from engine.kernels.arrays import IntArray, Reals
from engine.kernels.covering import NOT_PLACED, Digits, Rows
from engine.monitor import Monitor
from engine.privacy import Requirement
from engine.recoding.distinct import DistinctRecords
from engine.recoding.label_costs import LabelCosts
from engine.scoring import acceleration

MOST_SORTED = 1 << 20  # nodes that are listed and sorted; of larger lattices a part is walked
VISITS = 1 << 20  # rows looked at between two looks at the monitor
KEY_BITS = 63
SCALE = 1 << 30  # costs are whole numbers: that of a record all hidden
NO_LIMIT = 1 << 40  # far above what a record can cost
SECONDS_PER_VISIT = 1e-8  # by numpy; most rows leave soon
WALKING = "Covering the table, cheapest labels first"


def nodes_by_cost(problem: Problem, means: list[Reals], n_ways: int, seed: int) -> NDArray[np.int64]:
    """Nodes by increasing mean cost: all of them, or of a large lattice those on random ways to its top.

    Parameters
    ----------
    problem : Problem
    means : list of ndarray of float64, each of shape (height + 1,)
        Mean cost of every level per column.
    n_ways : int
        Ways from the lowest to the highest node, where not all nodes can be listed.
    seed : int

    Returns
    -------
    ndarray of int64, shape (n_nodes, n_qi)
    """
    lattice = problem.lattice
    if lattice.n_nodes <= MOST_SORTED:
        nodes = np.asarray(lattice.levels, dtype=np.int64)
    else:
        nodes = np.unique(_ways(problem, means, n_ways, seed), axis=0)
    costs = np.zeros(len(nodes))
    for q, mean in enumerate(means):
        costs += mean[nodes[:, q]]
    return np.ascontiguousarray(nodes[np.argsort(costs, kind="stable")])


def _ways(problem: Problem, means: list[Reals], n_ways: int, seed: int) -> NDArray[np.int64]:
    """Nodes on ways from the bottom to the top; each raises the columns in a hurry of its own."""
    random = np.random.default_rng(seed)
    lowest, highest = problem.lattice.minimum, problem.lattice.maximum
    found: list[list[int]] = []
    for _ in range(n_ways):
        haste = random.exponential(size=len(means)) + 0.1  # what a column's cost counts on this way
        node = list(lowest)
        found.append(list(node))
        waiting = [(haste[q] * means[q][node[q] + 1], q) for q in range(len(means)) if node[q] < highest[q]]
        heapq.heapify(waiting)
        while waiting:
            _, q = heapq.heappop(waiting)
            node[q] += 1
            found.append(list(node))
            if node[q] < highest[q]:
                heapq.heappush(waiting, (haste[q] * means[q][node[q] + 1], q))
    return np.array(found, dtype=np.int64)


class CoverWalk:
    """One walk; afterwards every row has its group, or none.

    Parameters
    ----------
    records : DistinctRecords
    requirement : Requirement
    costs : LabelCosts
    monitor : Monitor
    n_ways, seed : int
        Of lattices too large to list.
    """

    def __init__(
        self,
        records: DistinctRecords,
        requirement: Requirement,
        costs: LabelCosts,
        monitor: Monitor,
        *,
        n_ways: int,
        seed: int,
    ) -> None:
        self._records, self._requirement, self._monitor = records, requirement, monitor
        self._costs = costs
        means = [
            np.average(table[:, leaves], axis=1, weights=records.counts)
            for table, leaves in zip(costs.tables, records.leaves.T, strict=True)
        ]
        self._nodes = nodes_by_cost(records.problem, means, n_ways, seed)
        self._least = requirement.k or 1

    def groups(self) -> IntArray:
        """Group of every row, told by the number of its first row; -1 for rows that no node could place."""
        n_rows = self._records.n_rows
        found: IntArray = np.full(n_rows, NOT_PLACED, dtype=np.int64)
        rows = Rows(
            np.arange(n_rows),
            np.ascontiguousarray(self._records.leaves.T),
            self._records.counts.copy(),
            np.zeros(n_rows, dtype=np.int64),
            np.array([n_rows]),
        )
        advance = self._advance()
        number = 0
        while number < len(self._nodes) and rows.n_left[0]:
            number = advance(rows, found, number)
            self._monitor.step(n_rows - int(rows.n_left[0]), n_rows, WALKING)
        return found

    def _advance(self) -> Callable[[Rows, IntArray, int], int]:
        """What places the classes of the next nodes, from a number on, and tells the next number."""
        digits = digits_of(self._records.problem, self._costs)
        if digits is None or not all(model.is_by_size for model in self._requirement.models):
            return lambda rows, found, number: self._by_model(digits, rows, found, number)
        acceleration.warm_up_if_worth(len(self._nodes) * self._records.n_rows * SECONDS_PER_VISIT)
        compiled = acceleration.kernels("covering")
        cover = covering.cover_by_size if compiled is None else compiled.cover_by_size
        return lambda rows, found, number: int(
            cover(digits, rows, self._nodes, self._least, found, number, VISITS, NO_LIMIT)
        )

    def _by_model(self, digits: Digits | None, rows: Rows, found: IntArray, number: int) -> int:
        """One node: groups that are large enough are shown to the models."""
        here = rows.numbers[: int(rows.n_left[0])]
        if digits is not None:
            keys = covering.keys_at(digits, rows, self._nodes[number])
            _, first, labels = np.unique(keys, return_index=True, return_inverse=True)
        else:
            labels = self._records.at(tuple(self._nodes[number].tolist()))[0][here]
            _, first, labels = np.unique(labels, return_index=True, return_inverse=True)
        sizes = np.bincount(labels, weights=rows.counts[: len(here)])
        chosen = np.flatnonzero((sizes >= self._least)[labels])
        if len(chosen):
            _, own = np.unique(labels[chosen], return_inverse=True)
            is_safe = self._requirement.fulfilled(self._records.classes(own, here[chosen]))
            placed = np.zeros(len(here), dtype=np.bool_)
            placed[chosen[is_safe[own]]] = True
            if placed.any():
                found[here[placed]] = here[first[labels[placed]]]
                covering.place(rows, placed)
        return number + 1


def digits_of(problem: Problem, costs: LabelCosts) -> Digits | None:
    """Labels as bit fields side by side, and their costs; None where they do not fit into one word."""
    attributes = problem.attributes
    n_levels = max(attribute.hierarchy.height for attribute in attributes) + 1
    starts = np.zeros((len(attributes), n_levels), dtype=np.int64)
    tables: list[NDArray[np.int64]] = []
    prices = [np.rint(table.ravel() * SCALE).astype(np.int64) for table in costs.tables]
    used = filled = 0
    for q, attribute in enumerate(attributes):
        levels = attribute.hierarchy.levels
        width = max((len(level.labels) - 1).bit_length() for level in levels)
        if used + width > KEY_BITS:
            return None
        for number, level in enumerate(levels):
            starts[q, number] = filled
            tables.append(level.codes.astype(np.int64) << used)
            filled += len(level.codes)
        used += width
    return Digits(np.concatenate(tables), np.concatenate(prices), starts)
