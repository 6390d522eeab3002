"""Profitability without attacks: an attack on a record costs more than it is expected to gain."""

from __future__ import annotations

from math import floor

import pandas as pd

from engine.verification.classes import Classes
from engine.verification.information import LabelLeaves
from engine.verification.models.base import Model, ModelVerifier
from engine.verification.population import PopulationClasses
from engine.words import N_

ATTACKERS = ("prosecutor", "journalist")


def people_of(
    model: Model, population: PopulationClasses, classes: Classes, labels: pd.DataFrame
) -> pd.Series[int]:
    """Return among how many people the attacker of a model looks for a record of each class."""
    if model.words["attacker"] == "journalist":
        return population.members(classes, labels)
    return classes.sizes


def _met(
    model: Model,
    leaves: LabelLeaves,
    population: PopulationClasses,
    classes: Classes,
    labels: pd.DataFrame,
) -> pd.Series[bool]:
    people, gain, cost = people_of(model, population, classes, labels), model.reals["gain"], model.threshold
    if not gain or not cost:
        return people >= 0 if not gain else people < 0
    return people >= floor(gain / cost) + 1


VERIFIER = ModelVerifier(
    title=N_("no profitable attack with gain {gain} and cost {cost} ({attacker})"),
    threshold="cost",
    words={"attacker": ATTACKERS},
    reals=("gain",),
    by_labels=_met,
)
