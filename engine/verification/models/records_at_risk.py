"""Records at risk: few persons are in classes that are too small."""

from __future__ import annotations

from fractions import Fraction

from engine.verification.models.base import Judge, KeptPeople, Model, at_most
from engine.words import N_


def _holds(model: Model, kept: KeptPeople) -> bool:
    risk = model.reals["threshold"]
    at_risk = sum(count for size, count in kept.least.items() if not at_most(Fraction(1, size), risk))
    return at_most(Fraction(at_risk, kept.persons), model.threshold)


JUDGE = Judge(
    title=N_("at most {share} of the records with a risk above {threshold}"),
    threshold="share",
    reals=("threshold",),
    whole=_holds,
)
