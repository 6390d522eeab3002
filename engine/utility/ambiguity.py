"""Ambiguity: the number of original records that a released one may represent [1]."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import FloatArray
from engine.utility.base import Candidates, UtilityMetric, utility_metrics
from engine.words import N_, lazy


@utility_metrics.register("ambiguity")
@dataclass(frozen=True, slots=True)
class Ambiguity(UtilityMetric):
    """Mean over records of the combinations of leaves their labels cover; a suppressed one covers all.

    References
    ----------
    .. [1] Goldberger, Tassa (2010). Efficient Anonymizations with Enhanced Utility. Transactions on
       Data Privacy 3(2). Divided by the number of records.
    """

    title: ClassVar[str] = lazy("Ambiguity")
    unit: ClassVar[str] = N_("combinations")
    meaning: ClassVar[str] = lazy("original records that a released record may represent")
    costly: ClassVar[bool] = True
    kernels: ClassVar[str] = "covered_leaves"

    def natural(self, candidates: Candidates, weights: FloatArray | None = None) -> FloatArray:
        """Combinations per record and node."""
        everywhere = candidates.suppressed * all_combinations(candidates.problem)
        return np.asarray((candidates.kept_combinations + everywhere) / candidates.problem.n_records)

    def bounds(self, problem: Problem, weights: FloatArray | None = None) -> tuple[float, float]:
        """Return the record alone and all combinations."""
        return 1.0, all_combinations(problem)


def all_combinations(problem: Problem) -> float:
    """Return the number of combinations of leaves, whether their values occur in the data or not."""
    return float(prod(float(attribute.hierarchy.n_leaves) for attribute in problem.attributes))
