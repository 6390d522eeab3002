"""A small lattice as an inline SVG, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from engine.lattice import Node
from engine.lattice.hasse import hasse
from engine.report import palette
from engine.scoring import Evaluation

_WIDTH, _ROW, _RADIUS = 46, 44, 7  # of a node with its space, in pixels


def lattice_svg(evaluation: Evaluation, chosen: Node | None = None) -> str:
    """Return the drawing of a small lattice.

    The lowest node is at the bottom. Nodes that satisfy are filled, the others are outlines; the chosen one
    has a ring. Each node has its levels as text, and its values when pointed at.
    """
    levels = np.asarray(evaluation.levels)
    drawn = hasse(levels)
    widest = max(len(row) for row in drawn.rows)
    width, height = widest * _WIDTH, len(drawn.rows) * _ROW
    place: dict[int, tuple[float, float]] = {}
    for depth, row in enumerate(drawn.rows):
        for at, node in enumerate(row.tolist()):
            x = width / 2 + (at - (len(row) - 1) / 2) * _WIDTH
            place[node] = (x, height - (depth + 0.6) * _ROW)
    parts = [
        f"<line x1='{place[a][0]:.1f}' y1='{place[a][1]:.1f}' x2='{place[b][0]:.1f}' y2='{place[b][1]:.1f}'/>"
        for a, b in drawn.edges.tolist()
    ]
    edges = f"<g stroke='currentColor' stroke-opacity='0.25'>{''.join(parts)}</g>"
    nodes = "".join(
        _node(evaluation, number, levels[number].tolist(), *place[number], chosen) for number in place
    )
    title = f"Lattice of {len(levels)} nodes, {evaluation.n_satisfying} satisfy"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' width='{width}' height='{height}' "
        f"viewBox='0 0 {width} {height}' style='max-width:100%'><title>{escape(title)}</title>"
        f"{edges}{nodes}</svg>"
    )


def _node(
    evaluation: Evaluation, number: int, levels: Sequence[int], x: float, y: float, chosen: Node | None
) -> str:
    satisfies = bool(evaluation.satisfies[number])
    suppressed = int(evaluation.suppressed[number])
    names = ", ".join(f"{name} {level}" for name, level in zip(evaluation.problem.names, levels, strict=True))
    words = f"{names}: {'satisfies' if satisfies else 'fails'}, {suppressed} suppressed"
    fill = palette.OK if satisfies else "none"
    ring = (
        f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{_RADIUS + 4}' fill='none' stroke='{palette.WARN}' "
        "stroke-width='2'/>"
        if chosen is not None and tuple(levels) == tuple(chosen)
        else ""
    )
    text = ",".join(map(str, levels))
    return (
        f"<g>{ring}<circle cx='{x:.1f}' cy='{y:.1f}' r='{_RADIUS}' fill='{fill}' stroke='currentColor'>"
        f"<title>{escape(words)}</title></circle>"
        f"<text x='{x:.1f}' y='{y + _RADIUS + 11:.1f}' font-size='9' text-anchor='middle' "
        f"fill='currentColor'>{text}</text></g>"
    )
