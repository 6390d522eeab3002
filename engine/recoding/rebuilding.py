"""Ruin and recreate of groups that have to have a size only, so that their labels get more precise [1, 2].

References
----------
.. [1] Schrimpf, Schneider, Stamm-Wilbrandt, Dueck (2000). Record Breaking Optimization Results Using the
   Ruin and Recreate Principle. Journal of Computational Physics 159(2).
.. [2] Dueck, Scheuer (1990). Threshold Accepting. Journal of Computational Physics 90(1).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.frequency import Problem
from engine.kernels import rebuilding
from engine.kernels.arrays import IntArray
from engine.kernels.rebuilding import N_DRAWS, Groups, Journal, Labels
from engine.monitor import Monitor
from engine.recoding.cover_walk import SCALE
from engine.recoding.distinct import DistinctRecords
from engine.recoding.grouped import Shares
from engine.recoding.label_costs import LabelCosts
from engine.scoring import acceleration
from engine.scoring.kernel_compilation import fetch_if_worth
from engine.words import N_, _

MOVES_PER_ROUND = 10  # moves of a round are one for so many records
N_ALIKE = 60  # distinct records that each is compared with, of each two
MOST_COMPARED = 30_000  # distinct records up to which each is compared with all others
N_ORDERS, N_NEXT = 24, 8  # of more: orders of columns they are sorted in, and neighbours looked at in each
WARM = 0.055  # what all records may cost more after the first move, as a part of a record all hidden
ROOM = 28  # records of a group; those that had more are cut
AT_ONCE, AT_ONCE_SLOW = 500, 2  # moves between two looks at the monitor
SECONDS_PER_MOVE = 0.02  # interpreted; some 0.0001 compiled
COMPARED_AT_ONCE = 1 << 14  # rows whose neighbours are sorted between two looks at the monitor
COMPARING = N_("Finding similar records")
REBUILDING = N_("Rebuilding classes")


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


def rebuilt(
    records: DistinctRecords,
    costs: LabelCosts,
    found: Shares,
    least: int,
    rounds: int,
    seed: int,
    monitor: Monitor,
) -> Shares:
    """Return groups of at least `k` records that cost less in all than the given ones.

    Parameters
    ----------
    records : DistinctRecords
    costs : LabelCosts
    found : Shares
        Groups of at least `least` records.
    least : int
    rounds : int
        A move for every tenth record, each; see `engine.kernels.rebuilding`.
    seed : int
    monitor : Monitor
    """
    tree, lowest = labels_of(records.problem, costs)
    order = np.lexsort((found.rows, found.groups))
    rows = np.repeat(found.rows[order], found.counts[order])
    n_moves = rounds * -(-len(rows) // MOVES_PER_ROUND)
    group = _cut(np.repeat(found.groups[order], found.counts[order]), max(ROOM, 3 * least) // 2)
    if not n_moves or not len(rows) or group[-1] < 1:
        return found
    random = np.random.default_rng(seed)
    kernels = None
    if fetch_if_worth(n_moves * SECONDS_PER_MOVE, ("rebuilding",), monitor):
        kernels = acceleration.kernels("rebuilding")
    labels = np.column_stack(
        [low[leaves] for low, leaves in zip(lowest, records.leaves[rows].T, strict=True)]
    )
    labels = labels.astype(np.int32)
    alike = _alike(labels, tree, random, monitor)
    kernel, at_once = (rebuilding, AT_ONCE_SLOW) if kernels is None else (kernels, AT_ONCE)
    groups = _groups(labels, group, least, tree, kernel)
    journal = _journal(groups, alike, least)
    best, saved, most = groups.group.copy(), 0, 0
    for start in range(0, n_moves, AT_ONCE):
        many = min(AT_ONCE, n_moves - start)
        draws = random.random((many, N_DRAWS))
        left = 1 - (start + np.arange(many)) / n_moves
        allowed = (WARM * SCALE * left).astype(np.int64)
        for first in range(0, many, at_once):
            monitor.step(start + first, n_moves, _(REBUILDING))
            part = slice(first, first + at_once)
            saved += int(
                kernel.rebuild(labels, tree, groups, alike, draws[part], allowed[part], least, journal)
            )
        if saved > most:
            best, most = groups.group.copy(), saved
    return Shares(rows, best, np.ones(len(rows), dtype=np.int64)) if most else found


def _cut(groups: IntArray, largest: int) -> IntArray:
    """Groups of sorted records, those with more than `largest` cut into several of about that size."""
    _unused, group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    n_parts = np.maximum(sizes // largest, 1)
    place = np.arange(len(groups)) - (np.cumsum(sizes) - sizes)[group]
    return np.asarray((np.cumsum(n_parts) - n_parts)[group] + place * n_parts[group] // sizes[group])


def _groups(labels: NDArray[np.int32], group: IntArray, least: int, tree: Labels, kernel: Any) -> Groups:
    n_records, n_groups = labels.shape[0], int(group[-1]) + 1
    n_places = max(n_records // max(least, 1), n_groups) + 2
    sizes = np.bincount(group, minlength=n_places)
    place = np.arange(n_records) - (np.cumsum(sizes) - sizes)[group]
    members = np.full((n_places, max(ROOM, 3 * least)), -1, dtype=np.int64)
    members[group, place] = np.arange(n_records)
    free: IntArray = np.zeros(n_places, dtype=np.int64)
    n_free = n_places - 1 - n_groups  # the last one is scratch
    free[:n_free] = np.arange(n_groups, n_places - 1)
    groups = Groups(
        group.copy(),
        place,
        np.zeros(n_records, dtype=np.int64),
        members,
        sizes,
        np.zeros(n_places, dtype=np.int64),
        np.zeros((n_places, labels.shape[1]), dtype=np.int32),
        free,
        np.array([n_free]),
    )
    for number in range(n_groups):
        kernel.refresh(number, labels, tree, groups)
    return groups


def _journal(groups: Groups, alike: NDArray[np.int32], least: int) -> Journal:
    n_pool = 3 * rebuilding.MOST_BROKEN
    n_touched = 4 + n_pool * (least + 2)
    return Journal(
        np.zeros(n_touched, dtype=np.int64),
        np.zeros(n_touched, dtype=np.int64),
        np.zeros((n_touched, groups.members.shape[1]), dtype=np.int64),
        np.full(len(groups.sizes), -1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.zeros(n_pool, dtype=np.int64),
        np.zeros(len(groups.group), dtype=np.int64),
        np.zeros(alike.shape[1], dtype=np.int64),
        np.zeros(max(least, 1), dtype=np.int64),
    )


def _alike(
    labels: NDArray[np.int32], tree: Labels, random: np.random.Generator, monitor: Monitor
) -> NDArray[np.int32]:
    """For every record others of about the lowest common cost, two for each of the distinct ones nearest."""
    distinct, row_of, counts = np.unique(labels, axis=0, return_inverse=True, return_counts=True)
    row_of = row_of.ravel()
    n_near = min(N_ALIKE, len(distinct) - 1)
    if len(distinct) <= MOST_COMPARED:
        near = _nearest(distinct, tree, n_near, monitor)
    else:
        near = _nearest_sorted(distinct, tree, n_near, random, monitor)
    near = np.hstack((np.arange(len(distinct))[:, None], near))
    order = np.argsort(row_of, kind="stable")
    starts = np.cumsum(counts) - counts
    number: IntArray = np.empty(len(labels), dtype=np.int64)
    number[order] = np.arange(len(labels)) - starts[row_of[order]]
    alike = np.empty((len(labels), 2 * near.shape[1]), dtype=np.int32)
    for i, column in enumerate(near.T):
        other = column[row_of]
        for j in (0, 1):
            alike[:, 2 * i + j] = order[starts[other] + (number + j) % counts[other]]
    return alike


def _nearest(distinct: NDArray[np.int32], tree: Labels, n_near: int, monitor: Monitor) -> IntArray:
    """The others that share the cheapest labels with each row, shape (n_rows, n_near), in any order."""
    n_rows = len(distinct)
    lows = [np.unique(column, return_inverse=True) for column in distinct.T]
    tables = []
    for values, _unused in lows:
        one, other = np.repeat(values, len(values)), np.tile(values, len(values))
        tables.append(tree.costs[joined(one, other, tree)].reshape(len(values), len(values)))
    places = [place.ravel() for _unused, place in lows]
    near = np.empty((n_rows, n_near), dtype=np.int64)
    for row in range(n_rows):
        if row % 64 == 0:
            monitor.step(row, n_rows, _(COMPARING))
        cost = np.zeros(n_rows, dtype=np.int64)
        for table, place in zip(tables, places, strict=True):
            cost += table[place[row]][place]
        cost *= n_rows  # so that the place decides among equals, on every machine alike
        cost += np.arange(n_rows)
        cost[row] = np.iinfo(np.int64).max
        near[row] = np.argpartition(cost, n_near - 1)[:n_near] if n_near else 0
    return near


def _nearest_sorted(
    distinct: NDArray[np.int32], tree: Labels, n_near: int, random: np.random.Generator, monitor: Monitor
) -> IntArray:
    """Some that share cheap labels with each row, where there are too many to compare each with all.

    They are looked for among neighbours where rows are sorted by labels, columns in random order: the
    coarse labels of all columns first.
    """
    paths = []
    for column in distinct.T:
        steps = [np.ascontiguousarray(column)]
        while (tree.parents[steps[-1]] != steps[-1]).any():
            steps.append(tree.parents[steps[-1]])
        paths.append(steps)
    n_rows = len(distinct)
    known = np.zeros((n_rows, 0), dtype=np.int32)
    prices = np.zeros((n_rows, 0), dtype=np.int64)
    too_dear = 2 * len(paths) * SCALE
    shifts = [s for s in range(-N_NEXT, N_NEXT + 1) if s]
    for number in range(N_ORDERS):
        monitor.step(number, N_ORDERS, _(COMPARING))
        steps_by_weight = sorted(
            (random.random() + 0.25 * (len(steps) - up), q, up)
            for q, steps in enumerate(paths)
            for up in range(len(steps))
        )
        order = np.argsort(random.permutation(n_rows))
        for _unused, q, up in steps_by_weight:  # the last one counts most
            monitor.step(number, N_ORDERS, _(COMPARING))
            order = order[np.argsort(paths[q][up][order], kind="stable")]
        near = np.empty((n_rows, len(shifts)), dtype=np.int32)
        for i, shift in enumerate(shifts):
            near[order, i] = np.roll(order, -shift)
        price = np.zeros(near.shape, dtype=np.int64)
        for steps in paths:
            monitor.step(number, N_ORDERS, _(COMPARING))
            one = np.repeat(steps[0], near.shape[1])
            price += tree.costs[joined(one, steps[0][near.ravel()], tree)].reshape(near.shape)
        parts = []
        for first in range(0, n_rows, COMPARED_AT_ONCE):
            monitor.step(number, N_ORDERS, _(COMPARING))
            here = slice(first, first + COMPARED_AT_ONCE)
            everybody, their_prices = (
                np.hstack((known[here], near[here])),
                np.hstack((prices[here], price[here])),
            )
            parts.append(_cheapest(everybody, their_prices, first, too_dear, n_near))
        known, prices = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return known.astype(np.int64)


def _cheapest(
    others: NDArray[np.int32], prices: IntArray, first: int, too_dear: int, n_near: int
) -> tuple[NDArray[np.int32], IntArray]:
    """The cheapest of the others that some records know, the records numbered from `first` on."""
    by_record = np.argsort(others, axis=1, kind="stable")
    others, prices = np.take_along_axis(others, by_record, 1), np.take_along_axis(prices, by_record, 1)
    again = np.zeros(others.shape, dtype=np.bool_)
    again[:, 1:] = others[:, 1:] == others[:, :-1]
    again |= others == np.arange(first, first + len(others))[:, None]
    prices[again] = too_dear
    best = np.argsort(prices, axis=1, kind="stable")[:, :n_near]
    return np.take_along_axis(others, best, 1), np.take_along_axis(prices, best, 1)
