"""Edges of the lattice: to neighbours, along the cheapest path, and all visible ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from anonymizer_gui.perspectives.explore.lattice.chips import chip_rect, draw_pill, shows_chips
from anonymizer_gui.perspectives.explore.lattice.geometry import LatticeGeometry
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.raster import LARGEST_DOT, NOT_SCORED
from anonymizer_gui.theming import Theme, ramp_colors
from anonymizer_gui.widgets.marks import draw_fails, draw_not_scored, draw_satisfies

NEIGHBOUR = 12.0
MOST_NODES_WITH_EDGES = 400
_MOST_SMOOTH = 150  # largest number of antialiased lines; more would make a frame too slow
EDGE, TO_OPTIMUM = 1.3, 2.4
DASHES = [3.0, 2.5]


@dataclass(frozen=True)
class NodePaths:
    """Neighbours of a node, and the cheapest path from it to bottom and top, by index."""

    node: int
    neighbours: tuple[int, ...] = ()
    down: tuple[int, ...] = ()
    up: tuple[int, ...] = ()


@dataclass(frozen=True)
class StepTaken:
    """Last step of the selection, with a description of its change."""

    start: int
    end: int
    text: str


def edge_pen(node: int, optimum: int | None, look: NodeLook, theme: Theme) -> QPen:
    """Return ink for an edge to a satisfying node, bold to the optimum, dashed grey to a failing one."""
    pen = QPen(QColor(theme.ink), TO_OPTIMUM if node == optimum else EDGE)
    if not look.satisfies(node):
        pen = QPen(QColor(theme.fail_line), EDGE)
        pen.setDashPattern(DASHES)
    return pen


def draw_visible_edges(
    painter: QPainter, geometry: LatticeGeometry, nodes: NDArray[np.int64], look: NodeLook, theme: Theme
) -> None:
    """Draw all visible edges, if they are few enough to be distinguished."""
    if not 1 < len(nodes) <= MOST_NODES_WITH_EDGES or not look.levels.size:
        return
    levels = look.levels[nodes].astype(np.int64)
    # Mixed-radix number per node, so that a step is a fixed difference per attribute.
    spans = levels.max(axis=0) + 2
    strides = np.concatenate((np.cumprod(spans[::-1].astype(np.float64))[::-1][1:], [1.0]))
    if strides[0] * spans[0] > 2**62:
        return
    keys = levels @ strides.astype(np.int64)
    order = np.argsort(keys)
    x, y = geometry.corners(nodes)
    x, y = x + geometry.pitches[0] / 2, y + geometry.pitches[1] / 2
    lines: list[QLineF] = []
    for stride in strides.astype(np.int64):
        place = np.minimum(np.searchsorted(keys, keys + stride, sorter=order), len(keys) - 1)
        above = order[place]
        here = np.flatnonzero(keys[above] == keys + stride)
        ends = np.column_stack((x[here], y[here], x[above[here]], y[above[here]]))
        lines += [QLineF(*end) for end in ends.tolist()]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, len(lines) <= _MOST_SMOOTH)
    painter.setPen(QPen(QColor(theme.border if len(lines) <= _MOST_SMOOTH else theme.grid), 1))
    painter.drawLines(lines)


def draw_path(
    painter: QPainter, geometry: LatticeGeometry, paths: NodePaths, theme: Theme, *, is_hovered: bool = False
) -> None:
    """Draw the cheapest path from a node to bottom and top, with a halo if nodes are large."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    line = theme.text_3 if is_hovered else theme.text_2
    # With dots, a halo would hide the best nodes, which are next to the path.
    strokes = ((theme.halo, 3.0), (line, 1.0)) if geometry.pitch > LARGEST_DOT else ((line, 1.0),)
    for path in (paths.down, paths.up):
        if not path:
            continue
        points = QPolygonF(geometry.centers((paths.node, *path)))
        for color, width in strokes:
            painter.setPen(QPen(QColor(color), width))
            painter.drawPolyline(points)


def draw_edges(
    painter: QPainter,
    geometry: LatticeGeometry,
    paths: NodePaths | None,
    optimum: int | None,
    look: NodeLook,
    theme: Theme,
    *,
    is_hovered: bool = False,
) -> None:
    """Draw edges to neighbours: ink if satisfying, dashed grey if failing, bold to the optimum.

    Edges of a hovered node are thin and grey, to distinguish them from those of the selected one.
    """
    if paths is None:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    chips = shows_chips(geometry)
    start, *ends = geometry.centers((paths.node, *paths.neighbours))
    for node, end in zip(paths.neighbours, ends, strict=True):
        pen = edge_pen(node, optimum, look, theme)
        if is_hovered:
            pen.setColor(QColor(theme.text_3))
            pen.setWidthF(1.0)
        painter.setPen(pen)
        if chips:
            # From edge to edge, so that no line crosses the text of its ends.
            up = 1 if end.y() < start.y() else -1
            half = chip_rect(geometry, paths.node).height() / 2
            painter.drawLine(start - QPointF(0, up * half), end + QPointF(0, up * half))
        else:
            painter.drawLine(start, end)
    if not chips and not is_hovered:
        draw_ends(painter, geometry, paths.neighbours, look, theme)


def draw_ends(
    painter: QPainter, geometry: LatticeGeometry, nodes: Sequence[int], look: NodeLook, theme: Theme
) -> None:
    """Draw the nodes at the ends of edges, above the dots."""
    ramp = ramp_colors(theme)
    side = max(NEIGHBOUR, min(geometry.pitch, 22.0))
    for node, center in zip(nodes, geometry.centers(nodes), strict=True):
        rect = QRectF(0, 0, side, side)
        rect.moveCenter(center)
        painter.fillRect(rect.adjusted(1, 1, -1, -1), QColor(theme.halo))
        if look.satisfies(node):
            draw_satisfies(painter, rect, theme, ramp[int(look.classes[node])])
        elif look.classes[node] == NOT_SCORED:
            draw_not_scored(painter, rect, theme)
        else:
            draw_fails(painter, rect, theme)


def draw_step(
    painter: QPainter, start: QPointF, end: QPointF, text: str, bounds: QRectF, theme: Theme
) -> None:
    """Draw the last step in the accent colour, and its description left of its middle."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for color, width in ((theme.halo, 4.5), (theme.accent, 2.0)):
        painter.setPen(QPen(QColor(color), width))
        painter.drawLine(start, end)
    # On the left, because the names of marked nodes are on the right.
    draw_pill(painter, (start + end) / 2, text, bounds, theme)
