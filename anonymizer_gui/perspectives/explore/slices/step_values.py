"""The nodes one step from a node, with what each step changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QCoreApplication

from anonymizer_gui.perspectives.explore.metric_text import metric_change, metric_name, metric_text
from anonymizer_gui.perspectives.explore.node_scores import Details, NodeScores
from anonymizer_gui.perspectives.explore.node_text import LevelWords
from anonymizer_gui.widgets.marks import Mark
from anonymizer_gui.widgets.numbers import DASH, MINUS, as_change, as_decimal, as_exact_count

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node

_tr = partial(QCoreApplication.translate, "StepValues")


@dataclass(frozen=True, slots=True)
class Measure:
    """One number of a node and how far it is from that of the node one comes from; nan where unknown."""

    value: float
    change: float
    value_text: str
    change_text: str

    @property
    def text(self) -> str:
        return f"{self.value_text} ({self.change_text})" if self.change_text else self.value_text


@dataclass(frozen=True, slots=True)
class StepRow:
    """A neighbour: which attribute moves, up or down, from what to what, and its measures."""

    node: Node
    is_up: bool
    attribute: str
    before: str
    after: str
    status: Mark
    measures: tuple[Measure, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """All neighbours, the more general ones first, with the titles of their measures."""

    titles: tuple[str, ...] = ()
    explained: tuple[str, ...] = ()
    rows: tuple[StepRow, ...] = ()


def steps_of(
    node: Node, problem: Problem, words: LevelWords, scores: NodeScores, details: Details | None, metric: str
) -> Steps:
    """What every single step from a node changes: metric, suppressed records, k, l and t of what is kept.

    Parameters
    ----------
    details : dict of str to ndarray or None
        What models measure; while they lag behind their columns hold dashes.
    """
    columns = [f"{letter}.{attribute.name}" for attribute in problem.sensitive for letter in ("l", "t")]
    titles = [metric_name(metric), _tr("suppressed"), _tr("k")]
    titles += [_tr("{0} of {1}").format(*name.split(".", 1)) for name in columns]
    explained = [
        _tr("What the metric measures there, and the difference to the selected node"),
        _tr("Records suppressed there, and the difference to the selected node"),
        _tr("Smallest class that is kept"),
    ]
    for _ in problem.sensitive:
        explained += [
            _tr("Least number of distinct values in a kept class"),
            _tr("Largest distance of a kept class from the table"),
        ]
    rows = []
    for is_up, around in (
        (True, problem.lattice.successors(node)),
        (False, problem.lattice.predecessors(node)),
    ):
        for other in around:
            q = next(i for i, (a, b) in enumerate(zip(node, other, strict=True)) if a != b)
            number, base = scores.scored_number(other), scores.scored_number(node)
            status = Mark.NOT_SCORED
            if number is not None:
                status = Mark.SATISFIES if scores.satisfies[number] else Mark.FAILS
            measures = [_metric(scores, number, base, metric), _suppressed(scores, number, base)]
            measures += [_figure(name, details, number, base) for name in ["k", *columns]]
            before, after = words.level(q, node[q]), words.level(q, other[q])
            rows.append(StepRow(other, is_up, problem.names[q], before, after, status, tuple(measures)))
    return Steps(tuple(titles), tuple(explained), tuple(rows))


def _metric(scores: NodeScores, number: int | None, base: int | None, metric: str) -> Measure:
    value, change = _pair(scores.values, number, base)
    if value != value:
        return _UNKNOWN
    return Measure(value, change, metric_text(metric)(value), _told(change, metric_change(metric, change)))


def _suppressed(scores: NodeScores, number: int | None, base: int | None) -> Measure:
    value, change = _pair(scores.suppressed, number, base)
    if value != value:
        return _UNKNOWN
    return Measure(value, change, as_exact_count(value), _told(change, _count_change(change)))


def _figure(name: str, details: Details | None, number: int | None, base: int | None) -> Measure:
    if details is None or name not in details:
        return _UNKNOWN
    value, change = _pair(details[name], number, base)
    if value != value:
        return _UNKNOWN
    if name.startswith("t."):
        return Measure(value, change, as_decimal(value, 3), _told(change, as_change(change, 3)))
    return Measure(value, change, as_exact_count(value), _told(change, _count_change(change)))


def _pair(values: np.ndarray, number: int | None, base: int | None) -> tuple[float, float]:
    """The value at a node, and its difference from that at another."""
    value = float("nan") if number is None else float(values[number])
    return value, float("nan") if base is None else value - float(values[base])


def _count_change(change: float) -> str:
    return (MINUS if change < 0 else "+") + as_exact_count(abs(change))


def _told(change: float, text: str) -> str:
    """The words of a change; what stays as it is says so, what is unknown says nothing."""
    if change != change:
        return ""
    return "±0" if change == 0 else text


_UNKNOWN = Measure(float("nan"), float("nan"), DASH, "")
