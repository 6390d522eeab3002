"""Neighbours of a node with their changes, and the best nodes of the rows nearby."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anonymizer_gui.models.node_name import LevelWords
from anonymizer_gui.perspectives.explore.lattice.layout import LatticeLayout
from anonymizer_gui.perspectives.explore.node_scores import NodeScores

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Lattice, Node, Nodes


N_BEST = 6
N_ROWS = 2  # above and below the row of the node


@dataclass(frozen=True, slots=True)
class Step:
    """Neighbour of a node: the changed attribute, and the description of its new level."""

    node: int
    attribute: int
    is_up: bool
    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """Value of a model over the kept records, with its threshold."""

    name: str
    value: str
    threshold: str
    is_met: bool


@dataclass(frozen=True, slots=True)
class NodeValues:
    """Values on the large card besides the metric; `models` is empty while they are being measured."""

    rank: str = ""
    models: tuple[MeasuredValue, ...] = ()


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """One node with its surroundings, by index.

    Attributes
    ----------
    node : int
    names : tuple of str
        Names of the attributes.
    up, down : tuple of Step
        Neighbours, ascending by metric.
    best : dict of int to tuple of int
        Best nodes of each nearby row that are not neighbours, by row of the layout.
    """

    node: int
    names: tuple[str, ...]
    up: tuple[Step, ...]
    down: tuple[Step, ...]
    best: dict[int, tuple[int, ...]]


def neighbourhood_of(
    node: Node, problem: Problem, nodes: Nodes, layout: LatticeLayout, scores: NodeScores, words: LevelWords
) -> Neighbourhood | None:
    """Return the surroundings of a node; None if the node has no index."""
    number = nodes.find(node)
    if number is None:
        return None

    def steps(around: list[Node], *, is_up: bool) -> tuple[Step, ...]:
        found = []
        for other in around:
            attribute = next(q for q, level in enumerate(other) if level != node[q])
            if (at := nodes.find(other)) is not None:
                meaning = words.level(attribute, other[attribute])
                found.append(Step(at, attribute, is_up, problem.attributes[attribute].name, meaning))
        return tuple(sorted(found, key=lambda step: _cost(scores, step.node)))

    up = steps(problem.lattice.successors(node), is_up=True)
    down = steps(problem.lattice.predecessors(node), is_up=False)
    apart = np.array([number, *(step.node for step in (*up, *down))])
    row = int(layout.positions[number, 0])
    best = {}
    for near in range(max(row - N_ROWS, 0), min(row + N_ROWS + 1, layout.n_rows)):
        others = layout.rows[near][~np.isin(layout.rows[near], apart)]
        values = np.nan_to_num(scores.values[others], nan=np.inf)
        order = np.lexsort((others, values, ~scores.satisfies[others]))[:N_BEST]
        best[near] = tuple(others[order].tolist())
    names = tuple(attribute.name for attribute in problem.attributes)
    return Neighbourhood(number, names, up, down, best)


def _cost(scores: NodeScores, number: int) -> tuple[float, int]:
    value = float(scores.values[number])
    return (np.inf if np.isnan(value) else value, number)


def step_from(
    selected: Node | None,
    direction: str,
    lattice: Lattice,
    nodes: Nodes,
    layout: LatticeLayout,
    scores: NodeScores | None,
) -> Node | None:
    """Return the node one step away in a direction; None if there is none.

    Parameters
    ----------
    selected : Node or None
        Start; None leads to the optimum, or to the first node drawn.
    direction : str
        "left" and "right" move within the row, "up" and "down" to the cheapest neighbour.
    lattice : Lattice
        All nodes.
    nodes : Nodes
        Nodes that are drawn, by index.
    layout : LatticeLayout
    scores : NodeScores or None
    """
    if selected is None:
        optimum = None if scores is None else scores.optimum
        return nodes.node(optimum if optimum is not None else int(layout.rows[0][0]))
    if direction in ("left", "right"):
        number = nodes.find(selected)
        beside = None if number is None else layout.beside(number, 1 if direction == "right" else -1)
        return None if beside is None else nodes.node(beside)
    around = lattice.successors(selected) if direction == "up" else lattice.predecessors(selected)
    return next(iter(_by_cost(around, scores)), None)


def edges_by_cost(origin: Node, lattice: Lattice, scores: NodeScores | None, *, is_up: bool) -> list[Node]:
    """Return the neighbours in a direction, the cheapest first."""
    around = lattice.successors(origin) if is_up else lattice.predecessors(origin)
    return _by_cost(around, scores)


def cheapest_path(
    start: Node, lattice: Lattice, nodes: Nodes, scores: NodeScores | None, *, is_up: bool
) -> tuple[int, ...]:
    """Return the path to the top or bottom along the cheapest edge of every node, by index.

    It ends at a node whose neighbours have no index.
    """
    path: list[int] = []
    here = start
    while True:
        around = lattice.successors(here) if is_up else lattice.predecessors(here)
        numbered = [node for node in around if nodes.find(node) is not None]
        if not numbered:
            return tuple(path)
        here = _by_cost(numbered, scores)[0]
        path.append(nodes.number(here))


def moved_attribute(start: Node, end: Node) -> int | None:
    """Return the attribute that changes along an edge; None for other pairs of nodes."""
    moved = [q for q, (a, b) in enumerate(zip(start, end, strict=True)) if a != b]
    return moved[0] if len(moved) == 1 and abs(start[moved[0]] - end[moved[0]]) == 1 else None


def _by_cost(around: Sequence[Node], scores: NodeScores | None) -> list[Node]:
    """Return nodes by metric where it is known, the others lexicographically."""
    values = [float("nan")] * len(around) if scores is None else scores.values_of(around)
    return [node for _value, node in sorted(zip(np.nan_to_num(values, nan=np.inf), around, strict=True))]
