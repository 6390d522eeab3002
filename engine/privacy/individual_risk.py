"""Individual risk [1]: the mean of 1 / people of the population in a class, from survey weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import EquivalenceClasses, Measure
from engine.frequency.classes import INDIVIDUAL_RISK, WEIGHT
from engine.kernels.arrays import FloatArray
from engine.params import Flag, param
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, Monotonic, PrivacyModel, Relation, privacy_models
from engine.privacy.declared import largest_share
from engine.words import N_, _, lazy

TIE = 1e-12  # relative; for sums and quotients that are the threshold but for rounding


@privacy_models.register("individual_risk")
@dataclass(frozen=True, slots=True)
class IndividualRisk(PrivacyModel):
    """Require the individual risk of every class to be at most `threshold`.

    A class has f records with the weights F in total. The people of the population in it are estimated by a
    negative binomial distribution, and r(f, F) is the mean of 1 / people; it is 1 / f if F is at most f.

    Notes
    -----
    The model carries over to successors, as classes only join there: r falls with f and with F, so that it
    is at most the least risk of the joined classes. With u uniform in [0, 1], the exact risk is the mean of
    1 / (f + (F - f) u**(1 / f)), whose denominator grows with F and, up to f = F, with f. The approximation
    for f >= 3 is 1 / ((f - 1) F / f + 1), which falls in the same way; for f = 3 it is 3 / (2 F + 3), and
    the risk for f = 2 is at least 3 / (2 F + 2) by Jensen's inequality.

    References
    ----------
    .. [1] Benedetti, Franconi (1998). Statistical and Technological Solutions for Controlled Data
       Dissemination. Pre-proceedings of New Techniques and Technologies for Statistics, 225-232; Franconi,
       Polettini (2004). Individual Risk Estimation in mu-Argus: A Review. LNCS 3050.
    """

    title: ClassVar[str] = lazy("individual risk")
    symbol: ClassVar[str] = "r"
    meaning: ClassVar[str] = lazy("by survey weights")
    plain_name: ClassVar[str] = lazy("Risk by weights")
    summary: ClassVar[str] = lazy(
        "An attacker who searches the population for the person of a survey record is right with at most "
        "this probability, estimated from the weights."
    )
    group: ClassVar[Group] = Group.POPULATION
    protects: ClassVar[tuple[Attack, ...]] = (Attack.RE_IDENTIFICATION, Attack.LINKAGE)
    source: ClassVar[str] = lazy("Benedetti, Franconi 1998")
    reported: ClassVar[tuple[str, ...]] = ("exact",)
    formula: ClassVar[str] = "mean(1 / N(E)) ≤ threshold"
    threshold_name: ClassVar[str] = "threshold"
    relation: ClassVar[Relation] = Relation.AT_MOST
    monotonic: ClassVar[Monotonic] = Monotonic.ALWAYS
    threshold: float = largest_share(
        0.05,
        N_("Highest individual risk of any record; 1 to 10 % is usual for survey data."),
        (0.01, 0.02, 0.05, 0.1),
        minimum=0.0001,
    )
    exact: bool = param(
        False,
        Flag(
            label=N_("Exact"),
            help=N_(
                "Use the exact mean for classes of 3 and more records instead of the usual approximation, "
                "which is slightly higher."
            ),
        ),
    )

    def critical(self, classes: EquivalenceClasses) -> FloatArray:
        """Return the strictest threshold that each class meets, a relative 1e-12 below its risk."""
        return np.asarray(self.measure(classes), dtype=np.float64) * (1 - TIE)

    def measures(self, default_distance: str) -> tuple[Measure, ...]:
        return (Measure(INDIVIDUAL_RISK, WEIGHT, int(self.exact)),)

    @property
    def needs_people(self) -> bool:
        return False

    @property
    def needs_weights(self) -> bool:
        return True

    @property
    def details(self) -> str:
        return _("exact") if self.exact else ""
