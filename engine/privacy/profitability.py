"""Profitability [1]: every kept record pays the publisher more than an attack on it may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import EquivalenceClasses, Measure
from engine.frequency.classes import INFORMATION, POPULATION
from engine.frequency.profit import (
    JOURNALIST,
    TIE,
    Sums,
    attacker_parameter,
    benefit_needed,
    benefit_parameter,
    cost_parameter,
    gain_parameter,
    loss_parameter,
)
from engine.kernels.arrays import Counts, FloatArray
from engine.numbers import as_general
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, Monotonic, PrivacyModel, Relation, privacy_models
from engine.words import N_, _, lazy

SOURCE = N_("Wan, Vorobeychik, Xia, Clayton, Kantarcioglu, Ganta, Heatherly, Malin 2015")


@privacy_models.register("profitability")
@dataclass(frozen=True, slots=True)
class Profitability(PrivacyModel):
    """Require ``benefit (1 - information loss) > loss / people`` of attacked classes, and > 0 of others.

    A class is attacked if the expected gain, ``gain / people``, exceeds the cost. People are those of the
    class in the table for a prosecutor, in the population for a journalist. With persons of several records
    they are different persons; benefit and loss stay per record.

    Notes
    -----
    It protects only if attacks cost the publisher money. If they cost little, publishing unchanged records
    pays best.

    References
    ----------
    .. [1] Wan, Vorobeychik, Xia, Clayton, Kantarcioglu, Ganta, Heatherly, Malin (2015). A Game Theoretic
       Framework for Analyzing Re-Identification Risk. PLoS ONE 10(3).
    """

    title: ClassVar[str] = lazy("profitability")
    symbol: ClassVar[str] = lazy("needed benefit")
    meaning: ClassVar[str] = lazy("benefit to the publisher")
    plain_name: ClassVar[str] = lazy("Benefit of release")
    summary: ClassVar[str] = lazy(
        "Every record pays the publisher more than it is expected to cost if it is attacked."
    )
    group: ClassVar[Group] = Group.COST
    protects: ClassVar[tuple[Attack, ...]] = (Attack.RE_IDENTIFICATION,)
    source: ClassVar[str] = lazy(SOURCE)
    reported: ClassVar[tuple[str, ...]] = ("loss", "gain", "cost", "attacker")
    formula: ClassVar[str] = "benefit · (1 − L(E)) > loss / N(E) · [gain / N(E) > cost]"
    threshold_name: ClassVar[str] = "benefit"
    knobs: ClassVar[tuple[str, ...]] = ("loss", "gain", "cost")
    easing: ClassVar[tuple[str, ...]] = ("cost",)
    relation: ClassVar[Relation] = Relation.BELOW
    monotonic: ClassVar[Monotonic] = Monotonic.NEVER
    benefit: float = benefit_parameter()
    loss: float = loss_parameter()
    gain: float = gain_parameter()
    cost: float = cost_parameter()
    attacker: str = attacker_parameter()

    @property
    def sums(self) -> Sums:
        """The four sums of money."""
        return Sums(self.benefit, self.loss, self.gain, self.cost)

    def measure(self, classes: EquivalenceClasses) -> FloatArray:
        """The benefit that a record must exceed; inf if its labels hide everything."""
        return benefit_needed(self.sums, self._losses(classes), self._people(classes))

    def critical(self, classes: EquivalenceClasses) -> FloatArray:
        """Benefits above the measured one beyond the accuracy of logarithms."""
        measured = self.measure(classes)
        return np.where(measured > 0, measured * (1 + TIE), np.nextafter(0.0, 1.0))

    def measures(self, default_distance: str) -> tuple[Measure, ...]:
        information = Measure(INFORMATION, "")
        return (information, Measure(POPULATION, "")) if self.needs_members else (information,)

    def of_suppressed(self) -> None:
        """Return None: a record of `*` pays nothing."""

    @property
    def needs_members(self) -> bool:
        return self.attacker == JOURNALIST

    @property
    def needs_labels(self) -> bool:
        return True

    @property
    def details(self) -> str:
        return words_of(self.attacker, loss=self.loss, gain=self.gain, cost=self.cost)

    def _losses(self, classes: EquivalenceClasses) -> FloatArray:
        return np.asarray(classes.measured(Measure(INFORMATION, "")), dtype=np.float64)

    def _people(self, classes: EquivalenceClasses) -> Counts:
        return people_of(classes, self.attacker)


def people_of(classes: EquivalenceClasses, attacker: str) -> Counts:
    """Return among how many people an attacker looks for a record of each class."""
    if attacker == JOURNALIST:
        return np.asarray(classes.measured(Measure(POPULATION, ""))).astype(np.int64)
    return classes.sizes.astype(np.int64)


def words_of(attacker: str, **sums: float) -> str:
    """Return the parameters of a model besides its threshold, in words."""
    names = {"loss": _("damage {money}"), "gain": _("gain {money}"), "cost": _("cost {money}")}
    words = [names[name].format(money=as_general(value, 12)) for name, value in sums.items()]
    return ", ".join((_(attacker), *words))
