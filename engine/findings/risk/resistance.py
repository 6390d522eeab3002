"""Resistance of a table to attacks, by its measured models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from engine.findings.blocks import Tone
from engine.numbers import as_decimal, as_exact_count
from engine.params import Integer, describe
from engine.privacy import Relation
from engine.privacy.attacks import Attack
from engine.privacy.values import MeasuredModel
from engine.words import N_, _

NONE = "none"


class Resistance(Enum):
    """Resistance to an attack by the measured values.

    The value of a model is compared with its usual thresholds: `RESISTED` if it meets the least strict one;
    `OPEN` if it guarantees nothing (a class of one record, or of one sensitive value) or almost nothing (more
    than twice the largest usual share, distance or gain); `IN_PART` between the two. An attack is resisted
    only if every model that protects against it agrees, and open if none guarantees anything; `UNKNOWN` if
    none was measured.
    """

    RESISTED = N_("resisted")
    IN_PART = N_("partly")
    OPEN = N_("open")
    UNKNOWN = "unknown"

    @property
    def title(self) -> str:
        """State as a title."""
        return _(_WORDS[self][0])

    @property
    def tone(self) -> Tone:
        """Rating of the state: "ok", "warn", "danger", or "text" if unknown."""
        return _WORDS[self][1]


_WORDS: dict[Resistance, tuple[str, Tone]] = {
    Resistance.RESISTED: (N_("Resists"), "ok"),
    Resistance.IN_PART: (N_("Partly"), "warn"),
    Resistance.OPEN: (N_("Open", "attack"), "danger"),
    Resistance.UNKNOWN: (N_("Not assessed"), "text"),
}


def counted(found: Sequence[Resistance]) -> str:
    """Return how many attacks are resisted, and how many are not, in a few words."""
    states = (Resistance.RESISTED, Resistance.IN_PART, Resistance.OPEN)
    return " · ".join(f"{found.count(state)} {_(state.value)}" for state in states if state in found)


@dataclass(frozen=True)
class AttackReport:
    """Resistance of a table to an attack, and the deciding models.

    Attributes
    ----------
    model : MeasuredModel or None
        Strongest of the models that protect against the attack; distinct l-diversity if a class has a
        single sensitive value.
    usual : float or None
        Least strict usual threshold of that model.
    weaker : tuple of MeasuredModel
        Weaker models.
    """

    attack: Attack
    resistance: Resistance
    model: MeasuredModel | None = None
    usual: float | None = None
    weaker: tuple[MeasuredModel, ...] = ()


_NEXT_TO_NOTHING = 2
_VALUES = "distinct_l_diversity"  # its value of 1 is a class of one sensitive value
_FURTHEST_FIRST = (Resistance.RESISTED, Resistance.IN_PART, Resistance.OPEN)


def attacks_resisted(models: Sequence[MeasuredModel]) -> tuple[AttackReport, ...]:
    """Evaluate every attack by the measured models of a table, in the order of `Attack`.

    Parameters
    ----------
    models : sequence of MeasuredModel
        Models such as those of a `CheckReport`; models without their sensitive column are ignored. With
        several sensitive columns, each model counts with its worst one.
    """
    return tuple(_judged(attack, models) for attack in Attack)


def _judged(attack: Attack, models: Sequence[MeasuredModel]) -> AttackReport:
    found = [model for model in models if attack in model.kind.protects and _says_something(model)]
    # Re-identification depends on class sizes, which models of sensitive values bound only indirectly.
    by_size = [model for model in found if not _reads_a_column(model)]
    found = by_size or found
    if not found:
        return AttackReport(attack, Resistance.UNKNOWN)
    homogeneous = next((m for m in models if m.key == _VALUES and m.value == 1), None)
    if homogeneous is not None and not by_size:
        # A class with a single value reveals it, whatever other models measure.
        return AttackReport(attack, Resistance.OPEN, homogeneous, _least_strict(homogeneous))
    readings = sorted(((resistance_of(model), model) for model in found), key=_place)
    best, model = readings[0]
    is_unanimous = readings[-1][0] is best
    resistance = best if is_unanimous else Resistance.IN_PART
    weaker = tuple(other for reading, other in readings if reading is not best)
    return AttackReport(attack, resistance, model, _least_strict(model), weaker)


def decided_words(found: MeasuredModel, usual: float | None, weaker: Sequence[MeasuredModel]) -> str:
    """Return what decides on an attack: model, value, usual threshold and weaker models."""
    column = f" ({found.column})" if found.column else ""
    text = f"{found.kind.title}: {value_words(found)}{column}."
    if usual is not None:
        words = _(" Usual: {symbol} {relation} {kind} or stricter.")
        text += words.format(
            symbol=found.kind.symbol, relation=found.kind.relation.value, kind=_number(usual)
        )
    if weaker:
        text += _(" Weaker models here: {others}.").format(others=", ".join(map(value_words, weaker)))
    return text


def value_words(model: MeasuredModel | None) -> str:
    """Return a measured value in a few characters, such as "k = 5"."""
    if model is None or model.value is None:
        return NONE
    return f"{model.kind.symbol} = {_number(model.value)}"


def _number(value: float) -> str:
    return as_exact_count(int(value)) if float(value).is_integer() else as_decimal(value)


def _place(reading: tuple[Resistance, MeasuredModel]) -> int:
    return _FURTHEST_FIRST.index(reading[0])


def _says_something(model: MeasuredModel) -> bool:
    return bool(model.column) or not _reads_a_column(model)


def resistance_of(model: MeasuredModel) -> Resistance:
    """Return the resistance by a measured value, compared with the usual thresholds and with none."""
    parameters = {descriptor.name: descriptor for descriptor in describe(model.kind)}
    counts = {name: value for name, value in model.reported.items() if isinstance(parameters[name], Integer)}
    value, is_least = model.value, model.kind.relation is Relation.AT_LEAST
    if (
        value is None
        or math.isinf(value)
        or any(count is None or int(count) <= 1 for count in counts.values())
    ):
        return Resistance.OPEN
    # One record, or one value, is what every class has; a whole share or distance what every class meets.
    if value <= 1 if is_least else value >= getattr(model.kind.threshold_parameter(), "maximum", math.inf):
        return Resistance.OPEN
    usual = _least_strict(model)
    if usual is None:
        return Resistance.IN_PART
    if not is_least and value > _NEXT_TO_NOTHING * usual:
        return Resistance.OPEN
    # A threshold that has to stay above the value is met by values below it.
    is_met = value >= usual if is_least else value < usual if _is_strict(model) else value <= usual
    for name, count in counts.items():
        is_met &= int(count or 0) >= min(parameters[name].usual, default=0)
    return Resistance.RESISTED if is_met else Resistance.IN_PART


def _least_strict(model: MeasuredModel) -> float | None:
    """The least strict of the thresholds people usually choose."""
    usual = model.kind.threshold_parameter().usual
    if not usual:
        return None
    return float(min(usual) if model.kind.relation is Relation.AT_LEAST else max(usual))


def _is_strict(model: MeasuredModel) -> bool:
    return model.kind.relation is Relation.BELOW


def _reads_a_column(model: MeasuredModel) -> bool:
    return any(descriptor.name == "column" for descriptor in describe(model.kind))
