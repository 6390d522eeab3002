"""Which attacks a table resists, as far as the models measured of it say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from engine.params import Integer, describe
from engine.privacy import Relation
from engine.privacy.attacks import Attack
from engine.privacy.values import MeasuredModel


class Resistance(Enum):
    """How far the measured values go against an attack.

    A model promises something by degrees, so that this is a reading of its value: `RESISTED` where it
    meets the least strict threshold people usually ask for; `OPEN` where it promises nothing (a class of
    one record, or of one sensitive value) or next to nothing (more than twice the largest usual share,
    distance or gain); `IN_PART` between the two; and `UNKNOWN` where no model that was measured protects
    against the attack.
    """

    RESISTED = "resisted"
    IN_PART = "in part"
    OPEN = "open"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class AttackReport:
    """How far a table resists an attack, and by which model.

    Attributes
    ----------
    attack : Attack
    resistance : Resistance
    model : MeasuredModel or None
        The model that says so: of those that protect against the attack the one that goes furthest.
    usual : float or None
        The least strict threshold people usually ask of that model.
    """

    attack: Attack
    resistance: Resistance
    model: MeasuredModel | None = None
    usual: float | None = None


_NEXT_TO_NOTHING = 2
_FURTHEST_FIRST = (Resistance.RESISTED, Resistance.IN_PART, Resistance.OPEN)


def attacks_resisted(models: Sequence[MeasuredModel]) -> tuple[AttackReport, ...]:
    """Judge every attack by the models measured of a table, in the order of `Attack`.

    Parameters
    ----------
    models : sequence of MeasuredModel
        Such as those of a `CheckReport`; models that need a sensitive column and have none say nothing.
    """
    return tuple(_judged(attack, models) for attack in Attack)


def _judged(attack: Attack, models: Sequence[MeasuredModel]) -> AttackReport:
    found = [
        (resistance_of(model), model)
        for model in models
        if attack in model.kind.protects and (model.column or not _reads_a_column(model))
    ]
    for resistance in _FURTHEST_FIRST:
        for judged, model in found:
            if judged is resistance:
                return AttackReport(attack, resistance, model, _least_strict(model))
    return AttackReport(attack, Resistance.UNKNOWN)


def resistance_of(model: MeasuredModel) -> Resistance:
    """Read a measured value: beside the usual thresholds, and beside what promises nothing."""
    parameters = {descriptor.name: descriptor for descriptor in describe(model.kind)}
    counts = {name: value for name, value in model.told.items() if isinstance(parameters[name], Integer)}
    value, is_least = model.value, model.kind.relation is Relation.AT_LEAST
    if value is None or math.isinf(value) or any(told is None or int(told) <= 1 for told in counts.values()):
        return Resistance.OPEN
    # One record, or one value, is what every class has; a whole share or distance what every class meets.
    if (
        value <= 1
        if is_least
        else value >= getattr(parameters[model.kind.threshold_name], "maximum", math.inf)
    ):
        return Resistance.OPEN
    usual = _least_strict(model)
    if usual is None:
        return Resistance.IN_PART
    if not is_least and value > _NEXT_TO_NOTHING * usual:
        return Resistance.OPEN
    # A threshold that has to stay above the value is met by values below it.
    is_met = value >= usual if is_least else value < usual if _is_strict(model) else value <= usual
    for name, told in counts.items():
        is_met &= int(told or 0) >= min(parameters[name].usual, default=0)
    return Resistance.RESISTED if is_met else Resistance.IN_PART


def _least_strict(model: MeasuredModel) -> float | None:
    """The least strict of the thresholds people usually choose."""
    usual = next(d.usual for d in describe(model.kind) if d.name == model.kind.threshold_name)
    if not usual:
        return None
    return float(min(usual) if model.kind.relation is Relation.AT_LEAST else max(usual))


def _is_strict(model: MeasuredModel) -> bool:
    return model.kind.relation is Relation.BELOW


def _reads_a_column(model: MeasuredModel) -> bool:
    return any(descriptor.name == "column" for descriptor in describe(model.kind))
