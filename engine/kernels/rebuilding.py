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

from engine.kernels.group_journal import enter, leave, note, refresh, rest_costs, undo, widen
from engine.kernels.label_trees import HOPELESS, common_label, join_cost

N_DRAWS = 20  # random numbers of a move: where, how many groups, which ones, and the order of records
MOST_BROKEN = 14  # records of a group that may be broken up; the labels of larger ones are cheap already
MOST_POOLED = 3 * MOST_BROKEN  # records of groups broken up by a move
DEAREST = 1 << 34  # assumed cost of a record that no group admits


class Alike(NamedTuple):
    """Others that each record may join: of each distinct row near its own, one record or two.

    Attributes
    ----------
    starts, counts : ndarray of int32, shape (n_rows, n_near)
        Records of the rows near each distinct row by price, itself first: a part of `records`.
    prices : ndarray of int32, shape (n_rows, n_near)
        Cost of the labels that both share.
    row_of, number : ndarray of int32, shape (n_records,)
        Row of every record, and its number among the records of the row.
    records : ndarray of int32, shape (n_records,)
        Records by row.
    """

    starts: NDArray[np.int32]
    counts: NDArray[np.int32]
    prices: NDArray[np.int32]
    row_of: NDArray[np.int32]
    number: NDArray[np.int32]
    records: NDArray[np.int32]


def alike_record(record: Any, place: Any, alike: Any) -> Any:
    """Return one of the records like another, by its place among twice as many as there are near rows."""
    starts, counts, _, row_of, number, records = alike
    row = row_of[record]
    start, count = starts[row, place // 2], counts[row, place // 2]
    if count == 1:
        return records[start]
    return records[start + (number[record] + place % 2) % count]


def list_others(i: Any, alike: Any, journal: Any) -> None:
    """List the records like one of the pool by price, itself first, and what they share at least costs."""
    _, _, _, row_of, number, records = alike
    record, others, floors = journal.pool[i], journal.others[i], journal.floors[i]
    row, own, n_others = row_of[record], number[record], 0
    starts, counts, prices = alike.starts[row], alike.counts[row], alike.prices[row]
    for place in range(len(starts)):
        start, count = starts[place], counts[place]
        if start == starts[0] and place:
            continue
        own_place = own % count if own >= count else own
        others[n_others], floors[n_others] = records[start + own_place], prices[place]
        n_others += 1
        if count > 1:
            own_place = own_place + 1 if own_place + 1 < count else 0
            others[n_others], floors[n_others] = records[start + own_place], prices[place]
            n_others += 1
    journal.n_others[i], journal.home_places[i] = n_others, -1


def find_home(i: Any, labels: Any, tree: Any, groups: Any, journal: Any) -> None:
    """Find the similar group that admits a record of the pool at least cost.

    The group (-1 for none), the added cost and its first place among the records alike are stored. Groups
    that have not changed since an earlier search of this move are not looked at again.
    """
    group, _, _, members, sizes, costs, common, _, _, _ = groups
    homes, places, home_costs = journal.homes, journal.home_places, journal.home_costs
    others, floors, stamps, seen = journal.others[i], journal.floors[i], journal.stamps, journal.seen
    journal.searches[0] += 1
    search, now = journal.searches[0], journal.clock[0]
    own, room = labels[journal.pool[i]], members.shape[1]
    least: Any = np.int64(HOPELESS)
    home: Any = np.int64(-1)
    at: Any = np.int64(0)
    renews = places[i] >= 0 and (homes[i] < 0 or stamps[homes[i]] != now)
    if renews:
        least, home, at = home_costs[i], homes[i], places[i]
    for j in range(journal.n_others[i]):
        if floors[j] > least:  # no group of this one or of those behind it admits the record at less
            break
        number = group[others[j]]
        if number < 0 or seen[number] == search or (renews and stamps[number] != now):
            continue
        seen[number] = search
        size = sizes[number]
        if size >= room:
            continue
        spent = size * costs[number]
        limit = least + 1 if renews and j < at else least
        if (size + 1) * max(floors[j], costs[number]) - spent >= limit:
            continue
        cost = join_cost(common[number], own, tree, (limit + spent + size) // (size + 1))
        more = (size + 1) * cost - spent
        if more < limit:
            least, home, at = more, number, np.int64(j)
    homes[i], places[i], home_costs[i] = home, at, least


def recruit(i: Any, most: Any, least: Any, labels: Any, tree: Any, groups: Any, journal: Any) -> Any:
    """Select the members of a new group: records of the pool, and some that their groups can spare.

    Returns
    -------
    int
        Additional cost of all records, minus the cost of the pool elsewhere; `HOPELESS` if that reaches
        `most`.
    """
    group, _, rest, _, sizes, costs, common, stale, _, _ = groups
    candidates, spared, floors, crew = journal.candidates, journal.spared, journal.limits, journal.crew
    others, scratch, record = journal.others[i], len(sizes) - 1, journal.pool[i]
    n_candidates = 0
    dearest = np.int64(0)
    for j in range(1, journal.n_others[i]):
        other = others[j]
        number = group[other]
        if number >= 0 and sizes[number] <= least:
            continue
        price = journal.entry[other]
        if number >= 0:
            if stale[number]:
                rest_costs(number, labels, tree, groups)
            price = sizes[number] * costs[number] - (sizes[number] - 1) * rest[other]
        dearest = max(dearest, price)
        candidates[n_candidates], spared[n_candidates] = other, price
        floors[n_candidates] = journal.floors[i, j]
        n_candidates += 1
    for q in range(labels.shape[1]):
        common[scratch, q] = labels[record, q]
    crew[0] = record
    total, cost = np.int64(0), np.int64(0)
    for n_crew in range(1, least):
        # what the others of the crew can spare at most still leaves too much
        best: Any = min(most - total + (least - 1 - n_crew) * dearest, np.int64(HOPELESS))
        chosen: Any = np.int64(-1)
        for j in range(n_candidates):
            other = candidates[j]
            if least * floors[j] - spared[j] >= best:  # a larger crew never costs less
                continue
            number = group[other]
            if number >= 0:
                n_taken = 0
                for m in range(1, n_crew):
                    if group[crew[m]] == number:
                        n_taken += 1
                if sizes[number] - n_taken <= least:
                    continue
            if n_crew > 1:  # else the floor is exact
                limit = (best + spared[j] + least - 1) // least  # what costs as much is no better
                floors[j] = join_cost(common[scratch], labels[other], tree, limit)
            price = least * floors[j] - spared[j]
            if price < best:
                best, chosen = price, np.int64(j)
        if chosen < 0:
            return np.int64(HOPELESS)
        record = candidates[chosen]
        total -= spared[chosen]
        n_candidates -= 1
        for j in range(chosen, n_candidates):
            candidates[j], spared[j], floors[j] = candidates[j + 1], spared[j + 1], floors[j + 1]
        cost = np.int64(0)
        for q in range(labels.shape[1]):
            label = common_label(common[scratch, q], labels[record, q], tree)
            common[scratch, q] = label
            cost += tree[2][label]
        crew[n_crew] = record
    if least == 1:
        for q in range(labels.shape[1]):
            cost += tree[2][common[scratch, q]]
    costs[scratch] = cost
    return total + least * cost


def ruin(draws: Any, groups: Any, alike: Any, journal: Any) -> Any:
    """Break up the group of a record and some near it; return records, groups touched, and their cost."""
    group, _, _, members, sizes, costs, _, _, free, n_free = groups
    stamps, clock, pool = journal.stamps, journal.clock, journal.pool
    number = group[np.int64(draws[0] * len(group))]
    n_pool, n_touched, n_first, cost = 0, np.int64(0), 0, np.int64(0)
    if sizes[number] > MOST_BROKEN or costs[number] == 0:
        return n_pool, n_touched, cost
    n_wanted = 1 + np.int64(draws[1] * 3)
    for i in range(9):
        if n_touched == n_wanted:
            break
        if i:
            record = pool[np.int64(draws[i + 1] * n_first)]
            number = group[alike_record(record, np.int64(draws[i + 10] * 2 * alike.starts.shape[1]), alike)]
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
    groups : Groups
        Groups, changed in place; every group keeps at least `least` members.
    draws : ndarray of float64, shape (n_moves, N_DRAWS)
        Random numbers in [0, 1).
    allowed : ndarray of int64, shape (n_moves,)
        Largest increase of the total cost by a move.
    """
    group, _, _, _, sizes, costs, common, stale, free, n_free = groups
    pool, crew, scratch = journal.pool, journal.crew, len(groups.sizes) - 1
    saved: Any = np.int64(0)
    for move in range(len(draws)):
        journal.clock[0] += 1
        n_before = n_free[0]
        n_pool, n_touched, before = ruin(draws[move], groups, alike, journal)
        change: Any = -before
        mixed = draws[move, N_DRAWS - 1]
        for i in range(n_pool - 1, 0, -1):
            mixed = (mixed * 997.13) % 1.0
            other = np.int64(mixed * (i + 1))
            pool[i], pool[other] = pool[other], pool[i]
        for i in range(n_pool):
            list_others(i, alike, journal)
            find_home(i, labels, tree, groups, journal)
            journal.entry[pool[i]] = min(journal.home_costs[i], DEAREST)
        for i in range(n_pool):
            record = pool[i]
            if group[record] >= 0:
                continue
            if change > allowed[move]:  # what is left hardly ever costs less than nothing
                change = np.int64(HOPELESS)
                break
            find_home(i, labels, tree, groups, journal)
            home, more = journal.homes[i], journal.home_costs[i]
            founding = recruit(i, more, least, labels, tree, groups, journal)
            if n_touched + least + 2 >= len(journal.touched) or (home < 0 and founding == HOPELESS):
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
                for q in range(labels.shape[1]):
                    common[home, q] = common[scratch, q]
                costs[home], stale[home] = costs[scratch], 1
                change += sizes[home] * costs[home]
            elif home >= 0:
                n_touched = note(home, n_touched, groups, journal)
                widen(home, record, labels, tree, groups)
                change += more
            else:
                change = np.int64(HOPELESS)
                break
        if change <= allowed[move]:
            saved -= change
        else:
            undo(n_touched, groups, journal)
            n_free[0] = n_before
    return saved
