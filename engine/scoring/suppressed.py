"""The entropy of what is suppressed: the one score that needs the labels of the failing records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.kernels.arrays import BoolArray, Counts, Reals
from engine.privacy import Requirement
from engine.scoring.judged_sets import JudgedSet, measured_nodes

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes


def entropy_bits(counts: Counts) -> float:
    """Entropy of a distribution times its number of records: -sum c log2(c / S), bits."""
    occurring = counts[counts > 0]
    total = occurring.sum()
    return float(-(occurring * np.log2(occurring / total)).sum()) + 0.0 if total else 0.0


def suppressed_bits(profile: ScoredNodes, requirement: Requirement, wanted: BoolArray) -> Reals:
    """Entropy of every attribute's labels among the suppressed records, for all wanted nodes.

    Returns
    -------
    ndarray of float64, shape (n_nodes, n_qi)
        Bits, summed over the suppressed records; 0 for nodes not wanted.
    """
    problem = profile.problem

    def measure(found: JudgedSet) -> Reals:
        own = np.zeros(len(problem.attributes))
        failing = np.flatnonzero(~found.kept)
        for q, level in enumerate(found.node):
            if len(failing) and len(problem.attributes[q].hierarchy.levels[level].labels) > 1:
                labels = found.tuples.field(q, level)[found.starts[failing]]
                own[q] = entropy_bits(_sums(labels, found.records[failing]))
        return own

    bits = np.zeros((profile.lattice.n_nodes, len(problem.attributes)))
    for number, own in measured_nodes(profile, requirement, wanted, "suppressed", measure):
        bits[number] = own
    return bits


def _sums(labels: Counts, weights: Counts) -> Counts:
    if int(labels.max()) < 1 << 16:
        return np.bincount(labels, weights=weights)
    _, compact = np.unique(labels, return_inverse=True)
    return np.bincount(compact, weights=weights)
