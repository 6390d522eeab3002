"""Paints the background and overlays of the map: axes, limit, front, frame, legend, marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from anonymizer_gui.perspectives.explore.lattice.placed_marks import PlacedMark, marks_at_dots
from anonymizer_gui.perspectives.explore.map.axis import tick_texts
from anonymizer_gui.perspectives.explore.map.geometry import MapGeometry
from anonymizer_gui.perspectives.explore.map.look import MapAxis, MapLegend, MapLimit
from anonymizer_gui.theming import Text, Theme, font, ramp_colors, scaled
from anonymizer_gui.theming.type_scale import SEMI_BOLD

if TYPE_CHECKING:
    from anonymizer_gui.perspectives.explore.node_marks import Marks

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
    painter: QPainter,
    geometry: MapGeometry,
    limit: QRectF | None,
    labels: tuple[Labels, Labels],
    theme: Theme,
) -> None:
    """Draw the area beyond the limit, and a grid line at every label of the vertical axis."""
    seen = geometry.seen
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    if limit is not None:
        painter.fillRect(limit, QColor(theme.surface_2))
    for place, _ in labels[1]:
        row = round(geometry.pixel(0.0, place).y())
        painter.fillRect(QRectF(seen.left(), row, seen.width(), 1), QColor(theme.grid))


def draw_axes(
    painter: QPainter,
    geometry: MapGeometry,
    x: MapAxis,
    y: MapAxis,
    labels: tuple[Labels, Labels],
    theme: Theme,
) -> None:
    """Draw both axes with their labels and names."""
    seen = geometry.seen
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    line = QColor(theme.border_strong)
    painter.fillRect(QRectF(round(seen.left()), round(seen.bottom()), round(seen.width()), 1), line)
    painter.fillRect(QRectF(round(seen.left()) - 1, round(seen.top()), 1, round(seen.height()) + 1), line)
    painter.setFont(font(Text.TICK))
    painter.setPen(theme.color("text_3"))
    height = scaled(12)
    metrics = QFontMetricsF(painter.font())
    right_end = seen.right() + 14
    for place, text in labels[0]:
        at = geometry.pixel(place, 0.0).x()
        painter.fillRect(QRectF(round(at), round(seen.bottom()), 1, _TICK), line)
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


def draw_limit(painter: QPainter, line: QLineF, limit: MapLimit, geometry: MapGeometry, theme: Theme) -> None:
    """Draw the limit as a dashed line with its value."""
    seen = geometry.seen
    if not seen.adjusted(-1, -1, 1, 1).contains(line.center()):
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(QColor(theme.accent), 1.6)
    pen.setDashPattern([3, 2])
    painter.setPen(pen)
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
    ground = QColor(theme.surface)
    ground.setAlphaF(0.85)
    painter.fillRect(box, ground)
    painter.setPen(theme.color("accent_text"))
    painter.drawText(box, int(_Align.AlignCenter), limit.text)


def draw_front(painter: QPainter, geometry: MapGeometry, front: NDArray[np.int64], theme: Theme) -> None:
    """Draw the front as a staircase with hollow points; `front` is sorted by the first score, best first."""
    corners: list[QPointF] = []
    x, y = geometry.x[front].tolist(), geometry.y[front].tolist()
    for px, py in zip(x, y, strict=True):
        if corners:
            corners.append(QPointF(px, corners[-1].y()))
        corners.append(QPointF(px, py))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for color, width in ((theme.halo, 2.8), (theme.ink, 1.4)):
        painter.setPen(QPen(QColor(color), width))
        painter.drawPolyline(corners)
    painter.setPen(QPen(QColor(theme.ink), 1.3))
    painter.setBrush(QColor(theme.surface))
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


def draw_shape(painter: QPainter, geometry: MapGeometry, shape: Sequence[QPointF], theme: Theme) -> None:
    """Draw a frame or lasso; its corners are positions on the axes."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    fill = QColor(theme.accent)
    fill.setAlphaF(0.10)
    painter.setBrush(fill)
    painter.setPen(QPen(QColor(theme.accent), 1.4))
    painter.drawPolygon([geometry.pixel(corner.x(), corner.y()) for corner in shape])


def draw_legend(painter: QPainter, geometry: MapGeometry, legend: MapLegend, theme: Theme) -> None:
    """Draw the meaning of shade and size in a line above the plot."""
    painter.setFont(font(Text.TICK))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(theme.color("text_2"))
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
        colors = ramp_colors(theme)
        for i in range(_LEGEND_RAMP):
            color = colors[i * len(colors) // _LEGEND_RAMP]
            painter.fillRect(QRectF(round(x) + i, round(y + line / 2) - 4, 1, 8), color)
        x += _LEGEND_RAMP + 6
        write(legend.shade_ends[1])
        x += 8
    if legend.size:
        write(legend.size)
