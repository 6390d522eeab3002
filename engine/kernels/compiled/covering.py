"""Compiled version of `engine.kernels.covering`: groups rows by a hash table instead of sorting."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, IntArray
from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.rollup import index
from engine.kernels.covering import NO_LIMIT, Digits, Rows

_SPREAD = 0x9E3779B97F4A7C15


class _Space(NamedTuple):
    """A row of the group in a slot; key and slot of a row; size and cost of the group in a slot."""

    first: NDArray[np.int32]
    keys: NDArray[np.int64]
    slots: NDArray[np.int64]
    sizes: Counts
    costs: Counts


class _Groups(NamedTuple):
    """Groups of a branch of nodes: a member, the group it is part of, key, size, cost, and least cost."""

    members: NDArray[np.int32]
    parents: NDArray[np.int32]
    keys: NDArray[np.int64]
    sizes: Counts
    costs: Counts
    best: Counts


def cover_by_size(
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
    """Run `engine.kernels.covering.cover_by_size` as machine code."""
    n_slots = 1 << max(int(2 * rows.n_left[0]).bit_length(), 4)
    keys, slots = np.empty((2, max(int(rows.n_left[0]), 1)), dtype=np.int64)
    sizes, costs = np.empty((2, n_slots), dtype=np.int64)
    space = _Space(np.full(n_slots, -1, dtype=np.int32), keys, slots, sizes, costs)
    return int(_cover(digits, rows, nodes, least, groups, start, n_visits, space, limit, cheapest))


@compiled
def _cover(
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
        _count(keys, counts, n_rows, first, slots, sizes, mask)
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
            _keep_small(rows, n_rows, slots, sizes, least, first)
        else:
            for row in range(n_rows):
                first[slots[row]] = -1
        n_left[0] = n_stay
    return start


def groups_at(digits: Digits, rows: Rows, node: NDArray[np.int64]) -> tuple[IntArray, IntArray, Counts]:
    """Run `engine.kernels.covering.groups_at` as machine code; groups in the order of their first rows."""
    n_rows = int(rows.n_left[0])
    labels, first, sizes = np.empty((3, n_rows), dtype=np.int64)
    slots = np.full(1 << max((2 * n_rows).bit_length(), 4), -1, dtype=np.int32)
    keys = np.zeros(n_rows, dtype=np.int64)
    n_groups = _number(digits, rows, node, keys, slots, labels, first, sizes)
    return labels, first[:n_groups], sizes[:n_groups]


@compiled
def _number(
    digits: Any, rows: Any, node: Any, keys: Any, slots: Any, labels: Any, first: Any, sizes: Any
) -> Any:
    table, leaves, counts = digits.table, rows.leaves, rows.counts
    n_rows, mask = len(keys), index(len(slots) - 1)
    for q in range(len(node)):
        start = digits.starts[q, node[q]]
        for row in range(n_rows):
            keys[row] |= table[start + leaves[q, row]]
    n_groups = 0
    for row in range(n_rows):
        key = keys[row]
        slot = ((index(key) * index(_SPREAD)) >> index(32)) & mask
        while slots[slot] >= 0 and keys[first[slots[slot]]] != key:
            slot = (slot + index(1)) & mask
        if slots[slot] < 0:
            slots[slot] = np.int32(n_groups)
            first[n_groups], sizes[n_groups] = row, 0
            n_groups += 1
        labels[row] = slots[slot]
        sizes[slots[slot]] += counts[row]
    return n_groups


@compiled
def _count(keys: Any, counts: Any, n_rows: Any, first: Any, slots: Any, sizes: Any, mask: Any) -> None:
    """Return the slot of every row, equal for equal keys, and count the records in every slot."""
    for row in range(n_rows):
        key = keys[row]
        slot = ((index(key) * index(_SPREAD)) >> index(32)) & mask
        while first[slot] >= 0 and keys[first[slot]] != key:
            slot = (slot + index(1)) & mask
        if first[slot] < 0:
            first[slot] = row
            sizes[slot] = 0
        sizes[slot] += counts[row]
        slots[row] = slot


@compiled
def _keep_small(rows: Any, n_rows: Any, slots: Any, sizes: Any, least: Any, first: Any) -> None:
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


def cheapest_costs(
    digits: Digits, rows: Rows, nodes: NDArray[np.int64], least: int, cheapest: Counts
) -> None:
    """Run `engine.kernels.covering.cheapest_costs` as machine code: groups of a node from those of another.

    Nodes are visited depth first. One has the groups of the node before it in its last column that is not at
    its first level, by one level lower there; they are far fewer than rows.
    """
    n_rows = int(rows.n_left[0])
    firsts, lasts = nodes[0], nodes[-1]
    n_fixed = int(np.argmin(np.append(firsts == lasts, False)))
    depth = int((lasts - firsts).sum()) + 2
    room = depth * n_rows
    n_slots = 1 << max((2 * n_rows).bit_length(), 4)
    groups = _Groups(*np.empty((2, room), dtype=np.int32), *np.empty((4, room), dtype=np.int64))
    slots, stack = np.full(n_slots, -1, dtype=np.int32), np.zeros((3, depth + 1), dtype=np.int64)
    _lower(digits, rows, firsts.copy(), firsts, lasts, n_fixed, least, cheapest, slots, groups, stack)


@compiled
def _lower(
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
            slot = ((index(key) * index(_SPREAD)) >> index(32)) & mask
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


def warm_up() -> None:
    """Compile, or load machine code, on two rows."""
    digits = Digits(np.array([0, 1]), np.array([0, 1]), np.zeros((1, 1), dtype=np.int64))
    ones = np.ones(2, dtype=np.int64)
    rows = Rows(np.arange(2), np.array([[0, 1]], dtype=np.int32), ones, ones.copy(), np.array([2]))
    nodes = np.zeros((1, 1), dtype=np.int64)
    groups_at(digits, rows, nodes[0])
    cheapest_costs(digits, rows, nodes, 1, ones.copy())
    cover_by_size(digits, rows, nodes, 1, np.full(2, -1), 0, 10, 1, ones.copy())
