"""Profitability: a record pays more than an attack on it is expected to cost."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd

from engine.verification.classes import Classes
from engine.verification.information import LabelLeaves
from engine.verification.models.base import Model, ModelVerifier
from engine.verification.models.profitability_no_attack import ATTACKERS, people_of
from engine.verification.population import PopulationClasses
from engine.words import N_

_NEAR = 1e-10  # relative error of a logarithm, and of what is divided by a small one


def _met(
    model: Model,
    leaves: LabelLeaves,
    population: PopulationClasses,
    classes: Classes,
    labels: pd.DataFrame,
) -> pd.Series[bool]:
    people = people_of(model, population, classes, labels)
    losses = leaves.losses(classes, labels)
    pairs = zip(people.tolist(), losses.tolist(), strict=True)
    return pd.Series([_pays(model, n, loss) for n, loss in pairs], index=people.index, dtype=bool)


def _pays(model: Model, people: int, loss: float) -> bool:
    benefit, left = float(model.threshold), 1 - loss
    if left <= _NEAR or not benefit:
        return False
    share = Fraction(1, max(people, 1))
    is_attacked = model.reals["gain"] * share > model.reals["cost"]
    damage = float(model.reals["loss"] * share) if is_attacked else 0.0
    payout = benefit * left - damage
    return payout > damage * _NEAR


VERIFIER = ModelVerifier(
    title=N_("profitability with benefit {benefit}, damage {loss}, gain {gain} and cost {cost} ({attacker})"),
    threshold="benefit",
    words={"attacker": ATTACKERS},
    reals=("loss", "gain", "cost"),
    by_labels=_met,
)
