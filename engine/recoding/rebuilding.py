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
from engine.kernels.grouping import class_labels
from engine.kernels.rebuilding import HOPELESS, N_DRAWS, NOT_LISTED, Alike, Groups, Journal, Labels
from engine.monitor import Monitor, StretchMonitor
from engine.recoding.cover_walk import SCALE
from engine.recoding.distinct import DistinctRecords
from engine.recoding.grouped import Shares
from engine.recoding.improvement_steps import ImprovementSteps
from engine.recoding.label_costs import LabelCosts
from engine.scoring import acceleration
from engine.scoring.kernel_compilation import fetch_if_worth
from engine.words import N_, _

MOVES_PER_ROUND = 10  # moves of a round are one for so many records
MOST_MOVES = 12_000  # of a round: a hundred rounds of a million records take some tens of seconds
N_ALIKE = 40  # distinct records that each is compared with, of each two
MOST_COMPARED = 30_000  # distinct records up to which each is compared with all others
N_ORDERS, N_NEXT = 24, 8  # of more: orders of columns they are sorted in, and neighbours looked at in each
WARM = 0.036  # what all records may cost more after the first move, as a part of a record all hidden
ROOM = 28  # records of a group; those that had more are cut
AT_ONCE, AT_ONCE_SLOW = 500, 2  # moves between two looks at the monitor
SECONDS_PER_MOVE = 0.02  # interpreted; some 0.0001 compiled
COMPARED_AT_ONCE = 1 << 21  # pairs of rows compared between two looks at the monitor
SLOWER = 1 << 9  # how many times slower interpreted code is, about
MOST_JOINED = 1 << 22  # pairs of labels whose lowest common label is listed; 48 MB
KEY_BITS = 63
COMPARING_SHARE = 0.2  # of the time of comparing and rebuilding
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
        np.full(n_known, NOT_LISTED),
        np.zeros(0, dtype=np.int32),
        np.zeros(0, dtype=np.int64),
    )
    firsts = [int(low.min()) for low in lowest]
    n_lowest = [int(low.max()) + 1 - first for low, first in zip(lowest, firsts, strict=True)]
    return _with_joins(tree, np.diff([*firsts, n_known]).tolist(), n_lowest), lowest


def _with_joins(tree: Labels, n_labels: list[int], n_lowest: list[int]) -> Labels:
    """List the lowest common labels of the columns that have few enough, the smallest columns first."""
    firsts = np.cumsum([0, *n_labels])
    joins: list[IntArray] = []
    filled = 0
    for q in sorted(range(len(n_labels)), key=lambda q: n_labels[q] * n_lowest[q]):
        size, first = n_labels[q] * n_lowest[q], int(firsts[q])
        if filled + size > MOST_JOINED:
            break
        every, low = np.arange(first, first + n_labels[q]), np.arange(first, first + n_lowest[q])
        tree.offsets[every] = filled + np.arange(n_labels[q]) * n_lowest[q] - first
        joins.append(joined(np.repeat(every, n_lowest[q]), np.tile(low, n_labels[q]), tree))
        filled += size
    if not joins:
        return tree
    pairs = np.concatenate(joins)
    return tree._replace(joins=pairs.astype(np.int32), join_costs=tree.costs[pairs])


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
    steps: ImprovementSteps,
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
    steps : ImprovementSteps
        One for so many moves at once.
    """
    tree, lowest = labels_of(records.problem, costs)
    order = np.lexsort((found.rows, found.groups))
    rows = np.repeat(found.rows[order], found.counts[order])
    n_moves = rounds * min(-(-len(rows) // MOVES_PER_ROUND), MOST_MOVES)
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
    dearest = np.argsort(-_mean_joins(labels, tree), kind="stable")  # first: they decide most comparisons
    labels = np.ascontiguousarray(labels[:, dearest], dtype=np.int32)
    kernel, at_once = (rebuilding, AT_ONCE_SLOW) if kernels is None else (kernels, AT_ONCE)
    alike = _alike(labels, tree, random, kernel, StretchMonitor(monitor, 0, COMPARING_SHARE))
    monitor = StretchMonitor(monitor, COMPARING_SHARE, 1)
    groups = _groups(labels, group, least, tree, kernel)
    journal = _journal(groups, alike, least)
    best, saved, most = groups.group.copy(), 0, 0
    for start in range(0, n_moves, AT_ONCE):
        if not steps.may_go_on():
            break
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


def _mean_joins(labels: IntArray, tree: Labels) -> IntArray:
    """Cost of the labels that each record shares with another far from it, summed per column."""
    others = np.roll(labels, max(len(labels) // 3, 1), axis=0)
    costs = [
        tree.costs[joined(one, other, tree)].sum() for one, other in zip(labels.T, others.T, strict=True)
    ]
    return np.array(costs, dtype=np.int64)


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


def _journal(groups: Groups, alike: Alike, least: int) -> Journal:
    n_pool = 3 * rebuilding.MOST_BROKEN
    n_touched, n_alike = 4 + n_pool * (least + 2), 2 * alike.near.shape[1]
    return Journal(
        np.zeros(n_touched, dtype=np.int64),
        np.zeros(n_touched, dtype=np.int64),
        np.zeros((n_touched, groups.members.shape[1]), dtype=np.int64),
        np.full(len(groups.sizes), -1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.zeros(n_pool, dtype=np.int64),
        np.zeros(len(groups.group), dtype=np.int64),
        np.zeros(n_alike, dtype=np.int64),
        np.zeros(n_alike, dtype=np.int64),
        np.zeros(n_alike, dtype=np.int64),
        np.zeros(max(least, 1), dtype=np.int64),
        np.zeros(len(groups.sizes), dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


def _alike(
    labels: NDArray[np.int32], tree: Labels, random: np.random.Generator, kernel: Any, monitor: Monitor
) -> Alike:
    """For every record others of about the lowest common cost, of the distinct rows nearest to its own."""
    row_of, first, counts = class_labels(list(labels.T), [len(tree.costs)] * labels.shape[1])
    distinct = np.ascontiguousarray(labels[first])
    n_near = min(N_ALIKE, len(distinct) - 1)
    near = np.zeros((len(distinct), n_near), dtype=np.int32)
    prices = np.full(near.shape, HOPELESS)
    if n_near:
        if len(distinct) <= MOST_COMPARED:
            _compare_all(distinct, tree, near, prices, kernel, monitor)
        else:
            _compare_sorted(distinct, tree, near, prices, random, kernel, monitor)
    own = np.arange(len(distinct), dtype=np.int32)[:, None]
    order = np.argsort(row_of, kind="stable")
    starts = np.cumsum(counts) - counts
    number: NDArray[np.int32] = np.empty(len(labels), dtype=np.int32)
    number[order] = np.arange(len(labels)) - starts[row_of[order]]
    return Alike(
        np.hstack((own, near)),
        np.hstack((tree.costs[distinct].sum(axis=1)[:, None], prices)),
        row_of.astype(np.int32),
        number,
        starts.astype(np.int32),
        counts.astype(np.int32),
        order.astype(np.int32),
    )


def _compare_all(
    distinct: NDArray[np.int32],
    tree: Labels,
    near: NDArray[np.int32],
    prices: IntArray,
    kernel: Any,
    monitor: Monitor,
) -> None:
    """Find the others that share the cheapest labels with each row."""
    n_rows = len(distinct)
    at_once = max(COMPARED_AT_ONCE // (1 if kernel is not rebuilding else SLOWER) // n_rows, 1)
    for first in range(0, n_rows, at_once):
        monitor.step(first, n_rows, _(COMPARING))
        kernel.compare(first, min(first + at_once, n_rows), distinct, tree, near, prices)


def _compare_sorted(
    distinct: NDArray[np.int32],
    tree: Labels,
    near: NDArray[np.int32],
    prices: IntArray,
    random: np.random.Generator,
    kernel: Any,
    monitor: Monitor,
) -> None:
    """Find some that share cheap labels with each row, where there are too many to compare each with all.

    They are looked for among neighbours where rows are sorted by labels, columns in random order: the
    coarse labels of all columns first.
    """
    steps = [
        (q, up, *np.unique(step, return_inverse=True))
        for q, column in enumerate(distinct.T)
        for up, step in enumerate(_upwards(column, tree))
    ]
    n_steps = {q: up for q, up, *_unused in steps}
    n_rows = len(distinct)
    at_once = COMPARED_AT_ONCE // (1 if kernel is not rebuilding else SLOWER) // (2 * N_NEXT)
    for number in range(N_ORDERS):
        weights = [random.random() + 0.25 * (n_steps[q] - up) for q, up, *_unused in steps]
        order = random.permutation(n_rows)
        keys, n_bits = np.zeros(n_rows, dtype=np.int64), 0
        for place in np.argsort(-np.array(weights), kind="stable").tolist():  # the first one counts most
            *_unused, values, codes = steps[place]
            width = (len(values) - 1).bit_length()
            if n_bits + width > KEY_BITS:
                break
            keys = (keys << width) | codes.ravel()
            n_bits += width
        order = order[np.argsort(keys[order], kind="stable")]
        for first in range(0, n_rows, at_once):
            monitor.step(number * n_rows + first, N_ORDERS * n_rows, _(COMPARING))
            last = min(first + at_once, n_rows)
            kernel.look_around(first, last, order, N_NEXT, distinct, tree, near, prices)
    empty = prices == HOPELESS
    near[empty], prices[empty] = np.nonzero(empty)[0], 0


def _upwards(column: NDArray[np.int32], tree: Labels) -> list[NDArray[np.int32]]:
    """The labels of a column, and those above them up to the top."""
    steps = [np.ascontiguousarray(column)]
    while (tree.parents[steps[-1]] != steps[-1]).any():
        steps.append(tree.parents[steps[-1]])
    return steps
