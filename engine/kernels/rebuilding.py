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
NOT_LISTED = -(1 << 62)  # the offset of labels whose columns have too many for a table


class Labels(NamedTuple):
    """Labels of all columns as one list, column by column, in each the lowest ones first.

    Attributes
    ----------
    parents : ndarray of int32, shape (n_labels,)
        The label one allowed level higher; the top label is its own.
    ranks : ndarray of int32, shape (n_labels,)
        Level of the label.
    costs : ndarray of int64, shape (n_labels,)
    offsets : ndarray of int64, shape (n_labels,)
        With the number of a lowest label added, the place of both in the tables below; or `NOT_LISTED`.
    joins : ndarray of int32, shape (n_pairs,)
        Lowest common label of a label and a lowest one.
    join_costs : ndarray of int64, shape (n_pairs,)
        Its cost.
    """

    parents: NDArray[np.int32]
    ranks: NDArray[np.int32]
    costs: NDArray[np.int64]
    offsets: NDArray[np.int64]
    joins: NDArray[np.int32]
    join_costs: NDArray[np.int64]


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


class Alike(NamedTuple):
    """Others that each record may join: of each distinct row near its own, one record or two.

    Attributes
    ----------
    near : ndarray of int32, shape (n_rows, n_near)
        Rows near each distinct row by price, itself first.
    prices : ndarray of int64, shape (n_rows, n_near)
        Cost of the labels that both share.
    row_of, number : ndarray of int32, shape (n_records,)
        Row of every record, and its number among the records of the row.
    starts, counts : ndarray of int32, shape (n_rows,)
    records : ndarray of int32, shape (n_records,)
        Records by row.
    """

    near: NDArray[np.int32]
    prices: Counts
    row_of: NDArray[np.int32]
    number: NDArray[np.int32]
    starts: NDArray[np.int32]
    counts: NDArray[np.int32]
    records: NDArray[np.int32]


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
        Records that may become members of a new group; -1 for those that are.
    spared, floors : ndarray of int64, shape (n_alike,)
        What a candidate costs where it is; what it costs in the new group at least.
    crew : ndarray of int64, shape (least,)
        Members of a possible new group.
    seen : ndarray of int64, shape (n_groups,)
        The last search for a home that looked at a group; `searches[0]` is the current one.
    searches : ndarray of int64, shape (1,)
    """

    touched: IntArray
    sizes: Counts
    members: NDArray[np.int64]
    stamps: IntArray
    clock: IntArray
    pool: IntArray
    entry: Counts
    candidates: IntArray
    spared: Counts
    floors: Counts
    crew: IntArray
    seen: IntArray
    searches: IntArray


def common_label(label: Any, lowest: Any, tree: Any) -> Any:
    """Return the lowest label that covers a label and a lowest label of its column."""
    parents, ranks, _, offsets, joins, _ = tree
    offset = offsets[label]
    if offset != NOT_LISTED:
        return joins[offset + lowest]
    while label != lowest:
        if ranks[label] <= ranks[lowest]:
            label = parents[label]
        else:
            lowest = parents[lowest]
    return label


def join_cost(one: Any, other: Any, tree: Any, most: Any) -> Any:
    """Return the cost of labels that cover others and lowest ones; of some columns if that reaches `most`."""
    _, _, costs, offsets, _, join_costs = tree
    total = np.int64(0)
    for q in range(len(one)):
        offset = offsets[one[q]]
        if offset != NOT_LISTED:
            total += join_costs[offset + other[q]]
        else:
            total += costs[common_label(one[q], other[q], tree)]
        if total >= most:
            break
    return total


def insert_near(other: Any, price: Any, rows: Any, prices: Any) -> None:
    """Put a row among the nearest ones of another by price, then by number, unless it is there already."""
    place = len(rows) - 1
    while place >= 0 and (prices[place] > price or (prices[place] == price and rows[place] > other)):
        place -= 1
    if place >= 0 and rows[place] == other:
        return
    for i in range(len(rows) - 1, place + 1, -1):
        rows[i], prices[i] = rows[i - 1], prices[i - 1]
    if place + 1 < len(rows):
        rows[place + 1], prices[place + 1] = other, price


def compare(first: Any, last: Any, distinct: Any, tree: Any, near: Any, prices: Any) -> None:
    """Find the rows that share the cheapest labels with each of some rows, among all.

    Parameters
    ----------
    first, last : int
        The rows in question.
    distinct : ndarray of int32, shape (n_rows, n_qi)
        Lowest labels.
    tree : Labels
    near : ndarray of int32, shape (n_rows, n_near)
        Output, by price.
    prices : ndarray of int64, shape (n_rows, n_near)
        Output; `HOPELESS` before.
    """
    n_rows, n_near = len(distinct), near.shape[1]
    for row in range(first, last):
        for away in range(1, n_rows):  # neighbours first: what is cheap bounds the search for others
            for side in range(2):
                other = row + away if side == 0 else row - away
                if other < 0 or other >= n_rows:
                    continue
                price = join_cost(distinct[row], distinct[other], tree, prices[row, n_near - 1] + 1)
                if price <= prices[row, n_near - 1]:
                    insert_near(other, price, near[row], prices[row])


def look_around(
    first: Any, last: Any, order: Any, width: Any, distinct: Any, tree: Any, near: Any, prices: Any
) -> None:
    """Look for near rows among the next ones in an order; parameters as `compare`, by place in the order."""
    n_rows, n_near = len(distinct), near.shape[1]
    for place in range(first, last):
        row = order[place]
        for shift in range(-width, width + 1):
            other = order[(place + shift + n_rows) % n_rows]
            if other == row:
                continue
            price = join_cost(distinct[row], distinct[other], tree, prices[row, n_near - 1] + 1)
            if price <= prices[row, n_near - 1]:
                insert_near(other, price, near[row], prices[row])


def refresh(number: Any, labels: Any, tree: Any, groups: Any) -> None:
    """Compute the labels that a group shares, their cost, and the cost without each member."""
    label_costs = tree[2]
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
            a = common_label(a, labels[own[i], q], tree)
        common[number, q] = a
        total += label_costs[a]
        if size == 1:
            continue
        for i in range(size):
            start = 0 if i else 1
            c = labels[own[start], q]
            for j in range(start + 1, size):
                if c == a:
                    break
                if j != i:
                    c = common_label(c, labels[own[j], q], tree)
            rest[own[i]] += label_costs[c]
    costs[number] = total


def common_of(rows: Any, lowest: Any, tree: Any, common: Any) -> Any:
    """Put the labels that rows have in common into `common`; return their cost."""
    total = np.int64(0)
    for q in range(lowest.shape[1]):
        label = lowest[rows[0], q]
        for i in range(1, len(rows)):
            label = common_label(label, lowest[rows[i], q], tree)
        common[q] = label
        total += tree[2][label]
    return total


def cheapest_group(own: Any, count: Any, but: Any, tree: Any, common: Any, sizes: Any, costs: Any) -> Any:
    """Return the group that some equal records join at least cost, and the added cost.

    Parameters
    ----------
    own : ndarray of int32, shape (n_qi,)
        Lowest labels of the records.
    count : int
    but : int
        A group that they may not join.
    tree : Labels
    common : ndarray of int32, shape (n_groups, n_qi)
    sizes, costs : ndarray of int64, shape (n_groups,)
    """
    least: Any = np.int64(HOPELESS)
    home: Any = np.int64(-1)
    for number in range(len(sizes)):
        size = sizes[number]
        if number == but or size == 0:
            continue
        now = size * costs[number]
        after = join_cost(common[number], own, tree, (least + now + size + count - 1) // (size + count))
        more = (size + count) * after - now
        if more < least:
            least, home = more, number
    return home, least


def note(number: Any, n_touched: Any, groups: Any, journal: Any) -> Any:
    """Store the state of a group unless this move touched it before; return how many are stored."""
    touched, old_sizes, old_members, stamps, clock = (
        journal[0],
        journal[1],
        journal[2],
        journal[3],
        journal[4],
    )
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


def alike_record(record: Any, place: Any, alike: Any) -> Any:
    """Return one of the records like another, by its place among twice as many as there are near rows."""
    near, _, row_of, number, starts, counts, records = alike
    row = near[row_of[record], place // 2]
    if counts[row] == 1:
        return records[starts[row]]
    return records[starts[row] + (number[record] + place % 2) % counts[row]]


def cheapest_home(record: Any, labels: Any, tree: Any, groups: Any, alike: Any, journal: Any) -> Any:
    """Return the similar group that admits a record at least cost, and that cost; -1 for none."""
    group, _, _, members, sizes, costs, common, _, _ = groups
    seen, searches = journal[11], journal[12]
    searches[0] += 1
    search = searches[0]
    least, home, last = np.int64(HOPELESS), np.int64(-1), np.int64(-1)
    for i in range(2 * alike[0].shape[1]):
        other = alike_record(record, i, alike)
        if other == last:
            continue
        last, number = np.int64(other), group[other]
        if number < 0 or seen[number] == search:
            continue
        seen[number] = search
        size = sizes[number]
        if size >= members.shape[1]:
            continue
        now = size * costs[number]
        cost = join_cost(common[number], labels[record], tree, (least + now + size) // (size + 1))
        more = (size + 1) * cost - now
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
    label_costs = tree[2]
    group, _, rest, _, sizes, costs, common, _, _ = groups
    entry, candidates, spared, floors, crew = journal[6], journal[7], journal[8], journal[9], journal[10]
    scratch, row, last = len(sizes) - 1, alike[2][record], np.int64(record)
    n_candidates = 0
    for i in range(2 * alike[0].shape[1]):
        other = alike_record(record, i, alike)
        if other == last:
            continue
        last, number = np.int64(other), group[other]
        if other != record and (number < 0 or sizes[number] > least):
            candidates[n_candidates] = other
            spared[n_candidates] = entry[other]
            if number >= 0:
                spared[n_candidates] = sizes[number] * costs[number] - (sizes[number] - 1) * rest[other]
            floors[n_candidates] = alike[1][row, i // 2]
            n_candidates += 1
    for q in range(labels.shape[1]):
        common[scratch, q] = labels[record, q]
    crew[0] = record
    total = np.int64(0)
    for n_crew in range(1, least):
        best: Any = np.int64(HOPELESS)
        chosen: Any = np.int64(-1)
        for i in range(n_candidates):
            other = candidates[i]
            most = (best + spared[i] + least - 1) // least  # what costs as much is no better
            if other < 0 or floors[i] >= most:  # a larger crew never costs less
                continue
            number = group[other]
            if number >= 0:
                n_taken = 0
                for j in range(1, n_crew):
                    if group[crew[j]] == number:
                        n_taken += 1
                if sizes[number] - n_taken <= least:
                    continue
            floors[i] = join_cost(common[scratch], labels[other], tree, most)
            price = least * floors[i] - spared[i]
            if price < best:
                best, chosen = price, i
        if chosen < 0:
            return np.int64(HOPELESS)
        record = candidates[chosen]
        for i in range(n_candidates):
            if candidates[i] == record:
                candidates[i] = -1
        total -= spared[chosen]
        for q in range(labels.shape[1]):
            common[scratch, q] = common_label(common[scratch, q], labels[record, q], tree)
        crew[n_crew] = record
    for q in range(labels.shape[1]):
        total += least * label_costs[common[scratch, q]]
    return total


def ruin(draws: Any, labels: Any, groups: Any, alike: Any, journal: Any) -> Any:
    """Break up the group of a record and some near it; return records, groups touched, and their cost."""
    group, _, _, members, sizes, costs, _, free, n_free = groups
    stamps, clock, pool = journal[3], journal[4], journal[5]
    number = group[np.int64(draws[0] * len(group))]
    n_pool, n_touched, n_first, cost = 0, 0, 0, np.int64(0)
    if sizes[number] > MOST_BROKEN or costs[number] == 0:
        return n_pool, n_touched, cost
    n_wanted = 1 + np.int64(draws[1] * 3)
    for i in range(9):
        if n_touched == n_wanted:
            break
        if i:
            record = pool[np.int64(draws[i + 1] * n_first)]
            number = group[alike_record(record, np.int64(draws[i + 10] * 2 * alike[0].shape[1]), alike)]
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
    alike : Alike
    draws : ndarray of float64, shape (n_moves, N_DRAWS)
        Random numbers in [0, 1).
    allowed : ndarray of int64, shape (n_moves,)
        Largest increase of the total cost by a move.
    least : int
    journal : Journal
    """
    group, _, _, members, sizes, costs, _, free, n_free = groups
    touched, old_sizes, old_members, _, clock, pool, entry = journal[:7]
    crew = journal[10]
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
            entry[pool[i]] = min(cheapest_home(pool[i], labels, tree, groups, alike, journal)[0], DEAREST)
        for i in range(n_pool):
            record = pool[i]
            if group[record] >= 0:
                continue
            if change > allowed[move]:  # what is left hardly ever costs less than nothing
                change = np.int64(HOPELESS)
                break
            more, home = cheapest_home(record, labels, tree, groups, alike, journal)
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
