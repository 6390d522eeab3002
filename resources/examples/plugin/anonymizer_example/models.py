"""Bounded confidence [1]: no sensitive value is too frequent in a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import EquivalenceClasses, Measure
from engine.kernels.arrays import FloatArray
from engine.params import Real, param
from engine.privacy import Attack, Group, Monotonic, PrivacyModel, Relation
from engine.privacy.base import Conditions
from engine.privacy.declared import sensitive_column


@dataclass(frozen=True, slots=True)
class BoundedConfidence(PrivacyModel):
    """An attacker who finds the class of a person is at most this certain of a sensitive value.

    References
    ----------
    .. [1] Wang, Fung, Yu (2005). Template-Based Privacy Preservation in Classification Problems. ICDM.
    """

    title: ClassVar[str] = "Bounded confidence"
    symbol: ClassVar[str] = "conf"
    meaning: ClassVar[str] = "largest confidence"
    summary: ClassVar[str] = "In every class, the share of the most frequent sensitive value is at most conf."
    group: ClassVar[Group] = Group.SENSITIVE_VALUES
    protects: ClassVar[tuple[Attack, ...]] = (Attack.HOMOGENEITY,)
    source: ClassVar[str] = "Wang, Fung, Yu 2005"
    threshold_name: ClassVar[str] = "confidence"
    relation: ClassVar[Relation] = Relation.AT_MOST
    monotonic: ClassVar[Monotonic] = Monotonic.WITHOUT_SUPPRESSION
    column: str = sensitive_column("The column whose values an attacker must not infer.")
    confidence: float = param(
        0.8,
        Real(
            minimum=0.0,
            maximum=1.0,
            label="conf",
            help="Largest share of one value in a class; 0.5 to 0.9 is usual.",
            usual=(0.5, 0.8, 0.9),
        ),
    )

    def measure(self, classes: EquivalenceClasses) -> FloatArray:
        """Return the share of the most frequent value, per class."""
        return np.asarray(classes.measured(Measure("largest_share", self.column)))

    def measures(self, default_distance: str) -> tuple[Measure, ...]:
        """Return what `measure` reads."""
        return (Measure("largest_share", self.column),)

    def monotonic_under(self, conditions: Conditions) -> Monotonic:
        """Two classes may share the persons without a value, so their union may have a larger share."""
        return Monotonic.NEVER if conditions.of_persons else self.monotonic
