"""Recursive (c, l)-diversity [1]: rarer values together outweigh the most frequent one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from engine.frequency import EquivalenceClasses, Measure
from engine.frequency.classes import DISTINCT, TAIL_RATIO
from engine.kernels.arrays import FloatArray
from engine.params import Real, param
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, Monotonic, PrivacyModel, Relation, privacy_models
from engine.privacy.declared import least_number, sensitive_column
from engine.words import N_, lazy


@privacy_models.register("recursive_c_l_diversity")
@dataclass(frozen=True, slots=True)
class RecursiveCLDiversity(PrivacyModel):
    """Require r_1 < c * (r_l + ... + r_m), r the counts of values in a class in descending order.

    The comparison is strict, as defined; a class of fewer than `l` values meets it for no c.

    References
    ----------
    .. [1] Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007). l-Diversity. TKDD 1(1),
       definition 4.3.
    """

    title: ClassVar[str] = lazy("recursive (c, l)-diversity")
    symbol: ClassVar[str] = "c"
    meaning: ClassVar[str] = lazy("recursive")
    plain_name: ClassVar[str] = lazy("Variety in a class")
    summary: ClassVar[str] = lazy(
        "In every class, the most frequent sensitive value occurs less than c times as "
        "often as all values from the l-th most frequent on."
    )
    group: ClassVar[Group] = Group.SENSITIVE_VALUES
    protects: ClassVar[tuple[Attack, ...]] = (Attack.HOMOGENEITY, Attack.BACKGROUND_KNOWLEDGE)
    source: ClassVar[str] = lazy("Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007")
    reported: ClassVar[tuple[str, ...]] = ("l",)
    formula: ClassVar[str] = "r(1) < c · (r(l) + r(l + 1) + …)"
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
            help=N_(
                "The most frequent value must occur less than c times as often as the rarer "
                "ones; 2 to 5 is usual."
            ),
            usual=(2, 3, 5),
        ),
    )
    l: int = least_number(  # noqa: E741  the name the field, its papers and our files use
        3, "l", N_("Rank by frequency from which values count as rarer; 2 to 5 is usual."), (2, 3, 5)
    )

    def critical(self, classes: EquivalenceClasses) -> FloatArray:
        """The smallest double above the measured value, since the comparison is strict."""
        return np.nextafter(self.measure(classes), np.inf)

    def as_measured(self, classes: EquivalenceClasses, smallest: int) -> RecursiveCLDiversity:
        distinct = classes.measured(Measure(DISTINCT, self.column))
        return replace(self, l=int(distinct.min()))

    def worst(self, classes: EquivalenceClasses) -> int | float | None:
        """None with l = 1: every value then counts as rarer, and c has no meaning."""
        return None if self.l == 1 else PrivacyModel.worst(self, classes)

    def measures(self, default_distance: str) -> tuple[Measure, ...]:
        return (Measure(TAIL_RATIO, self.column, self.l),)

    @property
    def details(self) -> str:
        return f"l = {self.l}"
