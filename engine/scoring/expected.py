"""Expected kept records of every node under differential privacy by sampling, without drawing any."""

from __future__ import annotations

import numpy as np

from engine.kernels.arrays import FloatArray
from engine.privacy.sampling import kept_shares
from engine.scoring.scored import Profile, ScoredNodes


def expected_shares(profile: Profile | ScoredNodes, beta: float, k: int) -> FloatArray:
    """Return the expected share of the records that are drawn and kept, by node; nan if not scored.

    Parameters
    ----------
    profile : Profile or ScoredNodes
        Scores of the complete table, not of drawn records.
    beta : float
        Probability of drawing a record.
    k : int
        Least number of drawn records of a kept class.
    """
    nodes = profile.scored_nodes()
    cells = nodes.cells()
    found = np.full(nodes.lattice.n_nodes, np.nan)
    if not cells.n_cells:
        return found
    sizes, places = np.unique(cells.classes.records, return_inverse=True)
    of_kind = kept_shares(sizes.astype(np.int64), beta, k)[places]
    of_cell = of_kind if cells.kinds is None else of_kind[cells.kinds]
    found[cells.nodes] = np.add.reduceat(cells.records * of_cell, cells.starts) / nodes.problem.n_records
    return found
