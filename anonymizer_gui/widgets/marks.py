"""Marks for the status of a node, drawn the same in lattice, map, list, legend and status strip."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from math import cos, pi, sin

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from anonymizer_gui.theming import Theme
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.drawn import Picture
from engine.words import N_, _

MARK_SIZE = 12


class Mark(Enum):
    """Status of a node that a mark shows."""

    SATISFIES = N_("satisfies")
    FAILS = N_("fails")
    NOT_SCORED = N_("not scored yet")
    SELECTED = N_("selected")
    OPTIMUM = N_("optimum")
    APPLIED = N_("applied")
    MINIMAL = N_("minimal: no predecessor satisfies")
    PINNED = N_("pinned")


def draw_satisfies(painter: QPainter, rect: QRectF, theme: Theme, color: QColor | None = None) -> None:
    """Draw a filled square in the ramp colour; legends use a colour of the better half."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color or QColor(theme.ramp[3]))
    painter.drawRect(_square(rect, 0.68))
    painter.restore()


def draw_minimal(painter: QPainter, rect: QRectF, theme: Theme, color: QColor | None = None) -> None:
    """Draw a filled square on a line for a minimal node."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    square = _square(rect, 0.58).translated(0, -1)
    painter.fillRect(square, color or QColor(theme.ramp[3]))
    painter.fillRect(QRectF(square.left() - 2, square.bottom() + 1, square.width() + 4, 2), QColor(theme.ink))
    painter.restore()


def draw_fails(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """Draw a hollow square; not red, because failing is normal and needs no action."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(_sharp_pen(QColor(theme.fail_line), 1.4))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(_square(rect, 0.58))
    painter.restore()


def draw_not_scored(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """Draw a dotted square for a node without scores."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = _sharp_pen(QColor(theme.fail_line), 1.2)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)  # square caps would fill the gaps
    pen.setDashPattern([1.2, 1.6])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(_square(rect, 0.58))
    painter.restore()


def draw_selected(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """Draw an ink ring on a wider halo ring, visible on any background."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    unit = min(rect.width(), rect.height()) / 14
    radius = 5.6 * unit
    for color, width in ((theme.halo, 5.0 * unit), (theme.ink, max(2.0 * unit, 1.8))):
        painter.setPen(QPen(QColor(color), width))
        painter.drawEllipse(rect.center(), radius, radius)
    painter.restore()


def draw_optimum(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """Draw a star, outlined because yellow has little contrast with the surface."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    outline = max(min(rect.width(), rect.height()) / 14, 1.0)
    star = _star(rect.center() + QPointF(0, rect.height() * 0.03), min(rect.width(), rect.height()) / 2)
    _fill_on_halo(painter, star, theme, QColor(theme.optimum), outline)
    painter.restore()


def draw_applied(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """Draw a flag in the accent colour with pole and outline in ink."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    side = min(rect.width(), rect.height())
    left, top = rect.center().x() - side / 2, rect.center().y() - side / 2

    def at(x: float, y: float) -> QPointF:
        return QPointF(left + x * side, top + y * side)

    cloth = QPolygonF([at(0.22, 0.1), at(0.9, 0.1), at(0.72, 0.35), at(0.9, 0.6), at(0.22, 0.6)])
    outline = max(side / 14, 1.0)
    pole = QPen(QColor(theme.ink), max(side / 9, 1.5), Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
    _fill_on_halo(painter, cloth, theme, QColor(theme.accent), outline)
    painter.setPen(pole)
    painter.drawLine(at(0.22, 0.05), at(0.22, 0.98))
    painter.restore()


def draw_pinned(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """Draw a drawing pin: a flat head on a collar, and its needle."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    side = min(rect.width(), rect.height())
    left, top = rect.center().x() - side / 2, rect.center().y() - side / 2
    outline = max(side / 14, 1.0)

    def at(x: float, y: float) -> QPointF:
        return QPointF(left + x * side, top + y * side)

    head = [(0.28, 0.06), (0.72, 0.06), (0.64, 0.36), (0.82, 0.58), (0.18, 0.58), (0.36, 0.36)]
    needle = at(0.5, 0.58), at(0.5, 0.98)
    for colour, width in ((theme.halo, outline * 3.5), (theme.ink, outline * 1.3)):
        painter.setPen(QPen(QColor(colour), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLine(*needle)
    _fill_on_halo(painter, QPolygonF([at(*corner) for corner in head]), theme, QColor(theme.surface), outline)
    painter.restore()


_DRAWINGS: dict[Mark, Callable[[QPainter, QRectF, Theme], None]] = {
    Mark.SATISFIES: draw_satisfies,
    Mark.FAILS: draw_fails,
    Mark.NOT_SCORED: draw_not_scored,
    Mark.SELECTED: draw_selected,
    Mark.OPTIMUM: draw_optimum,
    Mark.APPLIED: draw_applied,
    Mark.MINIMAL: draw_minimal,
    Mark.PINNED: draw_pinned,
}


def draw_mark(painter: QPainter, rect: QRectF, theme: Theme, mark: Mark, color: QColor | None = None) -> None:
    """Draw any mark centred in `rect`; `color` is the ramp colour of a satisfying node."""
    if mark is Mark.SATISFIES:
        draw_satisfies(painter, rect, theme, color)
    elif mark is Mark.MINIMAL:
        draw_minimal(painter, rect, theme, color)
    else:
        _DRAWINGS[mark](painter, rect, theme)


def dot_pixels(mark: Mark, ratio: float) -> int:
    """Return the side in device pixels of a node drawn as a dot; satisfying ones are larger."""
    if mark is Mark.SATISFIES:
        return 2 if ratio < 1.5 else 5 if ratio < 2.5 else 7
    if mark is Mark.FAILS:
        return 1 if ratio < 1.5 else 3 if ratio < 2.5 else 4
    return 1


class MarkLabel(Picture):
    """Single mark as a widget, for legends, the status strip and card headers."""

    def __init__(self, mark: Mark, size: int = MARK_SIZE) -> None:
        super().__init__(size, size)
        self._mark = mark
        self.setAccessibleName(_(mark.value))

    def sizeHint(self) -> QSize:
        return super().sizeHint() + QSize(2, 2)  # halo and tips of the star exceed the square of the mark

    def draw(self, painter: ThemedPainter) -> None:
        draw_mark(painter, QRectF(self.rect()).adjusted(1, 1, -1, -1), painter.theme, self._mark)


def _square(rect: QRectF, share: float) -> QRectF:
    side = round(min(rect.width(), rect.height()) * share)
    return QRectF(
        round(rect.center().x() - side / 2), round(rect.center().y() - side / 2), float(side), float(side)
    )


def _sharp_pen(color: QColor, width: float) -> QPen:
    pen = QPen(color, width)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    return pen


def _star(center: QPointF, radius: float) -> QPolygonF:
    corners = []
    for i in range(10):
        reach = radius if i % 2 == 0 else radius * 0.45
        angle = -pi / 2 + i * pi / 5
        corners.append(center + QPointF(reach * cos(angle), reach * sin(angle)))
    return QPolygonF(corners)


def _fill_on_halo(painter: QPainter, shape: QPolygonF, theme: Theme, fill: QColor, outline: float) -> None:
    path = QPainterPath()
    path.addPolygon(shape)
    path.closeSubpath()
    halo = QPen(QColor(theme.halo), outline * 3)
    halo.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.strokePath(path, halo)
    edge = QPen(QColor(theme.ink), outline)
    edge.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.fillPath(path, fill)
    painter.strokePath(path, edge)


def draw_focus(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """Draw the frame of a view that has the focus."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(theme.accent), 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect.adjusted(2, 2, -2, -2), 5, 5)
