"""Differential privacy by sampling [1]: what a drawn record changes in the release is limited."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import EquivalenceClasses
from engine.kernels.arrays import FloatArray
from engine.lattice import Node
from engine.numbers import as_exact_count, localized
from engine.params import Choice, Real, describe, param
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, Monotonic, PrivacyModel, Relation, privacy_models
from engine.privacy.sampling import largest_beta, smallest_k
from engine.words import N_, _, lazy

CHOSEN, LEVELS = "chosen", "levels"
# of a hierarchy's height, as ARX has them
DEGREES = {
    "none": 0.0,
    "low": 0.2,
    "low_medium": 0.4,
    "medium": 0.5,
    "medium_high": 0.6,
    "high": 0.8,
    "complete": 1.0,
}
NOT_THE_CHOICE = N_(
    "The guarantee covers sampling and k, not the choice of the node, or of settings, by looking at the data."
)


@privacy_models.register("differential_privacy")
@dataclass(frozen=True, slots=True)
class DifferentialPrivacy(PrivacyModel):
    """Sample records at random and require classes of at least k of them, for (epsilon, delta) [1, 2].

    One record more or less in the table changes the probability of any release by at most a factor of
    exp(epsilon), except with a probability of delta. This holds if the node does not depend on the data.

    Parameters
    ----------
    share : float
        Probability of drawing a record, as a share of the largest one that epsilon allows.
    node : str
        How the node is determined; only `CHOSEN` may depend on the data.

    References
    ----------
    .. [1] Bild, Kuhn, Prasser (2018). SafePub: A Truthful Data Anonymization Algorithm With Strong Privacy
       Guarantees. PoPETs 2018(1).
    .. [2] Li, Qardaji, Su (2012). On Sampling, Anonymization, and Differential Privacy. ASIACCS.
    """

    title: ClassVar[str] = lazy("differential privacy")
    symbol: ClassVar[str] = "ε"
    meaning: ClassVar[str] = lazy("privacy loss")
    plain_name: ClassVar[str] = lazy("Privacy budget")
    summary: ClassVar[str] = lazy(
        "One record more or less changes the probability of any release by at most a factor of exp(ε), "
        "except with probability δ."
    )
    group: ClassVar[Group] = Group.SAMPLING
    protects: ClassVar[tuple[Attack, ...]] = (Attack.LINKAGE, Attack.RE_IDENTIFICATION, Attack.MEMBERSHIP)
    source: ClassVar[str] = "Bild, Kuhn, Prasser 2018"
    formula: ClassVar[str] = "P(R | T) ≤ exp(epsilon) · P(R | T′) + delta"
    threshold_name: ClassVar[str] = "epsilon"
    knobs: ClassVar[tuple[str, ...]] = ("delta", "share")
    relation: ClassVar[Relation] = Relation.AT_MOST
    monotonic: ClassVar[Monotonic] = Monotonic.ALWAYS
    is_by_size: ClassVar[bool] = True
    epsilon: float = param(
        1.0,
        Real(
            minimum=0.001,
            maximum=10.0,
            decimals=3,
            label="ε",
            help=N_("Privacy loss; above 0. Up to 1 is strong, above 3 is weak."),
            usual=(0.5, 1.0, 2.0),
        ),
    )
    delta: float = param(
        1e-5,
        Real(
            minimum=sys.float_info.min,
            maximum=math.nextafter(1.0, 0.0),
            decimals=9,
            rule=N_("a number above 0 and below 1"),
            label="δ",
            help=N_("Probability of no guarantee; above 0, and below 1 divided by the number of records."),
            usual=(1e-6, 1e-5, 1e-4),
        ),
    )
    share: float = param(
        1.0,
        Real(
            minimum=0.01,
            maximum=1.0,
            decimals=3,
            is_share=True,
            label=N_("Share of the largest β"),
            help=N_(
                "β is the probability that a record is drawn. A smaller one needs smaller classes; "
                "do not choose it by looking at this table."
            ),
            usual=(0.5, 0.8, 1.0),
        ),
    )
    node: str = param(
        CHOSEN,
        Choice(
            label=N_("Node"),
            help=N_("Declare the node before looking at the data: a choice by the data is not covered."),
            options=(
                (CHOSEN, N_("Chosen on the lattice")),
                (LEVELS, N_("By the allowed levels, one per column")),
                ("none", N_("No generalization")),
                ("low", N_("Low degree (20 % of each height)")),
                ("low_medium", N_("Low to medium degree (40 %)")),
                ("medium", N_("Medium degree (50 %)")),
                ("medium_high", N_("Medium to high degree (60 %)")),
                ("high", N_("High degree (80 %)")),
                ("complete", N_("Complete generalization")),
            ),
        ),
    )

    @property
    def beta(self) -> float:
        """The probability that a record is drawn."""
        return self.share * largest_beta(self.epsilon)

    def of_suppressed(self) -> None:
        """Return None: suppressed records are removed."""

    @property
    def required_k(self) -> int:
        return smallest_k(self.epsilon, self.delta, self.beta)

    @property
    def is_node_fixed(self) -> bool:
        """Return whether the node is declared, so that the guarantee covers it."""
        return self.node != CHOSEN

    @property
    def node_words(self) -> str:
        """Name in forms for the way in which the node is determined."""
        descriptor = next(found for found in describe(type(self)) if found.name == "node")
        assert isinstance(descriptor, Choice)
        return dict(descriptor.options)[self.node]

    def fixed_node(self, heights: tuple[int, ...]) -> Node | None:
        """Return the node of a degree for hierarchies of some heights; None without a degree."""
        degree = DEGREES.get(self.node)
        return None if degree is None else tuple(math.floor(degree * height + 0.5) for height in heights)

    def measure(self, classes: EquivalenceClasses) -> FloatArray:
        """Return epsilon for classes of at least k records, else inf: a table has no epsilon by itself."""
        return np.where(classes.sizes >= self.required_k, self.epsilon, np.inf)

    @property
    def details(self) -> str:
        found = _("δ = {delta}, β = {beta}, k = {k}").format(
            delta=localized(f"{self.delta:g}"),
            beta=localized(f"{self.beta:.4g}"),
            k=as_exact_count(self.required_k),
        )
        if self.is_node_fixed:
            return found
        return _("{details}; does not cover the choice of the node").format(details=found)

    @property
    def covers(self) -> str:
        """Scope of the guarantee, in a sentence."""
        if self.is_node_fixed:
            return _("The guarantee holds in full if the node was declared before looking at the data.")
        return _(NOT_THE_CHOICE)
