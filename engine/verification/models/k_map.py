"""k-map: enough people of the population in each class, counted or estimated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from engine.verification.findings import UnverifiableError
from engine.verification.models.base import Known, Model, ModelVerifier
from engine.words import N_, _

_NEAR = 1e-9  # relative error of a probability
_ROUNDING = Fraction(1, 10**12)  # of a sum of weights


def _class_met(model: Model) -> str:
    return "people >= {k}" if model.words["estimator"] == "table" else ""


def _reads(model: Model) -> tuple[str, ...]:
    estimator = model.words["estimator"]
    return () if estimator == "table" else ("weights",) if estimator == "weights" else ("size",)


def _met(model: Model, known: Known, size: int = 0, weights: Sequence[tuple[int, int]] | None = None) -> bool:
    if weights is not None:
        people = sum((known.weight_of[code] * n for code, n in weights), Fraction(0))
        return people * (1 + _ROUNDING) >= model.threshold
    if known.people is None or known.people < known.n_counted:
        raise UnverifiableError(_("The population size is missing or smaller than the number of records."))
    rate = float(known.n_counted * model.threshold / known.people)
    is_truncated = model.words["estimator"] == "zero_truncated_poisson"
    return size >= model.threshold or _tail(size, rate, is_truncated) <= _above(model.reals["significance"])


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


VERIFIER = ModelVerifier(
    title=N_("k-map with k = {k} ({estimator})"),
    threshold="k",
    words={"estimator": ("table", "poisson", "zero_truncated_poisson", "weights")},
    reals=("significance",),
    class_met=_class_met,
    reads=_reads,
    met=_met,
)
