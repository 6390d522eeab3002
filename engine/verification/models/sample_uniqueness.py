"""Sample uniqueness: a small share of persons is unique."""

from __future__ import annotations

from fractions import Fraction

from engine.verification.models.base import KeptPeople, Model, ModelVerifier, at_most
from engine.words import N_


def _holds(model: Model, kept: KeptPeople) -> bool:
    return at_most(Fraction(kept.least.get(1, 0), kept.persons), model.threshold)


VERIFIER = ModelVerifier(
    title=N_("at most {threshold} of the records unique"), threshold="threshold", table_wide=_holds
)
