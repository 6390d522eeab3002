"""Entropy-based information loss: share of a record's information that its labels hide [1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import FloatArray
from engine.utility.base import Candidates, UtilityMetric, utility_metrics
from engine.words import lazy


@utility_metrics.register("entropy_loss")
@dataclass(frozen=True, slots=True)
class EntropyLoss(UtilityMetric):
    """Mean over records of log(leaves covered) / log(all leaves), both multiplied over columns.

    A suppressed record loses 1. Weights multiply the logarithms of a column, in both parts. Without a column
    of two leaves nothing can be lost but by suppression.

    Notes
    -----
    ARX shows the sum over records, which is this value times their number.

    References
    ----------
    .. [1] Wan, Vorobeychik, Xia, Clayton, Kantarcioglu, Ganta, Heatherly, Malin (2015). A Game Theoretic
       Framework for Analyzing Re-Identification Risk. PLoS ONE 10(3).
    """

    title: ClassVar[str] = lazy("Entropy-based information loss")
    meaning: ClassVar[str] = lazy("0 = none lost, 1 = all hidden")
    costly: ClassVar[bool] = True
    weighted: ClassVar[bool] = True
    kernels: ClassVar[str] = "covered_leaves"

    def natural(self, candidates: Candidates, weights: FloatArray | None = None) -> FloatArray:
        """Return the mean loss of a record, per node."""
        return lost_records(candidates, weights) / candidates.problem.n_records

    def bounds(self, problem: Problem, weights: FloatArray | None = None) -> tuple[float, float]:
        """Return the values for unchanged and for suppressed records."""
        return 0.0, 1.0


def lost_records(candidates: Candidates, weights: FloatArray | None = None) -> FloatArray:
    """Return the information losses of all records added up, per node; a suppressed one loses 1."""
    problem = candidates.problem
    factors = np.ones(len(problem.attributes)) if weights is None or not weights.any() else weights
    bits = np.log2([float(attribute.hierarchy.n_leaves) for attribute in problem.attributes])
    whole = float(factors @ bits)
    lost = candidates.suppressed.astype(np.float64)
    if not whole:
        return lost
    lost += candidates.kept_bits(factors) / whole
    return np.minimum(lost, problem.n_records, out=lost)
