"""(alpha, k)-anonymity [1]: classes of k records in which no sensitive value is too frequent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from engine.frequency import EquivalenceClasses, Measure
from engine.frequency.classes import LARGEST_SHARE
from engine.kernels.arrays import FloatArray
from engine.params import Real, param
from engine.privacy.attacks import Attack
from engine.privacy.base import Conditions, Group, Monotonic, PrivacyModel, Relation, privacy_models
from engine.privacy.declared import least_number, sensitive_column
from engine.words import N_, lazy


@privacy_models.register("alpha_k_anonymity")
@dataclass(frozen=True, slots=True)
class AlphaKAnonymity(PrivacyModel):
    """Require classes of at least `k` records in which no value has a share above `alpha`.

    References
    ----------
    .. [1] Wong, Li, Fu, Wang (2006). (alpha, k)-Anonymity. KDD.
    """

    title: ClassVar[str] = lazy("(α, k)-anonymity")
    symbol: ClassVar[str] = "α"
    meaning: ClassVar[str] = lazy("largest share")
    plain_name: ClassVar[str] = lazy("Largest share")
    summary: ClassVar[str] = lazy(
        "Every class has at least k records, and no sensitive value has a share above α in a class."
    )
    group: ClassVar[Group] = Group.SENSITIVE_VALUES
    protects: ClassVar[tuple[Attack, ...]] = (Attack.LINKAGE, Attack.RE_IDENTIFICATION, Attack.HOMOGENEITY)
    source: ClassVar[str] = lazy("Wong, Li, Fu, Wang 2006")
    reported: ClassVar[tuple[str, ...]] = ("k",)
    formula: ClassVar[str] = "|E| ≥ k, q(v) ≤ alpha"
    threshold_name: ClassVar[str] = "alpha"
    relation: ClassVar[Relation] = Relation.AT_MOST
    monotonic: ClassVar[Monotonic] = Monotonic.WITHOUT_SUPPRESSION
    column: str = sensitive_column(N_("The column in which no value may dominate."))
    alpha: float = param(
        0.5,
        Real(
            minimum=0.0,
            maximum=1.0,
            label="α",
            help=N_("Largest share of a value in a class; 0.3 to 0.8 is usual."),
            usual=(0.3, 0.5, 0.8),
        ),
    )
    k: int = least_number(5, "k", N_("Smallest class size; 5 to 20 is usual."), (5, 10, 20))

    def critical(self, classes: EquivalenceClasses) -> FloatArray:
        """A class that is too small meets no alpha."""
        return np.where(classes.sizes >= self.k, self.measure(classes), np.inf)

    def monotonic_under(self, conditions: Conditions) -> Monotonic:
        """Counted by persons, two classes may share the persons without a value but not those who hold it:
        the share in their union may exceed both.
        """
        return Monotonic.NEVER if conditions.of_persons else self.monotonic

    def as_measured(self, classes: EquivalenceClasses, smallest: int) -> AlphaKAnonymity:
        return replace(self, k=smallest)

    def measures(self, default_distance: str) -> tuple[Measure, ...]:
        return (Measure(LARGEST_SHARE, self.column),)

    @property
    def details(self) -> str:
        return f"k = {self.k}"

    @property
    def required_k(self) -> int:
        return self.k
