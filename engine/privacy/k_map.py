"""k-map [1]: every record matches at least k people of the population."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from engine.errors import InputError
from engine.frequency import EquivalenceClasses, Measure
from engine.frequency.classes import POPULATION, WEIGHT, WEIGHTED_PEOPLE
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.kernels.poisson import largest_rates
from engine.params import Choice, Real, param
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, Monotonic, PrivacyModel, Relation, privacy_models
from engine.privacy.declared import least_number
from engine.words import N_, _, lazy

TIE = 1e-12  # relative; for sums of weights and rates that are a whole number of people but for rounding


@privacy_models.register("k_map")
@dataclass(frozen=True, slots=True)
class KMap(PrivacyModel):
    """Require at least `k` people of the population in every class that has a record.

    The estimator `table` counts them in the population table. Otherwise their number is estimated [2], and a
    class is large enough if chance hardly explains its records: a class of k people, sampled with the
    fraction p, is expected to have a Poisson number of records with mean k p (D3), or one truncated at zero
    (D4), since classes without a record are not seen. A class of f records meets k if P(X >= f) is at most
    `significance` for this k. It also meets every k up to f, since its records are about that many people.
    The estimator `weights` adds the weights of the records of a survey: each stands for as many people.

    Notes
    -----
    The measured value is the largest k that a class meets. ARX tests in the same way, but its Poisson
    estimator requires one record more than the significance does.

    References
    ----------
    .. [1] Sweeney (2002). Achieving k-Anonymity Privacy Protection Using Generalization and Suppression.
       IJUFKS 10(5).
    .. [2] El Emam, Dankar (2008). Protecting Privacy Using k-Anonymity. JAMIA 15(5), 627-637; D3 is by
       Pannekoek (1999), Statistica Neerlandica 53(1), 55-67.
    """

    title: ClassVar[str] = lazy("k-map")
    symbol: ClassVar[str] = "km"
    meaning: ClassVar[str] = lazy("fewest people")
    plain_name: ClassVar[str] = lazy("Smallest in population")
    summary: ClassVar[str] = lazy(
        "Every record matches at least k people of the population in the quasi-identifying columns."
    )
    group: ClassVar[Group] = Group.POPULATION
    protects: ClassVar[tuple[Attack, ...]] = (Attack.LINKAGE, Attack.RE_IDENTIFICATION)
    source: ClassVar[str] = "Sweeney 2002"
    reported: ClassVar[tuple[str, ...]] = ("estimator",)
    formula: ClassVar[str] = "N(E) ≥ k"
    threshold_name: ClassVar[str] = "k"
    relation: ClassVar[Relation] = Relation.AT_LEAST
    monotonic: ClassVar[Monotonic] = Monotonic.ALWAYS
    k: int = least_number(
        5,
        "k",
        N_("Fewest people of the population that a record may belong to; 5 to 20 is usual."),
        (5, 10, 20),
    )
    estimator: str = param(
        "table",
        Choice(
            label=N_("People in a class"),
            options=(
                ("table", N_("Counted in the population table")),
                ("poisson", N_("Estimated (Poisson)")),
                ("zero_truncated_poisson", N_("Estimated (Poisson, truncated at zero)")),
                ("weights", N_("Estimated (sum of survey weights)")),
            ),
            help=N_(
                "Counted if a population table is given; otherwise estimated from the population size, or "
                "from the weights of the records."
            ),
        ),
    )
    significance: float = param(
        0.01,
        Real(
            minimum=0.0001,
            maximum=0.5,
            decimals=4,
            label=N_("Significance"),
            help=N_(
                "Accepted probability that an estimate is too high; 0.01 is usual. Not "
                "used if people are counted or weights are added."
            ),
            usual=(0.001, 0.01, 0.05),
        ),
    )

    def measure(self, classes: EquivalenceClasses) -> IntArray:
        """Return the people of the population per class, counted or by the estimate.

        Raises
        ------
        InputError
            They must be estimated, and nothing is known about the population.
        """
        if self.estimator == "table":
            return np.asarray(classes.measured(Measure(POPULATION, "")))
        if self.estimator == "weights":
            people = classes.measured(Measure(WEIGHTED_PEOPLE, WEIGHT))
            return np.floor(people * (1 + TIE)).astype(np.int64)
        if classes.sampling_fraction is None:
            raise InputError(
                _("k-map cannot be estimated without a population."),
                hint=_("Give the population size or the sampling fraction."),
                model=self.key,
            )
        return self._people(classes.sizes, classes.sampling_fraction)

    def fulfilled(self, classes: EquivalenceClasses) -> BoolArray:
        """Compares class sizes with the smallest that meets k, since larger classes meet it too."""
        is_counted = self.estimator in ("table", "weights")
        if is_counted or classes.sampling_fraction is None or not len(classes.sizes):
            return PrivacyModel.fulfilled(self, classes)
        low, high = 0, min(self.k, int(classes.sizes.max()) + 1)
        while high - low > 1:
            middle = (low + high) // 2
            is_met = self._people(np.array([middle]), classes.sampling_fraction)[0] >= self.k
            low, high = (low, middle) if is_met else (middle, high)
        return np.asarray(classes.sizes >= high)

    def measures(self, default_distance: str) -> tuple[Measure, ...]:
        if self.estimator == "weights":
            return (Measure(WEIGHTED_PEOPLE, WEIGHT),)
        return (Measure(POPULATION, ""),) if self.estimator == "table" else ()

    @property
    def needs_people(self) -> bool:
        return self.estimator != "weights"

    @property
    def needs_weights(self) -> bool:
        return self.estimator == "weights"

    @property
    def needs_members(self) -> bool:
        return self.estimator == "table"

    @property
    def details(self) -> str:
        if self.estimator == "weights":
            return _("sum of weights")
        return (
            ""
            if self.estimator == "table"
            else _("estimated, significance {significance:g}").format(significance=self.significance)
        )

    def _people(self, sizes: Counts, fraction: float) -> IntArray:
        """Return the largest k that classes of some sizes meet."""
        rates = _Rates.of(self.significance, self.estimator == "zero_truncated_poisson").at(sizes)
        return np.maximum(np.floor(rates / fraction * (1 + TIE)).astype(np.int64), sizes)


class _Rates:
    """The largest unlikely mean by class size; each is computed when first needed."""

    def __init__(self, significance: float, truncated: bool) -> None:
        self._significance, self._truncated = significance, truncated
        self._known = np.full(1024, np.nan)
        self._known[0] = 0.0  # class sizes that do not occur
        self._writing = threading.Lock()

    @staticmethod
    @lru_cache(maxsize=16)
    def of(significance: float, truncated: bool) -> _Rates:
        """Return the rates of a significance, from the cache if computed before."""
        return _Rates(significance, truncated)

    def at(self, sizes: Counts) -> FloatArray:
        """Return the rates of some sizes, same shape."""
        with self._writing:
            largest = int(sizes.max(initial=0))
            if largest >= len(self._known):
                grown = np.full(max(largest + 1, 2 * len(self._known)), np.nan)
                grown[: len(self._known)] = self._known
                self._known = grown
            known = self._known
            new = np.unique(sizes[np.isnan(known[sizes])]).astype(np.int64)
            if len(new):
                known[new] = largest_rates(new, self._significance, truncated=self._truncated)
        return np.asarray(known[sizes])
