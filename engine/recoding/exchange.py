"""Improving groups that have to have a size only: rebuilt a few at a time, and by simulated annealing [1].

References
----------
.. [1] Kirkpatrick, Gelatt, Vecchi (1983). Optimization by Simulated Annealing. Science 220.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.frequency import Problem
from engine.kernels import exchanging, rebuilding
from engine.kernels.arrays import Counts, IntArray
from engine.kernels.exchanging import Grouped, Labels
from engine.kernels.rebuilding import Workshop
from engine.monitor import Monitor
from engine.recoding.cover_walk import SCALE
from engine.recoding.distinct import NO_GROUP, DistinctRecords
from engine.recoding.grouped import Shares
from engine.recoding.label_costs import LabelCosts
from engine.scoring import acceleration

N_ALIKE = 24  # records that each is compared with
N_ORDERS, N_NEXT = 24, 4  # orders of columns in which records are sorted, and neighbours looked at in each
HOT, COLD = 0.003, 0.0004  # temperatures at the begin and the end, as parts of a record all hidden
AT_ONCE, REBUILT_AT_ONCE = 1 << 15, 1 << 10  # moves between two looks at the monitor
CYCLE = 100  # rounds of exchange after groups were rebuilt
ROUNDS_PER_REBUILDING = 33  # three groups per record and cycle are rebuilt, the cheap ones seldom
MOST_REBUILT = 12  # least size of groups up to which they are; it takes the third power of it
SECONDS_PER_MOVE = 1e-4  # interpreted
COMPARED_AT_ONCE = 1 << 14  # records between two looks at the monitor
COMPARING = "Looking for records that are alike"
EXCHANGING = "Exchanging records between classes"


def labels_of(problem: Problem, costs: LabelCosts) -> tuple[Labels, list[IntArray]]:
    """All labels on allowed levels with what they cost, and the lowest one of every leaf per column."""
    parents: list[IntArray] = []
    ranks: list[IntArray] = []
    prices: list[IntArray] = []
    lowest: list[IntArray] = []
    n_known = 0
    for attribute, table in zip(problem.attributes, costs.tables, strict=True):
        height = attribute.hierarchy.height
        allowed = list(range(attribute.minimum, attribute.maximum + 1))
        if allowed[-1] < height:
            allowed.append(height)
        starts = n_known + np.cumsum([0] + [len(attribute.hierarchy.levels[g].labels) for g in allowed])
        for rank, level in enumerate(allowed):
            codes = attribute.hierarchy.levels[level].codes
            here = np.arange(starts[rank], starts[rank + 1])
            price = np.zeros(len(here), dtype=np.int64)
            price[codes] = np.rint(table[level] * SCALE).astype(np.int64)
            above = here.copy()
            if rank + 1 < len(allowed):
                above[codes] = starts[rank + 1] + attribute.hierarchy.levels[allowed[rank + 1]].codes
            parents.append(above)
            prices.append(price)
            ranks.append(np.full(len(here), rank))
            if rank == 0:
                lowest.append(starts[0] + codes)
        n_known = int(starts[-1])
    tree = Labels(
        np.concatenate(parents).astype(np.int32),
        np.concatenate(ranks).astype(np.int32),
        np.concatenate(prices).astype(np.int64),
    )
    return tree, lowest


def joined(one: NDArray[np.integer[Any]], other: NDArray[np.integer[Any]], tree: Labels) -> IntArray:
    """Lowest common label, pair by pair."""
    one, other = one.astype(np.int64), other.astype(np.int64)
    while (apart := one != other).any():
        up = apart & (tree.ranks[one] <= tree.ranks[other])
        down = apart & ~up
        one[up] = tree.parents[one[up]]
        other[down] = tree.parents[other[down]]
    return np.asarray(one)


def exchanged(
    records: DistinctRecords,
    costs: LabelCosts,
    found: Shares,
    least: int,
    rounds: int,
    seed: int,
    monitor: Monitor,
) -> Shares:
    """Groups of at least so many records that cost less, all in all, than those given, or as much.

    Parameters
    ----------
    records : DistinctRecords
    costs : LabelCosts
    found : Shares
        Groups of at least `least` records.
    least : int
    rounds : int
        Moves tried per record.
    seed : int
    monitor : Monitor
    """
    tree, lowest = labels_of(records.problem, costs)
    order = np.lexsort((found.rows, found.groups))
    rows = np.repeat(found.rows[order], found.counts[order])
    labels = np.column_stack(
        [low[leaves] for low, leaves in zip(lowest, records.leaves[rows].T, strict=True)]
    ).astype(np.int32)
    group = _cut(np.repeat(found.groups[order], found.counts[order]), least)
    state = _state(labels, group, least, tree)
    if len(state.sizes) - int(state.n_free[0]) < 2 or not rounds:
        return found
    random = np.random.default_rng(seed)
    acceleration.warm_up_if_worth(rounds * len(rows) * SECONDS_PER_MOVE)
    moves = _Moves(state, tree, _alike(records, lowest, tree, rows, random, monitor), least, random, monitor)
    best, saved, most = state.group.copy(), 0, 0
    for done in range(0, rounds, CYCLE):
        moves.progress = done, min(CYCLE, rounds - done), rounds
        if least <= MOST_REBUILT:
            saved += moves.rebuild()
        saved += moves.anneal()
        if saved > most:
            best, most = state.group.copy(), saved
    return Shares(rows, best, np.ones(len(rows), dtype=np.int64)) if most else found


class _Moves:
    """The two kinds of moves, in parts between which the monitor is asked.

    Parameters
    ----------
    state : Grouped
    tree : Labels
    alike : ndarray of int32, shape (n_records, n_alike)
    least : int
    random : numpy Generator
    monitor : Monitor

    Attributes
    ----------
    progress : tuple of int
        Rounds done before, rounds of this cycle, all rounds.
    """

    def __init__(
        self,
        state: Grouped,
        tree: Labels,
        alike: NDArray[np.int32],
        least: int,
        random: np.random.Generator,
        monitor: Monitor,
    ) -> None:
        self._state, self._tree, self._alike, self._least = state, tree, alike, least
        self._random, self._monitor = random, monitor
        self._n_records = len(state.group)
        self._shop = Workshop.of(least, state.labels.shape[1])
        self._room: tuple[IntArray, IntArray] = (
            np.zeros(max(least, 1), dtype=np.int64),
            np.zeros(max(least, 1), dtype=np.int64),
        )
        self.progress = 0, 1, 1

    def rebuild(self) -> int:
        """Break up groups and build them anew, some times per record; returns how much less all cost."""
        compiled = acceleration.kernels("rebuilding")
        kernel, at_once = (rebuilding.rebuild, 4) if compiled is None else (compiled.rebuild, REBUILT_AT_ONCE)
        saved, n_moves = 0, self._n_records * self.progress[1] // ROUNDS_PER_REBUILDING
        for start in range(0, n_moves, REBUILT_AT_ONCE):
            draws = self._random.random((min(REBUILT_AT_ONCE, n_moves - start), rebuilding.N_DRAWS))
            for first in range(0, len(draws), at_once):
                self._tell((start + first) / n_moves / 2)
                part = draws[first : first + at_once]
                saved += int(
                    kernel(
                        self._state.labels,
                        *self._tree,
                        *self._state[1:],
                        self._alike,
                        part,
                        self._least,
                        self._shop,
                    )
                )
        return saved

    def anneal(self) -> int:
        """Exchange records, at a loss too but ever more seldom; returns how much less all cost."""
        compiled = acceleration.kernels("exchanging")
        kernel, at_once = (exchanging.anneal, 256) if compiled is None else (compiled.anneal, AT_ONCE)
        saved, n_moves = 0, self._n_records * self.progress[1]
        for start in range(0, n_moves, AT_ONCE):
            many = min(AT_ONCE, n_moves - start)
            draws = self._random.random((many, exchanging.N_DRAWS))
            heat = HOT * (COLD / HOT) ** ((start + np.arange(many)) / n_moves) * SCALE
            allowed = heat * -np.log1p(-self._random.random(many))
            for first in range(0, many, at_once):
                self._tell(0.5 + (start + first) / n_moves / 2)
                part = slice(first, first + at_once)
                saved += int(
                    kernel(
                        self._state.labels,
                        *self._tree,
                        *self._state[1:],
                        self._alike,
                        draws[part],
                        allowed[part],
                        self._least,
                        *self._room,
                    )
                )
        return saved

    def _tell(self, share: float) -> None:
        """Progress by the share of a cycle that is done."""
        done, cycle, rounds = self.progress
        self._monitor.step(int(1000 * (done + share * cycle)), 1000 * rounds, EXCHANGING)


def _cut(groups: IntArray, least: int) -> IntArray:
    """Groups of sorted records cut into ones of less than twice the least size."""
    _, group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    n_parts = np.maximum(sizes // max(least, 1), 1)
    place = np.arange(len(groups)) - (np.cumsum(sizes) - sizes)[group]
    part = np.minimum(place // max(least, 1), n_parts[group] - 1)
    return np.asarray((np.cumsum(n_parts) - n_parts)[group] + part)


def _state(labels: NDArray[np.int32], group: IntArray, least: int, tree: Labels) -> Grouped:
    n_records, n_groups = len(group), int(group.max(initial=NO_GROUP)) + 1
    room = 2 * least + 4
    sizes = np.bincount(group, minlength=n_groups)
    n_places = max(n_records // max(least, 1), n_groups) + 1
    place = np.arange(n_records) - (np.cumsum(sizes) - sizes)[group]
    members = np.full((n_places, room), -1, dtype=np.int64)
    members[group, place] = np.arange(n_records)
    all_sizes: Counts = np.zeros(n_places, dtype=np.int64)
    all_sizes[:n_groups] = sizes
    costs: Counts = np.zeros(n_places, dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    for q in range(labels.shape[1]):
        common = labels[starts, q].copy()
        for i in range(1, int(sizes.max(initial=0))):
            has = np.flatnonzero(sizes > i)
            common[has] = joined(common[has], labels[starts[has] + i, q], tree)
        costs[:n_groups] += tree.costs[common]
    free = np.zeros(n_places, dtype=np.int64)
    free[: n_places - n_groups] = np.arange(n_groups, n_places)
    return Grouped(
        labels, group.copy(), place, members, all_sizes, costs, free, np.array([n_places - n_groups])
    )


def _alike(
    records: DistinctRecords,
    lowest: list[IntArray],
    tree: Labels,
    rows: IntArray,
    random: np.random.Generator,
    monitor: Monitor,
) -> NDArray[np.int32]:
    """For every record some others of about the lowest common cost, the cheapest first.

    They are looked for among neighbours where records are sorted by labels, columns in random order: the
    coarse labels of all columns first.
    """
    paths = []
    for low, leaves in zip(lowest, records.leaves[rows].T, strict=True):
        label = low[leaves].astype(np.int32)
        steps = [label]
        while (tree.parents[steps[-1]] != steps[-1]).any():
            steps.append(tree.parents[steps[-1]])
        paths.append(steps)
    n_records = len(rows)
    known = np.zeros((n_records, 0), dtype=np.int32)
    prices = np.zeros((n_records, 0), dtype=np.int64)
    too_dear = 2 * len(paths) * SCALE
    shifts = [s for s in range(-N_NEXT, N_NEXT + 1) if s]
    for number in range(N_ORDERS):
        monitor.step(number, N_ORDERS, COMPARING)
        steps_by_weight = sorted(
            (random.random() + 0.25 * (len(steps) - up), q, up)
            for q, steps in enumerate(paths)
            for up in range(len(steps))
        )
        order = np.argsort(random.permutation(n_records))
        for _, q, up in steps_by_weight:  # the last one counts most
            monitor.step(number, N_ORDERS, COMPARING)
            order = order[np.argsort(paths[q][up][order], kind="stable")]
        near = np.empty((n_records, len(shifts)), dtype=np.int32)
        for i, shift in enumerate(shifts):
            near[order, i] = np.roll(order, -shift)
        price = np.zeros(near.shape, dtype=np.int64)
        for steps in paths:
            monitor.step(number, N_ORDERS, COMPARING)
            one = np.repeat(steps[0], near.shape[1])
            price += tree.costs[joined(one, steps[0][near.ravel()], tree)].reshape(near.shape)
        parts = []
        for first in range(0, n_records, COMPARED_AT_ONCE):
            monitor.step(number, N_ORDERS, COMPARING)
            here = slice(first, first + COMPARED_AT_ONCE)
            everybody, their_prices = (
                np.hstack((known[here], near[here])),
                np.hstack((prices[here], price[here])),
            )
            parts.append(_cheapest(everybody, their_prices, first, too_dear))
        known, prices = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return np.ascontiguousarray(known)


def _cheapest(
    others: NDArray[np.int32], prices: IntArray, first: int, too_dear: int
) -> tuple[NDArray[np.int32], IntArray]:
    """The cheapest of the others that some records know, the records numbered from `first` on."""
    by_record = np.argsort(others, axis=1, kind="stable")
    others, prices = np.take_along_axis(others, by_record, 1), np.take_along_axis(prices, by_record, 1)
    again = np.zeros(others.shape, dtype=np.bool_)
    again[:, 1:] = others[:, 1:] == others[:, :-1]
    again |= others == np.arange(first, first + len(others))[:, None]
    prices[again] = too_dear
    best = np.argsort(prices, axis=1, kind="stable")[:, :N_ALIKE]
    return np.take_along_axis(others, best, 1), np.take_along_axis(prices, best, 1)
