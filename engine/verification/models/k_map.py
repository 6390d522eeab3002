"""k-map: enough people of the population in each class, counted or estimated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import pandas as pd

from engine.verification.classes import Classes
from engine.verification.findings import UnverifiableError
from engine.verification.models.base import Model, ModelVerifier
from engine.verification.population import PopulationClasses
from engine.words import N_, _

_NEAR = 1e-9  # relative error of a probability
_ROUNDING = Fraction(1, 10**12)  # of a sum of weights


def _met(
    model: Model, population: PopulationClasses, classes: Classes, labels: pd.DataFrame, n_records: int
) -> pd.Series[bool]:
    sizes, estimator = classes.sizes, model.words["estimator"]
    if estimator == "table":
        return population.members(classes, labels) >= math.ceil(model.threshold)
    if population.size is None or population.size < n_records:
        raise UnverifiableError(_("The population size is missing or smaller than the number of records."))
    rate = float(n_records * model.threshold / population.size)
    truncated = estimator == "zero_truncated_poisson"
    found = {
        size: size >= model.threshold or _tail(size, rate, truncated) <= _above(model.reals["significance"])
        for size in set(sizes.tolist())
    }
    return sizes.map(found).astype(bool)


def _above(significance: Fraction) -> float:
    return float(significance) * (1 + _NEAR)


@lru_cache(maxsize=65_536)
def _tail(count: int, rate: float, truncated: bool) -> float:
    """P(X >= count) of a Poisson variable, or of one truncated at zero, term by term."""
    if rate >= count:  # the terms still grow: sum those below instead
        below = range(1 if truncated else 0, count)
        terms = [math.exp(n * math.log(rate) - rate - math.lgamma(n + 1)) for n in below]
        whole = -math.expm1(-rate) if truncated else 1.0
        return 1 - math.fsum(terms) / whole
    term = math.exp(count * math.log(rate) - rate - math.lgamma(count + 1))
    terms, number = [], count
    while term > 0 and (not terms or term > terms[0] * 1e-18):
        terms.append(term)
        number += 1
        term *= rate / number
    return math.fsum(terms) / (-math.expm1(-rate) if truncated else 1.0)


def _met_by_weights(model: Model, classes: Classes, people: Sequence[Fraction]) -> pd.Series[bool]:
    met = [weight * (1 + _ROUNDING) >= model.threshold for weight in people]
    return pd.Series(met, index=classes.sizes.index, dtype=bool)


VERIFIER = ModelVerifier(
    title=N_("k-map with k = {k} ({estimator})"),
    threshold="k",
    words={"estimator": ("table", "poisson", "zero_truncated_poisson", "weights")},
    reals=("significance",),
    by_population=_met,
    by_weights=_met_by_weights,
)
