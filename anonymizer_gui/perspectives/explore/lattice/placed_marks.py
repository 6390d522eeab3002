"""Places of star, flag, ring and pins, in which they are drawn and clicked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from anonymizer_gui.theming import Theme
from anonymizer_gui.widgets.marks import draw_applied, draw_optimum, draw_pinned, draw_selected

if TYPE_CHECKING:
    from anonymizer_gui.perspectives.explore.node_marks import Marks

_RING, _WIDE_RING, _STAR, _FLAG, _PIN = 18.0, 28.0, 18.0, 16.0, 14.0


class PlacedMark(NamedTuple):
    """One mark of a node."""

    node: int
    box: QRectF
    draw: Callable[[QPainter, QRectF, Theme], None]


def marks_at_dots(
    marks: Marks, point_of: Callable[[int], QPointF | None], lag: QPointF | None = None
) -> list[PlacedMark]:
    """Place the marks of dots, in the order of drawing.

    `point_of` returns the centre of a node, or None if it is not shown; `lag` is the distance of the ring
    from the selected node during an animation.
    """
    selected, optimum, applied = marks.selected, marks.optimum, marks.applied
    ring = _WIDE_RING if selected == optimum else _RING
    stages = [(applied, _FLAG, draw_applied), (optimum, _STAR, draw_optimum), (selected, ring, draw_selected)]
    if selected is not None and selected in (optimum, applied):
        stages.reverse()  # the ring goes around the star, the flag next to both
    placed = []
    for node, size, draw in stages:
        if node is None or (center := point_of(node)) is None:
            continue
        if draw is draw_selected:
            center = center if lag is None else center + lag
        elif draw is draw_applied:
            # The pole starts at the node, or next to ring and star if all are on one node.
            center = center + (QPointF(15, -12) if node in (selected, optimum) else QPointF(4.5, -7))
        placed.append(PlacedMark(node, _around(center, size), draw))
    for node in marks.pinned:
        if (center := point_of(node)) is not None:
            # The needle is in the node, or the pin left of its other marks.
            is_shared = node in (selected, optimum, applied)
            center = center - (QPointF(15, 12) if is_shared else QPointF(0, _PIN / 2 - 1))
            placed.append(PlacedMark(node, _around(center, _PIN), draw_pinned))
    return placed


def marks_at_chips(marks: Marks, rect_of: Callable[[int], QRectF]) -> Iterator[PlacedMark]:
    """Place the marks of chips: flag and star at the upper right corner, a pin at the upper left one."""
    if (node := marks.applied) is not None:
        corner = rect_of(node).topRight() - QPointF(22 if node == marks.optimum else 4, 0)
        yield PlacedMark(node, _around(corner, _FLAG), draw_applied)
    if (node := marks.optimum) is not None:
        yield PlacedMark(node, _around(rect_of(node).topRight() - QPointF(4, 0), _STAR), draw_optimum)
    for node in marks.pinned:
        yield PlacedMark(node, _around(rect_of(node).topLeft() + QPointF(4, 0), _PIN), draw_pinned)


def marks_on_card(marks: Marks, node: int, rect: QRectF, side: float) -> Iterator[PlacedMark]:
    """Place the marks of a card in the neighbourhood at its upper corners."""
    is_optimum = node == marks.optimum
    if node == marks.applied:
        center = rect.topRight() + QPointF(-22 if is_optimum else -10, 2)
        yield PlacedMark(node, _around(center, side), draw_applied)
    if is_optimum:
        yield PlacedMark(node, _around(rect.topRight() + QPointF(-2, 2), side), draw_optimum)
    if node in marks.pinned:
        yield PlacedMark(node, _around(rect.topLeft() + QPointF(6, 2), side - 3), draw_pinned)


def marks_on_corner(marks: Marks, node: int, rect: QRectF) -> Iterator[PlacedMark]:
    """Place the marks of a card of the diagram from its upper right corner to the left."""
    x = rect.right() - 4
    for is_marked, side, draw in (
        (node == marks.optimum, _STAR + 1, draw_optimum),
        (node == marks.applied, _FLAG + 2, draw_applied),
        (node in marks.pinned, _PIN + 1, draw_pinned),
    ):
        if is_marked:
            yield PlacedMark(node, _around(QPointF(x, rect.top()), side), draw)
            x -= side


def mark_at(placed: Sequence[PlacedMark], point: QPointF) -> int | None:
    """Return the node of the uppermost mark under a point; nodes inside a ring stay reachable."""
    boxes = (mark for mark in reversed(placed) if mark.draw is not draw_selected)
    return next((mark.node for mark in boxes if mark.box.contains(point)), None)


def _around(center: QPointF, side: float) -> QRectF:
    box = QRectF(0, 0, side, side)
    box.moveCenter(center)
    return box
