"""Classification: share of records whose target is not predicted from the release [1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import FloatArray
from engine.params import param
from engine.utility.base import Candidates, UtilityMetric, utility_metrics
from engine.utility.by_attribute import CODING, generalization_factor, suppression_factor
from engine.words import lazy


@utility_metrics.register("classification")
@dataclass(frozen=True, slots=True)
class Classification(UtilityMetric):
    """Share of records suppressed, or without the most frequent target value of their class.

    If values tie for the most frequent, one of them is: of two and two records, two are lost. Without a
    target in the problem the value is nan. The coding model multiplies the suppressed or the misclassified
    records.

    References
    ----------
    .. [1] Iyengar (2002). Transforming Data to Satisfy Privacy Constraints. KDD.
    """

    title: ClassVar[str] = lazy("Classification error")
    meaning: ClassVar[str] = lazy("0 = all predicted, 1 = all suppressed")
    costly: ClassVar[bool] = True
    needs_target: ClassVar[bool] = True

    coding: float = param(0.5, CODING)

    def natural(self, candidates: Candidates, weights: FloatArray | None = None) -> FloatArray:
        """Share of records per node, in [0, 1]."""
        if candidates.problem.target is None:
            return np.full(len(candidates.suppressed), np.nan)
        kept, hidden = generalization_factor(self.coding), suppression_factor(self.coding)
        lost = candidates.suppressed * hidden + candidates.kept_misses * kept
        return np.asarray(lost / candidates.problem.n_records)

    @property
    def has_floor(self) -> bool:
        """Return false if a suppressed record may cost less than a misclassified one."""
        return self.coding >= 0.5

    def bounds(self, problem: Problem, weights: FloatArray | None = None) -> tuple[float, float]:
        """Return every record predicted by its class and all suppressed."""
        return 0.0, 1.0
