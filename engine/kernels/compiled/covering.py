"""Compiled version of `engine.kernels.covering`: groups rows by a hash table instead of sorting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, IntArray
from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.rollup import index
from engine.kernels.covering import Digits, Rows

_SPREAD = 0x9E3779B97F4A7C15


def cover_by_size(
    digits: Digits,
    rows: Rows,
    nodes: NDArray[np.int64],
    least: int,
    groups: IntArray,
    start: int,
    n_visits: int,
    limit: int,
) -> int:
    """Run `engine.kernels.covering.cover_by_size` as machine code."""
    n_slots = 1 << max(int(2 * rows.n_left[0]).bit_length(), 4)
    first = np.full(n_slots, -1, dtype=np.int32)  # a row of the group in a slot
    keys, slots = np.empty((2, max(int(rows.n_left[0]), 1)), dtype=np.int64)
    sizes, costs = np.empty((2, n_slots), dtype=np.int64)
    return int(
        _cover(
            digits.table,
            digits.costs,
            digits.starts,
            rows.numbers,
            rows.leaves,
            rows.counts,
            rows.discounts,
            rows.n_left,
            nodes,
            least,
            groups,
            start,
            n_visits,
            first,
            keys,
            slots,
            sizes,
            costs,
            limit,
        )
    )


@compiled
def _cover(
    table: Any,
    label_costs: Any,
    starts: Any,
    numbers: Any,
    leaves: Any,
    counts: Any,
    discounts: Any,
    n_left: Any,
    nodes: Any,
    least: Any,
    groups: Any,
    start: Any,
    n_visits: Any,
    first: Any,
    keys: Any,
    slots: Any,
    sizes: Any,
    costs: Any,
    limit: Any,
) -> Any:
    n_seen = np.int64(0)
    n_qi = leaves.shape[0]
    while start < len(nodes) and n_seen < n_visits and n_left[0] > 0:
        n_rows = n_left[0]
        n_seen += n_rows
        keys[:n_rows] = 0
        for q in range(n_qi):
            begin = starts[q, nodes[start, q]]
            for row in range(n_rows):
                keys[row] |= table[begin + leaves[q, row]]
        start += 1
        n_slots = np.int64(16)  # as few slots as possible, so that they stay in the cache
        while n_slots < 2 * n_rows:
            n_slots *= 2
        mask = index(n_slots - 1)
        _count(keys, counts, n_rows, first, slots, sizes, mask)
        node = start - 1
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
        for row in range(n_rows):
            slot = slots[row]
            if sizes[slot] >= least and costs[slot] > 0:
                sizes[slot] = 0  # too expensive
        for row in range(n_rows):
            if sizes[slots[row]] >= least:
                groups[numbers[row]] = numbers[first[slots[row]]]
                n_stay -= 1
        if n_stay < n_rows:
            _keep_small(numbers, leaves, counts, discounts, n_rows, slots, sizes, least, first)
        else:
            for row in range(n_rows):
                first[slots[row]] = -1
        n_left[0] = n_stay
    return start


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
def _keep_small(
    numbers: Any,
    leaves: Any,
    counts: Any,
    discounts: Any,
    n_rows: Any,
    slots: Any,
    sizes: Any,
    least: Any,
    first: Any,
) -> None:
    """Move rows of groups that are too small to the front, in their order; clear the slots."""
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
    digits: Digits,
    rows: Rows,
    nodes: NDArray[np.int64],
    least: int,
    cheapest: Counts,
    start: int,
    n_visits: int,
) -> int:
    """Run `engine.kernels.covering.cheapest_costs` as machine code."""
    n_rows = int(rows.n_left[0])
    n_slots = 1 << max((2 * n_rows).bit_length(), 4)
    first = np.full(n_slots, -1, dtype=np.int32)
    keys, slots, costs = np.empty((3, max(n_rows, 1)), dtype=np.int64)
    sizes = np.empty(n_slots, dtype=np.int64)
    n_nodes = max(n_visits // max(n_rows, 1), 1)
    end = min(start + n_nodes, len(nodes))
    for number in range(start, end):
        _lower(
            digits.table,
            digits.costs,
            digits.starts,
            rows.leaves,
            rows.counts,
            nodes[number],
            least,
            cheapest,
            first,
            keys,
            slots,
            sizes,
            costs,
        )
    return end


@compiled
def _lower(
    table: Any,
    label_costs: Any,
    starts: Any,
    leaves: Any,
    counts: Any,
    node: Any,
    least: Any,
    cheapest: Any,
    first: Any,
    keys: Any,
    slots: Any,
    sizes: Any,
    costs: Any,
) -> None:
    n_qi, n_rows = leaves.shape
    keys[:] = 0
    costs[:] = 0
    for q in range(n_qi):
        begin = starts[q, node[q]]
        for row in range(n_rows):
            keys[row] |= table[begin + leaves[q, row]]
            costs[row] += label_costs[begin + leaves[q, row]]
    _count(keys, counts, n_rows, first, slots, sizes, index(len(first) - 1))
    for row in range(n_rows):
        if sizes[slots[row]] >= least and costs[row] < cheapest[row]:
            cheapest[row] = costs[row]
        first[slots[row]] = -1


def warm_up() -> None:
    """Compile, or load machine code, on two rows."""
    digits = Digits(np.array([0, 1]), np.array([0, 1]), np.zeros((1, 1), dtype=np.int64))
    ones = np.ones(2, dtype=np.int64)
    rows = Rows(np.arange(2), np.array([[0, 1]], dtype=np.int32), ones, ones.copy(), np.array([2]))
    nodes = np.zeros((1, 1), dtype=np.int64)
    cheapest_costs(digits, rows, nodes, 1, ones.copy(), 0, 10)
    cover_by_size(digits, rows, nodes, 1, np.full(2, -1), 0, 10, 1)
