"""Where arrow keys and the cheapest path lead from a node of the lattice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anonymizer_gui.perspectives.explore.lattice.geometry import LatticeLayout
from anonymizer_gui.perspectives.explore.node_scores import NodeScores

if TYPE_CHECKING:
    from engine.lattice import Lattice, Node, Nodes


def step_from(
    selected: Node | None,
    direction: str,
    lattice: Lattice,
    nodes: Nodes,
    layout: LatticeLayout,
    scores: NodeScores | None,
) -> Node | None:
    """Return the node a step away; None where there is none.

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
    return min(around, key=lambda node: _cost(node, scores), default=None)


def edges_by_cost(origin: Node, lattice: Lattice, scores: NodeScores | None, *, is_up: bool) -> list[Node]:
    """The nodes one step away in a direction, the cheapest first."""
    around = lattice.successors(origin) if is_up else lattice.predecessors(origin)
    return sorted(around, key=lambda node: _cost(node, scores))


def cheapest_path(
    start: Node, lattice: Lattice, nodes: Nodes, scores: NodeScores | None, *, is_up: bool
) -> tuple[int, ...]:
    """The way to the top or to the bottom that takes the cheapest edge at every node, by number.

    It ends where no neighbour has a number.
    """
    path: list[int] = []
    here = start
    while True:
        around = lattice.successors(here) if is_up else lattice.predecessors(here)
        numbered = [node for node in around if nodes.find(node) is not None]
        if not numbered:
            return tuple(path)
        here = min(numbered, key=lambda node: _cost(node, scores))
        path.append(nodes.number(here))


def moved_attribute(start: Node, end: Node) -> int | None:
    """The attribute that moves along an edge; None where it is no edge."""
    moved = [q for q, (a, b) in enumerate(zip(start, end, strict=True)) if a != b]
    return moved[0] if len(moved) == 1 and abs(start[moved[0]] - end[moved[0]]) == 1 else None


def _cost(node: Node, scores: NodeScores | None) -> tuple[float, Node]:
    """The metric where it is known; among the others the lexicographically first node comes first."""
    value = np.nan if scores is None else scores.value(node)
    return (np.inf if np.isnan(value) else value, node)
