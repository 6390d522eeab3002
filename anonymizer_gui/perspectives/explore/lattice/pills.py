"""Names of the marked nodes beside the dots, with leader lines that do not cross."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from anonymizer_gui.theming import Text, Theme, font
from anonymizer_gui.theming.type_scale import SEMI_BOLD

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
