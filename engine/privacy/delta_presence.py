"""Delta-presence [1]: an attacker can hardly learn whether a person is among the records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import EquivalenceClasses, Measure
from engine.frequency.classes import POPULATION
from engine.kernels.arrays import BoolArray, FloatArray
from engine.params import Real, param
from engine.privacy.attacks import Attack
from engine.privacy.base import (
    Conditions,
    Group,
    Monotonic,
    PrivacyModel,
    Relation,
    TableWideFigures,
    privacy_models,
)
from engine.words import N_, _, lazy


@privacy_models.register("delta_presence")
@dataclass(frozen=True, slots=True)
class DeltaPresence(PrivacyModel):
    """Bound the probability that a person of the population has a record by `minimum` and `maximum`.

    It is records / people of a class, for every person of the population; both bounds are accepted. People
    whose class is not released, because it has no record or is suppressed, are known to be absent: their
    probability is 0. So if `minimum` is above 0, a node satisfies only if every class of the population has
    records and all of them are kept.

    Notes
    -----
    What the number of suppressed records reveals about people who match no released class is not bounded.

    References
    ----------
    .. [1] Nergiz, Atzori, Clifton (2007). Hiding the Presence of Individuals from Shared Databases.
       SIGMOD.
    """

    title: ClassVar[str] = lazy("δ-presence")
    symbol: ClassVar[str] = "δp"
    meaning: ClassVar[str] = lazy("presence, at most")
    plain_name: ClassVar[str] = lazy("Chance to be in it")
    summary: ClassVar[str] = lazy(
        "An attacker who knows that a person belongs to the population learns little "
        "about whether the person has a record."
    )
    group: ClassVar[Group] = Group.POPULATION
    protects: ClassVar[tuple[Attack, ...]] = (Attack.MEMBERSHIP,)
    source: ClassVar[str] = lazy("Nergiz, Atzori, Clifton 2007")
    formula: ClassVar[str] = "minimum ≤ |E| / N(E) ≤ maximum"
    threshold_name: ClassVar[str] = "maximum"
    relation: ClassVar[Relation] = Relation.AT_MOST
    monotonic: ClassVar[Monotonic] = Monotonic.WITHOUT_SUPPRESSION
    minimum: float = param(
        0.0,
        Real(
            minimum=0.0,
            maximum=1.0,
            label=N_("At least"),
            help=N_(
                "Lowest probability of having a record; above 0, no one is known to have none. 0 is usual."
            ),
            usual=(0.0, 0.05, 0.1),
        ),
    )
    maximum: float = param(
        0.5,
        Real(
            minimum=0.0,
            maximum=1.0,
            label=N_("At most"),
            help=N_("Highest probability of having a record; 0.1 to 0.5 is usual."),
            usual=(0.1, 0.2, 0.33, 0.5),
        ),
    )

    def measure(self, classes: EquivalenceClasses) -> FloatArray:
        """Records / people per class, in [0, 1]; inf if the population has no one in a class."""
        people = classes.measured(Measure(POPULATION, "")).astype(np.int64)
        shares = np.full(len(people), np.inf)
        return np.asarray(np.divide(classes.sizes, people, out=shares, where=people > 0))

    def critical(self, classes: EquivalenceClasses) -> FloatArray:
        """Strictest maximum that is met; none in a class below the minimum."""
        shares = self.measure(classes)
        return np.where(shares < self.minimum, np.inf, shares)

    @property
    def checks_table_wide(self) -> bool:
        """Return whether a minimum above 0 requires that no one is known to be absent."""
        return self.minimum > 0

    def holds(self, kept: TableWideFigures, wanted: BoolArray) -> BoolArray:
        """Return whether the whole population is in kept classes."""
        if not self.checks_table_wide:
            return np.ones(len(wanted), dtype=np.bool_)
        return kept.has_all_members

    def measures(self, default_distance: str) -> tuple[Measure, ...]:
        return (Measure(POPULATION, ""),)

    def monotonic_under(self, conditions: Conditions) -> Monotonic:
        """Never if persons have several records: the same people may have none in two joined classes."""
        return Monotonic.NEVER if conditions.of_persons else self.monotonic

    @property
    def needs_members(self) -> bool:
        return True

    @property
    def why_never(self) -> str:
        if self.minimum <= self.maximum:
            return ""
        return _("a presence of at least {minimum:g} and at most {maximum:g} does not exist").format(
            minimum=self.minimum, maximum=self.maximum
        )

    @property
    def details(self) -> str:
        return _("at least {minimum:g}").format(minimum=self.minimum) if self.minimum else ""
