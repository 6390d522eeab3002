"""Records by risk as steps, and how a risk axis is laid out; plain arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

import numpy as np

from engine.kernels.arrays import Reals

_NICE = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02)
_TYPED = 1000  # the threshold is typed in tenths of a percent


@dataclass(frozen=True, eq=False)
class Steps:
    """The share of records that have at least a risk.

    Attributes
    ----------
    risks : ndarray of float64, shape (n_risks,)
        Distinct risks, decreasing.
    shares : ndarray of float64, shape (n_risks,)
        Share of records with that risk or a higher one, increasing to 1.
    """

    risks: Reals
    shares: Reals

    def at(self, risk: float) -> float:
        """Share of records with at least this risk."""
        n = int(np.searchsorted(-self.risks, -risk * (1 - 1e-12), side="right"))
        return float(self.shares[n - 1]) if n else 0.0


@dataclass(frozen=True)
class RiskAxis:
    """Risks from the lowest to certainty, by powers of ten."""

    lowest: float

    @classmethod
    def over(cls, curves: Sequence[Steps]) -> RiskAxis:
        """An axis with room for all risks of some curves."""
        least = min((float(curve.risks[-1]) for curve in curves if len(curve.risks)), default=0.1)
        return cls(min(least, 0.5) * 0.8)

    def place(self, risk: float) -> float:
        """Where a risk lies, 0 at the lowest and 1 at certainty."""
        return 1.0 - log10(min(max(risk, self.lowest), 1.0)) / log10(self.lowest)

    def risk(self, place: float) -> float:
        """The risk at a place."""
        return float(self.lowest ** (1.0 - min(max(place, 0.0), 1.0)))

    def ticks(self) -> list[float]:
        """Risks worth printing, increasing; powers of ten and what is usual between the last two."""
        tens = [10.0**power for power in range(floor(log10(self.lowest)), -1)]
        return sorted(risk for risk in {*tens, *_NICE} if risk >= self.lowest)


def typed(risk: float) -> float:
    """The nearest threshold a person could have typed."""
    return min(max(round(risk * _TYPED), 1), _TYPED) / _TYPED
