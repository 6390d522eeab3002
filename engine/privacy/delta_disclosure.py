"""Delta-disclosure privacy [1]: every sensitive value is about as frequent in a class as in the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import EquivalenceClasses, Measure
from engine.frequency.classes import DISCLOSURE
from engine.kernels.arrays import FloatArray
from engine.kernels.likeness import TIE
from engine.params import Real, param
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, Monotonic, PrivacyModel, Relation, privacy_models
from engine.privacy.declared import sensitive_column
from engine.words import N_, lazy


@privacy_models.register("delta_disclosure")
@dataclass(frozen=True, slots=True)
class DeltaDisclosure(PrivacyModel):
    """Bound |ln(q / p)| of every value by `delta`, q its share of a class and p of the table.

    By the definition, a class that lacks a value of the table meets it for no delta. The logarithm is
    natural. A class at exactly `delta` is accepted; the paper is strict.

    References
    ----------
    .. [1] Brickell, Shmatikov (2008). The Cost of Privacy. KDD.
    """

    title: ClassVar[str] = lazy("δ-disclosure privacy")
    symbol: ClassVar[str] = "δ"
    meaning: ClassVar[str] = lazy("disclosure, ln")
    plain_name: ClassVar[str] = lazy("Gain about a value")
    summary: ClassVar[str] = lazy(
        "In every class, each sensitive value is about as frequent as in the whole table,"
        " neither much more nor much less."
    )
    group: ClassVar[Group] = Group.SENSITIVE_VALUES
    protects: ClassVar[tuple[Attack, ...]] = (Attack.SKEWNESS, Attack.INFERENCE)
    source: ClassVar[str] = lazy("Brickell, Shmatikov 2008")
    formula: ClassVar[str] = "|ln(q(v) / p(v))| ≤ delta"
    threshold_name: ClassVar[str] = "delta"
    relation: ClassVar[Relation] = Relation.AT_MOST
    monotonic: ClassVar[Monotonic] = Monotonic.WITHOUT_SUPPRESSION
    column: str = sensitive_column(N_("The column about which little may be learned."))
    delta: float = param(
        1.0,
        Real(
            minimum=0.0,
            maximum=1_000_000_000.0,
            label="δ",
            help=N_(
                "Largest difference from a value's share of the table, as a natural "
                "logarithm; 0.5 to 2 is usual."
            ),
            usual=(0.5, 1, 2),
        ),
    )

    def critical(self, classes: EquivalenceClasses) -> FloatArray:
        """Measured values that are met within a relative 1e-12, the accuracy of the logarithm."""
        return np.asarray(self.measure(classes), dtype=np.float64) * (1 - TIE)

    def measures(self, default_distance: str) -> tuple[Measure, ...]:
        return (Measure(DISCLOSURE, self.column),)
