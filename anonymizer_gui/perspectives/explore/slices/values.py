"""Slice of the lattice: the levels of two attributes, all others as in one node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anonymizer_gui.models.node_name import LevelWords
from anonymizer_gui.perspectives.explore.lattice.raster import N_RAMP
from anonymizer_gui.perspectives.explore.metric_text import metric_change, metric_name, metric_text
from anonymizer_gui.perspectives.explore.node_scores import BoolArray, Details, NodeScores
from anonymizer_gui.widgets.marks import Mark
from engine.numbers import DASH, MINUS, as_change, as_decimal, as_exact_count, as_percent
from engine.words import _

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node


@dataclass(frozen=True, slots=True)
class SliceCell:
    """One node of a slice.

    Attributes
    ----------
    node : tuple of int
    status : Mark
    colour : int or None
        Colour class of a satisfying node.
    value, suppressed : str
        Metric and share of suppressed records; empty if the node is not scored.
    is_dimmed : bool
        Whether filters exclude the node.
    """

    node: Node
    status: Mark
    colour: int | None = None
    value: str = ""
    suppressed: str = ""
    is_dimmed: bool = False


@dataclass(frozen=True, slots=True)
class Slice:
    """Cells by rows, the most general level of `down` first, and level descriptions of both axes."""

    across: str
    down: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[SliceCell, ...], ...]

    def place(self, node: Node | None) -> tuple[int, int] | None:
        """Return row and column of a node, if the slice contains it."""
        found = (
            (y, x) for y, row in enumerate(self.cells) for x, cell in enumerate(row) if cell.node == node
        )
        return next(found, None)


def usual_pair(problem: Problem) -> tuple[int, int]:
    """Return the two attributes with most levels; the same twice if there is only one."""
    order = sorted(range(len(problem.names)), key=lambda q: -problem.lattice.shape[q])
    return order[0], order[min(1, len(order) - 1)]


def slice_of(
    node: Node,
    across: int,
    down: int,
    problem: Problem,
    words: LevelWords,
    scores: NodeScores,
    passing: BoolArray,
    metric: str,
) -> Slice:
    """Return the slice through a node along two attributes; one row if both are the same."""
    lattice = problem.lattice
    columns = range(lattice.minimum[across], lattice.maximum[across] + 1)
    rows = range(lattice.maximum[down], lattice.minimum[down] - 1, -1) if down != across else [node[down]]
    text = metric_text(metric)

    def node_at(x: int, y: int) -> Node:
        levels = list(node)
        levels[down] = y
        levels[across] = x
        return tuple(levels)

    _know(scores, [node_at(x, y) for x in columns for y in rows])

    def cell(x: int, y: int) -> SliceCell:
        at = node_at(x, y)
        number = scores.scored_number(at)
        if number is None:
            return SliceCell(at, Mark.NOT_SCORED)
        colour = int(scores.classes[number])
        return SliceCell(
            at,
            Mark.SATISFIES if scores.satisfies[number] else Mark.FAILS,
            colour if colour < N_RAMP else None,
            text(float(scores.values[number])),
            as_percent(int(scores.suppressed[number]) / max(problem.n_records, 1)),
            is_dimmed=not passing[number],
        )

    return Slice(
        problem.names[across],
        problem.names[down] if down != across else "",
        tuple(words.level(across, level) for level in columns),
        tuple(words.level(down, level) for level in rows) if down != across else ("",),
        tuple(tuple(cell(x, y) for x in columns) for y in rows),
    )


@dataclass(frozen=True, slots=True)
class Measure:
    """Value of a node, and its difference from the starting node; nan if unknown."""

    value: float
    change: float
    value_text: str
    change_text: str

    @property
    def text(self) -> str:
        return f"{self.value_text} ({self.change_text})" if self.change_text else self.value_text


@dataclass(frozen=True, slots=True)
class StepRow:
    """Neighbour: changed attribute, direction, levels, and its measures."""

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
    """Return the effect of every step from a node: metric, suppression, k, l and t of the kept records.

    Parameters
    ----------
    details : dict of str to ndarray or None
        Model values; while None, their columns show dashes.
    """
    columns = [f"{letter}.{attribute.name}" for attribute in problem.sensitive for letter in ("l", "t")]
    titles = [metric_name(metric), _("suppressed"), _("k")]
    titles += [
        _("{measure} of {column}").format(measure=name.split(".", 1)[0], column=name.split(".", 1)[1])
        for name in columns
    ]
    explained = [
        _("Value of the metric there, and the difference from the selected node"),
        _("Records suppressed there, and the difference from the selected node"),
        _("Smallest kept class"),
    ]
    for _unused in problem.sensitive:
        explained += [
            _("Fewest distinct values in a kept class"),
            _("Largest distance between a kept class and the table"),
        ]
    _know(scores, [node, *problem.lattice.successors(node), *problem.lattice.predecessors(node)])
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


def _know(scores: NodeScores, nodes: list[Node]) -> None:
    """Look up exact values of the scored ones of some nodes, all at once."""
    numbers = (scores.scored_number(node) for node in nodes)
    scores.know(number for number in numbers if number is not None)


def _metric(scores: NodeScores, number: int | None, base: int | None, metric: str) -> Measure:
    value, change = _pair(scores.values, number, base)
    if value != value:
        return _UNKNOWN
    return Measure(
        value, change, metric_text(metric)(value), _change_text(change, metric_change(metric, change))
    )


def _suppressed(scores: NodeScores, number: int | None, base: int | None) -> Measure:
    value, change = _pair(scores.suppressed, number, base)
    if value != value:
        return _UNKNOWN
    return Measure(value, change, as_exact_count(value), _change_text(change, _count_change(change)))


def _figure(name: str, details: Details | None, number: int | None, base: int | None) -> Measure:
    if details is None or name not in details:
        return _UNKNOWN
    value, change = _pair(details[name], number, base)
    if value != value:
        return _UNKNOWN
    if name.startswith("t."):
        return Measure(value, change, as_decimal(value, 3), _change_text(change, as_change(change, 3)))
    return Measure(value, change, as_exact_count(value), _change_text(change, _count_change(change)))


def _pair(values: np.ndarray, number: int | None, base: int | None) -> tuple[float, float]:
    """Return the value at a node, and its difference from another one."""
    value = float("nan") if number is None else float(values[number])
    return value, float("nan") if base is None else value - float(values[base])


def _count_change(change: float) -> str:
    return (MINUS if change < 0 else "+") + as_exact_count(abs(change))


def _change_text(change: float, text: str) -> str:
    """Return a change as text; unknown changes are empty."""
    if change != change:
        return ""
    return "±0" if change == 0 else text


_UNKNOWN = Measure(float("nan"), float("nan"), DASH, "")
