"""Ruin and recreate [1]: breaks up small groups and adds each record to the cheapest group.

The code can be interpreted or compiled; both make the same moves, since random numbers are drawn beforehand
and costs are integers.

References
----------
.. [1] Schrimpf, Schneider, Stamm-Wilbrandt, Dueck (2000). Record Breaking Optimization Results Using the
   Ruin and Recreate Principle. Journal of Computational Physics 159(2).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, IntArray

N_DRAWS = 20  # random numbers of a move: where, how many groups, which ones, and the order of records
MOST_BROKEN = 14  # records of a group that may be broken up; the labels of larger ones are cheap already
HOPELESS = 1 << 60
DEAREST = 1 << 34  # assumed cost of a record that no group admits


class Labels(NamedTuple):
    """Labels of all columns as one list.

    Attributes
    ----------
    parents : ndarray of int32, shape (n_labels,)
        The label one allowed level higher; the top label is its own.
    ranks : ndarray of int32, shape (n_labels,)
        Level of the label.
    costs : ndarray of int64, shape (n_labels,)
    """

    parents: NDArray[np.int32]
    ranks: NDArray[np.int32]
    costs: NDArray[np.int64]


class Groups(NamedTuple):
    """Records in groups of limited size.

    Attributes
    ----------
    group, place : ndarray of int64, shape (n_records,)
        Group of every record, and its position among the members.
    rest : ndarray of int64, shape (n_records,)
        Cost of a member of its group without the record.
    members : ndarray of int64, shape (n_groups, room)
    sizes, costs : ndarray of int64, shape (n_groups,)
        Number of members; cost of a member.
    common : ndarray of int32, shape (n_groups, n_qi)
        Lowest labels that the members share; the last entry is working space.
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
    free: IntArray
    n_free: IntArray


class Journal(NamedTuple):
    """The changes of a move, so that it can be undone, and working space.

    Attributes
    ----------
    touched, sizes : ndarray of int64, shape (n_touched,)
        Groups touched and their numbers of members before.
    members : ndarray of int64, shape (n_touched, room)
    stamps : ndarray of int64, shape (n_groups,)
        The last move that touched a group; `clock[0]` is the current move.
    clock : ndarray of int64, shape (1,)
    pool : ndarray of int64, shape (n_pool,)
        Records of the groups that are broken up.
    entry : ndarray of int64, shape (n_records,)
        Least cost of a record of the pool in any group.
    candidates : ndarray of int64, shape (n_alike,)
    crew : ndarray of int64, shape (least,)
        Members of a possible new group.
    """

    touched: IntArray
    sizes: Counts
    members: NDArray[np.int64]
    stamps: IntArray
    clock: IntArray
    pool: IntArray
    entry: Counts
    candidates: IntArray
    crew: IntArray


def join_cost(one: Any, other: Any, tree: Any) -> Any:
    """Return the cost of labels that cover two others, column by column."""
    parents, ranks, costs = tree
    total = np.int64(0)
    for q in range(len(one)):
        a, b = one[q], other[q]
        while a != b:
            if ranks[a] <= ranks[b]:
                a = parents[a]
            else:
                b = parents[b]
        total += costs[a]
    return total


def refresh(number: Any, labels: Any, tree: Any, groups: Any) -> None:
    """Compute the labels that a group shares, their cost, and the cost without each member."""
    parents, ranks, label_costs = tree
    _, _, rest, members, sizes, costs, common, _, _ = groups
    size, total = sizes[number], np.int64(0)
    costs[number] = 0
    if size == 0:
        return
    own = members[number]
    for i in range(size):
        rest[own[i]] = 0
    for q in range(labels.shape[1]):
        a = labels[own[0], q]
        for i in range(1, size):
            b = labels[own[i], q]
            while a != b:
                if ranks[a] <= ranks[b]:
                    a = parents[a]
                else:
                    b = parents[b]
        common[number, q] = a
        total += label_costs[a]
        for i in range(size):
            c = -1
            for j in range(size):
                if j == i:
                    continue
                b = labels[own[j], q]
                if c < 0:
                    c = b
                while c != b:
                    if ranks[c] <= ranks[b]:
                        c = parents[c]
                    else:
                        b = parents[b]
                if c == a:
                    break
            if c >= 0:
                rest[own[i]] += label_costs[c]
    costs[number] = total


def note(number: Any, n_touched: Any, groups: Any, journal: Any) -> Any:
    """Store the state of a group unless this move touched it before; return how many are stored."""
    touched, old_sizes, old_members, stamps, clock, _, _, _, _ = journal
    if stamps[number] == clock[0]:
        return n_touched
    stamps[number] = clock[0]
    touched[n_touched] = number
    old_sizes[n_touched] = groups[4][number]
    for i in range(groups[4][number]):
        old_members[n_touched, i] = groups[3][number, i]
    return n_touched + 1


def enter(record: Any, number: Any, groups: Any) -> None:
    """Make a record the last member of a group."""
    group, place, _, members, sizes, _, _, _, _ = groups
    members[number, sizes[number]] = record
    place[record] = sizes[number]
    group[record] = number
    sizes[number] += 1


def leave(record: Any, groups: Any) -> None:
    """Remove a record from its group."""
    group, place, _, members, sizes, _, _, _, _ = groups
    number = group[record]
    sizes[number] -= 1
    last = members[number, sizes[number]]
    members[number, place[record]] = last
    place[last] = place[record]
    group[record] = -1


def cheapest_home(record: Any, labels: Any, tree: Any, groups: Any, alike: Any) -> Any:
    """Return the similar group that admits a record at least cost, and that cost; -1 for none."""
    group, _, _, members, sizes, costs, common, _, _ = groups
    least, home, last = np.int64(HOPELESS), np.int64(-1), np.int64(-1)
    for i in range(alike.shape[1]):
        number = group[alike[record, i]]
        if number < 0 or number == last or sizes[number] >= members.shape[1]:
            continue
        last = number
        cost = join_cost(common[number], labels[record], tree)
        more = (sizes[number] + 1) * cost - sizes[number] * costs[number]
        if more < least:
            least, home = more, number
    return least, home


def recruit(record: Any, least: Any, labels: Any, tree: Any, groups: Any, alike: Any, journal: Any) -> Any:
    """Select the members of a new group: records of the pool, and some that their groups can spare.

    Returns
    -------
    int
        Additional cost of all records, minus the cost of the pool elsewhere.
    """
    parents, ranks, label_costs = tree
    group, _, rest, _, sizes, costs, common, _, _ = groups
    _, _, _, _, _, _, entry, candidates, crew = journal
    scratch = len(sizes) - 1
    n_candidates = 0
    for i in range(alike.shape[1]):
        other = alike[record, i]
        number = group[other]
        if other != record and (number < 0 or sizes[number] > least):
            candidates[n_candidates] = other
            n_candidates += 1
    for q in range(labels.shape[1]):
        common[scratch, q] = labels[record, q]
    crew[0] = record
    total = np.int64(0)
    for n_crew in range(1, least):
        best, chosen = np.int64(HOPELESS), np.int64(-1)
        for i in range(n_candidates):
            other = candidates[i]
            if other < 0:
                continue
            number, spared = group[other], entry[other]
            if number >= 0:
                n_taken = 0
                for j in range(1, n_crew):
                    if group[crew[j]] == number:
                        n_taken += 1
                if sizes[number] - n_taken <= least:
                    continue
                spared = sizes[number] * costs[number] - (sizes[number] - 1) * rest[other]
            price = least * join_cost(common[scratch], labels[other], tree) - spared
            if price < best:
                best, chosen = price, other
        if chosen < 0:
            return np.int64(HOPELESS)
        for i in range(n_candidates):
            if candidates[i] == chosen:
                candidates[i] = -1
        number = group[chosen]
        if number >= 0:
            total -= sizes[number] * costs[number] - (sizes[number] - 1) * rest[chosen]
        else:
            total -= entry[chosen]
        for q in range(labels.shape[1]):
            a, b = common[scratch, q], labels[chosen, q]
            while a != b:
                if ranks[a] <= ranks[b]:
                    a = parents[a]
                else:
                    b = parents[b]
            common[scratch, q] = a
        crew[n_crew] = chosen
    for q in range(labels.shape[1]):
        total += least * label_costs[common[scratch, q]]
    return total


def ruin(draws: Any, labels: Any, groups: Any, alike: Any, journal: Any) -> Any:
    """Break up the group of a record and some near it; return records, groups touched, and their cost."""
    group, _, _, members, sizes, costs, _, free, n_free = groups
    _, _, _, stamps, clock, pool, _, _, _ = journal
    number = group[np.int64(draws[0] * len(group))]
    n_pool, n_touched, n_first, cost = 0, 0, 0, np.int64(0)
    if sizes[number] > MOST_BROKEN or costs[number] == 0:
        return n_pool, n_touched, cost
    n_wanted = 1 + np.int64(draws[1] * 3)
    for i in range(9):
        if n_touched == n_wanted:
            break
        if i:
            number = group[
                alike[pool[np.int64(draws[i + 1] * n_first)], np.int64(draws[i + 10] * alike.shape[1])]
            ]
            if number < 0 or stamps[number] == clock[0] or sizes[number] > MOST_BROKEN:
                continue
        n_touched = note(number, n_touched, groups, journal)
        cost += sizes[number] * costs[number]
        for j in range(sizes[number]):
            pool[n_pool] = members[number, j]
            group[members[number, j]] = -1
            n_pool += 1
        sizes[number] = 0
        free[n_free[0]] = number
        n_free[0] += 1
        if i == 0:
            n_first = n_pool
    return n_pool, n_touched, cost


def rebuild(
    labels: Any, tree: Any, groups: Any, alike: Any, draws: Any, allowed: Any, least: Any, journal: Any
) -> Any:
    """Break up and rebuild once per row of `draws`; return the reduction of the total cost.

    Parameters
    ----------
    labels : ndarray of int32, shape (n_records, n_qi)
        Lowest allowed label of every record.
    tree : Labels
    groups : Groups
        Groups, changed in place; every group keeps at least `least` members.
    alike : ndarray of int32, shape (n_records, n_alike)
        Others that each record may join, in any order.
    draws : ndarray of float64, shape (n_moves, N_DRAWS)
        Random numbers in [0, 1).
    allowed : ndarray of int64, shape (n_moves,)
        Largest increase of the total cost by a move.
    least : int
    journal : Journal
    """
    group, _, _, members, sizes, costs, _, free, n_free = groups
    touched, old_sizes, old_members, _, clock, pool, entry, _, crew = journal
    saved: Any = np.int64(0)
    for move in range(len(draws)):
        clock[0] += 1
        n_before = n_free[0]
        n_pool, n_touched, before = ruin(draws[move], labels, groups, alike, journal)
        change: Any = -before
        mixed = draws[move, N_DRAWS - 1]
        for i in range(n_pool - 1, 0, -1):
            mixed = (mixed * 997.13) % 1.0
            other = np.int64(mixed * (i + 1))
            pool[i], pool[other] = pool[other], pool[i]
        for i in range(n_pool):
            entry[pool[i]] = min(cheapest_home(pool[i], labels, tree, groups, alike)[0], DEAREST)
        for i in range(n_pool):
            record = pool[i]
            if group[record] >= 0:
                continue
            more, home = cheapest_home(record, labels, tree, groups, alike)
            founding = recruit(record, least, labels, tree, groups, alike, journal)
            if n_touched + least + 2 >= len(touched) or (home < 0 and founding == HOPELESS):
                change = np.int64(HOPELESS)
                break
            if founding < more and n_free[0] > 0:
                n_free[0] -= 1
                home = free[n_free[0]]
                n_touched = note(home, n_touched, groups, journal)
                for j in range(least):
                    number = group[crew[j]]
                    if number >= 0:
                        n_touched = note(number, n_touched, groups, journal)
                        change -= sizes[number] * costs[number]
                        leave(crew[j], groups)
                        refresh(number, labels, tree, groups)
                        change += sizes[number] * costs[number]
                    enter(crew[j], home, groups)
                refresh(home, labels, tree, groups)
                change += sizes[home] * costs[home]
            elif home >= 0:
                n_touched = note(home, n_touched, groups, journal)
                enter(record, home, groups)
                refresh(home, labels, tree, groups)
                change += more
            else:
                change = np.int64(HOPELESS)
                break
        if change <= allowed[move]:
            saved -= change
            continue
        for i in range(n_touched):
            for j in range(sizes[touched[i]]):
                group[members[touched[i], j]] = -1
            sizes[touched[i]] = 0
        for i in range(n_touched):
            for j in range(old_sizes[i]):
                enter(old_members[i, j], touched[i], groups)
            refresh(touched[i], labels, tree, groups)
        n_free[0] = n_before
    return saved
