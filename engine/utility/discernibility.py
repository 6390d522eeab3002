"""Discernibility: the number of records that each record cannot be distinguished from [1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import FloatArray
from engine.utility.base import Candidates, UtilityMetric, utility_metrics
from engine.words import lazy


@utility_metrics.register("discernibility")
@dataclass(frozen=True, slots=True)
class Discernibility(UtilityMetric):
    """Sum over records of the class size if kept, and of the table size if suppressed.

    References
    ----------
    .. [1] Bayardo, Agrawal (2005). Data Privacy through Optimal k-Anonymization. ICDE.
    """

    title: ClassVar[str] = lazy("Discernibility")
    unit: ClassVar[str] = lazy("record pairs")
    meaning: ClassVar[str] = lazy("sum of squared class sizes")

    def natural(self, candidates: Candidates, weights: FloatArray | None = None) -> FloatArray:
        """Sum of squared sizes of kept classes + suppressed * n per node."""
        total = candidates.kept_squares + candidates.suppressed * candidates.problem.n_records
        return total.astype(np.float64)

    def bounds(self, problem: Problem, weights: FloatArray | None = None) -> tuple[float, float]:
        """Return all records distinct and all equal."""
        return float(problem.n_records), float(problem.n_records) ** 2
