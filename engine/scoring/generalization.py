"""Loss of every node by generalization alone, before any record is suppressed."""

from __future__ import annotations

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.utility.loss import Loss
from engine.utility.non_uniform_entropy import coarsening_bits


class Unsuppressed:
    """Nodes with every record kept; the part of `Candidates` that losses by attribute read.

    Parameters
    ----------
    levels : ndarray of int, shape (n_nodes, n_qi)
    """

    required_k = None

    def __init__(self, problem: Problem, levels: IntArray) -> None:
        self.problem = problem
        self.levels = levels
        self.suppressed: Counts = np.zeros(len(levels), dtype=np.int64)

    def kept_leaves(self, attribute: int) -> Counts:
        """Return the sum over all records of the leaves their label covers, per node."""
        entry = self.problem.attributes[attribute]
        sums = [int(entry.leaf_counts @ level.n_leaves[level.codes]) for level in entry.hierarchy.levels]
        return np.array(sums, dtype=np.int64)[self.levels[:, attribute]]

    def suppressed_leaves(self, attribute: int) -> Counts:
        """Return 0, since no record is suppressed."""
        return self.suppressed

    def lost_bits(self, attribute: int) -> FloatArray:
        """Return the bits that generalizing an attribute hides, per node."""
        return coarsening_bits(self.problem.attributes[attribute])[self.levels[:, attribute]]

    def suppressed_bits(self, attribute: int) -> FloatArray:
        """Return 0, since no record is suppressed."""
        return np.zeros(len(self.levels))

    def kept_spans(self, attribute: int) -> FloatArray:
        """Return the sum over all records of the numeric width of their label, per node."""
        entry = self.problem.attributes[attribute]
        sums = [
            float(entry.leaf_counts @ entry.label_spans(number)[level.codes])
            for number, level in enumerate(entry.hierarchy.levels)
        ]
        return np.array(sums)[self.levels[:, attribute]]


def generalization_loss(problem: Problem) -> FloatArray:
    """Return the loss of every node if no record is suppressed; needs no scoring and no threshold.

    Returns
    -------
    ndarray of float64, shape (n_nodes,)
        In [0, 1], with equal weights of attributes; at most the loss under any requirement.
    """
    nodes = Unsuppressed(problem, problem.lattice.levels)  # type: ignore[arg-type]  # int16 serves as index
    return Loss().natural(nodes)  # type: ignore[arg-type]  # reads no other figure
