"""Knobs of a requirement with their ranges, and the curves drawn above them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import ceil, floor
from typing import TYPE_CHECKING, Any

import numpy as np

from anonymizer_gui.perspectives.explore.knobs.bar import BESIDE, SUPPRESSION, Curve, KnobSpec
from anonymizer_gui.widgets.knob_scale import KnobScale
from engine.frequency.counted import PEOPLE
from engine.monitor import SILENT, Monitor
from engine.numbers import NARROW_SPACE, as_decimal, as_exact_count
from engine.params import Integer, Real, describe
from engine.privacy import PrivacyModel, Relation, Requirement
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.privacy.earlier import ALIGNED
from engine.privacy.limit import limits_persons
from engine.privacy.measured_text import is_share
from engine.words import _, english, ngettext

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.scoring.scored import ScoredNodes

_DELTAS = (1e-7, 1e-2)  # ends of the knob of delta
_LARGEST_SIZE, _LARGEST_COUNT = 100, 10
_ABOVE_USUAL, _WHOLE_ENDS = 5 / 3, 2.0
_SUPPRESSION_RANGE = 0.2
_OF = "/"  # between model and parameter in the key of a knob
_GRID = 90  # largest number of thresholds of a curve


def knob_specs(requirement: Requirement, problem: Problem) -> list[KnobSpec]:
    """Return one knob per model in the order of the requirement, then the suppression limit if it applies.

    A model with further knobs has one per parameter, each with its label as name.
    """
    specs = []
    for index, model in enumerate(requirement.models):
        specs.append(
            KnobSpec(
                key=model_key(requirement, index),
                name=model.threshold_parameter().label if model.knobs else model.symbol,
                title=model.plain_name or model.meaning,
                meaning=model_meaning(model, problem),
                scale=model_scale(model, problem),
                value=model.limit,
                suffix=f"{NARROW_SPACE}%" if is_share(type(model)) else "",
                keeps_larger=model.relation is Relation.AT_LEAST,
                check=partial(requirement.with_limit, index),
                meaning_at=partial(_size_words, model) if isinstance(model, DifferentialPrivacy) else None,
                draws_anew=isinstance(model, DifferentialPrivacy),
            )
        )
        specs += [_parameter_spec(requirement, index, name) for name in model.knobs]
    specs += _earlier_specs(requirement, problem)
    if requirement.sampling is not None:
        return specs  # no limit applies to records drawn at random
    limit, are_people = requirement.suppression_limit, limits_persons(problem, requirement)
    n_all = problem.n_people if are_people else problem.n_records
    meaning_at = partial(_allowed, requirement, n_all, are_people=are_people)
    highest = max(_SUPPRESSION_RANGE, ceil(limit * 20) / 20)
    specs.append(
        KnobSpec(
            key=SUPPRESSION,
            name=_("Suppression"),
            title=_("Suppressed, at most"),
            meaning=meaning_at(limit),
            meaning_at=meaning_at,
            scale=KnobScale(0.0, highest, decimals=2, factor=100.0),
            value=limit,
            keeps_larger=False,
            suffix=f"{NARROW_SPACE}%",
            check=lambda value: replace(requirement, suppression_limit=value),
        )
    )
    return specs


def _earlier_specs(requirement: Requirement, problem: Problem) -> list[KnobSpec]:
    """Return the knob of what is required beside earlier releases, if there are any."""
    releases, earlier = problem.earlier, requirement.earlier
    if releases is None or earlier is None or not releases.joined:
        return []
    counts_people = releases.attacker(earlier) == ALIGNED
    asked = [requirement.joint_l(attribute.name) or 1 for attribute in problem.sensitive]
    value = requirement.joint_k if counts_people else max(asked, default=1)
    most = max(_LARGEST_SIZE if counts_people else _LARGEST_COUNT, value)
    about = _("joint k · {n} earlier") if counts_people else _("joint l · {n} earlier")
    return [
        KnobSpec(
            key="joint k" if counts_people else "joint l",
            name=_("joint k") if counts_people else _("joint l"),
            title=_("Beside earlier, at least"),
            meaning=about.format(n=as_exact_count(len(releases.joined))),
            scale=KnobScale(1, most, is_logarithmic=counts_people),
            value=value,
            check=lambda value: turned(requirement, "joint k" if counts_people else "joint l", value),
        )
    ]


def _allowed(requirement: Requirement, n_all: int, limit: float, *, are_people: bool) -> str:
    """Return how many records, or people, a limit allows to suppress; a knob keeps no problem in memory."""
    n = replace(requirement, suppression_limit=limit).allowed(n_all)
    if are_people:
        return ngettext("{n} person", "{n} people", n).format(n=as_exact_count(n))
    return ngettext("{n} record", "{n} records", n).format(n=as_exact_count(n))


def _parameter_spec(requirement: Requirement, index: int, name: str) -> KnobSpec:
    """Return the knob of a parameter other than the threshold."""
    model = requirement.models[index]
    parameter = next(found for found in describe(type(model)) if found.name == name)
    assert isinstance(parameter, Real), "further knobs turn numbers"
    value: float = getattr(model, name)
    spec = KnobSpec(
        key=f"{model_key(requirement, index)}{_OF}{name}",
        name=parameter.label,
        title=parameter.label,
        meaning=_("of a record"),
        scale=_real_scale(parameter, value),
        value=value,
        keeps_larger=name not in model.easing,
        check=partial(requirement.with_value, index, name),
        is_threshold=False,
    )
    return _of_draw(spec, model, name) if isinstance(model, DifferentialPrivacy) else spec


def _of_draw(spec: KnobSpec, model: DifferentialPrivacy, name: str) -> KnobSpec:
    """Return the knob of delta or of the share of the largest beta, with the class size next to it."""
    meaning = _size_words(model, spec.value, name)
    meaning_at = partial(_size_words, model, name=name)
    if name == "share":
        scale = KnobScale(0.01, 1.0, decimals=1, factor=100.0)
        suffix = f"{NARROW_SPACE}%"
        return replace(
            spec,
            name="β",
            title="β",
            meaning=meaning,
            meaning_at=meaning_at,
            draws_anew=True,
            scale=scale,
            suffix=suffix,
        )
    lowest, highest = _DELTAS
    decimals = 7 if spec.value >= lowest else 9
    ends = min(lowest, spec.value), max(highest, spec.value)
    scale = KnobScale(*ends, decimals=decimals, is_logarithmic=True)
    return replace(spec, meaning=meaning, meaning_at=meaning_at, draws_anew=True, scale=scale)


def _size_words(model: DifferentialPrivacy, value: float, name: str = "epsilon") -> str:
    """Return the class size at a value of epsilon, delta, or the share of the largest beta."""
    changed = model.with_value(name, value)
    size = _("k = {k}").format(k=as_exact_count(changed.required_k))
    if name == "share":
        return _("{beta}, {size}").format(beta=as_decimal(changed.beta, 3), size=size)
    if name == "delta" or model.is_node_fixed:
        return size
    return _("{size}, not the choice of the node").format(size=size)


def model_key(requirement: Requirement, index: int) -> str:
    """Return the English symbol of a model, numbered if several models have the same."""
    symbols = [english(model, "symbol") for model in requirement.models[: index + 1]]
    before = symbols.count(symbols[-1]) - 1
    return symbols[-1] if not before else f"{symbols[-1]}.{before + 1}"


def model_meaning(model: PrivacyModel, problem: Problem) -> str:
    """Return the symbol of a model with its column and variant, or who its attackers are."""
    if isinstance(model, DifferentialPrivacy):
        return _size_words(model, model.epsilon)
    parts = [*model.columns, model_variant(model, problem)] if model.columns else []
    if model.is_of_attackers:
        parts = [model.details or model.meaning]
    elif not model.columns and model.required_k == model.limit and isinstance(model.limit, int):
        parts = [PEOPLE.many] if problem.counted is PEOPLE else []
    about = ", ".join(filter(None, parts))
    return f"{model.symbol} · {about}" if about else model.symbol


def model_variant(model: PrivacyModel, problem: Problem) -> str:
    """Return the distance of a model, or the words that distinguish it from related models."""
    if not hasattr(model, "distance"):
        has_words = bool(model.columns) or isinstance(model, DifferentialPrivacy)
        return (model.details or model.meaning) if has_words else ""
    kind: str | None = model.distance
    return _(kind or problem.sensitive_attribute(model.columns[0]).default_distance)


def model_scale(model: PrivacyModel, problem: Problem) -> KnobScale:
    """Return a logarithmic scale for sizes, a linear one for counts of values and shares."""
    parameter = model.threshold_parameter()
    if isinstance(parameter, Integer):
        if not model.columns or model.is_of_attackers:
            highest = _LARGEST_SIZE
            while highest < model.limit:
                highest *= 10
            lowest = max(min(2, int(model.limit)), parameter.minimum, 1)
            return KnobScale(lowest, highest, is_logarithmic=True)
        n_values = min(problem.sensitive_attribute(name).n_values for name in model.columns)
        return KnobScale(max(parameter.minimum, 1), max(min(_LARGEST_COUNT, n_values), model.limit, 2))
    assert isinstance(parameter, Real), "a threshold is a number"
    return _real_scale(parameter, model.limit)


def _real_scale(parameter: Real, value: float) -> KnobScale:
    # From half the least usual value to well above the largest: 0.05 to 0.5 for t.
    usual = parameter.usual or (parameter.minimum, parameter.maximum)
    low, high = min(usual) / 2, max(usual) * _ABOVE_USUAL
    steps = 20 if high < _WHOLE_ENDS else 1  # the axis ends at a multiple of 0.05, a long one at an integer
    low = min(floor(low * 20 + 1e-9), floor(value * 20)) / 20
    high = max(ceil(high * steps - 1e-9), ceil(value * steps - 1e-9)) / steps
    ends = max(low, parameter.minimum), min(high, parameter.maximum)
    if parameter.is_share:
        return KnobScale(*ends, decimals=max(parameter.decimals - 2, 0), factor=100.0)
    return KnobScale(*ends, decimals=parameter.decimals)


def measure_curves(
    profile: ScoredNodes, requirement: Requirement, specs: Sequence[KnobSpec], monitor: Monitor = SILENT
) -> dict[str, Curve]:
    """Count the satisfying nodes along every knob; takes about a second, so run it in a task."""
    from engine.scoring.evaluate import evaluate
    from engine.scoring.sweep import suppression_curve, threshold_curve

    curves, index, is_beside = {}, -1, any(spec.key in BESIDE for spec in specs)
    for spec in specs:
        if not spec.is_threshold:
            continue  # no order of classes gives the values of another parameter
        index += spec.key not in BESIDE
        if spec.draws_anew or (is_beside and spec.key not in (*BESIDE, SUPPRESSION)):
            continue  # other values of a draw draw other records, and other models keep other classes
        grid = knob_grid(spec.scale)
        if spec.key in BESIDE:
            turns = (evaluate(profile, turned(requirement, spec.key, value)) for value in grid)
            counts = np.array([found.watched_by(monitor).n_satisfying for found in turns])
        elif spec.key == SUPPRESSION:
            counts = suppression_curve(profile, requirement, grid)
        else:
            counts = threshold_curve(profile, requirement, index, grid, monitor)
        changes = np.diff(counts) != 0
        # Last value at which a node still satisfies, or the first at which it does.
        critical = np.append(changes, False) if spec.keeps_larger else np.append(False, changes)
        curves[spec.key] = Curve(grid, counts.tolist(), np.asarray(grid)[critical].tolist())
    return curves


def knob_grid(scale: KnobScale) -> list[float]:
    """Return the values of a knob, spread evenly over its axis."""
    if scale.decimals == 0 and scale.maximum - scale.minimum <= 2 * _GRID:
        return [float(value) for value in range(int(scale.minimum), int(scale.maximum) + 1)]
    values = {scale.tidy(scale.value_at(step / _GRID)) for step in range(_GRID + 1)}
    return sorted(values)


def turned(requirement: Requirement, key: str, value: float) -> Requirement:
    """Return the requirement with another value for one knob."""
    if key == SUPPRESSION:
        return replace(requirement, suppression_limit=value)
    if key in BESIDE:
        assert requirement.earlier is not None, "its knob is shown"
        changed: dict[str, Any] = {BESIDE[key]: int(value)}
        return replace(requirement, earlier=replace(requirement.earlier, **changed))
    for index in range(len(requirement.models)):
        own, _of, name = key.partition(_OF)
        if model_key(requirement, index) == own:
            return (
                requirement.with_value(index, name, value) if name else requirement.with_limit(index, value)
            )
    raise KeyError(key)
