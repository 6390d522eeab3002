"""Finds for each row the others that share the cheapest labels with it.

The code can be interpreted or compiled.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.label_trees import NOT_LISTED, common_label, join_cost


class Steps(NamedTuple):
    """Differences between neighbours in sorted rows.

    Attributes
    ----------
    splits : ndarray of int32, shape (n_rows + 1,)
        First column in which a row differs from the one before; 0 at both ends.
    behind, ahead : ndarray of int32, shape (n_rows, n_qi)
        The next row after and before each one that differs from it up to a column; `n_rows` and -1 for none.
    """

    splits: NDArray[np.int32]
    behind: NDArray[np.int32]
    ahead: NDArray[np.int32]


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


def compare(
    first: Any, last: Any, distinct: Any, steps: Any, tree: Any, near: Any, prices: Any, sums: Any
) -> None:
    """Find the rows that share the cheapest labels with each of some rows, among all.

    Rows are sorted. If the first columns of one cost too much already, so do those of all rows that are equal
    in them.

    Parameters
    ----------
    first, last : int
        The rows in question.
    distinct : ndarray of int32, shape (n_rows, n_qi)
        Lowest labels, in lexicographic order.
    near : ndarray of int32, shape (n_rows, n_near)
        Output, by price.
    prices : ndarray of int64, shape (n_rows, n_near)
        Output; `HOPELESS` before.
    sums : ndarray of int64, shape (n_qi + 1,)
        Working space; 0 at first.
    """
    splits, behind, ahead = steps
    costs, offsets, join_costs = tree[2], tree[3], tree[5]
    n_rows, n_qi = distinct.shape
    n_near = near.shape[1]
    for row in range(first, last):
        own = distinct[row]
        for side in range(2):
            shift = 1 if side == 0 else -1
            other = np.int64(row + shift)
            column = np.int64(0)
            while 0 <= other < n_rows:
                most = prices[row, n_near - 1]
                price = sums[column]
                while column < n_qi:
                    offset = offsets[own[column]]
                    if offset != NOT_LISTED:
                        price += join_costs[np.int64(offset) + distinct[other, column]]
                    else:
                        price += costs[common_label(own[column], distinct[other, column], tree)]
                    if price > most:
                        break
                    column += 1
                    sums[column] = price
                if column == n_qi:
                    insert_near(other, price, near[row], prices[row])
                    column -= 1
                other = np.int64(behind[other, column] if side == 0 else ahead[other, column])
                if 0 <= other < n_rows:
                    column = np.int64(splits[other + side])


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
