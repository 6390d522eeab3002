"""Profitability without attacks [1]: no class is worth an attack."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import ClassVar

import numpy as np

from engine.frequency import EquivalenceClasses, Measure
from engine.frequency.classes import POPULATION
from engine.frequency.profit import (
    JOURNALIST,
    PROSECUTOR,
    attacker_parameter,
    cost_parameter,
    expected_gains,
    gain_parameter,
    least_unattacked,
)
from engine.kernels.arrays import FloatArray
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, Monotonic, PrivacyModel, Relation, privacy_models
from engine.privacy.profitability import SOURCE, people_of, words_of
from engine.words import lazy

_NEVER = 1 << 62  # size of no class


@privacy_models.register("profitability_no_attack")
@dataclass(frozen=True, slots=True)
class ProfitabilityNoAttack(PrivacyModel):
    """Require classes of more than ``gain / cost`` people: k-anonymity, or k-map, in terms of money.

    Every class meets it without a gain, and none with a gain and without a cost.

    Notes
    -----
    As in ARX, a class in which the attacker neither gains nor loses fails.

    References
    ----------
    .. [1] Wan, Vorobeychik, Xia, Clayton, Kantarcioglu, Ganta, Heatherly, Malin (2015). A Game Theoretic
       Framework for Analyzing Re-Identification Risk. PLoS ONE 10(3).
    """

    title: ClassVar[str] = lazy("profitability without attacks")
    symbol: ClassVar[str] = lazy("expected gain")
    meaning: ClassVar[str] = lazy("cost of an attack")
    plain_name: ClassVar[str] = lazy("Cost of an attack")
    summary: ClassVar[str] = lazy(
        "An attack on a record costs the attacker more than it is expected to gain."
    )
    group: ClassVar[Group] = Group.COST
    protects: ClassVar[tuple[Attack, ...]] = (Attack.LINKAGE, Attack.RE_IDENTIFICATION)
    source: ClassVar[str] = lazy(SOURCE)
    reported: ClassVar[tuple[str, ...]] = ("gain", "attacker")
    formula: ClassVar[str] = "N(E) > gain / cost"
    threshold_name: ClassVar[str] = "cost"
    knobs: ClassVar[tuple[str, ...]] = ("gain",)
    relation: ClassVar[Relation] = Relation.BELOW
    monotonic: ClassVar[Monotonic] = Monotonic.ALWAYS
    gain: float = gain_parameter()
    cost: float = cost_parameter()
    attacker: str = attacker_parameter()

    @property
    def is_by_size(self) -> bool:  # type: ignore[override]  # it depends on the attacker
        """Return whether the class size decides."""
        return self.attacker != JOURNALIST

    @property
    def required_k(self) -> int | None:
        """The smallest class size, if the people of the table are counted."""
        if self.attacker == JOURNALIST:
            return None
        least = least_unattacked(self.gain, self.cost)
        return int(least) if isfinite(least) else _NEVER

    def of_suppressed(self) -> PrivacyModel:
        """Return the same by their number: a row of `*` could be any person of a population."""
        return replace(self, attacker=PROSECUTOR)

    def measure(self, classes: EquivalenceClasses) -> FloatArray:
        """Expected gain from an attack on a record of each class, rounded once."""
        return expected_gains(self.gain, people_of(classes, self.attacker))

    def critical(self, classes: EquivalenceClasses) -> FloatArray:
        """The smallest double above the measured value, since the comparison is strict; 0 without a gain."""
        return np.nextafter(self.measure(classes), np.inf) if self.gain else np.zeros(len(classes.sizes))

    def measures(self, default_distance: str) -> tuple[Measure, ...]:
        return (Measure(POPULATION, ""),) if self.needs_members else ()

    @property
    def needs_members(self) -> bool:
        return self.attacker == JOURNALIST

    @property
    def details(self) -> str:
        return words_of(self.attacker, gain=self.gain)
