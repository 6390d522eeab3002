"""Entropy l-diversity [1]: sensitive values of a class are as diverse as l equally frequent ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import EquivalenceClasses, Measure
from engine.frequency.classes import DISTINCT, ENTROPY, GRASSBERGER
from engine.kernels.arrays import FloatArray
from engine.params import Choice, Real, param
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, Monotonic, PrivacyModel, Relation, privacy_models
from engine.privacy.declared import sensitive_column
from engine.words import N_, _, lazy

TOLERANCE = 1e-9  # relative; the computed entropy of l equally frequent values is log l only up to rounding


@privacy_models.register("entropy_l_diversity")
@dataclass(frozen=True, slots=True)
class EntropyLDiversity(PrivacyModel):
    """Require e to the power of the entropy (in nats) of a sensitive column to be at least `l`.

    Grassberger's estimator [2, 3] corrects the bias of small classes and also requires `l` distinct values;
    the lower of both counts is the measured value. ARX's values by this estimator differ slightly if classes
    are suppressed.

    References
    ----------
    .. [1] Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007). l-Diversity. TKDD 1(1).
    .. [2] Grassberger (2003). Entropy Estimates from Insufficient Samplings. arXiv physics/0307138.
    .. [3] Stammler, Katzenbeisser, Hamacher (2016). Correcting Finite Sampling Issues in Entropy
       l-diversity. PSD, LNCS 9867.
    """

    title: ClassVar[str] = lazy("entropy l-diversity")
    symbol: ClassVar[str] = "l"
    meaning: ClassVar[str] = lazy("entropy")
    plain_name: ClassVar[str] = lazy("Variety in a class")
    summary: ClassVar[str] = lazy(
        "The sensitive values of every class are as diverse as l equally frequent ones."
    )
    group: ClassVar[Group] = Group.SENSITIVE_VALUES
    protects: ClassVar[tuple[Attack, ...]] = (Attack.HOMOGENEITY, Attack.BACKGROUND_KNOWLEDGE)
    source: ClassVar[str] = lazy("Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007")
    formula: ClassVar[str] = "exp(−Σ q(v) ln q(v)) ≥ l"
    threshold_name: ClassVar[str] = "l"
    relation: ClassVar[Relation] = Relation.AT_LEAST
    column: str = sensitive_column(N_("The column that must stay diverse."))
    l: float = param(  # noqa: E741  the name the field, its papers and our files use
        3.0,
        Real(
            minimum=1.0,
            maximum=1_000_000_000.0,
            label="l",
            help=N_("Diversity, as a number of equally frequent values; 2 to 5 is usual."),
            usual=(2, 3, 5),
        ),
    )
    estimator: str = param(
        "shannon",
        Choice(
            label=N_("Estimator"),
            options=(
                ("shannon", N_("Shannon (the definition)")),
                ("grassberger", N_("Grassberger (corrected for small classes)")),
            ),
            help=N_(
                "How the entropy of a class is estimated; Grassberger's estimator accepts more small classes."
            ),
        ),
    )

    @property
    def monotonic(self) -> Monotonic:  # type: ignore[override]  # here it depends on a parameter
        """Shannon's entropy is concave; the correction of Grassberger's decreases with class size."""
        return Monotonic.WITHOUT_SUPPRESSION if self.estimator == "shannon" else Monotonic.NEVER

    def measure(self, classes: EquivalenceClasses) -> FloatArray:
        """Return the number of equally frequent values with the same entropy, per class."""
        if self.estimator == "shannon":
            return np.exp(classes.measured(Measure(ENTROPY, self.column)))
        estimated = np.exp(classes.measured(Measure(GRASSBERGER, self.column)))
        return np.minimum(estimated, classes.measured(Measure(DISTINCT, self.column)))

    def critical(self, classes: EquivalenceClasses) -> FloatArray:
        """Largest l that is met, from l * (1 - 1e-9) on."""
        return self.measure(classes) / (1 - TOLERANCE)

    def measures(self, default_distance: str) -> tuple[Measure, ...]:
        if self.estimator == "shannon":
            return (Measure(ENTROPY, self.column),)
        return (Measure(GRASSBERGER, self.column), Measure(DISTINCT, self.column))

    @property
    def details(self) -> str:
        return "" if self.estimator == "shannon" else _("Grassberger")
