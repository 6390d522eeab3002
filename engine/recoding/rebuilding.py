"""Ruin and recreate of groups that need only a size, so that their labels get more precise [1, 2].

References
----------
.. [1] Schrimpf, Schneider, Stamm-Wilbrandt, Dueck (2000). Record Breaking Optimization Results Using the
   Ruin and Recreate Principle. Journal of Computational Physics 159(2).
.. [2] Dueck, Scheuer (1990). Threshold Accepting. Journal of Computational Physics 90(1).
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from engine.kernels import near_rows, rebuilding
from engine.kernels.arrays import IntArray
from engine.kernels.group_journal import make_groups, make_journal
from engine.kernels.grouping import class_labels
from engine.kernels.label_trees import HOPELESS, Labels
from engine.kernels.near_rows import Steps
from engine.kernels.rebuilding import MOST_POOLED, N_DRAWS, Alike
from engine.monitor import Monitor, StretchMonitor
from engine.recoding.allowed_labels import SCALE, LabelCosts, labels_of, mean_joins
from engine.recoding.base import ImprovementSteps
from engine.recoding.cover_walk import SLOWER
from engine.recoding.distinct import DistinctRecords, Shares
from engine.scoring import acceleration
from engine.scoring.acceleration import fetch_if_worth
from engine.words import N_, _

N_ALIKE = 40  # distinct records that each is compared with, of each two
MOST_COMPARED = 30_000  # distinct records up to which each is compared with all others
N_ORDERS, N_NEXT = 24, 8  # of more: orders of columns they are sorted in, and neighbours looked at in each
COMPARED_AT_ONCE = 1 << 21  # pairs of rows compared between two looks at the monitor
KEY_BITS = 63
COMPARING = N_("Finding similar records")


def near_records(
    labels: NDArray[np.int32],
    tree: Labels,
    random: np.random.Generator,
    compiled: ModuleType | None,
    monitor: Monitor,
) -> Alike:
    """For every record others of about the lowest common cost, of the distinct rows nearest to its own.

    Parameters
    ----------
    labels : ndarray of int32, shape (n_records, n_qi)
        Lowest allowed labels.
    random : numpy.random.Generator
        Used for many distinct rows.
    compiled : module or None
        Compiled kernels, if they are loaded.
    """
    row_of, first, counts = class_labels(list(labels.T), [len(tree.costs)] * labels.shape[1])
    distinct = np.ascontiguousarray(labels[first])
    n_near = min(N_ALIKE, len(distinct) - 1)
    near = np.zeros((len(distinct), n_near), dtype=np.int32)
    prices = np.full(near.shape, HOPELESS)
    if n_near:
        if len(distinct) <= MOST_COMPARED:
            _compare_all(distinct, tree, near, prices, compiled, monitor)
        else:
            _compare_sorted(distinct, tree, near, prices, random, compiled, monitor)
    near = np.hstack((np.arange(len(distinct), dtype=np.int32)[:, None], near))
    prices = np.hstack((tree.costs[distinct].sum(axis=1)[:, None], prices)).astype(np.int32)
    order = np.argsort(row_of, kind="stable")
    starts = (np.cumsum(counts) - counts).astype(np.int32)
    number: NDArray[np.int32] = np.empty(len(labels), dtype=np.int32)
    number[order] = np.arange(len(labels)) - starts[row_of[order]]
    return Alike(
        starts[near],
        counts.astype(np.int32)[near],
        prices,
        row_of.astype(np.int32),
        number,
        order.astype(np.int32),
    )


def _compare_all(
    distinct: NDArray[np.int32],
    tree: Labels,
    near: NDArray[np.int32],
    prices: IntArray,
    compiled: ModuleType | None,
    monitor: Monitor,
) -> None:
    """Find the others that share the cheapest labels with each row."""
    n_rows = len(distinct)
    at_once = max(_pairs_at_once(compiled) // n_rows, 1)
    compare = near_rows.compare if compiled is None else compiled.compare
    steps, sums = _steps(distinct), np.zeros(distinct.shape[1] + 1, dtype=np.int64)
    for first in range(0, n_rows, at_once):
        monitor.step(first, n_rows, _(COMPARING))
        compare(first, min(first + at_once, n_rows), distinct, steps, tree, near, prices, sums)


def _steps(distinct: NDArray[np.int32]) -> Steps:
    n_rows, n_qi = distinct.shape
    differs = np.logical_or.accumulate(distinct[1:] != distinct[:-1], axis=1)
    splits = np.zeros(n_rows + 1, dtype=np.int32)
    splits[1:-1] = np.argmax(differs, axis=1)
    behind, ahead = np.empty((2, n_rows, n_qi), dtype=np.int32)
    for q in range(n_qi):
        starts = np.flatnonzero(np.append(True, differs[:, q]))
        ends = np.append(starts[1:], n_rows)
        behind[:, q] = np.repeat(ends, ends - starts)
        ahead[:, q] = np.repeat(starts - 1, ends - starts)
    return Steps(splits, behind, ahead)


def _pairs_at_once(compiled: ModuleType | None) -> int:
    return COMPARED_AT_ONCE // (SLOWER if compiled is None else 1)


def _compare_sorted(
    distinct: NDArray[np.int32],
    tree: Labels,
    near: NDArray[np.int32],
    prices: IntArray,
    random: np.random.Generator,
    compiled: ModuleType | None,
    monitor: Monitor,
) -> None:
    """Find some that share cheap labels with each row, if there are too many to compare each with all.

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
    at_once = _pairs_at_once(compiled) // (2 * N_NEXT)
    look_around = near_rows.look_around if compiled is None else compiled.look_around
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
            look_around(first, last, order, N_NEXT, distinct, tree, near, prices)
    empty = prices == HOPELESS
    near[empty], prices[empty] = np.nonzero(empty)[0], 0


def _upwards(column: NDArray[np.int32], tree: Labels) -> list[NDArray[np.int32]]:
    """The labels of a column, and those above them up to the top."""
    steps = [np.ascontiguousarray(column)]
    while (tree.parents[steps[-1]] != steps[-1]).any():
        steps.append(tree.parents[steps[-1]])
    return steps


MOVES_PER_ROUND = 10  # moves of a round are one for so many records
MOST_MOVES = 12_000  # of a round: a hundred rounds of a million records take some tens of seconds
WARM = 0.036  # what all records may cost more after the first move, as a part of a record all hidden
ROOM = 28  # records of a group; those that had more are cut
AT_ONCE, AT_ONCE_SLOW = 500, 2  # moves between two looks at the monitor
SECONDS_PER_MOVE = 0.02  # interpreted; some 0.0001 compiled
COMPARING_SHARE = 0.2  # of the time of comparing and rebuilding
REBUILDING = N_("Rebuilding classes")


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
    found : Shares
        Groups of at least `least` records.
    rounds : int
        A move for every tenth record, each; see `engine.kernels.rebuilding`.
    steps : ImprovementSteps
        One step for that many moves at once.
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
    dearest = np.argsort(-mean_joins(labels, tree), kind="stable")  # first: they decide most comparisons
    labels = np.ascontiguousarray(labels[:, dearest], dtype=np.int32)
    kernel, at_once = (rebuilding, AT_ONCE_SLOW) if kernels is None else (kernels, AT_ONCE)
    alike = near_records(labels, tree, random, kernels, StretchMonitor(monitor, 0, COMPARING_SHARE))
    monitor = StretchMonitor(monitor, COMPARING_SHARE, 1)
    groups = make_groups(labels, group, max(ROOM, 3 * least), least, tree, kernel)
    journal = make_journal(groups, MOST_POOLED, 2 * alike.starts.shape[1], least)
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


def _cut(groups: IntArray, largest: int) -> IntArray:
    """Groups of sorted records, those with more than `largest` cut into several of about that size."""
    _unused, group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    n_parts = np.maximum(sizes // largest, 1)
    place = np.arange(len(groups)) - (np.cumsum(sizes) - sizes)[group]
    return np.asarray((np.cumsum(n_parts) - n_parts)[group] + place * n_parts[group] // sizes[group])
