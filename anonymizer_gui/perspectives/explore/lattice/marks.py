"""Paints squares and chips of nodes, and marks with name pills."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPen

from anonymizer_gui.perspectives.explore.lattice.chips import (
    chip_rect,
    chip_rects,
    draw_chips_at,
    shows_chips,
)
from anonymizer_gui.perspectives.explore.lattice.edges import draw_visible_edges
from anonymizer_gui.perspectives.explore.lattice.geometry import LatticeGeometry
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.pills import draw_pills
from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED, FAILS, N_RAMP, square_side
from anonymizer_gui.theming import Theme, ramp_colors
from anonymizer_gui.widgets.marks import draw_applied, draw_optimum, draw_pinned, draw_selected
from engine.words import _

if TYPE_CHECKING:
    from anonymizer_gui.perspectives.explore.node_marks import Marks


_RING, _WIDE_RING, _STAR, _FLAG, _PIN = 18.0, 28.0, 18.0, 16.0, 14.0


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
    chips = shows_chips(geometry)
    named: dict[int, list[str]] = {}
    for node, name in (
        (marks.applied, _("Applied")),
        (marks.selected, _("Selected")),
        (marks.optimum, _("Optimum") if marks.is_optimum_proved else _("Best so far")),
    ):
        if node is not None:
            named.setdefault(node, []).append(name)
    in_view = {node: names for node, names in named.items() if inner.intersects(geometry.place(node))}
    if not chips:
        centers = {node: geometry.place(node).center() for node in in_view}
        draw_pills(painter, centers, {n: " · ".join(names) for n, names in in_view.items()}, inner, theme)
    if marks.selected is not None and chips:
        painter.setPen(QPen(QColor(theme.ink), 2.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(chip_rect(geometry, marks.selected).translated(lag), 5, 5)
    ring = None if chips else marks.selected
    stages = [
        (marks.applied, _FLAG, draw_applied),
        (marks.optimum, _STAR, draw_optimum),
        (ring, _RING if ring != marks.optimum else _WIDE_RING, draw_selected),
    ]
    if ring is not None and ring in (marks.optimum, marks.applied):
        stages = [stages[2], stages[1], stages[0]]  # the ring goes around the star, the flag next to both
    for node, size, draw in stages:
        if node is None:
            continue
        center = geometry.place(node).center()
        if draw is draw_selected:
            center += lag
        elif chips:
            center = chip_rect(geometry, node).topRight() - QPointF(4, 0)
            if node == marks.applied and node == marks.optimum and size == _FLAG:
                center -= QPointF(18, 0)
        elif size == _FLAG:
            # The pole starts at the node, or next to ring and star if all are on one node.
            shared = len(named.get(node, ())) > 1
            center += QPointF(15, -12) if shared else QPointF(4.5, -7)
        rect = QRectF(0, 0, size, size)
        rect.moveCenter(center)
        draw(painter, rect, theme)
    for node in marks.pinned:
        if inner.intersects(geometry.place(node)):
            rect = QRectF(0, 0, _PIN, _PIN)
            if chips:
                rect.moveCenter(chip_rect(geometry, node).topLeft() + QPointF(4, 0))
            else:
                rect = pin_rect(geometry.place(node).center(), is_shared=node in named)
            draw_pinned(painter, rect, theme)


def pin_rect(center: QPointF, *, is_shared: bool) -> QRectF:
    """Return the place of a pin with its needle in a node, or left of the other marks of that node."""
    rect = QRectF(0, 0, _PIN, _PIN)
    rect.moveCenter(center - (QPointF(15, 12) if is_shared else QPointF(0, _PIN / 2 - 1)))
    return rect


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
