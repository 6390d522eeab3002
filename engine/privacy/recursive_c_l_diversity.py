"""Recursive (c, l)-diversity [1]: the most frequent value is no match for the rarer ones together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from engine.frequency import EquivalenceClasses, Measure
from engine.frequency.classes import DISTINCT, TAIL_RATIO
from engine.kernels.arrays import Reals
from engine.params import Integer, Real, param
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, Monotonic, PrivacyModel, Relation, privacy_models
from engine.privacy.declared import sensitive_column
from engine.words import N_, lazy


@privacy_models.register("recursive_c_l_diversity")
@dataclass(frozen=True, slots=True)
class RecursiveCLDiversity(PrivacyModel):
    """Require r_1 < c * (r_l + ... + r_m), the values' counts in a class from the most to the least frequent.

    The comparison is strict, as defined; a class of fewer than `l` values meets it for no c.

    References
    ----------
    .. [1] Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007). l-Diversity. TKDD 1(1),
       definition 4.3.
    """

    title: ClassVar[str] = "recursive (c, l)-diversity"
    symbol: ClassVar[str] = "c"
    meaning: ClassVar[str] = "recursive"
    summary: ClassVar[str] = lazy(
        "Among records that look alike the most frequent sensitive value stays below c times those "
        "from the l-th most frequent on."
    )
    group: ClassVar[Group] = Group.SENSITIVE_VALUES
    protects: ClassVar[tuple[Attack, ...]] = (Attack.HOMOGENEITY, Attack.BACKGROUND_KNOWLEDGE)
    source: ClassVar[str] = lazy("Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007")
    told: ClassVar[tuple[str, ...]] = ("l",)
    threshold_name: ClassVar[str] = "c"
    relation: ClassVar[Relation] = Relation.BELOW
    monotonic: ClassVar[Monotonic] = Monotonic.WITHOUT_SUPPRESSION
    column: str = sensitive_column(N_("The column that must stay diverse."))
    c: float = param(
        3.0,
        Real(
            minimum=0.00001,
            maximum=1_000_000_000.0,
            label="c",
            help=N_("The most frequent value must stay below c times the rarer ones; 2 to 5 is usual."),
            usual=(2, 3, 5),
        ),
    )
    l: int = param(  # noqa: E741  the name the field, its papers and our files use
        3,
        Integer(
            minimum=1,
            maximum=1_000_000_000,
            label="l",
            help=N_("From which value on, by frequency, they count as rarer; 2 to 5 is usual."),
            usual=(2, 3, 5),
        ),
    )

    def measure(self, classes: EquivalenceClasses) -> Reals:
        """r_1 / (r_l + ... + r_m) per class, the c it must stay below; inf with fewer than l values."""
        return np.asarray(classes.measured(Measure(TAIL_RATIO, self.column, self.l)))

    def critical(self, classes: EquivalenceClasses) -> Reals:
        """See `PrivacyModel.critical`: the first number above the measured one."""
        return np.nextafter(self.measure(classes), np.inf)

    def as_measured(self, classes: EquivalenceClasses, smallest: int) -> RecursiveCLDiversity:
        """See `PrivacyModel.as_measured`."""
        distinct = classes.measured(Measure(DISTINCT, self.column))
        return replace(self, l=int(distinct.min()))

    def worst(self, classes: EquivalenceClasses) -> int | float | None:
        """See `PrivacyModel.worst`: with l = 1 every value is among the rarer ones, and c means nothing."""
        return None if self.l == 1 else PrivacyModel.worst(self, classes)

    def measures(self, default_distance: str) -> tuple[Measure, ...]:
        """See `PrivacyModel.measures`."""
        return (Measure(TAIL_RATIO, self.column, self.l),)

    @property
    def details(self) -> str:
        """See `PrivacyModel.details`."""
        return f"l = {self.l}"
