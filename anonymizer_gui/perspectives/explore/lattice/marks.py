"""Paints squares and chips of nodes, and marks with name pills."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter, QPen

from anonymizer_gui.perspectives.explore.lattice.chips import (
    chip_rect,
    chip_rects,
    draw_chips_at,
    shows_chips,
)
from anonymizer_gui.perspectives.explore.lattice.edges import draw_visible_edges
from anonymizer_gui.perspectives.explore.lattice.geometry import LatticeGeometry
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.placed_marks import PlacedMark, marks_at_chips, marks_at_dots
from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED, FAILS, N_RAMP, square_side
from anonymizer_gui.theming import Text, Theme, font, ramp_colors
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from engine.words import _

if TYPE_CHECKING:
    from anonymizer_gui.perspectives.explore.node_marks import Marks


_HEIGHT, _STEP, _REACH, _LEAST_REACH = 20.0, 36.0, 150.0, 72.0
_EDGE, _PADDING, _CLEAR = 8.0, 18.0, 16.0


@dataclass(frozen=True)
class Pill:
    """Rectangle of a name, and the line from its node."""

    node: int
    rect: QRectF
    line: QLineF


def place_pills(
    centers: Mapping[int, QPointF], widths: Mapping[int, float], height: float, inner: QRectF
) -> list[Pill]:
    """Place names of nodes above one another beside all of them.

    Parameters
    ----------
    centers, widths : mapping
        Centre of each node, and width of its name, by node.
    height : float
        Height of a name.
    inner : QRectF
        Area of the names.
    """
    if not centers:
        return []
    widest = max(widths.values())
    rightmost = max(center.x() for center in centers.values())
    leftmost = min(center.x() for center in centers.values())
    x = min(rightmost + _REACH, inner.right() - widest - _EDGE)
    if x < rightmost + _LEAST_REACH:
        x = leftmost - _REACH - widest
    x = min(max(x, inner.left() + _EDGE), inner.right() - widest - _EDGE)
    middle = sum(center.y() for center in centers.values()) / len(centers)
    first = middle - _STEP * (len(centers) - 1) / 2
    # A long name of a single node may have no room at either side.
    is_over = len(centers) == 1 and x < rightmost + _CLEAR and x + widest > leftmost - _CLEAR
    if is_over:
        first = _above_or_below(middle, height, inner)
    first = min(max(first, 16.0), inner.bottom() - 16 - _STEP * (len(centers) - 1))
    slots = [first + at * _STEP for at in range(len(centers))]

    def pill(node: int, y: float) -> Pill:
        center = centers[node]
        is_right = x + widest / 2 > center.x()
        left = x if is_right else x + widest - widths[node]
        rect = QRectF(left, y - height / 2, widths[node], height)
        end = QPointF(rect.left() if is_right else rect.right(), y)
        if is_over:
            end = QPointF(min(max(center.x(), rect.left() + 8), rect.right() - 8), y)
        return Pill(node, rect, QLineF(center, end))

    orders = ([pill(*pair) for pair in zip(order, slots, strict=True)] for order in permutations(centers))
    return min(orders, key=_cost)


def _above_or_below(middle: float, height: float, inner: QRectF) -> float:
    """Return the middle of a name below a node, or above it if there is no room."""
    away = _CLEAR + height / 2
    return middle + away if middle + away + height / 2 <= inner.bottom() else middle - away


def _cost(pills: Sequence[Pill]) -> tuple[int, float]:
    """Return the number of crossing lines, and their length; the shortest lines do not cross."""
    bounded = QLineF.IntersectionType.BoundedIntersection
    crossing = sum(a.line.intersects(b.line)[0] == bounded for a, b in combinations(pills, 2))
    return crossing, sum(pill.line.length() for pill in pills)


def pills_of(centers: Mapping[int, QPointF], texts: Mapping[int, str], inner: QRectF) -> list[Pill]:
    """Place the names of nodes, as wide as their texts."""
    metrics = QFontMetricsF(font(Text.CELL, SEMI_BOLD))
    widths = {node: metrics.horizontalAdvance(text) + _PADDING for node, text in texts.items()}
    return place_pills(centers, widths, max(_HEIGHT, metrics.height() + 4), inner)


def draw_pills(painter: QPainter, pills: Sequence[Pill], texts: Mapping[int, str], theme: Theme) -> None:
    """Draw the names of nodes with lines to them."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for color, thickness in ((theme.halo, 3.5), (theme.ink, 1.2)):
        painter.setPen(QPen(QColor(color), thickness))
        painter.drawLines([pill.line for pill in pills])
    painter.setFont(font(Text.CELL, SEMI_BOLD))
    for pill in pills:
        painter.setPen(QPen(QColor(theme.ink), 1.3))
        painter.setBrush(QColor(theme.surface))
        painter.drawRoundedRect(pill.rect, 5, 5)
        painter.setPen(theme.color("text"))
        painter.drawText(pill.rect, int(Qt.AlignmentFlag.AlignCenter), texts[pill.node])


def draw_squares(
    painter: QPainter, geometry: LatticeGeometry, inner: QRectF, look: NodeLook, theme: Theme
) -> None:
    """Draw nodes larger than dots: filled if satisfying, hollow if failing; one call per colour class."""
    nodes = geometry.visible(inner)
    x, y = geometry.corners(nodes)
    side = square_side(geometry.pitch)
    left = np.rint(x + (geometry.pitches[0] - side) / 2)
    top = np.rint(y + (geometry.pitches[1] - side) / 2)
    shown = look.classes[nodes]
    ramp = ramp_colors(theme)
    draw_visible_edges(painter, geometry, nodes, look, theme)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for value in np.unique(shown):
        chosen = np.flatnonzero(shown == value)
        rects = [QRectF(left[i], top[i], side, side) for i in chosen]
        if value < N_RAMP:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ramp[value])
        else:
            pen = QPen(QColor(theme.fail_line if value == FAILS else theme.grid), 1)
            if value not in (FAILS, DIMMED):
                pen = QPen(QColor(theme.fail_line), 1, Qt.PenStyle.DotLine)
            painter.setPen(pen)
            painter.setBrush(QColor(theme.surface))
            rects = [rect.adjusted(1, 1, -2, -2) for rect in rects]
        painter.drawRects(rects)
    for i, node in enumerate(nodes.tolist()):
        if look.is_minimal(node):
            painter.fillRect(QRectF(left[i] - 2, top[i] + side + 1, side + 4, 2), QColor(theme.ink))


def draw_chips(
    painter: QPainter, geometry: LatticeGeometry, inner: QRectF, look: NodeLook, theme: Theme
) -> None:
    """Draw nodes as chips, with all edges between them while those are few."""
    nodes = geometry.visible(inner)
    draw_visible_edges(painter, geometry, nodes, look, theme)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    draw_chips_at(painter, nodes.tolist(), chip_rects(geometry, nodes), look, theme)


def names_of_marks(
    geometry: LatticeGeometry, marks: Marks, inner: QRectF
) -> tuple[Sequence[Pill], Mapping[int, str]]:
    """Place the names of the marked dots in view, and return their texts by node; chips have none."""
    named: dict[int, list[str]] = {}
    for node, name in (
        (marks.applied, _("Applied")),
        (marks.selected, _("Selected")),
        (marks.optimum, _("Optimum") if marks.is_optimum_proved else _("Best so far")),
    ):
        if node is not None and not shows_chips(geometry) and inner.intersects(geometry.place(node)):
            named.setdefault(node, []).append(name)
    texts = {node: " · ".join(names) for node, names in named.items()}
    return pills_of({node: geometry.place(node).center() for node in texts}, texts, inner), texts


def marks_of_nodes(
    geometry: LatticeGeometry, marks: Marks, inner: QRectF, lag: QPointF | None = None
) -> list[PlacedMark]:
    """Place the marks of dots or chips in view, in the order of drawing; `lag` as in `marks_at_dots`."""
    if shows_chips(geometry):
        placed = list(marks_at_chips(marks, lambda node: chip_rect(geometry, node)))
    else:
        placed = marks_at_dots(marks, lambda node: geometry.place(node).center(), lag)
    return [mark for mark in placed if inner.intersects(mark.box)]


def draw_marks(
    painter: QPainter,
    geometry: LatticeGeometry,
    marks: Marks,
    inner: QRectF,
    theme: Theme,
    lag: QPointF,
) -> None:
    """Draw the marks of optimum, applied and selected node, the last on top, with their names.

    `lag` is the distance of the ring from the selected node during an animation.
    """
    draw_pills(painter, *names_of_marks(geometry, marks, inner), theme)
    if marks.selected is not None and shows_chips(geometry):
        painter.setPen(QPen(QColor(theme.ink), 2.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(chip_rect(geometry, marks.selected).translated(lag), 5, 5)
    for mark in marks_of_nodes(geometry, marks, inner, lag):
        mark.draw(painter, mark.box, theme)


_DRAG_START = 4


class LatticeMouse:
    """Pressed mouse button: its position, and whether it pans."""

    def __init__(self) -> None:
        self._pressed: QPointF | None = None
        self.is_panning = False

    @property
    def is_down(self) -> bool:
        return self._pressed is not None

    def press(self, position: QPointF) -> None:
        self._pressed, self.is_panning = position, False

    def move(self, position: QPointF) -> QPointF | None:
        """Return the distance to pan; None while it may still become a click."""
        if self._pressed is None:
            return None
        moved = position - self._pressed
        if not self.is_panning and moved.manhattanLength() < _DRAG_START:
            return None
        self.is_panning = True
        self._pressed = position
        return moved

    def release(self) -> bool:
        """Release the button; return whether it was a click."""
        is_click = self.is_down and not self.is_panning
        self._pressed, self.is_panning = None, False
        return is_click


_STEPS = {
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
    Qt.Key.Key_Left: "left",
    Qt.Key.Key_Right: "right",
}
ZOOM_IN = (Qt.Key.Key_Plus, Qt.Key.Key_Equal)
ZOOM_OUT = (Qt.Key.Key_Minus, Qt.Key.Key_Underscore)
ACTIVATE = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def step_of(event: QKeyEvent) -> str | None:
    """Return the step of an arrow key; with Shift, up and down take the next best edge."""
    step = _STEPS.get(Qt.Key(event.key()))
    is_other = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
    return f"other {step}" if is_other and step in ("up", "down") else step
