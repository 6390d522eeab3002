"""The share of classes that a node loses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.frequency import Problem
from engine.kernels.arrays import FloatArray
from engine.utility import Candidates, UtilityMetric


@dataclass(frozen=True, slots=True)
class LostClasses(UtilityMetric):
    """1 − kept classes / records: how few different combinations of values remain."""

    title: ClassVar[str] = "Lost classes"
    meaning: ClassVar[str] = "0 = a class for every record, 1 = no class is left"

    def natural(self, candidates: Candidates, weights: FloatArray | None = None) -> FloatArray:
        """Return the loss per node."""
        return 1.0 - candidates.kept_classes / candidates.problem.n_records

    def bounds(self, problem: Problem, weights: FloatArray | None = None) -> tuple[float, float]:
        """Return the values for a class per record, and for no class."""
        return 0.0, 1.0
