"""Classification: how many records are lost to whoever predicts the target from the release [1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import Reals
from engine.utility.base import Candidates, UtilityMetric, utility_metrics


@utility_metrics.register("classification")
@dataclass(frozen=True, slots=True)
class Classification(UtilityMetric):
    """Share of records suppressed, or without the most frequent target value of their class.

    Where values tie for the most frequent, one of them is: of two and two records, two are lost. The
    target is that of the problem; without one the metric does not exist (nan).

    References
    ----------
    .. [1] Iyengar (2002). Transforming Data to Satisfy Privacy Constraints. KDD.
    """

    title: ClassVar[str] = "Classification error"
    meaning: ClassVar[str] = "0 = told by every class, 1 = all suppressed"
    costly: ClassVar[bool] = True
    needs_target: ClassVar[bool] = True

    def natural(self, candidates: Candidates, weights: Reals | None = None) -> Reals:
        """Share of records per node, in [0, 1]."""
        if candidates.problem.target is None:
            return np.full(len(candidates.suppressed), np.nan)
        return np.asarray((candidates.suppressed + candidates.kept_misses) / candidates.problem.n_records)

    def bounds(self, problem: Problem) -> tuple[float, float]:
        """From every record told by its class to all suppressed."""
        return 0.0, 1.0
