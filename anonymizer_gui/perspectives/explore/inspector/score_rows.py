"""Rows of the inspector that are looked up in the scores of all nodes: metrics, steps, bars of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from anonymizer_gui.perspectives.explore.inspector.inspector_values import MetricRow, ModelLine, StepRow
from anonymizer_gui.perspectives.explore.metric_text import (
    metric_change,
    metric_exact,
    metric_name,
    metric_text,
    metric_title,
)
from anonymizer_gui.perspectives.explore.node_scores import NodeScores
from anonymizer_gui.perspectives.explore.node_words import LevelWords
from anonymizer_gui.widgets.numbers import as_exact_count

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.privacy import PrivacyModel

_LONGEST = 7


@dataclass(frozen=True, slots=True)
class Step:
    """A neighbour of a node: one attribute one level up or down.

    Attributes
    ----------
    node : tuple of int
    attribute : int
        The one that moves.
    is_up : bool
    difference : float
        What the metric gains; nan where either is not scored.
    suppressed : int or None
        None where it is not scored.
    satisfies : bool
    """

    node: Node
    attribute: int
    is_up: bool
    difference: float
    suppressed: int | None
    satisfies: bool


def steps_from(node: Node, problem: Problem, scores: NodeScores) -> list[Step]:
    """Every neighbour: those below first, those that satisfy first, then by what they lose."""
    lattice, here = problem.lattice, scores.value(node)
    steps = []
    for is_up, around in ((False, lattice.predecessors(node)), (True, lattice.successors(node))):
        for other in around:
            number = scores.scored_number(other)
            attribute = next(i for i, (a, b) in enumerate(zip(node, other, strict=True)) if a != b)
            steps.append(
                Step(
                    other,
                    attribute,
                    is_up,
                    scores.value(other) - here,
                    None if number is None else int(scores.suppressed[number]),
                    number is not None and bool(scores.satisfies[number]),
                )
            )
    return sorted(steps, key=_place)


def step_row(step: Step, problem: Problem, words: LevelWords, metric: str) -> StepRow:
    """A neighbour in words."""
    q, level = step.attribute, step.node[step.attribute]
    said = words.level(q, level)
    return StepRow(
        step.node,
        step.is_up,
        f"{problem.attributes[q].name} {said if said in ('kept', 'hidden') else f'to {said}'}",
        metric_change(metric, step.difference),
        "not scored" if step.suppressed is None else as_exact_count(step.suppressed),
        step.satisfies,
        step.suppressed is not None,
    )


def metric_rows(
    node: Node,
    scores: NodeScores,
    metric: str,
    details: Mapping[str, Any] | None,
    where: str,
) -> list[MetricRow]:
    """The chosen metric, then the others once they are measured; `where` says what the bars run over."""
    from engine.utility import utility_metrics

    arrays: dict[str, Any] = {metric: scores.values}
    arrays |= {key: values for key, values in (details or {}).items() if key in utility_metrics}
    number = scores.scored_number(node)
    rows = []
    for key, values in arrays.items():
        value = float("nan") if number is None else float(values[number])
        share, tick, low, high = _placed(values, number, scores.optimum)
        text = metric_text(key)
        rows.append(metric_row(key, value, share or 0.0, tick, f"{where} {text(low)} to {text(high)}"))
    return rows


def metric_row(key: str, value: float, share: float | None, tick: float | None, among: str) -> MetricRow:
    """One metric; `among` says what its bar runs over, or why it has none."""
    detail = f"{metric_title(key)}: {metric_exact(key, value)}; {among}"
    text = metric_text(key)(value)
    if len(text) > _LONGEST:  # large numbers do without the decimals a column of them has
        text = as_exact_count(value)
    return MetricRow(metric_name(key), text, share, tick, detail)


def with_bars(
    lines: Sequence[ModelLine],
    kinds: Sequence[tuple[type[PrivacyModel], str] | None],
    names: Mapping[tuple[type[PrivacyModel], str], str],
    node: Node,
    scores: NodeScores,
    details: Mapping[str, Any] | None,
) -> list[ModelLine]:
    """Give models that are measured at every node their place between the least and largest value.

    Parameters
    ----------
    lines : sequence of ModelLine
    kinds : sequence of type and str, or None
        Model and sensitive column of each line; None for those without a value.
    names : mapping
        What the values of a model and column are called in `details`.
    """
    number = scores.scored_number(node)
    found = []
    for line, kind in zip(lines, kinds, strict=True):
        name = None if kind is None else names.get(kind)
        values = None if name is None or details is None else details.get(name)
        if values is None:
            found.append(line)
            continue
        share, tick, _, _ = _placed(values, number, scores.optimum)
        found.append(replace(line, share=share, tick=tick))
    return found


def _placed(
    values: Any, number: int | None, optimum: int | None
) -> tuple[float | None, float | None, float, float]:
    """Where a node and the optimum lie between the least and the largest value, and those."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)

    def share(of: int | None) -> float | None:
        value = float("nan") if of is None else float(values[of])
        if not np.isfinite(value):
            return None
        return (value - low) / (high - low) if high > low else 0.0

    return share(number), share(optimum), low, high


def _place(step: Step) -> tuple[bool, bool, float]:
    return step.is_up, not step.satisfies, float(np.nan_to_num(step.difference, nan=np.inf))
