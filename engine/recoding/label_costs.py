"""Cost of a label: the share of a column's values that it leaves open."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.frequency import Problem
from engine.kernels.arrays import FloatArray
from engine.utility.base import shares


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
