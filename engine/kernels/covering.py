"""Walking nodes in a given order: at each, rows not yet placed are grouped, and large groups are placed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Codes, Counts, IntArray, Keys

NOT_PLACED = -1


class Digits(NamedTuple):
    """What each value adds to the key and the cost of its row on each level.

    Attributes
    ----------
    table : ndarray of int64
        Labels as bit fields, those of a column apart from those of the others, by level and value: equal
        keys are equal labels.
    costs : ndarray of int64
        Cost of the same labels; whole numbers, so that sums are the same in any order.
    starts : ndarray of int64, shape (n_qi, n_levels)
        Where the values of a column on a level begin in the table.
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
        Records of each.
    discounts : ndarray of int64, shape (n_rows,)
        What its records together may cost beside the limit.
    n_left : ndarray of int64, shape (1,)
    """

    numbers: IntArray
    leaves: Codes
    counts: Counts
    discounts: Counts
    n_left: NDArray[np.int64]


def keys_at(digits: Digits, rows: Rows, node: NDArray[np.integer[Any]]) -> Keys:
    """Key of every row that is left, on the levels of a node."""
    n_left = int(rows.n_left[0])
    keys: Keys = np.zeros(n_left, dtype=np.int64)
    for q, level in enumerate(node.tolist()):
        keys |= digits.table[digits.starts[q, level] + rows.leaves[q, :n_left]]
    return keys


def costs_at(digits: Digits, rows: Rows, node: NDArray[np.integer[Any]], chosen: IntArray) -> Counts:
    """Cost of a record of some of the rows that are left, on the levels of a node."""
    costs: Counts = np.zeros(len(chosen), dtype=np.int64)
    for q, level in enumerate(node.tolist()):
        costs += digits.costs[digits.starts[q, level] + rows.leaves[q, chosen]]
    return costs


def sums_of(labels: IntArray, values: Counts) -> Counts:
    """Sum of whole numbers per label, exact."""
    sums: Counts = np.zeros(int(labels.max()) + 1, dtype=np.int64)
    np.add.at(sums, labels, values)
    return sums


def cheapest_costs(
    digits: Digits,
    rows: Rows,
    nodes: NDArray[np.int64],
    least: int,
    cheapest: Counts,
    start: int,
    n_visits: int,
) -> int:
    """Lower the cost known for every row to that of a node where it is in a group that is large enough.

    Parameters as `cover_by_size`; no row is taken away. `cheapest` has shape (all_rows,).
    """
    n_seen, everybody = 0, np.arange(int(rows.n_left[0]))
    while start < len(nodes) and n_seen < n_visits:
        n_seen += len(everybody)
        costs = costs_at(digits, rows, nodes[start], everybody)
        labels = np.unique(keys_at(digits, rows, nodes[start]), return_inverse=True)[1]
        is_large = (sums_of(labels, rows.counts) >= least)[labels]
        np.minimum(cheapest, costs, out=cheapest, where=is_large)
        start += 1
    return start


def place(rows: Rows, is_placed: NDArray[np.bool_]) -> None:
    """Drop rows from those that are left; the others keep their order."""
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
) -> int:
    """Place every group of at least so many records that costs little enough, node by node.

    Parameters
    ----------
    digits : Digits
    rows : Rows
        What is placed is taken away.
    nodes : ndarray of int64, shape (n_nodes, n_qi)
    least : int
        Records of the smallest group.
    groups : ndarray of int64, shape (all_rows,)
        Filled with the group of every row that is placed: the number of the first row in it.
    start : int
        The node to go on with.
    n_visits : int
        Rows to look at, about, before returning.
    limit : int
        What a record may cost on the average, the discounts of its group left aside.

    Returns
    -------
    int
        The node to go on with next.
    """
    n_seen = 0
    while start < len(nodes) and n_seen < n_visits and rows.n_left[0]:
        keys = keys_at(digits, rows, nodes[start])
        start += 1
        n_seen += len(keys)
        _, first, labels = np.unique(keys, return_index=True, return_inverse=True)
        sizes = sums_of(labels, rows.counts[: len(keys)])
        is_large = sizes >= least
        if is_large.any():
            costs = costs_at(digits, rows, nodes[start - 1], first)
            is_large &= costs * sizes - sums_of(labels, rows.discounts[: len(keys)]) <= limit * sizes
        is_large = is_large[labels]
        if is_large.any():
            here = rows.numbers[: len(keys)]
            groups[here[is_large]] = here[first[labels[is_large]]]
            place(rows, is_large)
    return start
