"""Delta-presence [1]: whether somebody is among the records can hardly be told."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from engine.frequency import EquivalenceClasses, Measure
from engine.frequency.classes import POPULATION
from engine.kernels.arrays import BoolArray, Counts, IntArray, Reals
from engine.params import Real, param
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, Monotonic, PrivacyModel, Relation, privacy_models
from engine.privacy.table_wide import KeptFigures

_DIGITS = 15  # decimals that a float64 below 1 keeps, whatever they are
_NEAR = 1e-12  # relative; nearer to a bound a share is compared exactly


@privacy_models.register("delta_presence")
@dataclass(frozen=True, slots=True)
class DeltaPresence(PrivacyModel):
    """Bound the probability that somebody of the population has a record by `minimum` and `maximum`.

    It is the share of records among the people of a class: records / people, for everybody of the
    population. Both bounds are accepted. People of whose class nothing is released, because it has no
    record or is suppressed, are known to be absent: their probability is 0. So where `minimum` is above
    0, a node satisfies only if every class of the population has records and all of them are kept.

    Notes
    -----
    What the number of suppressed records tells of people who fit no released class is not bounded.

    References
    ----------
    .. [1] Nergiz, Atzori, Clifton (2007). Hiding the Presence of Individuals from Shared Databases.
       SIGMOD.
    """

    title: ClassVar[str] = "δ-presence"
    symbol: ClassVar[str] = "δp"
    meaning: ClassVar[str] = "presence, at most"
    summary: ClassVar[str] = (
        "Who knows that somebody belongs to the population cannot be much surer that they have a record."
    )
    group: ClassVar[Group] = Group.POPULATION
    protects: ClassVar[tuple[Attack, ...]] = (Attack.MEMBERSHIP,)
    source: ClassVar[str] = "Nergiz, Atzori, Clifton 2007"
    threshold_name: ClassVar[str] = "maximum"
    relation: ClassVar[Relation] = Relation.AT_MOST
    monotonic: ClassVar[Monotonic] = Monotonic.WITHOUT_SUPPRESSION
    minimum: float = param(
        0.0,
        Real(
            minimum=0.0,
            maximum=1.0,
            label="At least",
            help="Lowest probability of having a record; above 0 nobody is known to have none. 0 is usual.",
            usual=(0.0, 0.05, 0.1),
        ),
    )
    maximum: float = param(
        0.5,
        Real(
            minimum=0.0,
            maximum=1.0,
            label="At most",
            help="Highest probability of having a record; 0.1 to 0.5 is usual.",
            usual=(0.1, 0.2, 0.33, 0.5),
        ),
    )

    def measure(self, classes: EquivalenceClasses) -> Reals:
        """Records / people per class, in [0, 1]; inf where the population has none of a class's people.

        Rounded so that a class meets its own value as a threshold: up, but where a short decimal is exact.
        """
        people = self._people(classes)
        shares = _shares(classes.sizes, people)
        rounded = np.nextafter(shares, np.inf)
        short = np.flatnonzero((people > 0) & (np.round(shares, _DIGITS) == shares))
        sizes, distinct, places = _distinct_pairs(classes.sizes[short], people[short])
        exact = [_typed(size / n) >= Fraction(size, n) for size, n in zip(sizes, distinct, strict=True)]
        rounded[short] = np.where(np.array(exact, dtype=np.bool_)[places], shares[short], rounded[short])
        return rounded

    def critical(self, classes: EquivalenceClasses) -> Reals:
        """See `PrivacyModel.critical`: no maximum helps a class below the minimum."""
        return np.where(self._compared(classes, self.minimum) < 0, np.inf, self.measure(classes))

    def fulfilled(self, classes: EquivalenceClasses) -> BoolArray:
        """See `PrivacyModel.fulfilled`: shares that round to a bound are compared in whole numbers."""
        is_below = self._compared(classes, self.minimum) < 0
        return np.asarray(~is_below & (self._compared(classes, self.maximum) <= 0))

    def _compared(self, classes: EquivalenceClasses, bound: float) -> IntArray:
        """-1, 0 or 1 where a share is below, at or above a bound as typed, shape (n_classes,)."""
        people = self._people(classes)
        shares = _shares(classes.sizes, people)
        signs = np.sign(shares - bound).astype(np.int64)
        near = np.flatnonzero(np.abs(shares - bound) <= _NEAR * bound)
        if len(near):
            typed = _typed(bound)
            sizes, distinct, places = _distinct_pairs(classes.sizes[near], people[near])
            differences = [Fraction(size, n) - typed for size, n in zip(sizes, distinct, strict=True)]
            signs[near] = np.array([(d > 0) - (d < 0) for d in differences], dtype=np.int64)[places]
        return signs

    def _people(self, classes: EquivalenceClasses) -> Counts:
        return classes.measured(Measure(POPULATION, "")).astype(np.int64)

    @property
    def judges_whole(self) -> bool:
        """See `PrivacyModel.judges_whole`: whether somebody may be known to be absent."""
        return self.minimum > 0

    def holds(self, kept: KeptFigures, wanted: BoolArray) -> BoolArray:
        """See `PrivacyModel.holds`: everybody of the population is in a kept class."""
        if not self.judges_whole:
            return np.ones(len(wanted), dtype=np.bool_)
        return np.asarray(kept.kept_members == kept.n_members)

    def measures(self, default_distance: str) -> tuple[Measure, ...]:
        """See `PrivacyModel.measures`."""
        return (Measure(POPULATION, ""),)

    @property
    def needs_members(self) -> bool:
        """See `PrivacyModel.needs_members`."""
        return True

    @property
    def why_never(self) -> str:
        """See `PrivacyModel.why_never`."""
        if self.minimum <= self.maximum:
            return ""
        return f"a presence of at least {self.minimum:g} and at most {self.maximum:g} does not exist"

    @property
    def details(self) -> str:
        """See `PrivacyModel.details`."""
        return f"at least {self.minimum:g}" if self.minimum else ""


def _shares(sizes: IntArray, people: Counts) -> Reals:
    return np.asarray(np.divide(sizes, people, out=np.full(len(people), np.inf), where=people > 0))


def _distinct_pairs(sizes: IntArray, people: Counts) -> tuple[list[int], list[int], IntArray]:
    """The distinct pairs of size and people, and which of them each class has."""
    span = int(people.max(initial=0)) + 1  # both counts have less than 32 bits, so that a pair fits
    keys, places = np.unique(sizes.astype(np.int64) * span + people, return_inverse=True)
    return (keys // span).tolist(), (keys % span).tolist(), places


def _typed(bound: float) -> Fraction:
    """A bound as it was typed: the shortest decimal that means this number."""
    return Fraction(repr(bound))
