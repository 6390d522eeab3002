"""What is drawn over the dots of a lattice: rows, edges, marks with name pills, squares and chips."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from anonymizer_gui.perspectives.explore.lattice.lattice_geometry import (
    CHIP_GAP,
    CHIP_HEIGHT,
    CHIP_WIDTH,
    LatticeGeometry,
)
from anonymizer_gui.perspectives.explore.lattice.lattice_raster import DIMMED, FAILS, N_RAMP, NOT_SCORED
from anonymizer_gui.theming import Text, Theme, font, ramp_colors
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.marks import (
    draw_applied,
    draw_fails,
    draw_not_scored,
    draw_optimum,
    draw_satisfies,
    draw_selected,
)

if TYPE_CHECKING:
    from anonymizer_gui.perspectives.explore.node_marks import Marks

_NEIGHBOUR, _RING, _WIDE_RING, _STAR, _FLAG = 12.0, 18.0, 28.0, 18.0, 16.0
_PILL_HEIGHT, _PILL_STEP, _PILL_REACH, _PILL_LEAST_REACH = 20.0, 36.0, 150.0, 72.0
_SMALLEST_CHIP = (72.0, 16.0)
_Align = Qt.AlignmentFlag


@dataclass(frozen=True, eq=False)
class NodeLook:
    """Colour class, value and levels of every node."""

    classes: NDArray[np.uint8]
    values: NDArray[np.float64]
    levels: NDArray[np.int16]
    value_name: str
    value_text: Callable[[float], str]

    def satisfies(self, node: int) -> bool:
        return bool(self.classes[node] < N_RAMP)


def shows_chips(geometry: LatticeGeometry) -> bool:
    """Whether the places of nodes hold text."""
    pitch_x, pitch_y = geometry.pitches
    return pitch_x >= _SMALLEST_CHIP[0] and pitch_y >= _SMALLEST_CHIP[1]


def draw_rows(
    painter: QPainter,
    geometry: LatticeGeometry,
    canvas: QRectF,
    gutters: tuple[int, int],
    texts: Sequence[str],
    theme: Theme,
) -> None:
    """The sum of levels at the left of each row, what satisfies at its right, a line below it."""
    left, right = gutters
    inner = QRectF(left, 0, canvas.width() - left - right, canvas.height())
    count_font = font(Text.AXIS)
    painter.setFont(count_font)
    widest = max((QFontMetricsF(count_font).horizontalAdvance(text) for text in texts), default=0.0)
    if geometry.zoom > 1:
        counts = max(widest + 12, right)
        painter.fillRect(QRectF(0, 0, left, canvas.height()), QColor(theme.surface))
        painter.fillRect(QRectF(canvas.width() - counts, 0, counts, canvas.height()), QColor(theme.surface))
    height = geometry.band_height
    # Figures have no descenders, so lines may stand closer than the font asks.
    every = max(1, int(np.ceil(QFontMetricsF(count_font).capHeight() * 1.5 / height)))
    for row in range(geometry.layout.n_rows):
        top = geometry.row_top(row)
        if top + height < 0 or top > canvas.height():
            continue
        line = round(top + height)
        painter.fillRect(QRectF(left, line, inner.width(), 1), QColor(theme.grid))
        if row % every:
            continue
        # A band taller than the window keeps its label in view.
        label_y = min(max(top + height / 2, 8.0), canvas.height() - 8.0)
        label_y = min(max(label_y, top + 7), top + height - 7) if height > 14 else top + height / 2
        painter.setPen(theme.color("text_3"))
        box = QRectF(0, label_y - 7, left - 3, 14)  # clear of the frame a focused view has
        right_middle = int(_Align.AlignRight | _Align.AlignVCenter)
        painter.drawText(box, right_middle, str(geometry.layout.sums[row]))
        if row < len(texts):
            box = QRectF(canvas.width() - 6 - widest - 2, label_y - 7, widest + 2, 14)
            painter.drawText(box, right_middle, texts[row])


def draw_squares(
    painter: QPainter, geometry: LatticeGeometry, inner: QRectF, look: NodeLook, theme: Theme
) -> None:
    """Nodes larger than dots: filled squares satisfy, hollow ones fail; one call per colour class."""
    nodes = geometry.visible(inner)
    x, y = geometry.corners(nodes)
    side = min(float(int(geometry.pitch * 0.72)), 22.0)
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


def draw_chips(
    painter: QPainter, geometry: LatticeGeometry, inner: QRectF, look: NodeLook, theme: Theme
) -> None:
    """Nodes as chips: ramp edge, level vector, and the value where there is room for a second line."""
    nodes = geometry.visible(inner)
    draw_visible_edges(painter, geometry, nodes, look, theme)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    vector_font, value_font = _vector_font(), font(Text.TICK)
    for node in nodes.tolist():
        draw_chip(painter, chip_rect(geometry, node), node, look, theme, vector_font, value_font)


def chip_rect(geometry: LatticeGeometry, node: int) -> QRectF:
    """Where the chip of a node is drawn within its place."""
    place = geometry.place(node)
    gap_x, gap_y = (min(CHIP_GAP, side * 0.12) for side in geometry.pitches)
    width = min(place.width() - gap_x, CHIP_WIDTH * 1.5)
    height = min(place.height() - gap_y, CHIP_HEIGHT * 1.5)
    rect = QRectF(0, 0, round(width), round(height))
    rect.moveCenter(place.center())
    return QRectF(round(rect.x()) + 0.5, round(rect.y()) + 0.5, rect.width(), rect.height())


def draw_chip(
    painter: QPainter,
    rect: QRectF,
    node: int,
    look: NodeLook,
    theme: Theme,
    vector_font: QFont,
    value_font: QFont,
) -> None:
    """One chip."""
    value = int(look.classes[node])
    satisfies = value < N_RAMP
    pen = QPen(QColor(theme.border_strong if satisfies else theme.fail_line), 1)
    if not satisfies:
        pen.setDashPattern([3, 2] if value == FAILS else [1, 2])
    painter.setPen(pen)
    painter.setBrush(QColor(theme.surface))
    painter.drawRoundedRect(rect, 4, 4)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ramp_colors(theme)[value] if satisfies else QColor(theme.fail))
    painter.drawRoundedRect(QRectF(rect.left(), rect.top(), 5, rect.height()), 2, 2)
    words = rect.adjusted(11, 0, -3, 0)
    dim = value == DIMMED
    two_lines = rect.height() >= 30
    upper = words
    if two_lines:
        upper = QRectF(words.left(), words.top() + 2, words.width(), words.height() / 2 - 1)
    vector = "".join(str(level) for level in look.levels[node])
    if look.levels.size and int(look.levels[node].max(initial=0)) > 9:
        vector = " ".join(str(level) for level in look.levels[node])
    painter.setFont(vector_font)
    painter.setPen(theme.color("text_3" if dim else "text"))
    shown = QFontMetricsF(vector_font).elidedText(vector, Qt.TextElideMode.ElideRight, upper.width())
    painter.drawText(upper, int(_Align.AlignLeft | _Align.AlignVCenter), shown)
    if two_lines:
        lower = QRectF(words.left(), rect.center().y(), words.width(), words.height() / 2 - 2)
        painter.setFont(value_font)
        painter.setPen(theme.color("text_3" if dim else "text_2"))
        amount = look.value_text(float(look.values[node]))
        text = f"{look.value_name} {amount}" if value <= DIMMED and value != NOT_SCORED else "not scored yet"
        text = QFontMetricsF(value_font).elidedText(text, Qt.TextElideMode.ElideRight, lower.width())
        painter.drawText(lower, int(_Align.AlignLeft | _Align.AlignVCenter), text)


def draw_visible_edges(
    painter: QPainter, geometry: LatticeGeometry, nodes: NDArray[np.int64], look: NodeLook, theme: Theme
) -> None:
    """All edges between nodes in view, while they are few enough to be told apart."""
    if not 1 < len(nodes) <= 400 or not look.levels.size:
        return
    at = {tuple(levels): i for i, levels in enumerate(look.levels[nodes].tolist())}
    x, y = geometry.corners(nodes)
    x, y = x + geometry.pitches[0] / 2, y + geometry.pitches[1] / 2
    lines = []
    for levels, i in at.items():
        for q in range(len(levels)):
            j = at.get((*levels[:q], levels[q] + 1, *levels[q + 1 :]))
            if j is not None:
                lines.append(QLineF(x[i], y[i], x[j], y[j]))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(theme.border), 1))
    painter.drawLines(lines)


def draw_edges(
    painter: QPainter,
    geometry: LatticeGeometry,
    selected: int | None,
    neighbours: Sequence[int],
    optimum: int | None,
    look: NodeLook,
    theme: Theme,
) -> None:
    """Lines to nodes one step away: ink where they satisfy, dashed grey where not, bold to the optimum."""
    if selected is None:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    chips = shows_chips(geometry)
    start = geometry.place(selected).center()
    for node in neighbours:
        pen = QPen(QColor(theme.ink), 2.4 if node == optimum else 1.3)
        if not look.satisfies(node):
            pen = QPen(QColor(theme.fail_line), 1.3)
            pen.setDashPattern([3, 2.5])
        painter.setPen(pen)
        end = geometry.place(node).center()
        if chips:
            # From edge to edge, so that no line runs through the text of its ends.
            up = 1 if end.y() < start.y() else -1
            half = chip_rect(geometry, selected).height() / 2
            painter.drawLine(start - QPointF(0, up * half), end + QPointF(0, up * half))
        else:
            painter.drawLine(start, end)
    if chips:
        return
    ramp = ramp_colors(theme)
    side = max(_NEIGHBOUR, min(geometry.pitch, 22.0))
    for node in neighbours:
        rect = QRectF(0, 0, side, side)
        rect.moveCenter(geometry.place(node).center())
        painter.fillRect(rect.adjusted(1, 1, -1, -1), QColor(theme.halo))
        if look.satisfies(node):
            draw_satisfies(painter, rect, theme, ramp[int(look.classes[node])])
        elif look.classes[node] == NOT_SCORED:
            draw_not_scored(painter, rect, theme)
        else:
            draw_fails(painter, rect, theme)


def draw_marks(
    painter: QPainter, geometry: LatticeGeometry, marks: Marks, inner: QRectF, look: NodeLook, theme: Theme
) -> None:
    """Optimum, applied and selected node, the last on top, each with its name beside it."""
    chips = shows_chips(geometry)
    named: dict[int, list[str]] = {}
    for node, name in (
        (marks.applied, "Applied"),
        (marks.selected, "Selected"),
        (marks.optimum, "Optimum" if marks.is_optimum_proved else "Best known"),
    ):
        if node is not None:
            named.setdefault(node, []).append(name)
    in_view = {node: names for node, names in named.items() if inner.intersects(geometry.place(node))}
    if not chips:
        _draw_pills(painter, geometry, in_view, inner, theme)
    if marks.selected is not None and chips:
        painter.setPen(QPen(QColor(theme.ink), 2.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(chip_rect(geometry, marks.selected), 5, 5)
    ring = None if chips else marks.selected
    stages = [
        (marks.applied, _FLAG, draw_applied),
        (marks.optimum, _STAR, draw_optimum),
        (ring, _RING if ring != marks.optimum else _WIDE_RING, draw_selected),
    ]
    if ring is not None and ring in (marks.optimum, marks.applied):
        stages = [stages[2], stages[1], stages[0]]  # the ring goes around the star, the flag beside both
    for node, size, draw in stages:
        if node is None:
            continue
        center = geometry.place(node).center()
        if chips:
            center = chip_rect(geometry, node).topRight() - QPointF(4, 0)
            if node == marks.applied and node == marks.optimum and size == _FLAG:
                center -= QPointF(18, 0)
        elif size == _FLAG:
            # The foot of the pole stands on the node, and beside ring and star where all are one.
            shared = len(named.get(node, ())) > 1
            center += QPointF(15, -12) if shared else QPointF(4.5, -7)
        rect = QRectF(0, 0, size, size)
        rect.moveCenter(center)
        draw(painter, rect, theme)


def _draw_pills(
    painter: QPainter, geometry: LatticeGeometry, named: dict[int, list[str]], inner: QRectF, theme: Theme
) -> None:
    """Name pills beside the marked nodes, one below the other, with lines to their nodes."""
    if not named:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pill_font = font(Text.CELL, SEMI_BOLD)
    metrics = QFontMetricsF(pill_font)
    centers = {node: geometry.place(node).center() for node in named}
    # Higher nodes come first; nodes of one row in the order applied, selected, optimum.
    order = sorted(named, key=lambda node: round(centers[node].y() / max(geometry.band_height, 1)))
    texts = {node: " · ".join(named[node]) for node in order}
    widest = max(metrics.horizontalAdvance(text) for text in texts.values()) + 18
    height = max(_PILL_HEIGHT, metrics.height() + 4)
    rightmost = max(center.x() for center in centers.values())
    x = min(rightmost + _PILL_REACH, inner.right() - widest - 8)
    if x < rightmost + _PILL_LEAST_REACH:
        x = min(center.x() for center in centers.values()) - _PILL_REACH - widest
    x = min(max(x, inner.left() + 8), inner.right() - widest - 8)
    middle = sum(center.y() for center in centers.values()) / len(centers)
    first = middle - _PILL_STEP * (len(order) - 1) / 2
    first = min(max(first, 16.0), inner.bottom() - 16 - _PILL_STEP * (len(order) - 1))
    for i, node in enumerate(order):
        width = metrics.horizontalAdvance(texts[node]) + 18
        rect = QRectF(x, first + i * _PILL_STEP - height / 2, width, height)
        touch = QPointF(rect.left() if rect.left() > centers[node].x() else rect.right(), rect.center().y())
        for color, thickness in ((theme.halo, 3.5), (theme.ink, 1.2)):
            painter.setPen(QPen(QColor(color), thickness))
            painter.drawLine(centers[node], touch)
        painter.setPen(QPen(QColor(theme.ink), 1.3))
        painter.setBrush(QColor(theme.surface))
        painter.drawRoundedRect(rect, 5, 5)
        painter.setFont(pill_font)
        painter.setPen(theme.color("text"))
        painter.drawText(rect, int(_Align.AlignCenter), texts[node])


def _vector_font() -> QFont:
    made = font(Text.CELL)
    made.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, 1.6)
    return made
