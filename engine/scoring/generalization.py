"""What generalization alone costs at every node, before any record is suppressed."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import Counts, IntArray, Reals
from engine.utility.loss import Loss


class Unsuppressed:
    """All nodes with every record kept; the part of `Candidates` that the loss reads."""

    required_k = None

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    @property
    def levels(self) -> IntArray:
        """Level vectors, shape (n_nodes, n_qi)."""
        return self.problem.lattice.levels  # type: ignore[return-value]  # int16 serves as index

    @cached_property
    def suppressed(self) -> Counts:
        """No record, at every node."""
        return np.zeros(self.problem.lattice.n_nodes, dtype=np.int64)

    def kept_leaves(self, attribute: int) -> Counts:
        """Sum over all records of the leaves their label covers, per node."""
        entry = self.problem.attributes[attribute]
        records = np.bincount(entry.leaves, minlength=entry.hierarchy.n_leaves)
        sums = [int(records @ level.n_leaves[level.codes]) for level in entry.hierarchy.levels]
        return np.array(sums, dtype=np.int64)[self.levels[:, attribute]]


def generalization_loss(problem: Problem) -> Reals:
    """Loss of every node if no record were suppressed; needs no scoring and no threshold.

    Returns
    -------
    ndarray of float64, shape (n_nodes,)
        In [0, 1], all attributes weighing the same; at most the loss under any requirement.
    """
    return Loss().natural(Unsuppressed(problem))  # type: ignore[arg-type]  # reads no other figure
