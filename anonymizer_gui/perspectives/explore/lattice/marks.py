"""Squares and chips of nodes, edges between them, and the marks above them with their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, permutations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from anonymizer_gui.perspectives.explore.lattice.card_faces import (
    chip_rect,
    chip_rects,
    draw_line_cards,
    shows_chips,
)
from anonymizer_gui.perspectives.explore.lattice.layout import LatticeGeometry
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.raster import (
    LARGEST_DOT,
    NOT_SCORED,
)
from anonymizer_gui.theming import Text, Theme, font, ramp_colors
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.marks import (
    Mark,
    draw_applied,
    draw_fails,
    draw_not_scored,
    draw_optimum,
    draw_pinned,
    draw_satisfies,
    draw_selected,
)
from engine.numbers import as_exact_count
from engine.words import _

_Align = Qt.AlignmentFlag
NEIGHBOUR = 12.0
MOST_NODES_WITH_EDGES = 400
_MOST_SMOOTH = 150  # largest number of antialiased lines; more would make a frame too slow
EDGE, TO_OPTIMUM = 1.3, 2.4
DASHES = [3.0, 2.5]


@dataclass(frozen=True)
class Marks:
    """Indices of the marked nodes, and of the neighbours of the selected node."""

    selected: int | None = None
    optimum: int | None = None
    applied: int | None = None
    neighbours: tuple[int, ...] = ()
    pinned: tuple[int, ...] = ()
    is_optimum_proved: bool = True

    @property
    def by_node(self) -> dict[int, Mark]:
        """One mark per node, the most important one if it has several."""
        order = ((self.applied, Mark.APPLIED), (self.selected, Mark.SELECTED), (self.optimum, Mark.OPTIMUM))
        return {number: mark for number, mark in order if number is not None}


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
    painter: ThemedPainter, geometry: LatticeGeometry, nodes: NDArray[np.int64], look: NodeLook
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
    painter.ink("border" if len(lines) <= _MOST_SMOOTH else "grid")
    painter.drawLines(lines)


def draw_path(painter: ThemedPainter, geometry: LatticeGeometry, paths: NodePaths) -> None:
    """Draw the cheapest path from a node to bottom and top, with a halo if nodes are large."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    # With dots, a halo would hide the best nodes, which are next to the path.
    strokes = (("halo", 3.0), ("text_2", 1.0)) if geometry.pitch > LARGEST_DOT else (("text_2", 1.0),)
    for path in (paths.down, paths.up):
        if not path:
            continue
        points = QPolygonF(geometry.centers((paths.node, *path)))
        for token, width in strokes:
            painter.ink(token, width)
            painter.drawPolyline(points)


def draw_edges(
    painter: ThemedPainter,
    geometry: LatticeGeometry,
    paths: NodePaths | None,
    optimum: int | None,
    look: NodeLook,
    inner: QRectF,
    *,
    is_hovered: bool = False,
) -> None:
    """Draw edges to neighbours in sight: ink if satisfying, dashed grey if failing, bold to the optimum.

    Edges of a hovered node are thin and grey, to distinguish them from those of the selected one.
    """
    if paths is None:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    chips = shows_chips(geometry)
    beside = seen_beside(geometry, paths, inner) if chips else Beside(paths.neighbours)
    start, *ends = geometry.centers((paths.node, *beside.seen))
    for node, end in zip(beside.seen, ends, strict=True):
        pen = edge_pen(node, optimum, look, painter.theme)
        if is_hovered:
            pen.setColor(QColor(painter.theme.text_3))
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
        draw_ends(painter, geometry, paths.neighbours, look)


@dataclass(frozen=True)
class Beside:
    """Neighbours of a node in sight, and by row how many of the others are left, right, or above or below."""

    seen: tuple[int, ...]
    hidden: Mapping[int, Sequence[int]] = field(default_factory=dict)


def seen_beside(geometry: LatticeGeometry, paths: NodePaths, inner: QRectF) -> Beside:
    """Return which neighbours are in sight with most of their line card, and where the others are."""
    row, seen, hidden = int(geometry.layout.positions[paths.node, 0]), [], dict[int, list[int]]()
    for node, center in zip(paths.neighbours, geometry.centers(paths.neighbours), strict=True):
        if inner.contains(center):
            seen.append(node)
            continue
        is_left, is_right = center.x() < inner.left(), center.x() > inner.right()
        step = int(geometry.layout.positions[node, 0]) - row
        hidden.setdefault(step, [0, 0, 0])[0 if is_left else 1 if is_right else 2] += 1
    return Beside(tuple(seen), hidden)


def draw_unseen(painter: ThemedPainter, geometry: LatticeGeometry, paths: NodePaths, inner: QRectF) -> None:
    """Write between two rows how many neighbours of a node are out of sight, and at which side."""
    top = geometry.row_top(int(geometry.layout.positions[paths.node, 0]))
    painter.style(Text.CAPTION, "text_2", SEMI_BOLD)
    high = painter.fontMetrics().height()
    for step, (left, right, beyond) in seen_beside(geometry, paths, inner).hidden.items():
        y = top + (geometry.band_height if step < 0 else 0.0) - high / 2
        line = QRectF(inner.left() + _EDGE, y, inner.width() - 2 * _EDGE, high)
        if not inner.contains(line):
            continue
        beyond_text = _("+ {n} above") if step > 0 else _("+ {n} below")
        for n, text, side in (
            (left, _("+ {n} to the left"), _Align.AlignLeft),
            (beyond, beyond_text, _Align.AlignHCenter),
            (right, _("+ {n} to the right"), _Align.AlignRight),
        ):
            if n:
                words = text.format(n=as_exact_count(n))
                place = painter.boundingRect(line, int(side | _Align.AlignVCenter), words)
                painter.fill(place.adjusted(-4, 0, 4, 0), "surface")
                painter.drawText(place, int(_Align.AlignCenter), words)


def draw_ends(
    painter: ThemedPainter, geometry: LatticeGeometry, nodes: Sequence[int], look: NodeLook
) -> None:
    """Draw the nodes at the ends of edges, above the dots."""
    ramp = ramp_colors(painter.theme)
    side = max(NEIGHBOUR, min(geometry.pitch, 22.0))
    for node, center in zip(nodes, geometry.centers(nodes), strict=True):
        rect = QRectF(0, 0, side, side)
        rect.moveCenter(center)
        painter.fill(rect.adjusted(1, 1, -1, -1), "halo")
        if look.satisfies(node):
            draw_satisfies(painter, rect, painter.theme, ramp[int(look.classes[node])])
        elif look.classes[node] == NOT_SCORED:
            draw_not_scored(painter, rect, painter.theme)
        else:
            draw_fails(painter, rect, painter.theme)


def draw_step(painter: ThemedPainter, start: QPointF, end: QPointF) -> None:
    """Draw the last step in the accent colour."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for token, width in (("halo", 4.5), ("accent", 2.0)):
        painter.ink(token, width)
        painter.drawLine(start, end)


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


_HEIGHT, _STEP, _REACH, _LEAST_REACH = 20.0, 36.0, 150.0, 72.0
_EDGE, _PADDING, _CLEAR = 8.0, 18.0, 16.0


@dataclass(frozen=True)
class Pill:
    """Rectangle of a name, and the line from its node."""

    node: int
    rect: QRectF
    line: QLineF


def place_pills(
    centers: Mapping[int, QPointF],
    widths: Mapping[int, float],
    height: float,
    inner: QRectF,
    obstacles: Sequence[QRectF] = (),
    is_free: Callable[[QRectF], bool] | None = None,
) -> list[Pill]:
    """Place names of nodes above one another next to all of them, clear of obstacles if there is room.

    A place that `is_free` of nodes is preferred.

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
    lowest = inner.bottom() - 16 - _STEP * (len(centers) - 1)
    first = min(max(first, 16.0), lowest)
    if (obstacles or is_free is not None) and not is_over:
        size = QSizeF(widest, _STEP * (len(centers) - 1) + height)
        ends = inner.left() + _EDGE, inner.right() - widest - _EDGE
        other = leftmost - _REACH - widest if x > rightmost else rightmost + _REACH
        sides = (x, min(max(other, ends[0]), ends[1]), *ends)
        heights = sorted((first, *np.arange(16.0, lowest, 24.0)), key=lambda y: abs(y - first))
        found = None
        for left, y in product(sides, heights):
            place = QRectF(QPointF(left, y - height / 2), size)
            if not any(place.intersects(obstacle) for obstacle in obstacles):
                found = found or (left, y)
                if is_free is None or is_free(place):
                    found = left, y
                    break
        x, first = found or (x, first)
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


def pills_of(
    centers: Mapping[int, QPointF],
    texts: Mapping[int, str],
    inner: QRectF,
    obstacles: Sequence[QRectF] = (),
    is_free: Callable[[QRectF], bool] | None = None,
) -> list[Pill]:
    """Place the names of nodes, as wide as their texts."""
    metrics = QFontMetricsF(font(Text.CELL, SEMI_BOLD))
    widths = {node: metrics.horizontalAdvance(text) + _PADDING for node, text in texts.items()}
    high = max(_HEIGHT, metrics.height() + 4)
    return place_pills(centers, widths, high, inner, obstacles, is_free)


def draw_chips(painter: ThemedPainter, geometry: LatticeGeometry, inner: QRectF, look: NodeLook) -> None:
    """Draw nodes as chips, with all edges between them while those are few."""
    nodes = geometry.visible(inner)
    draw_visible_edges(painter, geometry, nodes, look)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    draw_line_cards(painter, zip(nodes.tolist(), chip_rects(geometry, nodes), strict=True), look)


def names_of_marks(
    geometry: LatticeGeometry,
    marks: Marks,
    inner: QRectF,
    obstacles: Sequence[QRectF] = (),
    step: StepTaken | None = None,
) -> tuple[Sequence[Pill], Mapping[int, str]]:
    """Place the names of the marked dots in view, and return their texts by node; chips have none.

    The name of the selected node says the last step that led to it.
    """
    named: dict[int, list[str]] = {}
    for node, name in (
        (marks.applied, _("Applied")),
        (marks.selected, _("Selected")),
        (marks.optimum, _("Optimum") if marks.is_optimum_proved else _("Best so far")),
        (None if step is None else step.end, "" if step is None else step.text),
    ):
        if node is not None and not shows_chips(geometry) and inner.intersects(geometry.place(node)):
            named.setdefault(node, []).append(name)
    texts = {node: " · ".join(names) for node, names in named.items()}
    centers = {node: geometry.place(node).center() for node in texts}
    return pills_of(centers, texts, inner, obstacles, geometry.is_free), texts


def marks_of_nodes(
    geometry: LatticeGeometry,
    marks: Marks,
    inner: QRectF,
    names: tuple[Sequence[Pill], Mapping[int, str]],
    lag: QPointF | None = None,
) -> list[PlacedMark]:
    """Place names and marks of dots or chips in view in the order of drawing; `lag` as in `marks_at_dots`."""
    pills, texts = names
    named = [PlacedMark(pill.node, pill.rect, partial(_draw_name, texts[pill.node])) for pill in pills]
    if shows_chips(geometry):
        placed = list(marks_at_chips(marks, lambda node: chip_rect(geometry, node)))
    else:
        placed = marks_at_dots(marks, lambda node: geometry.place(node).center(), lag)
    return [*named, *(mark for mark in placed if inner.intersects(mark.box))]


def _draw_name(text: str, painter: QPainter, rect: QRectF, theme: Theme) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(font(Text.CELL, SEMI_BOLD))
    painter.setPen(QPen(QColor(theme.ink), 1.3))
    painter.setBrush(QColor(theme.surface))
    painter.drawRoundedRect(rect, 5, 5)
    painter.setPen(QColor(theme.text))
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), text)


def draw_marks(
    painter: ThemedPainter,
    geometry: LatticeGeometry,
    marks: Marks,
    inner: QRectF,
    names: tuple[Sequence[Pill], Mapping[int, str]],
    lag: QPointF,
) -> None:
    """Draw the marks of optimum, applied and selected node, the last on top, with their names.

    `lag` is the distance of the ring from the selected node during an animation.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for token, thickness in (("halo", 3.5), ("ink", 1.2)):
        painter.ink(token, thickness)
        painter.drawLines([pill.line for pill in names[0]])
    if marks.selected is not None and shows_chips(geometry):
        painter.outline(chip_rect(geometry, marks.selected).translated(lag), "ink", 2.5, radius=5)
    for mark in marks_of_nodes(geometry, marks, inner, names, lag):
        mark.draw(painter, mark.box, painter.theme)
