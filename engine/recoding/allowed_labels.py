"""Labels on the levels that a problem allows, with what they cost and which ones others share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.frequency import Problem
from engine.kernels.arrays import FloatArray, IntArray
from engine.kernels.label_trees import NOT_LISTED, Labels
from engine.utility.base import shares

SCALE = 1 << 30  # costs are whole numbers: that of a record all hidden


class LabelCosts:
    """Weighted shares of leaves, rescaled so that an original value costs 0 and all hidden cells 1.

    The loss of Iyengar (2002) for one cell; its sum over columns is the loss of a record, in [0, 1].

    Parameters
    ----------
    problem : Problem
        With rooted hierarchies.
    weights : ndarray of float64, shape (n_qi,), or None

    Attributes
    ----------
    weights : ndarray of float64, shape (n_qi,)
        They sum to one.
    tables : list of ndarray of float64, each of shape (height + 1, n_leaves)
        Per column the cost of every leaf's label on every level.
    """

    def __init__(self, problem: Problem, weights: FloatArray | None = None) -> None:
        self.weights: FloatArray = shares(weights, len(problem.attributes))
        self.tables: list[FloatArray] = []
        for attribute, part in zip(problem.attributes, self.weights.tolist(), strict=True):
            others = max(attribute.hierarchy.n_leaves - 1, 1)
            rows = [(level.n_leaves[level.codes] - 1) / others for level in attribute.hierarchy.levels]
            self.tables.append(part * np.array(rows, dtype=np.float64))

    def by_column(self, levels: NDArray[np.integer[Any]], leaves: NDArray[np.integer[Any]]) -> FloatArray:
        """Cost of the cells of some rows, shape (n_rows, n_qi).

        Parameters
        ----------
        levels, leaves : ndarray of int, shape (n_rows, n_qi)
        """
        return np.column_stack(
            [table[levels[:, q], leaves[:, q]] for q, table in enumerate(self.tables)]
        ).astype(np.float64, copy=False)


MOST_JOINED = 1 << 22  # pairs of labels whose lowest common label is listed; 32 MB


def labels_of(problem: Problem, costs: LabelCosts) -> tuple[Labels, list[IntArray]]:
    """All labels on allowed levels with what they cost, and the lowest one of every leaf per column."""
    parents: list[IntArray] = []
    ranks: list[IntArray] = []
    prices: list[IntArray] = []
    lowest: list[IntArray] = []
    n_known = 0
    for attribute, table in zip(problem.attributes, costs.tables, strict=True):
        height = attribute.hierarchy.height
        allowed = list(range(attribute.minimum, attribute.maximum + 1))
        if allowed[-1] < height:
            allowed.append(height)
        starts = n_known + np.cumsum([0] + [len(attribute.hierarchy.levels[g].labels) for g in allowed])
        for rank, level in enumerate(allowed):
            codes = attribute.hierarchy.levels[level].codes
            here = np.arange(starts[rank], starts[rank + 1])
            price = np.zeros(len(here), dtype=np.int64)
            price[codes] = np.rint(table[level] * SCALE).astype(np.int64)
            above = here.copy()
            if rank + 1 < len(allowed):
                above[codes] = starts[rank + 1] + attribute.hierarchy.levels[allowed[rank + 1]].codes
            parents.append(above)
            prices.append(price)
            ranks.append(np.full(len(here), rank))
            if rank == 0:
                lowest.append(starts[0] + codes)
        n_known = int(starts[-1])
    tree = Labels(
        np.concatenate(parents).astype(np.int32),
        np.concatenate(ranks).astype(np.int32),
        np.concatenate(prices).astype(np.int64),
        np.full(n_known, NOT_LISTED, dtype=np.int32),
        np.zeros(0, dtype=np.int32),
        np.zeros(0, dtype=np.int32),
    )
    firsts = [int(low.min()) for low in lowest]
    n_lowest = [int(low.max()) + 1 - first for low, first in zip(lowest, firsts, strict=True)]
    return _with_joins(tree, np.diff([*firsts, n_known]).tolist(), n_lowest), lowest


def _with_joins(tree: Labels, n_labels: list[int], n_lowest: list[int]) -> Labels:
    """List the lowest common labels of the columns that have few enough, the smallest columns first."""
    firsts = np.cumsum([0, *n_labels])
    joins: list[IntArray] = []
    filled = 0
    for q in sorted(range(len(n_labels)), key=lambda q: n_labels[q] * n_lowest[q]):
        size, first = n_labels[q] * n_lowest[q], int(firsts[q])
        if filled + size > MOST_JOINED:
            break
        every, low = np.arange(first, first + n_labels[q]), np.arange(first, first + n_lowest[q])
        tree.offsets[every] = filled + np.arange(n_labels[q]) * n_lowest[q] - first
        joins.append(joined(np.repeat(every, n_lowest[q]), np.tile(low, n_labels[q]), tree))
        filled += size
    if not joins:
        return tree
    pairs = np.concatenate(joins)
    return tree._replace(joins=pairs.astype(np.int32), join_costs=tree.costs[pairs].astype(np.int32))


def joined(one: NDArray[np.integer[Any]], other: NDArray[np.integer[Any]], tree: Labels) -> IntArray:
    """Lowest common label, pair by pair."""
    one, other = one.astype(np.int64), other.astype(np.int64)
    while (apart := one != other).any():
        up = apart & (tree.ranks[one] <= tree.ranks[other])
        down = apart & ~up
        one[up] = tree.parents[one[up]]
        other[down] = tree.parents[other[down]]
    return np.asarray(one)


def mean_joins(labels: NDArray[np.integer[Any]], tree: Labels) -> IntArray:
    """Cost of the labels that each record shares with another far from it, summed per column."""
    others = np.roll(labels, max(len(labels) // 3, 1), axis=0)
    costs = [
        tree.costs[joined(one, other, tree)].sum() for one, other in zip(labels.T, others.T, strict=True)
    ]
    return np.array(costs, dtype=np.int64)
