"""Background of a card: its edge shows the status, the band on top the metric, the foot minimal nodes."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED, N_RAMP, NOT_SCORED
from anonymizer_gui.theming import Theme, ramp_colors

FOOT = 3.0
_OF_FILTERED = 0.35  # opacity


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
    satisfies = value < N_RAMP
    frame = rect.adjusted(0.5, 0.5, -0.5, -0.5)
    shape = QPainterPath()
    shape.addRoundedRect(frame, radius, radius)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillPath(shape, QColor(theme.surface))
    painter.save()
    if value == DIMMED:
        painter.setOpacity(_OF_FILTERED)
    top, bottom = QPainterPath(), QPainterPath()
    top.addRect(QRectF(rect.left(), rect.top(), rect.width(), band))
    painter.fillPath(shape.intersected(top), ramp_colors(theme)[value] if satisfies else QColor(theme.fail))
    if is_minimal:
        bottom.addRect(QRectF(rect.left(), rect.bottom() - FOOT, rect.width(), FOOT))
        painter.fillPath(shape.intersected(bottom), QColor(theme.ink))
    pen = QPen(QColor(theme.border_strong if satisfies else theme.fail_line), 1)
    if not satisfies:
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([1.0, 2.0] if value == NOT_SCORED else [3.0, 2.0])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(shape)
    painter.restore()
