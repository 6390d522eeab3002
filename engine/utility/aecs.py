"""Average equivalence class size; the suppressed records count as one class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import FloatArray
from engine.params import param
from engine.utility.base import Candidates, UtilityMetric, utility_metrics
from engine.utility.by_attribute import CODING, generalization_factor, suppression_factor
from engine.words import lazy


@utility_metrics.register("aecs")
@dataclass(frozen=True, slots=True)
class AverageClassSize(UtilityMetric):
    """Records per class: n / (kept classes + 1 if anything is suppressed), as ARX 3.9 scores nodes.

    The coding model multiplies one of the two counts: the kept classes if suppression counts less, the class
    of suppressed records if generalization does. More classes are better, which reverses the direction of
    metrics that add up losses; ARX does the same.
    """

    title: ClassVar[str] = lazy("Average class size")
    unit: ClassVar[str] = "records"
    meaning: ClassVar[str] = lazy("records per class")

    # at either end one kind of class would count nothing, and a release of only that kind would have no value
    coding: float = param(0.5, replace(CODING, minimum=0.01, maximum=0.99))

    def natural(self, candidates: Candidates, weights: FloatArray | None = None) -> FloatArray:
        """Records per class and node."""
        n_records, any_suppressed = candidates.problem.n_records, candidates.suppressed > 0
        if self.coding == 0.5:
            return np.asarray(n_records / np.maximum(candidates.kept_classes + any_suppressed, 1))
        kept, hidden = suppression_factor(self.coding), generalization_factor(self.coding)
        classes = candidates.kept_classes * kept + any_suppressed * hidden
        return np.asarray(n_records / np.where(classes > 0, classes, 1.0))

    @property
    def has_floor(self) -> bool:
        """Return false if the class of suppressed records counts more than others."""
        return self.coding >= 0.5

    def bounds(self, problem: Problem, weights: FloatArray | None = None) -> tuple[float, float]:
        """Return one record per class and one class in all."""
        n_records = float(problem.n_records)
        kept, hidden = suppression_factor(self.coding), generalization_factor(self.coding)
        most = max(n_records * kept, (n_records - 1) * kept + hidden)
        return n_records / max(most, 1.0), n_records / min(kept, hidden)
