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

from engine.kernels import rebuilding
from engine.kernels.arrays import IntArray
from engine.kernels.group_journal import Groups, make_journal
from engine.kernels.label_trees import Labels
from engine.kernels.rebuilding import MOST_POOLED, N_DRAWS
from engine.monitor import Monitor, StretchMonitor
from engine.recoding.allowed_labels import labels_of, mean_joins
from engine.recoding.cover_walk import SCALE
from engine.recoding.distinct import DistinctRecords
from engine.recoding.grouped import Shares
from engine.recoding.improvement_steps import ImprovementSteps
from engine.recoding.label_costs import LabelCosts
from engine.recoding.near_records import near_records
from engine.scoring import acceleration
from engine.scoring.kernel_compilation import fetch_if_worth
from engine.words import N_, _

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
    dearest = np.argsort(-mean_joins(labels, tree), kind="stable")  # first: they decide most comparisons
    labels = np.ascontiguousarray(labels[:, dearest], dtype=np.int32)
    kernel, at_once = (rebuilding, AT_ONCE_SLOW) if kernels is None else (kernels, AT_ONCE)
    alike = near_records(labels, tree, random, kernels, StretchMonitor(monitor, 0, COMPARING_SHARE))
    monitor = StretchMonitor(monitor, COMPARING_SHARE, 1)
    groups = _groups(labels, group, least, tree, kernel)
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
        np.ones(n_places, dtype=np.uint8),
        free,
        np.array([n_free]),
    )
    for number in range(n_groups):
        kernel.refresh(number, labels, tree, groups)
    return groups
