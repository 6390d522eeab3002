"""Average equivalence class size, the suppressed records taken as one class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import Reals
from engine.utility.base import Candidates, UtilityMetric, utility_metrics


@utility_metrics.register("aecs")
@dataclass(frozen=True, slots=True)
class AverageClassSize(UtilityMetric):
    """Records per class: n / (kept classes + 1 if anything is suppressed), as ARX 3.9 scores nodes."""

    title: ClassVar[str] = "Average class size"
    unit: ClassVar[str] = "records"
    meaning: ClassVar[str] = "records per class"

    def natural(self, candidates: Candidates, weights: Reals | None = None) -> Reals:
        """Records per class and node."""
        classes = candidates.kept_classes + (candidates.suppressed > 0)
        return np.asarray(candidates.problem.n_records / np.maximum(classes, 1))

    def bounds(self, problem: Problem) -> tuple[float, float]:
        """From one record per class to one class."""
        return 1.0, float(problem.n_records)
