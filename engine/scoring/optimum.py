"""The one rule by which every algorithm names its optimum."""

from __future__ import annotations

import numpy as np

from engine.kernels.arrays import Counts, IntArray, Reals
from engine.lattice import Nodes

TIE = 1e-12
# Bounds and values are rounded apart from each other; a bound counts only beyond that, so that it never
# hides the optimum or what ties with it.
RELATIVE_ROUNDING, ABSOLUTE_ROUNDING = 1e-9, 1e-12


def best_of(lattice: Nodes, nodes: IntArray, values: Reals, suppressed: Counts) -> int | None:
    """Return the node of least value among some.

    Among values equal within a relative 1e-12 the fewest suppressed records decide, then the lowest
    sum of levels, then the lexicographically first node. A value that does not exist counts as worst.

    Parameters
    ----------
    nodes : ndarray of int64
        Node numbers; the other arrays are in their order.

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
    order = np.lexsort((lattice.ranks(nodes), lattice.sums[nodes], suppressed))
    return int(nodes[order[0]])
