"""Payout: what the publisher keeps of the benefit, with suppression and attacks deducted [1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import Problem
from engine.frequency.profit import (
    JOURNALIST,
    Sums,
    attacker_parameter,
    benefit_parameter,
    cost_parameter,
    gain_parameter,
    loss_parameter,
)
from engine.kernels.arrays import FloatArray
from engine.utility.base import Candidates, UtilityMetric, utility_metrics
from engine.utility.entropy_loss import lost_records
from engine.words import N_, lazy


@utility_metrics.register("payout")
@dataclass(frozen=True, slots=True)
class Payout(UtilityMetric):
    """Money that the publisher misses: the benefit of all records unchanged, minus the payout.

    A kept record pays ``benefit (1 - information loss)``, less the expected damage ``loss / people`` if it is
    attacked; a suppressed one pays nothing. An attacker attacks a class if the expected gain ``gain /
    people`` exceeds the cost. Attribute weights change no payments.

    Notes
    -----
    A kept class may pay less than nothing if another model decides on suppression. Without a population known
    person by person, a journalist looks among the people of the table, as a prosecutor.

    References
    ----------
    .. [1] Wan, Vorobeychik, Xia, Clayton, Kantarcioglu, Ganta, Heatherly, Malin (2015). A Game Theoretic
       Framework for Analyzing Re-Identification Risk. PLoS ONE 10(3).
    """

    title: ClassVar[str] = lazy("Payout missed")
    unit: ClassVar[str] = N_("money")
    meaning: ClassVar[str] = lazy("0 = every record pays its benefit")
    costly: ClassVar[bool] = True
    monotonic: ClassVar[bool] = False
    suppressing_costs: ClassVar[bool] = False
    kernels: ClassVar[str] = "covered_leaves"

    benefit: float = benefit_parameter()
    loss: float = loss_parameter()
    gain: float = gain_parameter()
    cost: float = cost_parameter()
    attacker: str = attacker_parameter()

    @property
    def sums(self) -> Sums:
        """The four sums of money."""
        return Sums(self.benefit, self.loss, self.gain, self.cost)

    def natural(self, candidates: Candidates, weights: FloatArray | None = None) -> FloatArray:
        """Return the money missed, per node."""
        most, by_population = self.sums.most_attacked, self.attacker == JOURNALIST
        damage = self.loss * candidates.kept_risk(most, of_population=by_population)
        return self.benefit * lost_records(candidates) + damage

    def total(self, candidates: Candidates) -> FloatArray:
        """Return the payout: the money that all kept records pay together, per node."""
        return self.most(candidates.problem) - self.natural(candidates)

    def most(self, problem: Problem) -> float:
        """Return the benefit of all records unchanged."""
        return self.benefit * problem.n_records

    def bounds(self, problem: Problem, weights: FloatArray | None = None) -> tuple[float, float]:
        """Return nothing missed, and every benefit missed and every record re-identified."""
        return 0.0, (self.benefit + self.loss) * problem.n_records

    def normalized(self, candidates: Candidates, weights: FloatArray | None = None) -> FloatArray:
        """Return the share of the benefit that is missed, at most 1."""
        most = self.most(candidates.problem)
        natural = self.natural(candidates)
        return np.minimum(natural / most, 1.0) if most else natural * 0.0
