"""What nodes are compared by, beside the metric's key: attribute weights and settings of the metric."""

from __future__ import annotations

from dataclasses import dataclass

from engine.kernels.arrays import Reals
from engine.utility.base import Candidates, UtilityMetric, utility_metrics


@dataclass(frozen=True, eq=False)
class Objective:
    """How metrics are read wherever they are read in one evaluation.

    Weights change every metric that is weighted; the settings are those of one metric, and all others
    are read at their usual ones.

    Attributes
    ----------
    weights : ndarray of float64, shape (n_qi,), or None
    chosen : UtilityMetric or None
        The metric that has settings of its own.
    """

    weights: Reals | None = None
    chosen: UtilityMetric | None = None

    @classmethod
    def of(cls, given: Objective | Reals | None) -> Objective:
        """Take weights alone for an objective with the usual settings."""
        return given if isinstance(given, Objective) else cls(given)

    def member(self, key: str) -> UtilityMetric:
        """A metric as it is set."""
        if self.chosen is not None and self.chosen.key == key:
            return self.chosen
        return utility_metrics[key]()

    def natural(self, key: str, candidates: Candidates) -> Reals:
        """Natural values of a metric, one per candidate; nan where it does not exist."""
        return self.member(key).natural(candidates, self.weights)

    def ties(self, key: str, candidates: Candidates) -> Reals | None:
        """See `UtilityMetric.ties`."""
        return self.member(key).ties(candidates, self.weights)

    def index(self, key: str) -> tuple[UtilityMetric, bytes]:
        """What the values of a metric depend on, beside the candidates."""
        return self.member(key), b"" if self.weights is None else self.weights.tobytes()
