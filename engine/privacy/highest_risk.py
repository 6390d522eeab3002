"""Highest risk [1]: no record is re-identified with a probability above the threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import EquivalenceClasses
from engine.kernels.arrays import FloatArray
from engine.kernels.risks import least_size
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, Monotonic, PrivacyModel, Relation, privacy_models
from engine.privacy.declared import record_risk
from engine.words import N_, lazy

TITLE = N_("Highest risk")  # above values of it; every list takes it from here


@privacy_models.register("highest_risk")
@dataclass(frozen=True, slots=True)
class HighestRisk(PrivacyModel):
    """Require 1 / size of every class to be at most `threshold`: k-anonymity in terms of risk.

    References
    ----------
    .. [1] El Emam (2013). Guide to the De-Identification of Personal Health Information. CRC Press.
    """

    title: ClassVar[str] = lazy("highest risk")
    symbol: ClassVar[str] = lazy("highest risk")
    meaning: ClassVar[str] = lazy("of any record")
    plain_name: ClassVar[str] = lazy(TITLE)
    summary: ClassVar[str] = lazy(
        "An attacker who knows that a person is in the table identifies their record with"
        " at most this probability."
    )
    group: ClassVar[Group] = Group.RISK
    protects: ClassVar[tuple[Attack, ...]] = (Attack.LINKAGE, Attack.RE_IDENTIFICATION)
    source: ClassVar[str] = lazy("El Emam 2013")
    formula: ClassVar[str] = "1 / |E| ≤ threshold"
    threshold_name: ClassVar[str] = "threshold"
    relation: ClassVar[Relation] = Relation.AT_MOST
    monotonic: ClassVar[Monotonic] = Monotonic.ALWAYS
    is_by_size: ClassVar[bool] = True
    threshold: float = record_risk(
        N_("Highest risk of any record; 20 % requires classes of at least 5 records, 5 % of at least 20.")
    )

    def measure(self, classes: EquivalenceClasses) -> FloatArray:
        """The risk of each class, 1 / size."""
        return np.asarray(1 / np.maximum(classes.sizes, 1))

    @property
    def required_k(self) -> int:
        return int(least_size(self.threshold))
