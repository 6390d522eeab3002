"""Background of a card: its edge shows the status, the band on top the metric, the foot minimal nodes."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap

from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED, N_RAMP, NOT_SCORED
from anonymizer_gui.theming import Theme, ramp_colors

FOOT = 3.0
OF_FILTERED = 0.35  # opacity of nodes that a filter leaves out
_MOST_GROUNDS = 300


def draw_ground(
    painter: QPainter,
    rect: QRectF,
    theme: Theme,
    value: int,
    *,
    band: float,
    radius: float,
    is_minimal: bool = False,
) -> None:
    """Draw the background of a card with the colour class `value`, within `rect` of whole pixels."""
    ratio, size = painter.device().devicePixelRatioF(), (round(rect.width()), round(rect.height()))
    painter.drawPixmap(rect.topLeft(), _ground(*size, ratio, theme, value, band, radius, is_minimal))


@lru_cache(maxsize=_MOST_GROUNDS)
def _ground(
    width: int,
    height: int,
    ratio: float,
    theme: Theme,
    value: int,
    band: float,
    radius: float,
    is_minimal: bool,
) -> QPixmap:
    picture = QPixmap(round(width * ratio), round(height * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    satisfies = value < N_RAMP
    frame = QRectF(0.5, 0.5, width - 1, height - 1)
    shape = QPainterPath()
    shape.addRoundedRect(frame, radius, radius)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillPath(shape, QColor(theme.surface))
    if value == DIMMED:
        painter.setOpacity(OF_FILTERED)
    top, bottom = QPainterPath(), QPainterPath()
    top.addRect(QRectF(0, 0, width, band))
    painter.fillPath(shape.intersected(top), ramp_colors(theme)[value] if satisfies else QColor(theme.fail))
    if is_minimal:
        bottom.addRect(QRectF(0, height - FOOT, width, FOOT))
        painter.fillPath(shape.intersected(bottom), QColor(theme.ink))
    pen = QPen(QColor(theme.border_strong if satisfies else theme.fail_line), 1)
    if not satisfies:
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([1.0, 2.0] if value == NOT_SCORED else [3.0, 2.0])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(shape)
    painter.end()
    return picture
