"""Profitability without attacks: an attack on a record costs more than it is expected to gain."""

from __future__ import annotations

from math import floor

from engine.verification.models.base import Model, ModelVerifier
from engine.words import N_

ATTACKERS = ("prosecutor", "journalist")


def people_of(model: Model) -> str:
    """Return among how many people the attacker of a model looks for a record of a class."""
    return "people" if model.words["attacker"] == "journalist" else "size"


def _class_met(model: Model) -> str:
    gain, cost = model.reals["gain"], model.threshold
    if not gain or not cost:
        return f"{people_of(model)} {'>=' if not gain else '<'} 0"
    return f"{people_of(model)} >= {floor(gain / cost) + 1}"


VERIFIER = ModelVerifier(
    title=N_("no profitable attack with gain {gain} and cost {cost} ({attacker})"),
    threshold="cost",
    words={"attacker": ATTACKERS},
    reals=("gain",),
    class_met=_class_met,
)
