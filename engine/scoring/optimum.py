"""The best nodes: the rule by which algorithms select their optimum, and the Pareto front of two scores."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
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


_FEW = 4096  # points that are sorted at once
_BINS = 1024


def pareto_front(first: FloatArray, second: FloatArray, among: BoolArray | None = None) -> BoolArray:
    """Mark the points that no other point dominates.

    A point dominates another if it is at most as large in both scores and smaller in one; points equal
    in both do not dominate one another, so that all or none of them are on the front.

    Parameters
    ----------
    first, second : ndarray of float64, shape (n_points,)
        Scores; smaller is better. Points without a finite value in both are not on the front.
    among : ndarray of bool, shape (n_points,), optional
        The points to consider; all by default.

    Returns
    -------
    ndarray of bool, shape (n_points,)
    """
    is_on_front = np.zeros(len(first), dtype=np.bool_)
    counts = np.isfinite(first) & np.isfinite(second)
    if among is not None:
        counts &= among
    points = np.flatnonzero(counts)
    if len(points) > _FEW:
        points = points[_may_be_on_front(first[points], second[points])]
    if not len(points):
        return is_on_front
    points = points[np.lexsort((second[points], first[points]))]
    x, y = first[points], second[points]
    # the least of a run of equal first scores is first in it; only its equals can be on the front with it
    starts = np.flatnonzero(np.append(True, x[1:] != x[:-1]))
    run = np.cumsum(np.append(True, x[1:] != x[:-1])) - 1
    least = y[starts]
    before = np.append(np.inf, np.minimum.accumulate(least)[:-1])
    is_on_front[points[(y == least[run]) & (y < before[run])]] = True
    return is_on_front


def _may_be_on_front(x: FloatArray, y: FloatArray) -> BoolArray:
    """Exclude most points without sorting: those above the least of all points further left."""
    low, high = float(x.min()), float(x.max())
    if not high > low:
        return np.asarray(y == y.min())
    scale = (_BINS - 1) / (high - low)
    if not 0 < scale < np.inf:  # too far apart, or too close, for bins
        return np.ones(len(x), dtype=np.bool_)
    # rounding keeps the order, so a lower bin has only smaller values
    bins = ((x - low) * scale).astype(np.int64)
    least = np.full(_BINS, np.inf)
    np.minimum.at(least, bins, y)
    before = np.append(np.inf, np.minimum.accumulate(least)[:-1])
    return np.asarray(y < before[bins])
