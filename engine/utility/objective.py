"""Comparison of nodes: the metric with attribute weights and settings."""

from __future__ import annotations

from dataclasses import dataclass

from engine.kernels.arrays import FloatArray
from engine.utility.base import Candidates, UtilityMetric, utility_metrics


@dataclass(frozen=True, eq=False)
class Objective:
    """Weights and settings with which all metrics of one evaluation are computed.

    Weights apply to every weighted metric; the settings are those of one metric, and all others use their
    defaults.

    Attributes
    ----------
    weights : ndarray of float64, shape (n_qi,), or None
    chosen : UtilityMetric or None
        The metric with settings.
    """

    weights: FloatArray | None = None
    chosen: UtilityMetric | None = None

    @classmethod
    def of(cls, given: Objective | FloatArray | None) -> Objective:
        """Return an objective with these weights, or the objective itself, with default settings."""
        return given if isinstance(given, Objective) else cls(given)

    def member(self, key: str) -> UtilityMetric:
        """Return a metric with its settings."""
        if self.chosen is not None and self.chosen.key == key:
            return self.chosen
        return utility_metrics[key]()

    def natural(self, key: str, candidates: Candidates) -> FloatArray:
        """Natural values of a metric, one per candidate; nan if it has no value."""
        return self.member(key).natural(candidates, self.weights)

    def ties(self, key: str, candidates: Candidates) -> FloatArray | None:
        return self.member(key).ties(candidates, self.weights)

    def index(self, key: str) -> tuple[UtilityMetric, bytes]:
        """Return the key that the values of a metric depend on, in addition to the candidates."""
        return self.member(key), b"" if self.weights is None else self.weights.tobytes()
