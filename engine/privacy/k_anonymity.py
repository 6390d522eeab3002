"""k-anonymity [1]: every record is equal to at least k - 1 others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.frequency import EquivalenceClasses
from engine.kernels.arrays import IntArray
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, Monotonic, PrivacyModel, Relation, privacy_models
from engine.privacy.declared import least_number
from engine.words import N_, lazy


@privacy_models.register("k_anonymity")
@dataclass(frozen=True, slots=True)
class KAnonymity(PrivacyModel):
    """Require equivalence classes of at least `k` records.

    References
    ----------
    .. [1] Sweeney (2002). k-Anonymity: A Model for Protecting Privacy. IJUFKS 10(5).
    """

    title: ClassVar[str] = lazy("k-anonymity")
    symbol: ClassVar[str] = "k"
    meaning: ClassVar[str] = lazy("smallest class")
    plain_name: ClassVar[str] = lazy("Smallest class")
    summary: ClassVar[str] = lazy(
        "Every record is equal to at least k - 1 others in the quasi-identifying columns."
    )
    group: ClassVar[Group] = Group.CLASS_SIZES
    protects: ClassVar[tuple[Attack, ...]] = (Attack.LINKAGE, Attack.RE_IDENTIFICATION)
    source: ClassVar[str] = "Sweeney 2002"
    formula: ClassVar[str] = "|E| ≥ k"
    threshold_name: ClassVar[str] = "k"
    relation: ClassVar[Relation] = Relation.AT_LEAST
    monotonic: ClassVar[Monotonic] = Monotonic.ALWAYS
    is_by_size: ClassVar[bool] = True
    k: int = least_number(5, "k", N_("Smallest class size; 5 to 20 is usual."), (5, 10, 20, 50))

    def measure(self, classes: EquivalenceClasses) -> IntArray:
        """Class sizes."""
        return classes.sizes

    @property
    def required_k(self) -> int:
        return self.k
