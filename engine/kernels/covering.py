"""A walk over nodes in a given order: each groups the remaining rows and places large groups."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Codes, Counts, IntArray, Keys

NO_GROUP = -1
NO_LIMIT = 1 << 32  # above what a record can cost; times as many records it still is a number of 64 bits


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


def keys_at(digits: Digits, rows: Rows, node: NDArray[np.integer[Any]]) -> Keys:
    """Return the key of every remaining row, on the levels of a node."""
    n_left = int(rows.n_left[0])
    keys: Keys = np.zeros(n_left, dtype=np.int64)
    for q, level in enumerate(node.tolist()):
        keys |= digits.table[digits.starts[q, level] + rows.leaves[q, :n_left]]
    return keys


def groups_at(
    digits: Digits, rows: Rows, node: NDArray[np.integer[Any]]
) -> tuple[IntArray, IntArray, Counts]:
    """Group of every remaining row on the levels of a node; the first row and the records of each group.

    Groups are numbered in any order.
    """
    _, first, labels = np.unique(keys_at(digits, rows, node), return_index=True, return_inverse=True)
    return labels, first, sums_of(labels, rows.counts[: len(labels)])


def costs_at(digits: Digits, rows: Rows, node: NDArray[np.integer[Any]], chosen: IntArray) -> Counts:
    """Return the cost of a record of some of the remaining rows, on the levels of a node."""
    costs: Counts = np.zeros(len(chosen), dtype=np.int64)
    for q, level in enumerate(node.tolist()):
        costs += digits.costs[digits.starts[q, level] + rows.leaves[q, chosen]]
    return costs


def sums_of(labels: IntArray, values: Counts) -> Counts:
    """Return the exact sum of integers per label."""
    sums: Counts = np.zeros(int(labels.max()) + 1, dtype=np.int64)
    np.add.at(sums, labels, values)
    return sums


def cheapest_costs(
    digits: Digits, rows: Rows, nodes: NDArray[np.int64], least: int, cheapest: Counts
) -> None:
    """Lower the least cost known for every row to that of a node at which its group is large enough.

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
    everybody = np.arange(int(rows.n_left[0]))
    for node in nodes:
        costs = costs_at(digits, rows, node, everybody)
        labels = np.unique(keys_at(digits, rows, node), return_inverse=True)[1]
        is_large = (sums_of(labels, rows.counts) >= least)[labels]
        np.minimum(cheapest, costs, out=cheapest, where=is_large)


def place(rows: Rows, is_placed: NDArray[np.bool_]) -> None:
    """Remove placed rows from the remaining ones; the others keep their order."""
    n_left = int(rows.n_left[0])
    stay = np.flatnonzero(~is_placed)
    for values in (rows.numbers, rows.counts, rows.discounts):
        values[: len(stay)] = values[:n_left][stay]
    rows.leaves[:, : len(stay)] = rows.leaves[:, :n_left][:, stay]
    rows.n_left[0] = len(stay)


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
    """Place every group that is large and cheap enough, node by node.

    A node is left out if no group was cheap enough for the limit when it was last visited.

    Parameters
    ----------
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
    n_seen = 0
    while start < len(nodes) and n_seen < n_visits and rows.n_left[0]:
        number = start
        start += 1
        if cheapest[number] > limit:
            continue
        keys = keys_at(digits, rows, nodes[number])
        n_seen += len(keys)
        _, first, labels = np.unique(keys, return_index=True, return_inverse=True)
        sizes = sums_of(labels, rows.counts[: len(keys)])
        is_large = sizes >= least
        cheapest[number] = NO_LIMIT
        if is_large.any():
            costs = costs_at(digits, rows, nodes[number], first) * sizes
            costs -= sums_of(labels, rows.discounts[: len(keys)])
            limits = -(-costs[is_large] // sizes[is_large])
            dear = limits[limits > limit]
            if len(dear):
                cheapest[number] = dear.min()
            is_large &= costs <= limit * sizes
        is_large = is_large[labels]
        if is_large.any():
            here = rows.numbers[: len(keys)]
            groups[here[is_large]] = here[first[labels[is_large]]]
            place(rows, is_large)
    return start
