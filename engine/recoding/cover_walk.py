"""The cover of the lattice: nodes by increasing cost, each releases the classes that are safe on it."""

from __future__ import annotations

import heapq
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from engine.frequency import Problem
from engine.kernels import covering
from engine.kernels.arrays import FloatArray, IntArray
from engine.kernels.covering import NO_GROUP, NO_LIMIT, Digits, Rows
from engine.lattice import Node
from engine.monitor import SILENT, Monitor, StretchMonitor
from engine.privacy import Requirement
from engine.recoding.allowed_labels import SCALE, LabelCosts
from engine.recoding.distinct import DistinctRecords
from engine.scoring import acceleration
from engine.scoring.acceleration import fetch_if_worth
from engine.words import N_, _

MOST_SORTED = 1 << 20  # nodes that are listed and sorted; of larger lattices a part is walked
VISITS = 1 << 21  # rows looked at between two looks at the monitor
MOST_VISITS = 1_000_000_000  # rows at all nodes, for classes in the order of their own costs
# What a class may cost in one walk after the other, where 1 is a record all hidden.
LIMITS: tuple[float, ...] = tuple(
    np.concatenate(
        (np.arange(60) / 1134, 0.0529 + np.arange(47) / 378, 0.1772 + np.arange(8) / 95, [0.53])
    ).tolist()
)
# Nodes looked at for a limit: those whose mean cost is so many times the limit, beside the discount that all
# records but this share stay below.
NEAR, MOST_DISCOUNTED = 1.2, 0.8
KEY_BITS = 63
COSTS_SHARE = 0.5  # of the time of a walk by class, for the least costs of all rows
MOST_PARTS = 64  # of the lattice between two looks at the monitor, about
SECONDS_PER_VISIT = 4e-6  # interpreted
SLOWER = 1 << 9  # how many times slower interpreted code is, about
WALKING = N_("Covering the table, most precise labels first")


def nodes_by_cost(
    problem: Problem, means: list[FloatArray], n_ways: int, seed: int, monitor: Monitor = SILENT
) -> NDArray[np.int64]:
    """Nodes by increasing mean cost: all of them, or of a large lattice those on random ways to its top.

    Parameters
    ----------
    means : list of ndarray of float64, each of shape (height + 1,)
        Mean cost of every level per column.
    n_ways : int
        Ways from the lowest to the highest node, where not all nodes can be listed.

    Returns
    -------
    ndarray of int64, shape (n_nodes, n_qi)
    """
    lattice = problem.lattice
    if lattice.n_nodes <= MOST_SORTED:
        nodes = np.asarray(lattice.levels, dtype=np.int64)
    else:
        nodes = np.array(sorted(_ways(problem, means, n_ways, seed, monitor)), dtype=np.int64)
    return np.ascontiguousarray(nodes[np.argsort(_mean_costs(nodes, means), kind="stable")])


def _mean_costs(nodes: NDArray[np.int64], means: list[FloatArray]) -> FloatArray:
    """Return the average cost of a record, node by node."""
    costs = np.zeros(len(nodes))
    for q, mean in enumerate(means):
        costs += mean[nodes[:, q]]
    return costs


def _ways(problem: Problem, means: list[FloatArray], n_ways: int, seed: int, monitor: Monitor) -> set[Node]:
    """Nodes on ways from the bottom to the top; each raises the columns in a hurry of its own."""
    random = np.random.default_rng(seed)
    lowest, highest = problem.lattice.minimum, problem.lattice.maximum
    found: set[Node] = set()
    for number in range(n_ways):
        monitor.step(number, n_ways, _(WALKING))
        haste = random.exponential(size=len(means)) + 0.1  # what a column's cost counts on this way
        node = list(lowest)
        found.add(tuple(node))
        waiting = [(haste[q] * means[q][node[q] + 1], q) for q in range(len(means)) if node[q] < highest[q]]
        heapq.heapify(waiting)
        while waiting:
            _unused, q = heapq.heappop(waiting)
            node[q] += 1
            found.add(tuple(node))
            if node[q] < highest[q]:
                heapq.heappush(waiting, (haste[q] * means[q][node[q] + 1], q))
    return found


class CoverWalk:
    """One walk; afterwards every row has its group, or none.

    Parameters
    ----------
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
        self._means = [
            np.average(table[:, leaves], axis=1, weights=records.counts)
            for table, leaves in zip(costs.tables, records.leaves.T, strict=True)
        ]
        self._nodes = nodes_by_cost(records.problem, self._means, n_ways, seed, monitor)
        self._is_whole = len(self._nodes) == records.problem.lattice.n_nodes
        self._limits: IntArray = np.zeros(len(self._nodes), dtype=np.int64)
        self._least = requirement.k or 1
        self._by_size = records.are_sizes_enough(requirement)
        self._digits = digits_of(records.problem, costs)
        fetch_if_worth(len(self._nodes) * records.n_rows * SECONDS_PER_VISIT, ("covering",), monitor)

    def groups(self, *, by_class: bool = False) -> IntArray:
        """Return the group of every row, as the number of its first row.

        Parameters
        ----------
        by_class : bool
            Whether classes come in the order of their own costs, not of the mean costs of their nodes; those
            whose records can have no precise labels anyhow come sooner. Takes some times as long, and needs
            a requirement that asks for sizes only and nodes that are not too many; else it changes nothing.
        """
        n_rows = self._records.n_rows
        found: IntArray = np.full(n_rows, NO_GROUP, dtype=np.int64)
        rows = self._all_rows()
        are_few = self._is_whole and len(self._nodes) * n_rows <= MOST_VISITS
        if by_class and self._digits is not None and self._by_size and are_few:
            self._place_by_class(rows, found, self._digits)
        self._place(rows, found, len(self._nodes), NO_LIMIT)
        return found

    def _place_by_class(self, rows: Rows, found: IntArray, digits: Digits) -> None:
        """Walk the nodes again and again, each time placing classes that cost a little more."""
        whole = self._monitor
        self._monitor = StretchMonitor(whole, 0, COSTS_SHARE)
        cheapest = self._cheapest_costs(digits)
        self._monitor = StretchMonitor(whole, COSTS_SHARE, 1)
        rows.discounts[:] = cheapest // 2 * self._records.counts
        node_costs = _mean_costs(self._nodes, self._means)
        for limit in LIMITS:
            if not rows.n_left[0]:
                return
            discounts = cheapest[rows.numbers[: int(rows.n_left[0])]] / (2 * SCALE)
            most = NEAR * limit + float(np.quantile(discounts, MOST_DISCOUNTED))
            n_nodes = int(np.searchsorted(node_costs, most, side="right"))
            self._place(rows, found, n_nodes, int(limit * SCALE))

    def _place(self, rows: Rows, found: IntArray, n_nodes: int, limit: int) -> None:
        """Walk the first nodes once."""
        place = self._by_size_alone if self._digits is not None and self._by_size else self._by_model
        number, n_rows = 0, len(found)
        while number < n_nodes and rows.n_left[0]:
            number = place(rows, found, self._nodes[:n_nodes], number, limit)
            self._monitor.step(n_rows - int(rows.n_left[0]), n_rows, _(WALKING))

    def _by_size_alone(
        self, rows: Rows, found: IntArray, nodes: NDArray[np.int64], number: int, limit: int
    ) -> int:
        """The next nodes, where classes need a size only."""
        assert self._digits is not None, "asked only where keys fit into a word"
        given = self._digits, rows, nodes, self._least, found, number, self._visits(), limit, self._limits
        return covering.cover_by_size(self._kernels, *given)

    def _cheapest_costs(self, digits: Digits) -> IntArray:
        """The least that a record of every row costs on any node where its class is large enough."""
        rows = self._all_rows()
        cheapest: IntArray = np.full(self._records.n_rows, SCALE, dtype=np.int64)
        nodes = self._nodes[np.lexsort(self._nodes.T[::-1])]
        cuts: IntArray = np.zeros(0, dtype=np.int64)
        for q in range(nodes.shape[1]):  # parts of the lattice have the first columns in common
            more = np.flatnonzero((nodes[1:, : q + 1] != nodes[:-1, : q + 1]).any(axis=1)) + 1
            if len(more) >= MOST_PARTS:
                break
            cuts = more
        parts = np.split(nodes, cuts)
        for number, part in enumerate(parts):
            self._monitor.step(number, len(parts), _(WALKING))
            covering.cheapest_costs(self._kernels, digits, rows, part, self._least, cheapest)
        return cheapest

    def _visits(self) -> int:
        """Rows to look at before the monitor is asked again; results do not depend on it."""
        return VISITS if self._kernels is not covering else VISITS // SLOWER

    @property
    def _kernels(self) -> ModuleType:
        """The kernels of the walk, interpreted until they are loaded."""
        return acceleration.kernels("covering") or covering

    def _all_rows(self) -> Rows:
        n_rows = self._records.n_rows
        return Rows(
            np.arange(n_rows),
            np.ascontiguousarray(self._records.leaves.T),
            self._records.counts.copy(),
            np.zeros(n_rows, dtype=np.int64),
            np.array([n_rows]),
        )

    def _by_model(
        self, rows: Rows, found: IntArray, nodes: NDArray[np.int64], number: int, limit: int
    ) -> int:
        """One node: groups that are large enough are shown to the models."""
        digits = self._digits
        here = rows.numbers[: int(rows.n_left[0])]
        if digits is not None:
            labels, first, sizes = covering.groups_at(self._kernels, digits, rows, nodes[number])
        else:
            labels = self._records.at(tuple(nodes[number].tolist()))[0][here]
            _unused, first, labels = np.unique(labels, return_index=True, return_inverse=True)
            sizes = np.bincount(labels, weights=rows.counts[: len(here)]).astype(np.int64)
        chosen = np.flatnonzero((sizes >= self._least)[labels])
        if len(chosen):
            numbers = np.cumsum(sizes >= self._least) - 1
            own = numbers[labels[chosen]]
            is_safe = self._requirement.fulfilled(self._records.classes(own, here[chosen]))
            placed = np.zeros(len(here), dtype=np.bool_)
            placed[chosen[is_safe[own]]] = True
            if placed.any():
                found[here[placed]] = here[first[labels[placed]]]
                covering.place(rows, placed)
        return number + 1


def digits_of(problem: Problem, costs: LabelCosts) -> Digits | None:
    """Labels as bit fields side by side, and their costs; None if they do not fit into one word."""
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
