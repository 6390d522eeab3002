"""The lines between nodes of a lattice: to those one step away, along the cheapest path, all in view."""

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
_MOST_SMOOTH = 150  # lines whose edges are smoothed; of more the frame would take too long
EDGE, TO_OPTIMUM = 1.3, 2.4
DASHES = [3.0, 2.5]


@dataclass(frozen=True)
class Ways:
    """Where one can go from a node, by number: one step, and on the cheapest path to bottom and top."""

    node: int
    neighbours: tuple[int, ...] = ()
    down: tuple[int, ...] = ()
    up: tuple[int, ...] = ()


@dataclass(frozen=True)
class StepTaken:
    """The edge walked last, and what moved along it in words."""

    start: int
    end: int
    text: str


def edge_pen(node: int, optimum: int | None, look: NodeLook, theme: Theme) -> QPen:
    """Ink to a node that satisfies, bold to the optimum, dashed grey to one that fails."""
    pen = QPen(QColor(theme.ink), TO_OPTIMUM if node == optimum else EDGE)
    if not look.satisfies(node):
        pen = QPen(QColor(theme.fail_line), EDGE)
        pen.setDashPattern(DASHES)
    return pen


def draw_visible_edges(
    painter: QPainter, geometry: LatticeGeometry, nodes: NDArray[np.int64], look: NodeLook, theme: Theme
) -> None:
    """All edges between nodes in view, while they are few enough to be distinguished."""
    if not 1 < len(nodes) <= MOST_NODES_WITH_EDGES or not look.levels.size:
        return
    levels = look.levels[nodes].astype(np.int64)
    # One number per node, in which a step is one distance per attribute.
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
    painter: QPainter, geometry: LatticeGeometry, ways: Ways, theme: Theme, *, is_hovered: bool = False
) -> None:
    """The cheapest way from a node to the bottom and to the top, with a halo where nodes are large."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    line = theme.text_3 if is_hovered else theme.text_2
    # On dots a halo would hide the best nodes, which stand where the path runs.
    strokes = ((theme.halo, 3.0), (line, 1.0)) if geometry.pitch > LARGEST_DOT else ((line, 1.0),)
    for path in (ways.down, ways.up):
        if not path:
            continue
        points = QPolygonF(geometry.centers((ways.node, *path)))
        for color, width in strokes:
            painter.setPen(QPen(QColor(color), width))
            painter.drawPolyline(points)


def draw_edges(
    painter: QPainter,
    geometry: LatticeGeometry,
    ways: Ways | None,
    optimum: int | None,
    look: NodeLook,
    theme: Theme,
    *,
    is_hovered: bool = False,
) -> None:
    """Lines to nodes one step away: ink where they satisfy, dashed grey where not, bold to the optimum.

    Those of a hovered node are grey and thin, so that they are not taken for those of the selected one.
    """
    if ways is None:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    chips = shows_chips(geometry)
    start, *ends = geometry.centers((ways.node, *ways.neighbours))
    for node, end in zip(ways.neighbours, ends, strict=True):
        pen = edge_pen(node, optimum, look, theme)
        if is_hovered:
            pen.setColor(QColor(theme.text_3))
            pen.setWidthF(1.0)
        painter.setPen(pen)
        if chips:
            # From edge to edge, so that no line runs through the text of its ends.
            up = 1 if end.y() < start.y() else -1
            half = chip_rect(geometry, ways.node).height() / 2
            painter.drawLine(start - QPointF(0, up * half), end + QPointF(0, up * half))
        else:
            painter.drawLine(start, end)
    if not chips and not is_hovered:
        draw_ends(painter, geometry, ways.neighbours, look, theme)


def draw_ends(
    painter: QPainter, geometry: LatticeGeometry, nodes: Sequence[int], look: NodeLook, theme: Theme
) -> None:
    """The marks of the nodes that lines lead to, above the dots."""
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
    """The edge walked last, in the accent, and at the left of its middle what moved."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for color, width in ((theme.halo, 4.5), (theme.accent, 2.0)):
        painter.setPen(QPen(QColor(color), width))
        painter.drawLine(start, end)
    # At the left: the names of marked nodes stand at the right.
    draw_pill(painter, (start + end) / 2, text, bounds, theme)
