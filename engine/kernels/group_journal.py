"""Groups of records with the labels that their members share, and a journal that restores them.

The code can be interpreted or compiled.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, IntArray
from engine.kernels.label_trees import Labels, common_label, common_of, cover


class Groups(NamedTuple):
    """Records in groups of limited size.

    Attributes
    ----------
    group, place : ndarray of int64, shape (n_records,)
        Group of every record, and its position among the members.
    rest : ndarray of int64, shape (n_records,)
        Cost of a member of its group without the record, if that is not out of date.
    members : ndarray of int64, shape (n_groups, room)
    sizes, costs : ndarray of int64, shape (n_groups,)
        Number of members; cost of a member.
    common : ndarray of int32, shape (n_groups, n_qi)
        Lowest labels that the members share; the last entry is working space.
    stale : ndarray of uint8, shape (n_groups,)
        Whether `rest` is out of date for the members.
    free : ndarray of int64, shape (n_groups,)
        Groups without members, the first `n_free[0]` entries.
    n_free : ndarray of int64, shape (1,)
    """

    group: IntArray
    place: IntArray
    rest: Counts
    members: NDArray[np.int64]
    sizes: Counts
    costs: Counts
    common: NDArray[np.int32]
    stale: NDArray[np.uint8]
    free: IntArray
    n_free: IntArray


class Journal(NamedTuple):
    """The changes of a move, so that it can be undone, and working space.

    Attributes
    ----------
    touched, sizes : ndarray of int64, shape (n_touched,)
        Groups touched and their numbers of members before.
    members : ndarray of int64, shape (n_touched, room)
    costs : ndarray of int64, shape (n_touched,)
    common : ndarray of int32, shape (n_touched, n_qi)
    stamps : ndarray of int64, shape (n_groups,)
        The last move that touched a group; `clock[0]` is the current move.
    clock : ndarray of int64, shape (1,)
    pool : ndarray of int64, shape (n_pool,)
        Records of the groups that are broken up.
    entry : ndarray of int64, shape (n_records,)
        Least cost of a record of the pool in any group.
    others : ndarray of int64, shape (n_pool, n_alike)
        Records like each of the pool by price, itself first.
    floors : ndarray of int64, shape (n_pool, n_alike)
        Cost of the labels that both share.
    n_others : ndarray of int64, shape (n_pool,)
    homes, home_costs, home_places : ndarray of int64, shape (n_pool,)
        The group that admits each of the pool at least cost, that cost, and the group's first place among the
        others; -1 before the first search.
    candidates : ndarray of int64, shape (n_alike,)
        Records that may become members of a new group.
    spared, limits : ndarray of int64, shape (n_alike,)
        Cost of a candidate in its group; its least cost in the new group.
    crew : ndarray of int64, shape (least,)
        Members of a possible new group.
    seen : ndarray of int64, shape (n_groups,)
        The last search for a home that looked at a group; `searches[0]` is the current one.
    searches : ndarray of int64, shape (1,)
    """

    touched: IntArray
    sizes: Counts
    members: NDArray[np.int64]
    costs: Counts
    common: NDArray[np.int32]
    stamps: IntArray
    clock: IntArray
    pool: IntArray
    entry: Counts
    others: NDArray[np.int64]
    floors: NDArray[np.int64]
    n_others: IntArray
    homes: IntArray
    home_costs: Counts
    home_places: IntArray
    candidates: IntArray
    spared: Counts
    limits: Counts
    crew: IntArray
    seen: IntArray
    searches: IntArray


def make_groups(
    labels: NDArray[np.int32], group: IntArray, room: int, least: int, tree: Labels, kernel: Any
) -> Groups:
    """Put records into their groups of up to `room`, with the labels that members share.

    Parameters
    ----------
    group : ndarray of int64, shape (n_records,)
        Ascending.
    least : int
        Records that a group needs, so that there may be so many groups.
    kernel : module
        This one, or the compiled one.
    """
    n_records, n_groups = labels.shape[0], int(group[-1]) + 1
    n_places = max(n_records // max(least, 1), n_groups) + 2
    sizes = np.bincount(group, minlength=n_places)
    place = np.arange(n_records) - (np.cumsum(sizes) - sizes)[group]
    members = np.full((n_places, room), -1, dtype=np.int64)
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


def make_journal(groups: Groups, n_pool: int, n_alike: int, least: int) -> Journal:
    """Allocate a journal for groups of at least some records, each of a pool compared with some others."""
    n_places, room = groups.members.shape
    n_touched = 4 + n_pool * (least + 2)
    stamps, seen = np.full((2, n_places), -1, dtype=np.int64)
    clock, searches = np.zeros((2, 1), dtype=np.int64)
    touched, sizes, costs = np.zeros((3, n_touched), dtype=np.int64)
    pool, n_others, homes, home_costs, home_places = np.zeros((5, n_pool), dtype=np.int64)
    others, floors = np.zeros((2, n_pool, n_alike), dtype=np.int64)
    candidates, spared, limits = np.zeros((3, n_alike), dtype=np.int64)
    return Journal(
        touched,
        sizes,
        np.zeros((n_touched, room), dtype=np.int64),
        costs,
        np.zeros((n_touched, groups.common.shape[1]), dtype=np.int32),
        stamps,
        clock,
        pool,
        np.zeros(len(groups.group), dtype=np.int64),
        others,
        floors,
        n_others,
        homes,
        home_costs,
        home_places,
        candidates,
        spared,
        limits,
        np.zeros(max(least, 1), dtype=np.int64),
        seen,
        searches,
    )


def enter(record: Any, number: Any, groups: Any) -> None:
    """Make a record the last member of a group."""
    group, place, _, members, sizes = groups[:5]
    members[number, sizes[number]] = record
    place[record] = sizes[number]
    group[record] = number
    sizes[number] += 1


def leave(record: Any, groups: Any) -> None:
    """Remove a record from its group."""
    group, place, _, members, sizes = groups[:5]
    number = group[record]
    sizes[number] -= 1
    last = members[number, sizes[number]]
    members[number, place[record]] = last
    place[last] = place[record]
    group[record] = -1


def refresh(number: Any, labels: Any, tree: Any, groups: Any) -> None:
    """Compute the labels that the members of a group share, and their cost."""
    _, _, _, members, sizes, costs, common, stale, _, _ = groups
    stale[number] = 1
    costs[number] = 0
    if sizes[number]:
        costs[number] = common_of(members[number, : sizes[number]], labels, tree, common[number])


def rest_costs(number: Any, labels: Any, tree: Any, groups: Any) -> None:
    """Compute the cost of a group of several without each member."""
    label_costs = tree[2]
    _, _, rest, members, sizes, costs, common, stale, _, _ = groups
    stale[number] = 0
    size, own = sizes[number], members[number]
    for i in range(size):
        rest[own[i]] = costs[number]
    for q in range(labels.shape[1]):
        a = common[number, q]
        label = labels[own[0], q]
        last = np.int64(0)
        while label != a:  # the first members alone share it
            last += 1
            label = common_label(label, labels[own[last], q], tree)
        label = labels[own[size - 1], q]
        first = size - 1
        while label != a:
            first -= 1
            label = common_label(label, labels[own[first], q], tree)
        for i in range(first, last + 1):  # without the others one of the two still does
            start = np.int64(0 if i else 1)
            c = labels[own[start], q]
            for j in range(start + 1, size):
                if c == a:
                    break
                if j != i:
                    c = common_label(c, labels[own[j], q], tree)
            rest[own[i]] += label_costs[c] - label_costs[a]


def widen(number: Any, record: Any, labels: Any, tree: Any, groups: Any) -> None:
    """Add a record to a group; its labels cover the record as well."""
    groups[5][number] = cover(number, record, labels, tree, groups[6])
    groups[7][number] = 1
    enter(record, number, groups)


def note(number: Any, n_touched: Any, groups: Any, journal: Any) -> Any:
    """Store the state of a group unless this move touched it before; return how many are stored."""
    touched, old_sizes, old_members, old_costs, old_common, stamps, clock = journal[:7]
    if stamps[number] == clock[0]:
        return n_touched
    stamps[number] = clock[0]
    touched[n_touched] = number
    old_sizes[n_touched] = groups[4][number]
    for i in range(groups[4][number]):
        old_members[n_touched, i] = groups[3][number, i]
    old_costs[n_touched] = groups[5][number]
    for q in range(old_common.shape[1]):
        old_common[n_touched, q] = groups[6][number, q]
    return n_touched + 1


def undo(n_touched: Any, groups: Any, journal: Any) -> None:
    """Restore the groups that this move touched."""
    group, _, _, members, sizes, costs, common, stale, _, _ = groups
    touched, old_sizes, old_members, old_costs, old_common = journal[:5]
    for i in range(n_touched):
        number = touched[i]
        for j in range(sizes[number]):
            group[members[number, j]] = -1
        sizes[number] = 0
    for i in range(n_touched):
        number = touched[i]
        for j in range(old_sizes[i]):
            enter(old_members[i, j], number, groups)
        costs[number], stale[number] = old_costs[i], 1
        for q in range(old_common.shape[1]):
            common[number, q] = old_common[i, q]
