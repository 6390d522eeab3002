"""Basic beta-likeness [1]: no sensitive value is much more frequent in a class than in the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.frequency import Measure
from engine.frequency.classes import BASIC_GAIN
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, Monotonic, PrivacyModel, Relation, privacy_models
from engine.privacy.declared import largest_gain, sensitive_column
from engine.words import N_, lazy


@privacy_models.register("basic_beta_likeness")
@dataclass(frozen=True, slots=True)
class BasicBetaLikeness(PrivacyModel):
    """Bound (q - p) / p of every value by `beta`, q its share of a class and p of the table.

    References
    ----------
    .. [1] Cao, Karras (2012). Publishing Microdata with a Robust Privacy Guarantee. PVLDB 5(11).
    """

    title: ClassVar[str] = lazy("basic β-likeness")
    symbol: ClassVar[str] = "β"
    meaning: ClassVar[str] = lazy("basic")
    plain_name: ClassVar[str] = lazy("Gain about a value")
    summary: ClassVar[str] = lazy(
        "In no class does a sensitive value gain more than β times its share of the whole table."
    )
    group: ClassVar[Group] = Group.SENSITIVE_VALUES
    protects: ClassVar[tuple[Attack, ...]] = (Attack.SKEWNESS,)
    source: ClassVar[str] = lazy("Cao, Karras 2012")
    formula: ClassVar[str] = "(q(v) − p(v)) / p(v) ≤ beta"
    threshold_name: ClassVar[str] = "beta"
    relation: ClassVar[Relation] = Relation.AT_MOST
    monotonic: ClassVar[Monotonic] = Monotonic.WITHOUT_SUPPRESSION
    gain: ClassVar[str] = BASIC_GAIN
    column: str = sensitive_column(N_("The column about which little may be learned."))
    beta: float = largest_gain(
        N_("Largest gain of a value over its share of the table: 1 allows double the share; 1 to 4 is usual.")
    )

    def measures(self, default_distance: str) -> tuple[Measure, ...]:
        return (Measure(self.gain, self.column),)
