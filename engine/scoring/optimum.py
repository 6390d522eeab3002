"""The one rule by which every algorithm names its optimum."""

from __future__ import annotations

import numpy as np

from engine.kernels.arrays import BoolArray, Counts, Reals
from engine.lattice import Nodes

TIE = 1e-12


def best_node(lattice: Nodes, satisfies: BoolArray, values: Reals, suppressed: Counts) -> int | None:
    """Return the satisfying node of least value.

    Among values equal within a relative 1e-12 the fewest suppressed records decide, then the lowest
    sum of levels, then the lexicographically first node. A value that does not exist counts as worst.

    Returns
    -------
    int or None
        Node number; None if no node satisfies.
    """
    candidates = np.flatnonzero(satisfies)
    if not len(candidates):
        return None
    scores = np.where(np.isnan(values[candidates]), np.inf, values[candidates])
    least = scores.min()
    tied = candidates[scores <= least + abs(least) * TIE] if np.isfinite(least) else candidates
    order = np.lexsort((lattice.ranks(tied), lattice.sums[tied], suppressed[tied]))
    return int(tied[order[0]])
