"""Records at risk: a small share of persons is in classes that are too small."""

from __future__ import annotations

from fractions import Fraction

from engine.verification.models.base import KeptPeople, Model, ModelVerifier, at_most
from engine.words import N_


def _holds(model: Model, kept: KeptPeople) -> bool:
    risk = model.reals["threshold"]
    at_risk = sum(count for size, count in kept.least.items() if not at_most(Fraction(1, size), risk))
    return at_most(Fraction(at_risk, kept.persons), model.threshold)


VERIFIER = ModelVerifier(
    title=N_("at most {share} of the records with a risk above {threshold}"),
    threshold="share",
    reals=("threshold",),
    table_wide=_holds,
)
