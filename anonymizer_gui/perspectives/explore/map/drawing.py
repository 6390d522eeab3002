"""Paints the map: nodes as pixels, axes, limit, front, frame, legend, marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from anonymizer_gui.perspectives.explore.lattice.marks import PlacedMark, marks_at_dots
from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED, FAILS, N_RAMP, NOT_SCORED, palette
from anonymizer_gui.perspectives.explore.map.geometry import (
    MapAxis,
    MapGeometry,
    MapLegend,
    MapLimit,
    tick_texts,
)
from anonymizer_gui.theming import Text, Theme, font, ramp_colors, scaled
from anonymizer_gui.theming.painter import Shape, ThemedPainter, filled, pixels_of, stamp
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.marks import Mark, dot_pixels

if TYPE_CHECKING:
    from anonymizer_gui.perspectives.explore.lattice.marks import Marks


Classes = NDArray[np.uint8]
Numbers = NDArray[np.int64]
_FEW, _SOME = 400, 4000  # nodes with room for marks, and for larger dots
_HOLLOW_FROM = 5  # device pixels; smaller squares have no room for an outline
_MANY = 20_000  # nodes beyond which covered ones are removed before painting


def node_sides(n_drawn: int, ratio: float) -> tuple[int, int]:
    """Return the sides in device pixels of satisfying and of other nodes, by the number of nodes drawn."""
    if n_drawn <= _FEW:
        return round(7 * ratio), round(6 * ratio)
    if n_drawn <= _SOME:
        return round(4 * ratio), round(2 * ratio)
    return dot_pixels(Mark.SATISFIES, ratio), dot_pixels(Mark.FAILS, ratio)


def sized_sides(shares: NDArray[np.float64], n_drawn: int, ratio: float) -> NDArray[np.int64]:
    """Return sides in device pixels for shares from 0 (smallest) to 1; nan gives the smallest."""
    least, most = (3, 11) if n_drawn <= _FEW else (2, 8) if n_drawn <= _SOME else (1, 5)
    known = np.nan_to_num(shares, nan=0.0)
    return np.asarray(np.rint((least + (most - least) * known) * ratio), dtype=np.int64)


def draw_nodes(
    geometry: MapGeometry,
    classes: Classes,
    sides: NDArray[np.int64] | None,
    size: tuple[int, int],
    ratio: float,
    theme: Theme,
) -> QImage:
    """Return a transparent picture of `size` logical pixels with the scored nodes.

    Parameters
    ----------
    classes : ndarray of uint8, shape (n_nodes,)
        0 to 63 on the ramp, or `FAILS`, `NOT_SCORED`, `DIMMED`.
    sides : ndarray of int64, shape (n_nodes,), or None
        Size of each node in device pixels; None for the size by status.
    """
    width, height = max(round(size[0] * ratio), 1), max(round(size[1] * ratio), 1)
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    image.setDevicePixelRatio(ratio)
    pixels = pixels_of(image)
    nodes = np.flatnonzero(geometry.has_place & (classes != NOT_SCORED))
    x = np.rint(geometry.x[nodes] * ratio).astype(np.int64)
    y = np.rint(geometry.y[nodes] * ratio).astype(np.int64)
    seen = geometry.seen
    inside = (x >= max(seen.left() * ratio, 0)) & (x < min(seen.right() * ratio, width))
    inside &= (y >= max(seen.top() * ratio, 0)) & (y < min(seen.bottom() * ratio, height))
    nodes = nodes[inside]
    # Filtered nodes are at the bottom, then failing ones, then satisfying ones, of which the best are on top.
    order = np.argsort(classes[nodes], kind="stable")[::-1]
    nodes, x, y = nodes[order], x[inside][order], y[inside][order]
    shown = classes[nodes]
    large, small = node_sides(len(nodes), ratio)
    layers: list[tuple[int, Numbers]] = []  # side of the squares, and those to draw
    if sides is None:
        n_others = int(np.count_nonzero(shown >= N_RAMP))
        layers = [(small, np.arange(n_others)), (large, np.arange(n_others, len(nodes)))]
    else:
        chosen = sides[nodes]
        for layer in (shown == DIMMED, (shown >= N_RAMP) & (shown != DIMMED), shown < N_RAMP):
            lengths = np.unique(chosen[layer])[::-1].tolist()
            layers += [(length, np.flatnonzero(layer & (chosen == length))) for length in lengths]
    colors = palette(theme)
    outlines = colors.copy()
    outlines[FAILS] = QColor(theme.fail_line).rgba()
    for length, squares in layers:
        squares = _topmost(squares, x, y, width, height)
        is_hollow = length >= _HOLLOW_FROM and bool((shown[squares] >= N_RAMP).any())
        inks = (outlines if is_hollow else colors)[shown[squares]]
        left, top = x[squares] - length // 2, y[squares] - length // 2
        stamp(pixels, left, top, _square(length, is_hollow=is_hollow), inks)
    return image


def _topmost(chosen: Numbers, x: Numbers, y: Numbers, width: int, height: int) -> Numbers:
    """Return the topmost of many nodes for each pixel."""
    if len(chosen) < _MANY:
        return chosen
    owner = np.full(width * height, -1, dtype=np.int64)
    owner[y[chosen] * width + x[chosen]] = np.arange(len(chosen))  # the last one remains
    return chosen[np.sort(owner[owner >= 0])]


def _square(side: int, *, is_hollow: bool) -> Shape:
    shape, edge = filled(side, side), max(side // 6, 1)
    if is_hollow:
        shape[edge : side - edge, edge : side - edge] = False
    return shape


Labels = list[tuple[float, str]]  # positions on an axis with their labels
_Align = Qt.AlignmentFlag
_TICK_X, _TICK_Y, _TICK = 30, 26, 4
_POINT, _POINTS_APART = 2.6, 6.0
_LEGEND_RAMP, _LEGEND_LINE = 48, 14


def plot_area(size: tuple[int, int], labels: Sequence[str], *, has_legend: bool) -> QRectF:
    """Return the plot area in a view of this size; `labels` are those of the vertical axis."""
    metrics = QFontMetricsF(font(Text.TICK))
    widest = max(metrics.horizontalAdvance(text) for text in [*labels, "0.00"])
    left, top = round(widest) + scaled(16) + 10, 10 + (scaled(_LEGEND_LINE) if has_legend else 0)
    bottom = scaled(12) + scaled(14) + 8
    return QRectF(left, top, max(size[0] - left - 16, 20), max(size[1] - top - bottom, 20))


def y_labels(axis: MapAxis, geometry: MapGeometry) -> Labels:
    """Return positions and labels of the vertical axis."""
    return _labels(axis, geometry.bottom, geometry.zoom, scaled(_TICK_Y) / geometry.area.height())


def x_labels(axis: MapAxis, geometry: MapGeometry) -> Labels:
    """Return positions and labels of the horizontal axis, spaced by their width."""
    width, apart = geometry.area.width(), float(scaled(_TICK_X))
    metrics = QFontMetricsF(font(Text.TICK))
    while True:
        labels = _labels(axis, geometry.left, geometry.zoom, apart / width)
        length = [metrics.horizontalAdvance(text) + 6 for _, text in labels]
        gaps = np.diff([place for place, _ in labels]) * (width * geometry.zoom)
        if apart >= width or all(
            2 * gap >= a + b for gap, a, b in zip(gaps, length, length[1:], strict=False)
        ):
            return labels
        apart *= 1.25


def axis_labels(x: MapAxis, y: MapAxis, geometry: MapGeometry) -> tuple[Labels, Labels]:
    """Return positions and labels of both axes."""
    return x_labels(x, geometry), y_labels(y, geometry)


def _labels(axis: MapAxis, first: float, zoom: float, apart: float) -> Labels:
    values = axis.axis.ticks(first, first + 1.0 / zoom, apart / zoom)
    texts = tick_texts(values, axis.axis.scale, is_share=axis.is_share)
    return [(axis.axis.place(value), text) for value, text in zip(values, texts, strict=True)]


def draw_ground(
    painter: ThemedPainter, geometry: MapGeometry, limit: QRectF | None, labels: tuple[Labels, Labels]
) -> None:
    """Draw the area beyond the limit, and a grid line at every label of the vertical axis."""
    seen = geometry.seen
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    if limit is not None:
        painter.fill(limit, "surface_2")
    for place, _ in labels[1]:
        row = round(geometry.pixel(0.0, place).y())
        painter.fill(QRectF(seen.left(), row, seen.width(), 1), "grid")


def draw_axes(
    painter: ThemedPainter, geometry: MapGeometry, x: MapAxis, y: MapAxis, labels: tuple[Labels, Labels]
) -> None:
    """Draw both axes with their labels and names."""
    seen = geometry.seen
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.fill(QRectF(round(seen.left()), round(seen.bottom()), round(seen.width()), 1), "border_strong")
    painter.fill(
        QRectF(round(seen.left()) - 1, round(seen.top()), 1, round(seen.height()) + 1), "border_strong"
    )
    painter.style(Text.TICK, "text_3")
    height = scaled(12)
    metrics = QFontMetricsF(painter.font())
    right_end = seen.right() + 14
    for place, text in labels[0]:
        at = geometry.pixel(place, 0.0).x()
        painter.fill(QRectF(round(at), round(seen.bottom()), 1, _TICK), "border_strong")
        width = metrics.horizontalAdvance(text) + 2
        box = QRectF(min(at - width / 2, right_end - width), seen.bottom() + _TICK + 1, width, height)
        painter.drawText(box, int(_Align.AlignCenter), text)
    for place, text in labels[1]:
        at = geometry.pixel(0.0, place).y()
        box = QRectF(0, at - height / 2, seen.left() - 5, height)
        painter.drawText(box, int(_Align.AlignRight | _Align.AlignVCenter), text)
    painter.setFont(font(Text.AXIS))
    metrics = QFontMetricsF(painter.font())
    box = QRectF(seen.left(), seen.bottom() + _TICK + height, seen.width(), scaled(14))
    painter.drawText(box, int(_Align.AlignCenter), _fitted(x, metrics, seen.width()))
    painter.save()
    painter.translate(2, seen.center().y())
    painter.rotate(-90)
    box = QRectF(-seen.height() / 2, 0, seen.height(), scaled(14))
    painter.drawText(box, int(_Align.AlignCenter), _fitted(y, metrics, seen.height()))
    painter.restore()


def _fitted(axis: MapAxis, metrics: QFontMetricsF, room: float) -> str:
    """Return the longest name of an axis that fits."""
    name = axis.name if metrics.horizontalAdvance(axis.name) <= room else axis.short_name
    return metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)


def limit_line(limit: MapLimit, x: MapAxis, y: MapAxis, geometry: MapGeometry) -> QLineF:
    """Return the limit as a line across the plot, which may be outside the view."""
    seen = geometry.seen
    if limit.is_across:
        at = geometry.pixel(x.axis.place(limit.value), 0.0).x()
        return QLineF(at, seen.top(), at, seen.bottom())
    at = geometry.pixel(0.0, y.axis.place(limit.value)).y()
    return QLineF(seen.left(), at, seen.right(), at)


def beyond(line: QLineF, limit: MapLimit, geometry: MapGeometry) -> QRectF:
    """Return the area of the plot beyond the limit."""
    seen = geometry.seen
    if limit.is_across:
        left = min(max(line.x1(), seen.left()), seen.right())
        return QRectF(left, seen.top(), seen.right() - left, seen.height())
    bottom = min(max(line.y1(), seen.top()), seen.bottom())
    return QRectF(seen.left(), seen.top(), seen.width(), bottom - seen.top())


def draw_limit(painter: ThemedPainter, line: QLineF, limit: MapLimit, geometry: MapGeometry) -> None:
    """Draw the limit as a dashed line with its value."""
    seen = geometry.seen
    if not seen.adjusted(-1, -1, 1, 1).contains(line.center()):
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.ink("accent", 1.6, (3, 2))
    painter.drawLine(line)
    painter.setFont(font(Text.TICK, SEMI_BOLD))
    metrics = QFontMetricsF(painter.font())
    width, height = metrics.horizontalAdvance(limit.text) + 6, scaled(14)
    if limit.is_across:
        x = line.x1() + 3 if line.x1() + 3 + width < seen.right() else line.x1() - 3 - width
        box = QRectF(x, seen.top() + 1, width, height)
    else:
        y = line.y1() - height - 1 if line.y1() - height > seen.top() else line.y1() + 2
        box = QRectF(seen.left() + 4, y, width, height)
    painter.fill(box, "surface", 0.85)
    painter.ink("accent_text")
    painter.drawText(box, int(_Align.AlignCenter), limit.text)


def draw_front(painter: ThemedPainter, geometry: MapGeometry, front: NDArray[np.int64]) -> None:
    """Draw the front as a staircase with hollow points; `front` is sorted by the first score, best first."""
    corners: list[QPointF] = []
    x, y = geometry.x[front].tolist(), geometry.y[front].tolist()
    for px, py in zip(x, y, strict=True):
        if corners:
            corners.append(QPointF(px, corners[-1].y()))
        corners.append(QPointF(px, py))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.tint("")
    for token, width in (("halo", 2.8), ("ink", 1.4)):
        painter.ink(token, width)
        painter.drawPolyline(corners)
    painter.ink("ink", 1.3)
    painter.tint("surface")
    last = None
    for px, py in zip(x, y, strict=True):
        if last is None or abs(px - last[0]) + abs(py - last[1]) >= _POINTS_APART:
            painter.drawEllipse(QPointF(px, py), _POINT, _POINT)
            last = px, py


def placed_marks(geometry: MapGeometry, marks: Marks) -> list[PlacedMark]:
    """Place the marks of the pinned, applied, optimal and selected nodes in view, in the order of drawing."""
    reach = geometry.seen.adjusted(-2, -2, 2, 2)

    def point_of(node: int) -> QPointF | None:
        point = geometry.point(node) if node < len(geometry.across) else None
        return point if point is not None and reach.contains(point) else None

    return marks_at_dots(marks, point_of)


def draw_shape(painter: ThemedPainter, geometry: MapGeometry, shape: Sequence[QPointF]) -> None:
    """Draw a frame or lasso; its corners are positions on the axes."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.tint("accent", 0.10)
    painter.ink("accent", 1.4)
    painter.drawPolygon([geometry.pixel(corner.x(), corner.y()) for corner in shape])


def draw_legend(painter: ThemedPainter, geometry: MapGeometry, legend: MapLegend) -> None:
    """Draw the meaning of shade and size in a line above the plot."""
    painter.setFont(font(Text.TICK))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.ink("text_2")
    metrics, seen, line = QFontMetricsF(painter.font()), geometry.seen, scaled(_LEGEND_LINE)
    x, y = seen.left(), seen.top() - line - 2

    def write(text: str) -> None:
        nonlocal x
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(seen.right() + 10 - x, 0))
        width = metrics.horizontalAdvance(text)
        painter.drawText(QRectF(x, y, width + 2, line), int(_Align.AlignLeft | _Align.AlignVCenter), text)
        x += width + 6

    if legend.shade:
        write(legend.shade)
        write(legend.shade_ends[0])
        colors = ramp_colors(painter.theme)
        for i in range(_LEGEND_RAMP):
            color = colors[i * len(colors) // _LEGEND_RAMP]
            painter.fillRect(QRectF(round(x) + i, round(y + line / 2) - 4, 1, 8), color)
        x += _LEGEND_RAMP + 6
        write(legend.shade_ends[1])
        x += 8
    if legend.size:
        write(legend.size)
