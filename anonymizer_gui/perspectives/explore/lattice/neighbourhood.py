"""What stands around one node: every node one step away with what moves, and the best of the rows nearby."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anonymizer_gui.perspectives.explore.lattice.geometry import LatticeLayout
from anonymizer_gui.perspectives.explore.node_scores import NodeScores
from anonymizer_gui.perspectives.explore.node_text import LevelWords

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Lattice, Node, Nodes


N_BEST = 6
N_ROWS = 2  # above and below the row of the node


@dataclass(frozen=True, slots=True)
class Step:
    """A node one step away: the attribute that moves, and what its new level leaves."""

    node: int
    attribute: int
    is_up: bool
    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Figure:
    """What a model of the requirement measures of the kept records, against its threshold."""

    name: str
    value: str
    threshold: str
    is_met: bool


@dataclass(frozen=True, slots=True)
class NodeFigures:
    """What the large card says next to the metric; `models` are empty while they are being measured."""

    rank: str = ""
    models: tuple[Figure, ...] = ()


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """One node with its surroundings, by number.

    Attributes
    ----------
    node : int
    names : tuple of str
        The attributes.
    up, down : tuple of Step
        Least value of the metric first.
    best : dict of int to tuple of int
        The best of each row nearby that are not one step away, by row of the layout.
    """

    node: int
    names: tuple[str, ...]
    up: tuple[Step, ...]
    down: tuple[Step, ...]
    best: dict[int, tuple[int, ...]]


def neighbourhood_of(
    node: Node, problem: Problem, nodes: Nodes, layout: LatticeLayout, scores: NodeScores, words: LevelWords
) -> Neighbourhood | None:
    """Look around a node; None if it has no number."""
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
    """Return the node a step away; None if there is none.

    Parameters
    ----------
    selected : Node or None
        Where the step begins; without one it leads to the optimum, or to where drawing begins.
    direction : str
        "left" and "right" go along the row, "up" and "down" to the cheapest neighbour.
    lattice : Lattice
        All nodes there are.
    nodes : Nodes
        Those that are drawn, by number.
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
    return min(around, key=lambda node: _step_cost(node, scores), default=None)


def edges_by_cost(origin: Node, lattice: Lattice, scores: NodeScores | None, *, is_up: bool) -> list[Node]:
    """Return the nodes one step away in a direction, the cheapest first."""
    around = lattice.successors(origin) if is_up else lattice.predecessors(origin)
    return sorted(around, key=lambda node: _step_cost(node, scores))


def cheapest_path(
    start: Node, lattice: Lattice, nodes: Nodes, scores: NodeScores | None, *, is_up: bool
) -> tuple[int, ...]:
    """Return the way to the top or to the bottom that takes the cheapest edge at every node, by number.

    It ends if no neighbour has a number.
    """
    path: list[int] = []
    here = start
    while True:
        around = lattice.successors(here) if is_up else lattice.predecessors(here)
        numbered = [node for node in around if nodes.find(node) is not None]
        if not numbered:
            return tuple(path)
        here = min(numbered, key=lambda node: _step_cost(node, scores))
        path.append(nodes.number(here))


def moved_attribute(start: Node, end: Node) -> int | None:
    """Return the attribute that moves along an edge; None if it is no edge."""
    moved = [q for q, (a, b) in enumerate(zip(start, end, strict=True)) if a != b]
    return moved[0] if len(moved) == 1 and abs(start[moved[0]] - end[moved[0]]) == 1 else None


def _step_cost(node: Node, scores: NodeScores | None) -> tuple[float, Node]:
    """Return the metric if it is known; among the others the lexicographically first node comes first."""
    value = np.nan if scores is None else scores.value(node)
    return (np.inf if np.isnan(value) else value, node)
