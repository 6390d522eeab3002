"""Distinct l-diversity [1]: every class has at least l different sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.frequency import Measure
from engine.frequency.classes import DISTINCT
from engine.privacy.attacks import Attack
from engine.privacy.base import Conditions, Group, Monotonic, PrivacyModel, Relation, privacy_models
from engine.privacy.declared import least_number, sensitive_column
from engine.words import N_, lazy


@privacy_models.register("distinct_l_diversity")
@dataclass(frozen=True, slots=True)
class DistinctLDiversity(PrivacyModel):
    """Require at least `l` distinct values of a sensitive column per class; missing counts as one.

    References
    ----------
    .. [1] Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007). l-Diversity. TKDD 1(1).
    """

    title: ClassVar[str] = lazy("distinct l-diversity")
    symbol: ClassVar[str] = "l"
    meaning: ClassVar[str] = lazy("distinct")
    plain_name: ClassVar[str] = lazy("Values in a class")
    summary: ClassVar[str] = lazy("Every class has at least l different sensitive values.")
    group: ClassVar[Group] = Group.SENSITIVE_VALUES
    protects: ClassVar[tuple[Attack, ...]] = (Attack.HOMOGENEITY, Attack.BACKGROUND_KNOWLEDGE)
    source: ClassVar[str] = lazy("Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007")
    formula: ClassVar[str] = "|{v: q(v) > 0}| ≥ l"
    threshold_name: ClassVar[str] = "l"
    relation: ClassVar[Relation] = Relation.AT_LEAST
    monotonic: ClassVar[Monotonic] = Monotonic.ALWAYS
    column: str = sensitive_column(N_("The column that must stay diverse."))
    l: int = least_number(  # noqa: E741  the name the field, its papers and our files use
        3, "l", N_("Fewest different values in a class; 2 to 5 is usual."), (2, 3, 5)
    )

    def monotonic_under(self, conditions: Conditions) -> Monotonic:
        """A class joined from a kept and a suppressed one is diverse. Measured in parts, it still has the
        parts for which one of them was suppressed, and is suppressed with them.
        """
        return Monotonic.WITHOUT_SUPPRESSION if conditions.in_parts else self.monotonic

    def measures(self, default_distance: str) -> tuple[Measure, ...]:
        return (Measure(DISTINCT, self.column),)
