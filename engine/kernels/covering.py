"""A walk over nodes in a given order: each groups the remaining rows and places large groups.

The code can be interpreted or compiled. Rows are grouped by a hash table.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Codes, Counts, IntArray, Keys, index

NO_GROUP = -1
NO_LIMIT = 1 << 32  # above what a record can cost; times as many records it still is a number of 64 bits
SPREAD = 0x9E3779B97F4A7C15  # mixes the bits of keys


class Digits(NamedTuple):
    """Contribution of each value to the key and the cost of its row on each level.

    Attributes
    ----------
    table : ndarray of int64
        Labels as bit fields, separate for each column, by level and value: equal keys are equal labels.
    costs : ndarray of int64
        Cost of the same labels; integers, so that sums do not depend on the order.
    starts : ndarray of int64, shape (n_qi, n_levels)
        Start of the values of a column on a level in the table.
    """

    table: Keys
    costs: Counts
    starts: NDArray[np.int64]


class Rows(NamedTuple):
    """Rows that are not placed yet; the first `n_left[0]` entries of all arrays.

    Attributes
    ----------
    numbers : ndarray of int64, shape (n_rows,)
    leaves : ndarray of int32, shape (n_qi, n_rows)
    counts : ndarray of int64, shape (n_rows,)
        Number of records of each.
    discounts : ndarray of int64, shape (n_rows,)
        Discount on the cost of its records.
    n_left : ndarray of int64, shape (1,)
    """

    numbers: IntArray
    leaves: Codes
    counts: Counts
    discounts: Counts
    n_left: NDArray[np.int64]


class Space(NamedTuple):
    """A row of the group in a slot; key and slot of a row; size and cost of the group in a slot."""

    first: NDArray[np.int32]
    keys: NDArray[np.int64]
    slots: NDArray[np.int64]
    sizes: Counts
    costs: Counts


class Branch(NamedTuple):
    """Groups of a branch of nodes: a member, the group it is part of, key, size, cost, and least cost."""

    members: NDArray[np.int32]
    parents: NDArray[np.int32]
    keys: NDArray[np.int64]
    sizes: Counts
    costs: Counts
    best: Counts


def place(rows: Rows, is_placed: NDArray[np.bool_]) -> None:
    """Remove placed rows from the remaining ones; the others keep their order."""
    n_left = int(rows.n_left[0])
    stay = np.flatnonzero(~is_placed)
    for values in (rows.numbers, rows.counts, rows.discounts):
        values[: len(stay)] = values[:n_left][stay]
    rows.leaves[:, : len(stay)] = rows.leaves[:, :n_left][:, stay]
    rows.n_left[0] = len(stay)


def cover_by_size(
    kernels: ModuleType,
    digits: Digits,
    rows: Rows,
    nodes: NDArray[np.int64],
    least: int,
    groups: IntArray,
    start: int,
    n_visits: int,
    limit: int,
    cheapest: Counts,
) -> int:
    """Place every group that is large and cheap enough, node by node.

    A node is left out if no group was cheap enough for the limit when it was last visited.

    Parameters
    ----------
    kernels : module
        This one, or its compiled version.
    rows : Rows
        Remaining rows; placed rows are removed.
    nodes : ndarray of int64, shape (n_nodes, n_qi)
    least : int
        Fewest records of a group.
    groups : ndarray of int64, shape (all_rows,)
        Output: the group of every placed row, as the number of its first row.
    start : int
        The node to begin with.
    n_visits : int
        Approximate number of rows to visit before returning.
    limit : int
        Largest average cost of a record, apart from the discounts of its group.
    cheapest : ndarray of int64, shape (n_nodes,)
        The limit at which the cheapest large group of a node that is left would be placed, as of its last
        visit.

    Returns
    -------
    int
        The node to continue with.
    """
    n_slots = 1 << max(int(2 * rows.n_left[0]).bit_length(), 4)
    keys, slots = np.empty((2, max(int(rows.n_left[0]), 1)), dtype=np.int64)
    sizes, costs = np.empty((2, n_slots), dtype=np.int64)
    space = Space(np.full(n_slots, -1, dtype=np.int32), keys, slots, sizes, costs)
    with np.errstate(over="ignore"):
        return int(kernels.cover(digits, rows, nodes, least, groups, start, n_visits, space, limit, cheapest))


def groups_at(
    kernels: ModuleType, digits: Digits, rows: Rows, node: NDArray[np.int64]
) -> tuple[IntArray, IntArray, Counts]:
    """Group of every remaining row on the levels of a node; the first row and the records of each group.

    Groups are numbered in the order of their first rows.
    """
    n_rows = int(rows.n_left[0])
    labels, first, sizes = np.empty((3, n_rows), dtype=np.int64)
    slots = np.full(1 << max((2 * n_rows).bit_length(), 4), -1, dtype=np.int32)
    keys = np.zeros(n_rows, dtype=np.int64)
    with np.errstate(over="ignore"):
        n_groups = kernels.number_groups(digits, rows, node, keys, slots, labels, first, sizes)
    return labels, first[:n_groups], sizes[:n_groups]


def cheapest_costs(
    kernels: ModuleType, digits: Digits, rows: Rows, nodes: NDArray[np.int64], least: int, cheapest: Counts
) -> None:
    """Lower the least cost known for every row to that of a node at which its group is large enough.

    Nodes are visited depth first. One has the groups of the node before it in its last column that is not at
    its first level, by one level lower there; they are far fewer than rows.

    Parameters
    ----------
    rows : Rows
        Unchanged.
    nodes : ndarray of int64, shape (n_nodes, n_qi)
        All nodes with some levels of the first columns, in lexicographic order.
    least : int
        Fewest records of a group.
    cheapest : ndarray of int64, shape (n_rows,)
    """
    n_rows = int(rows.n_left[0])
    firsts, lasts = nodes[0], nodes[-1]
    n_fixed = int(np.argmin(np.append(firsts == lasts, False)))
    depth = int((lasts - firsts).sum()) + 2
    room = depth * n_rows
    n_slots = 1 << max((2 * n_rows).bit_length(), 4)
    groups = Branch(*np.empty((2, room), dtype=np.int32), *np.empty((4, room), dtype=np.int64))
    slots, stack = np.full(n_slots, -1, dtype=np.int32), np.zeros((3, depth + 1), dtype=np.int64)
    given = firsts.copy(), firsts, lasts, n_fixed, least
    with np.errstate(over="ignore"):
        kernels.lower_costs(digits, rows, *given, cheapest, slots, groups, stack)


def cover(
    digits: Any,
    rows: Any,
    nodes: Any,
    least: Any,
    groups: Any,
    start: Any,
    n_visits: Any,
    space: Any,
    limit: Any,
    cheapest: Any,
) -> Any:
    """Place groups as `cover_by_size` says; return the node to continue with."""
    table, label_costs, starts = digits
    numbers, leaves, counts, discounts, n_left = rows
    first, keys, slots, sizes, costs = space
    n_seen = np.int64(0)
    n_qi = leaves.shape[0]
    while start < len(nodes) and n_seen < n_visits and n_left[0] > 0:
        node = start
        start += 1
        if cheapest[node] > limit:
            continue
        n_rows = n_left[0]
        n_seen += n_rows
        keys[:n_rows] = 0
        for q in range(n_qi):
            begin = starts[q, nodes[node, q]]
            for row in range(n_rows):
                keys[row] |= table[begin + leaves[q, row]]
        n_slots = np.int64(16)  # as few slots as possible, so that they stay in the cache
        while n_slots < 2 * n_rows:
            n_slots *= 2
        mask = index(n_slots - 1)
        count_groups(keys, counts, n_rows, first, slots, sizes, mask)
        n_stay = n_rows
        for row in range(n_rows):
            slot = slots[row]
            if sizes[slot] >= least:
                if first[slot] == row:
                    cost = np.int64(0)
                    for q in range(n_qi):
                        cost += label_costs[starts[q, nodes[node, q]] + leaves[q, row]]
                    costs[slot] = (cost - limit) * sizes[slot]
                costs[slot] -= discounts[row]
        cheapest[node] = NO_LIMIT
        for row in range(n_rows):
            slot = slots[row]
            if sizes[slot] >= least and costs[slot] > 0:
                cheapest[node] = min(cheapest[node], limit - -costs[slot] // sizes[slot])
                sizes[slot] = 0  # too expensive
        for row in range(n_rows):
            if sizes[slots[row]] >= least:
                groups[numbers[row]] = numbers[first[slots[row]]]
                n_stay -= 1
        if n_stay < n_rows:
            keep_small(rows, n_rows, slots, sizes, least, first)
        else:
            for row in range(n_rows):
                first[slots[row]] = -1
        n_left[0] = n_stay
    return start


def number_groups(
    digits: Any, rows: Any, node: Any, keys: Any, slots: Any, labels: Any, first: Any, sizes: Any
) -> Any:
    """Number the groups of rows in the order of their first rows; return how many there are."""
    table, leaves, counts = digits.table, rows.leaves, rows.counts
    n_rows, mask = len(keys), index(len(slots) - 1)
    for q in range(len(node)):
        start = digits.starts[q, node[q]]
        for row in range(n_rows):
            keys[row] |= table[start + leaves[q, row]]
    n_groups = 0
    for row in range(n_rows):
        key = keys[row]
        slot = ((index(key) * index(SPREAD)) >> index(32)) & mask
        while slots[slot] >= 0 and keys[first[slots[slot]]] != key:
            slot = (slot + index(1)) & mask
        if slots[slot] < 0:
            slots[slot] = np.int32(n_groups)
            first[n_groups], sizes[n_groups] = row, 0
            n_groups += 1
        labels[row] = slots[slot]
        sizes[slots[slot]] += counts[row]
    return n_groups


def count_groups(keys: Any, counts: Any, n_rows: Any, first: Any, slots: Any, sizes: Any, mask: Any) -> None:
    """Return the slot of every row, equal for equal keys, and count the records in every slot."""
    for row in range(n_rows):
        key = keys[row]
        slot = ((index(key) * index(SPREAD)) >> index(32)) & mask
        while first[slot] >= 0 and keys[first[slot]] != key:
            slot = (slot + index(1)) & mask
        if first[slot] < 0:
            first[slot] = row
            sizes[slot] = 0
        sizes[slot] += counts[row]
        slots[row] = slot


def keep_small(rows: Any, n_rows: Any, slots: Any, sizes: Any, least: Any, first: Any) -> None:
    """Move rows of groups that are too small to the front, in their order; clear the slots."""
    numbers, leaves, counts, discounts, _n_left = rows
    n_stay = np.int64(0)
    for row in range(n_rows):
        first[slots[row]] = -1
        if sizes[slots[row]] < least:
            numbers[n_stay] = numbers[row]
            counts[n_stay] = counts[row]
            discounts[n_stay] = discounts[row]
            for q in range(leaves.shape[0]):
                leaves[q, n_stay] = leaves[q, row]
            n_stay += 1


def lower_costs(
    digits: Any,
    rows: Any,
    node: Any,
    firsts: Any,
    lasts: Any,
    n_fixed: Any,
    least: Any,
    cheapest: Any,
    slots: Any,
    groups: Any,
    stack: Any,
) -> None:
    """Visit nodes depth first; `stack` has the first group, the column raised and the next one per depth."""
    table, label_costs, starts = digits
    leaves, counts = rows.leaves, rows.counts
    members, parents, keys, sizes, costs, best = groups
    n_qi, n_rows = leaves.shape
    for row in range(n_rows):  # rows are their own groups in front of the first node
        members[row], sizes[row], best[row] = row, counts[row], cheapest[row]
        keys[row] = costs[row] = 0
        for q in range(n_qi):
            place = starts[q, firsts[q]] + leaves[q, row]
            keys[row] |= table[place]
            costs[row] += label_costs[place]
    depth, begin, end, raised = 0, np.int64(0), np.int64(n_rows), np.int64(-1)
    while True:
        n_slots = np.int64(16)
        while n_slots < 2 * (end - begin):
            n_slots *= 2
        mask, filled = index(n_slots - 1), end
        lower = upper = np.int64(0)
        if raised >= 0:
            lower, upper = starts[raised, node[raised] - 1], starts[raised, node[raised]]
        for group in range(begin, end):
            key, cost, row = keys[group], costs[group], members[group]
            if raised >= 0:
                leaf = leaves[raised, row]
                key += table[upper + leaf] - table[lower + leaf]
                cost += label_costs[upper + leaf] - label_costs[lower + leaf]
            slot = ((index(key) * index(SPREAD)) >> index(32)) & mask
            while slots[slot] >= 0 and keys[slots[slot]] != key:
                slot = (slot + index(1)) & mask
            if slots[slot] < 0:
                slots[slot] = np.int32(filled)
                keys[filled], costs[filled], members[filled], sizes[filled] = key, cost, row, 0
                filled += 1
            parents[group] = slots[slot]
            sizes[slots[slot]] += sizes[group]
        for place in range(n_slots):
            slots[place] = -1
        for group in range(end, filled):
            best[group] = costs[group] if sizes[group] >= least else NO_LIMIT
        depth += 1
        stack[0, depth], stack[1, depth], stack[2, depth] = end, raised, max(raised, n_fixed)
        begin, end = end, filled
        while True:
            q = stack[2, depth]
            while q < n_qi and node[q] == lasts[q]:
                q += 1
            if q < n_qi:
                stack[2, depth], raised = q + 1, q
                node[q] += 1
                break
            depth -= 1  # what all nodes behind this one found counts for the groups it was made of
            first = stack[0, depth]
            for group in range(first, begin):
                best[group] = min(best[group], best[parents[group]])
            if depth == 0:
                for row in range(n_rows):
                    cheapest[row] = best[row]
                return
            if stack[1, depth + 1] >= 0:
                node[stack[1, depth + 1]] -= 1
            begin, end = first, begin
