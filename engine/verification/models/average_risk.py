"""Average risk of the kept persons, each by the smallest class they are in."""

from __future__ import annotations

from fractions import Fraction

from engine.verification.models.base import KeptPeople, Model, ModelVerifier, at_most
from engine.words import N_


def _holds(model: Model, kept: KeptPeople) -> bool:
    total = sum((Fraction(count, size) for size, count in kept.least.items()), Fraction(0))
    return at_most(total / kept.persons, model.threshold)


VERIFIER = ModelVerifier(title=N_("average risk of {threshold}"), threshold="threshold", table_wide=_holds)
