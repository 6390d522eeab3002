"""Destroy and repair: a few small groups of alike records are broken up and built anew, cheapest first.

Written like `engine.kernels.exchanging`, to be interpreted or compiled with the same result.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, IntArray

N_DRAWS = 13  # random numbers of a move: which record, whether, how many groups, and which
MOST_BROKEN = 8  # groups broken up at once
_DEAR, _ALWAYS = float(1 << 30) / 8, 0.02  # as in `exchanging`


class Workshop(NamedTuple):
    """Room for what is made of the records of some groups; one entry (or row) per record.

    Attributes
    ----------
    broken : ndarray of int64, shape (MOST_BROKEN,)
        Groups that are broken up.
    records : ndarray of int64, shape (room,)
    home : ndarray of int64, shape (room,)
        New group of each record, -1 while it has none.
    crew : ndarray of int64, shape (room, least)
        The cheapest group that each record would found, itself first.
    crew_labels : ndarray of int32, shape (room, n_qi)
    crew_costs : ndarray of int64, shape (room,)
        Cost of a member; -1 where it is not known.
    built_labels : ndarray of int32, shape (room, n_qi)
        Labels of the groups made so far.
    built_sizes, built_costs : ndarray of int64, shape (room,)
    lowest : ndarray of int64, shape (room,)
        What a member of the crew of each record would cost if it were the first to be built.
    """

    broken: IntArray
    records: IntArray
    home: IntArray
    crew: NDArray[np.int64]
    crew_labels: NDArray[np.int32]
    crew_costs: Counts
    built_labels: NDArray[np.int32]
    built_sizes: Counts
    built_costs: Counts
    lowest: Counts

    @classmethod
    def of(cls, least: int, n_qi: int) -> Workshop:
        """A workshop for groups of at least so many records."""
        room = 2 * MOST_BROKEN * least + 4
        one = [np.zeros(room, dtype=np.int64) for _ in range(6)]
        return cls(
            np.zeros(MOST_BROKEN, dtype=np.int64),
            one[0],
            one[1],
            np.zeros((room, least), dtype=np.int64),
            np.zeros((room, n_qi), dtype=np.int32),
            one[2],
            np.zeros((room, n_qi), dtype=np.int32),
            one[3],
            one[4],
            one[5],
        )


def join_cost(one: Any, other: Any, parents: Any, ranks: Any, costs: Any) -> Any:
    """What labels cost that cover two others, column by column."""
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


def join(one: Any, other: Any, parents: Any, ranks: Any) -> None:
    """Raise labels until they cover others too."""
    for q in range(len(one)):
        a, b = one[q], other[q]
        while a != b:
            if ranks[a] <= ranks[b]:
                a = parents[a]
            else:
                b = parents[b]
        one[q] = a


def gather(
    seed: Any, n_found: Any, least: Any, labels: Any, parents: Any, ranks: Any, costs: Any, shop: Any
) -> None:
    """Find the records without a home that join one of them at least cost, one after the other."""
    _, records, home, crew, crew_labels, crew_costs, _, _, _, _ = shop
    crew[seed, 0] = seed
    for q in range(labels.shape[1]):
        crew_labels[seed, q] = labels[records[seed], q]
    home[seed] = -2  # taken into the crew, for now
    for size in range(1, least):
        best, chosen = np.int64(1) << np.int64(60), -1
        for i in range(n_found):
            if home[i] == -1:
                cost = join_cost(crew_labels[seed], labels[records[i]], parents, ranks, costs)
                if cost < best:
                    best, chosen = cost, i
        crew[seed, size] = chosen
        home[chosen] = -2
        crew_costs[seed] = best
        join(crew_labels[seed], labels[records[chosen]], parents, ranks)
    for size in range(least):
        home[crew[seed, size]] = -1


def build(
    n_found: Any,
    least: Any,
    room: Any,
    labels: Any,
    parents: Any,
    ranks: Any,
    costs: Any,
    discount: Any,
    shop: Any,
) -> Any:
    """Build groups of records, the cheapest first; returns what they cost and how many they are.

    Groups of records that can have none but dear ones come sooner, by `discount` of their least cost.
    """
    _, records, home, crew, crew_labels, crew_costs, built_labels, built_sizes, built_costs, lowest = shop
    for i in range(n_found):
        home[i] = -1
    for i in range(n_found):
        gather(i, n_found, least, labels, parents, ranks, costs, shop)
        lowest[i] = crew_costs[i]
    total, n_built, n_left = np.int64(0), 0, n_found
    while n_left >= least:
        best, chosen = float(1 << 62), -1
        for i in range(n_found):
            if home[i] != -1:
                continue
            is_known = True
            for size in range(least):
                if home[crew[i, size]] != -1:
                    is_known = False
            if not is_known:
                gather(i, n_found, least, labels, parents, ranks, costs, shop)
            price = float(least * crew_costs[i])
            for size in range(least):
                price -= discount * float(lowest[crew[i, size]])
            if price < best:
                best, chosen = price, i
        for size in range(least):
            home[crew[chosen, size]] = n_built
        for q in range(labels.shape[1]):
            built_labels[n_built, q] = crew_labels[chosen, q]
        built_sizes[n_built] = least
        built_costs[n_built] = crew_costs[chosen]
        total += least * crew_costs[chosen]
        n_built += 1
        n_left -= least
    for i in range(n_found):
        if home[i] == -1:
            least_more, chosen, dearest = np.int64(1) << np.int64(60), -1, np.int64(0)
            for number in range(n_built):
                if built_sizes[number] < room:
                    cost = join_cost(built_labels[number], labels[records[i]], parents, ranks, costs)
                    more = built_sizes[number] * (cost - built_costs[number]) + cost
                    if more < least_more:
                        least_more, chosen, dearest = more, number, cost
            home[i] = chosen
            total += least_more
            built_sizes[chosen] += 1
            built_costs[chosen] = dearest
            join(built_labels[chosen], labels[records[i]], parents, ranks)
    return total, n_built


def rebuild(
    labels: Any,
    parents: Any,
    ranks: Any,
    label_costs: Any,
    group: Any,
    place: Any,
    members: Any,
    sizes: Any,
    costs: Any,
    free: Any,
    n_free: Any,
    alike: Any,
    draws: Any,
    least: Any,
    shop: Any,
) -> Any:
    """Break up and build anew once per row of `draws`, where it costs no more; returns what is saved.

    Parameters as of `engine.kernels.exchanging.anneal`.
    """
    n_records, n_alike, room = len(group), alike.shape[1], members.shape[1]
    broken, records, home = shop[0], shop[1], shop[2]
    built_sizes, built_costs = shop[7], shop[8]
    saved = np.int64(0)
    for move in range(len(draws)):
        record = np.int64(draws[move, 0] * n_records)
        if draws[move, 1] * _DEAR > costs[group[record]] + _DEAR * _ALWAYS:
            continue
        n_broken, wanted = 1, 3 + np.int64(draws[move, 2] * (MOST_BROKEN - 2))
        broken[0] = group[record]
        for i in range(3, N_DRAWS - 1):
            if n_broken == wanted:
                break
            other = group[alike[record, np.int64(draws[move, i] * n_alike)]]
            is_new = True
            for j in range(n_broken):
                if broken[j] == other:
                    is_new = False
            if is_new:
                broken[n_broken] = other
                n_broken += 1
        before, n_found = np.int64(0), 0
        used = 0
        for j in range(n_broken):
            one = broken[j]
            if n_found + sizes[one] > len(records):
                continue
            broken[used] = one
            used += 1
            before += sizes[one] * costs[one]
            for i in range(sizes[one]):
                records[n_found] = members[one, i]
                n_found += 1
        if used < 2:
            continue
        after, n_built = build(
            n_found, least, room, labels, parents, ranks, label_costs, draws[move, 12], shop
        )
        if after > before or n_built > used + n_free[0]:
            continue
        for j in range(used):
            sizes[broken[j]] = 0
            free[n_free[0]] = broken[j]
            n_free[0] += 1
        for number in range(n_built):
            n_free[0] -= 1
            fresh = free[n_free[0]]
            costs[fresh] = built_costs[number]
            built_sizes[number] = fresh
        for i in range(n_found):
            fresh = built_sizes[home[i]]
            members[fresh, sizes[fresh]] = records[i]
            place[records[i]] = sizes[fresh]
            group[records[i]] = fresh
            sizes[fresh] += 1
        saved += before - after
    return saved
