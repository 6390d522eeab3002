"""Annealing: records change places between small groups, now and then at a loss, so that labels get precise.

Written so that it can be interpreted or compiled; both make the same moves, since random numbers are drawn
beforehand and costs are whole numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, IntArray

N_DRAWS = 9  # random numbers of a move: who moves, how, where to, with whom, and more
# A record is moved the more often the more it costs, up to this cost; the others by this share of draws.
_DEAR, _ALWAYS = float(1 << 30) / 12, 0.08


class Labels(NamedTuple):
    """Labels of all columns as one list.

    Attributes
    ----------
    parents : ndarray of int32, shape (n_labels,)
        The label one allowed level higher; that on top is its own.
    ranks : ndarray of int32, shape (n_labels,)
        How high the level is.
    costs : ndarray of int64, shape (n_labels,)
    """

    parents: NDArray[np.int32]
    ranks: NDArray[np.int32]
    costs: NDArray[np.int64]


class Grouped(NamedTuple):
    """Records in groups; a group has no more members than there is room for.

    Attributes
    ----------
    labels : ndarray of int32, shape (n_records, n_qi)
        Lowest allowed label of every record.
    group : ndarray of int64, shape (n_records,)
    place : ndarray of int64, shape (n_records,)
        Place among the members of the group.
    members : ndarray of int64, shape (n_groups, room)
    sizes, costs : ndarray of int64, shape (n_groups,)
        Members; cost of a member.
    free : ndarray of int64, shape (n_groups,)
        Groups without members, the first `n_free[0]` entries.
    n_free : ndarray of int64, shape (1,)
    """

    labels: NDArray[np.int32]
    group: IntArray
    place: IntArray
    members: NDArray[np.int64]
    sizes: Counts
    costs: Counts
    free: IntArray
    n_free: IntArray


def cost_of(
    labels: Any, parents: Any, ranks: Any, costs: Any, members: Any, size: Any, out: Any, also: Any
) -> Any:
    """Cost of a member where one goes and another one comes; -1 for nobody."""
    total = np.int64(0)
    for q in range(labels.shape[1]):
        common = -1
        if also >= 0:
            common = labels[also, q]
        for i in range(size):
            member = members[i]
            if member == out:
                continue
            other = labels[member, q]
            if common < 0:
                common = other
            while common != other:
                if ranks[common] <= ranks[other]:
                    common = parents[common]
                else:
                    other = parents[other]
        if common >= 0:
            total += costs[common]
    return total


def anneal(
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
    allowed: Any,
    least: Any,
    chosen: Any,
    others: Any,
) -> Any:
    """Try a move per row of `draws`; see `engine.recoding.exchange`. Returns how much less all records cost.

    A record moves into the group of one that is alike, or changes places with a member of it, or founds a
    group with records that their groups can do without, or all records of its group move out.
    """
    n_records, n_alike, room = len(group), alike.shape[1], members.shape[1]
    saved = np.int64(0)
    for move in range(len(draws)):
        record = np.int64(draws[move, 0] * n_records)
        own = group[record]
        if draws[move, 8] * _DEAR > costs[own] + _DEAR * _ALWAYS:
            continue
        other = alike[record, np.int64(draws[move, 2] * draws[move, 2] * n_alike)]
        host = group[other]
        kind = draws[move, 1]
        if kind < 0.1 and sizes[own] > least:
            if n_free[0] == 0:
                continue
            change = np.int64(0)
            found = 0
            for i in range(-1, n_alike):
                candidate = record if i < 0 else alike[record, i]
                home = group[candidate]
                if sizes[home] <= least:
                    continue
                is_new = True
                for j in range(found):
                    if group[chosen[j]] == home:
                        is_new = False
                if not is_new:
                    continue
                rest = cost_of(labels, parents, ranks, label_costs, members[home], sizes[home], candidate, -1)
                others[found] = rest
                change += (sizes[home] - 1) * rest - sizes[home] * costs[home]
                chosen[found] = candidate
                found += 1
                if found == least:
                    break
            if found < least:
                continue
            cost = cost_of(labels, parents, ranks, label_costs, chosen, least, -1, -1)
            change += least * cost
            if change > allowed[move]:
                continue
            n_free[0] -= 1
            fresh = free[n_free[0]]
            for j in range(least):
                candidate = chosen[j]
                home = group[candidate]
                sizes[home] -= 1
                last = members[home, sizes[home]]
                members[home, place[candidate]] = last
                place[last] = place[candidate]
                costs[home] = others[j]
                members[fresh, j] = candidate
                place[candidate] = j
                group[candidate] = fresh
            sizes[fresh] = least
            costs[fresh] = cost
            saved -= change
        elif own == host:
            continue
        elif kind < 0.6 and sizes[own] > least:
            if sizes[host] == room:
                continue
            rest = cost_of(labels, parents, ranks, label_costs, members[own], sizes[own], record, -1)
            joined = cost_of(labels, parents, ranks, label_costs, members[host], sizes[host], -1, record)
            change = (sizes[own] - 1) * rest + (sizes[host] + 1) * joined
            change -= sizes[own] * costs[own] + sizes[host] * costs[host]
            if change > allowed[move]:
                continue
            sizes[own] -= 1
            last = members[own, sizes[own]]
            members[own, place[record]] = last
            place[last] = place[record]
            members[host, sizes[host]] = record
            place[record] = sizes[host]
            sizes[host] += 1
            group[record] = host
            costs[own] = rest
            costs[host] = joined
            saved -= change
        elif kind > 0.8 and sizes[own] == least:
            change = -least * costs[own]
            for i in range(least):
                leaving = members[own, i]
                best = np.int64(1) << np.int64(60)
                chosen[i] = -1
                for j in range(4):
                    near = alike[leaving, np.int64(draws[move, 4 + j] * n_alike)]
                    target = group[near]
                    if target == own or sizes[target] == room:
                        continue
                    is_new = True
                    for x in range(i):
                        if chosen[x] == target:
                            is_new = False
                    if not is_new:
                        continue
                    joined = cost_of(
                        labels, parents, ranks, label_costs, members[target], sizes[target], -1, leaving
                    )
                    more = (sizes[target] + 1) * joined - sizes[target] * costs[target]
                    if more < best:
                        best = more
                        chosen[i] = target
                        others[i] = joined
                change += best
                if chosen[i] < 0 or change > allowed[move]:
                    change = np.int64(1) << np.int64(60)
                    break
            if change > allowed[move]:
                continue
            for i in range(least):
                leaving = members[own, i]
                target = chosen[i]
                members[target, sizes[target]] = leaving
                place[leaving] = sizes[target]
                sizes[target] += 1
                group[leaving] = target
                costs[target] = others[i]
            sizes[own] = 0
            free[n_free[0]] = own
            n_free[0] += 1
            saved -= change
        else:
            swapped = members[host, np.int64(draws[move, 3] * sizes[host])]
            if swapped == other:
                continue
            here = cost_of(labels, parents, ranks, label_costs, members[own], sizes[own], record, swapped)
            there = cost_of(labels, parents, ranks, label_costs, members[host], sizes[host], swapped, record)
            change = sizes[own] * (here - costs[own]) + sizes[host] * (there - costs[host])
            if change > allowed[move]:
                continue
            members[own, place[record]] = swapped
            members[host, place[swapped]] = record
            place[record], place[swapped] = place[swapped], place[record]
            group[record] = host
            group[swapped] = own
            costs[own] = here
            costs[host] = there
            saved -= change
    return saved
