"""Profitability: a record pays more than an attack on it is expected to cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from engine.verification.models.base import Known, Model, ModelVerifier
from engine.verification.models.profitability_no_attack import ATTACKERS, people_of
from engine.words import N_

_NEAR = 1e-10  # relative error of a logarithm, and of what is divided by a small one


def _met(model: Model, known: Known, covered: Sequence[int], people: int = 0, size: int = 0) -> bool:
    benefit, left = float(model.threshold), 1 - _loss(known.n_leaves, math.prod(covered))
    if left <= _NEAR or not benefit:
        return False
    share = Fraction(1, max(people + size, 1))  # one of both is read
    is_attacked = model.reals["gain"] * share > model.reals["cost"]
    damage = float(model.reals["loss"] * share) if is_attacked else 0.0
    payout = benefit * left - damage
    return payout > damage * _NEAR


def _loss(n_leaves: int, n_covered: int) -> float:
    """Return the information loss of a record: log(leaves covered) / log(all leaves)."""
    if n_covered == n_leaves:
        return 0.0 if n_leaves == 1 else 1.0
    return math.log(n_covered) / math.log(n_leaves) if n_covered > 1 else 0.0


VERIFIER = ModelVerifier(
    title=N_("profitability with benefit {benefit}, damage {loss}, gain {gain} and cost {cost} ({attacker})"),
    threshold="benefit",
    words={"attacker": ATTACKERS},
    reals=("loss", "gain", "cost"),
    reads=lambda model: ("covered", people_of(model)),
    met=_met,
)
