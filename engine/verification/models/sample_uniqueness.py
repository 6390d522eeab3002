"""Sample uniqueness: few persons are alone in their class."""

from __future__ import annotations

from fractions import Fraction

from engine.verification.models.base import Judge, KeptPeople, Model, at_most
from engine.words import N_


def _holds(model: Model, kept: KeptPeople) -> bool:
    return at_most(Fraction(kept.least.get(1, 0), kept.persons), model.threshold)


JUDGE = Judge(title=N_("at most {threshold} of the records unique"), threshold="threshold", whole=_holds)
