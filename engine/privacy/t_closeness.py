"""t-closeness [1]: sensitive values of every class are distributed almost as in the whole table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from engine.frequency import EquivalenceClasses, Measure
from engine.kernels.arrays import FloatArray
from engine.params import Choice, Real, param
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, Monotonic, PrivacyModel, Relation, privacy_models
from engine.privacy.declared import sensitive_column
from engine.words import N_, lazy


@privacy_models.register("t_closeness")
@dataclass(frozen=True, slots=True)
class TCloseness(PrivacyModel):
    """Bound the distance between a sensitive column's distributions in a class and in the input by `t`.

    A class at exactly `t` is accepted; the paper is strict.

    References
    ----------
    .. [1] Li, Li, Venkatasubramanian (2007). t-Closeness: Privacy Beyond k-Anonymity and
       l-Diversity. ICDE.
    """

    title: ClassVar[str] = lazy("t-closeness")
    symbol: ClassVar[str] = "t"
    meaning: ClassVar[str] = lazy("distance to table")
    plain_name: ClassVar[str] = lazy("Distance to table")
    summary: ClassVar[str] = lazy(
        "In every class, the distribution of sensitive values differs from that of the "
        "whole table by at most t."
    )
    group: ClassVar[Group] = Group.SENSITIVE_VALUES
    protects: ClassVar[tuple[Attack, ...]] = (Attack.SKEWNESS, Attack.SIMILARITY)
    source: ClassVar[str] = lazy("Li, Li, Venkatasubramanian 2007")
    reported: ClassVar[tuple[str, ...]] = ("distance",)
    formula: ClassVar[str] = "D(q, p) ≤ t"
    threshold_name: ClassVar[str] = "t"
    relation: ClassVar[Relation] = Relation.AT_MOST
    monotonic: ClassVar[Monotonic] = Monotonic.WITHOUT_SUPPRESSION
    column: str = sensitive_column(N_("The column compared with the table."))
    t: float = param(
        0.2,
        Real(
            minimum=0.0,
            maximum=1.0,
            label="t",
            help=N_("Largest allowed distance; 0.1 to 0.3 is usual."),
            usual=(0.1, 0.15, 0.2, 0.3),
        ),
    )
    distance: str | None = param(
        None,
        Choice(
            label=N_("Distance"),
            options=(
                ("equal", N_("Equal (any two values are equally far)")),
                ("ordered", N_("Ordered (neighbours are close)")),
                ("hierarchical", N_("Hierarchical (values of one group are close)")),
            ),
            absent=N_("By type"),
            help=N_(
                "Default by type: ordered for numbers, dates and ordered categories, "
                "equal for text. Hierarchical needs a hierarchy of the column."
            ),
        ),
    )

    def measure(self, classes: EquivalenceClasses) -> FloatArray:
        """Distance per class, in [0, 1]."""
        kind = self.distance or classes.default_distance(self.column)
        return np.asarray(classes.measured(Measure(kind, self.column)))

    def as_measured(self, classes: EquivalenceClasses, smallest: int) -> TCloseness:
        return replace(self, distance=self.distance or classes.default_distance(self.column))

    def measures(self, default_distance: str) -> tuple[Measure, ...]:
        return (Measure(self.distance or default_distance, self.column),)
