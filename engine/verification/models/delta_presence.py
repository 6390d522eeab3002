"""delta-presence: bounds for the share of each class of the population that has a record."""

from __future__ import annotations

from engine.verification.models.base import ModelVerifier
from engine.words import N_

VERIFIER = ModelVerifier(
    title=N_("delta-presence from {minimum} to {maximum}"),
    threshold="maximum",
    reals=("minimum",),
    class_met="people > 0 AND quotient(size, people) BETWEEN {minimum} AND {maximum}",
    needs_all_members=lambda model: model.reals["minimum"] > 0,  # no person may be known to be absent
)
