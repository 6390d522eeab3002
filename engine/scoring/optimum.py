"""The rule by which every algorithm selects its optimum."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.lattice import Nodes

TIE = 1e-12
# Bounds and values are rounded separately; a bound counts only beyond this difference, so that it never hides
# the optimum or a tie with it.
RELATIVE_ROUNDING, ABSOLUTE_ROUNDING = 1e-9, 1e-12


def best_of(
    lattice: Nodes,
    nodes: IntArray,
    values: FloatArray,
    suppressed: Counts,
    ties: Callable[[IntArray], FloatArray | None] | None = None,
) -> int | None:
    """Return the node of least value among some.

    Ties within a relative 1e-12 are decided by the metric (see `UtilityMetric.ties`), then by the fewest
    suppressed records, the lowest sum of levels, and the lexicographically first node. A missing value counts
    as worst.

    Parameters
    ----------
    nodes : ndarray of int64
        Node numbers; the other arrays are in their order.
    ties : callable, optional
        Returns further values of some of the nodes, compared one column after another.

    Returns
    -------
    int or None
        Node number; None if there are none.
    """
    if not len(nodes):
        return None
    least = np.fmin.reduce(values)
    if np.isfinite(least):
        is_tied = values <= least + abs(least) * TIE
        nodes, suppressed = nodes[is_tied], suppressed[is_tied]
        further = ties(nodes) if ties is not None and len(nodes) > 1 else None
        if further is not None:
            first = _first(further)
            nodes, suppressed = nodes[first], suppressed[first]
    order = np.lexsort((lattice.ranks(nodes), lattice.sums[nodes], suppressed))
    return int(nodes[order[0]])


def _first(values: FloatArray) -> IntArray:
    """Return the rows that come first if columns are compared in turn, equal within rounding."""
    rows: IntArray = np.arange(len(values))
    for column in values.T:
        least = column[rows].min()
        rows = rows[column[rows] <= least + abs(least) * TIE]
    return rows
