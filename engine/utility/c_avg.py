"""Normalized average class size: how far classes exceed the required size [1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import FloatArray
from engine.utility.base import Candidates, UtilityMetric, utility_metrics
from engine.words import lazy


@utility_metrics.register("c_avg")
@dataclass(frozen=True, slots=True)
class NormalizedClassSize(UtilityMetric):
    """Kept records / (kept classes * k), k the required class size or, without one, the measured one.

    If persons have several records, persons per class are summed instead of records. The value is nan if
    nothing is kept.

    References
    ----------
    .. [1] LeFevre, DeWitt, Ramakrishnan (2006). Mondrian Multidimensional K-Anonymity. ICDE.
    """

    title: ClassVar[str] = lazy("Normalized class size")
    meaning: ClassVar[str] = lazy("1 = every class just large enough")
    monotonic: ClassVar[bool] = False  # the measured k may grow faster than the average class
    suppressing_costs: ClassVar[bool] = False  # without a large class, the average is lower

    def natural(self, candidates: Candidates, weights: FloatArray | None = None) -> FloatArray:
        """Average class size over k, per node."""
        k = candidates.required_k or candidates.kept_k
        cells = np.maximum(candidates.kept_classes * k, 1)
        return np.where(candidates.kept_classes > 0, candidates.kept_sizes / cells, np.nan)

    def bounds(self, problem: Problem, weights: FloatArray | None = None) -> tuple[float, float]:
        """Return classes just large enough, and one class if one record would be enough."""
        return 1.0, float(problem.n_records)
