"""Faint grounds that mean something: in a high-contrast theme they are outlined as well."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from anonymizer_gui.theming.tokens import Theme

# Outlines of the degrees of change: width in px and dashes, so that they differ without colour.
_OUTLINES: dict[str, tuple[int, Qt.PenStyle]] = {
    "change_1": (1, Qt.PenStyle.DotLine),
    "change_2": (1, Qt.PenStyle.SolidLine),
    "change_3": (3, Qt.PenStyle.SolidLine),
}


def paint_tint(painter: QPainter, rect: QRect, theme: Theme, token: str) -> None:
    """Fill a cell with the tint of a degree of change."""
    painter.fillRect(rect, theme.color(token))
    if not theme.is_high_contrast:
        return
    width, style = _OUTLINES[token]
    pen = QPen(QColor(theme.accent), width, style)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect.adjusted(1, 1, -3, -3))
    painter.restore()


def paint_selection(painter: QPainter, cell: QRect, theme: Theme) -> None:
    """Fill a cell of a selected row or column."""
    painter.fillRect(cell, QColor(theme.accent_soft))
    if theme.is_high_contrast:
        for top in (cell.top(), cell.bottom() - 1):
            painter.fillRect(QRect(cell.left(), top, cell.width(), 2), QColor(theme.accent))


def paint_track(painter: QPainter, rect: QRectF, theme: Theme, token: str, radius: float = 2) -> None:
    """Fill the track of a bar with a token; the track shows what the whole is."""
    painter.save()
    if theme.is_high_contrast:
        painter.setPen(QPen(QColor(theme.border_strong), 1))
        painter.setBrush(QColor(theme.surface))
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(token))
        painter.drawRoundedRect(rect, radius, radius)
    painter.restore()
