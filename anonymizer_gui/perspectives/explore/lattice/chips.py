"""Paints chips and grounds of cards, and the short texts on them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QStaticText,
    QTransform,
)

from anonymizer_gui.perspectives.explore.lattice.layout import (
    CHIP_GAP,
    CHIP_HEIGHT,
    CHIP_WIDTH,
    LatticeGeometry,
)
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED, N_RAMP, NOT_SCORED
from anonymizer_gui.theming import Text, Theme, font, font_scale, ramp_colors
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.level_glyph import MIDDLE, SMALL, fitting, glyph_picture

FOOT = 3.0
OF_FILTERED = 0.35  # opacity of nodes that a filter leaves out
_MOST_GROUNDS = 300


def draw_ground(
    painter: ThemedPainter, rect: QRectF, value: int, *, band: float, radius: float, is_minimal: bool = False
) -> None:
    """Draw the background of a card with the colour class `value`, within `rect` of whole pixels."""
    ratio, size = painter.device().devicePixelRatioF(), (round(rect.width()), round(rect.height()))
    painter.drawPixmap(rect.topLeft(), _ground(*size, ratio, painter.theme, value, band, radius, is_minimal))


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
    painter = ThemedPainter(picture, theme)
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
    painter.tint("")
    painter.drawPath(shape)
    painter.end()
    return picture


_SMALLEST_CHIP = (104.0, 34.0)  # px of a chip with nine columns beside a value
_TWO_LINES = 30.0
_LEFT, _RIGHT = 11.0, 3.0
_MOST_TEXTS = 6000
_PILL_REACH = 24.0


def shows_chips(geometry: LatticeGeometry) -> bool:
    """Return whether nodes are large enough for text."""
    pitch_x, pitch_y = geometry.pitches
    least_x, least_y = _SMALLEST_CHIP
    return pitch_x >= least_x * geometry.scale and pitch_y >= least_y * geometry.scale


def chip_rect(geometry: LatticeGeometry, node: int) -> QRectF:
    """Return the rectangle of the chip of a node."""
    place = geometry.place(node)
    gap_x, gap_y = (min(CHIP_GAP * geometry.scale, side * 0.12) for side in geometry.pitches)
    width = min(place.width() - gap_x, CHIP_WIDTH * geometry.scale * 1.5)
    height = min(place.height() - gap_y, CHIP_HEIGHT * geometry.scale * 1.5)
    rect = QRectF(0, 0, round(width), round(height))
    rect.moveCenter(place.center())
    return QRectF(round(rect.x()) + 0.5, round(rect.y()) + 0.5, rect.width(), rect.height())


def chip_rects(geometry: LatticeGeometry, nodes: NDArray[np.int64]) -> list[QRectF]:
    """Return the rectangles of the chips of nodes, all of the same size."""
    pitch_x, pitch_y = geometry.pitches
    first = chip_rect(geometry, int(nodes[0])) if len(nodes) else QRectF()
    x, y = geometry.corners(nodes)
    left = np.rint(x + (pitch_x - first.width()) / 2) + 0.5
    top = np.rint(y + (pitch_y - first.height()) / 2) + 0.5
    width, height = first.width(), first.height()
    return [QRectF(a, b, width, height) for a, b in zip(left.tolist(), top.tolist(), strict=True)]


def draw_chips_at(
    painter: ThemedPainter,
    nodes: Sequence[int],
    rects: Sequence[QRectF],
    look: NodeLook,
    captions: Sequence[str] | None = None,
    compared: int | None = None,
) -> None:
    """Draw chips of one size: the glyph, and the metric at its right.

    `captions` are above the metric, by default its name; levels that differ from `compared` are marked.
    """
    if not nodes:
        return
    ratio = painter.device().devicePixelRatioF()
    width, height = round(rects[0].width()), round(rects[0].height())
    has_two = height >= _TWO_LINES
    classes = look.classes[np.asarray(nodes)].tolist()
    metrics = QFontMetricsF(font(Text.TICK, SEMI_BOLD))
    values = [look.value_text(node) if look.is_scored(node) else "" for node in nodes]
    room = max((metrics.horizontalAdvance(value) for value in values), default=0.0) + 2
    glyph_room = width - _LEFT - 2 * _RIGHT - room
    line = metrics.height()
    for place, (node, rect, value) in enumerate(zip(nodes, rects, classes, strict=True)):
        x, y = rect.left(), rect.top()
        frame = chip_frame(width, height, value, ratio, painter.theme, look.is_minimal(node))
        painter.drawPixmap(QPointF(x - 0.5, y - 0.5), frame)
        glyph, size = fitting(look.glyph(node, compared), glyph_room, (MIDDLE, SMALL))
        picture = glyph_picture(glyph, size, ratio, painter.theme)
        top = round(y + (height - picture.height() / ratio) / 2)
        painter.drawPixmap(QPointF(round(x + _LEFT), top), picture)
        words = QRectF(x + width - _RIGHT - room, y, room, height)
        if has_two:
            caption = look.value_name if captions is None else captions[place]
            left = x + _LEFT + picture.width() / ratio + _RIGHT
            above = QRectF(left, y + height / 2 - line, x + width - _RIGHT - left, line)
            painter.ink("text_3")
            draw_words(painter, above, caption, Text.TICK, at_right=True)
            words = QRectF(words.left(), y + height / 2, room, line)
        painter.ink("text_3" if value == DIMMED else "text")
        draw_words(painter, words, values[place], Text.TICK, SEMI_BOLD, at_right=True)


def draw_words(
    painter: ThemedPainter,
    rect: QRectF,
    text: str,
    use: Text,
    weight: int | None = None,
    *,
    at_right: bool = False,
) -> None:
    """Draw a short text in a rectangle, vertically centred, elided to its width."""
    painter.setFont(font(use, weight))
    shaped, half = _fitted(text, use, weight, int(rect.width()), font_scale())
    left = rect.right() - shaped.size().width() if at_right else rect.left()
    painter.drawStaticText(QPointF(left, rect.center().y() - half), shaped)


@lru_cache(maxsize=_MOST_TEXTS)
def _fitted(text: str, use: Text, weight: int | None, room: int, _scale: float) -> tuple[QStaticText, float]:
    """Return a text laid out for a width, and half of its height; layout costs more than drawing."""
    chosen = font(use, weight)
    shown = text
    if QFontMetricsF(chosen).horizontalAdvance(text) > room + 1:
        shown = QFontMetricsF(chosen).elidedText(text, Qt.TextElideMode.ElideRight, room)
    shaped = QStaticText(shown)
    shaped.setTextFormat(Qt.TextFormat.PlainText)
    shaped.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
    shaped.prepare(QTransform(), chosen)
    return shaped, shaped.size().height() / 2


@lru_cache(maxsize=300)
def chip_frame(width: int, height: int, value: int, ratio: float, theme: Theme, is_minimal: bool) -> QPixmap:
    """Return background, edge and band of a chip: solid if satisfying, dashed if failing, else dotted."""
    picture = QPixmap(round((width + 1) * ratio), round((height + 1) * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = ThemedPainter(picture, theme)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    satisfies = value < N_RAMP
    pen = QPen(QColor(theme.border_strong if satisfies else theme.fail_line), 1)
    if not satisfies:
        pen.setDashPattern([1, 2] if value == NOT_SCORED else [3, 2])
    rect = QRectF(0.5, 0.5, width, height)
    painter.setPen(pen)
    painter.tint("surface")
    painter.drawRoundedRect(rect, 4, 4)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ramp_colors(theme)[value] if satisfies else QColor(theme.fail))
    painter.drawRoundedRect(QRectF(rect.left(), rect.top(), 5, height), 2, 2)
    if is_minimal:
        draw_foot(painter, rect)
    painter.end()
    return picture


def draw_foot(painter: ThemedPainter, rect: QRectF) -> None:
    """Draw the line below a minimal node."""
    painter.fill(QRectF(rect.left() + 3, rect.bottom() - 2, rect.width() - 6, 2.5), "ink")


def draw_pill(painter: ThemedPainter, beside: QPointF, text: str, bounds: QRectF) -> None:
    """Draw a short framed text left of a point, within bounds."""
    pill_font = font(Text.CAPTION, SEMI_BOLD)
    metrics = QFontMetricsF(pill_font)
    rect = QRectF(0, 0, min(metrics.horizontalAdvance(text) + 16, bounds.width()), metrics.height() + 5)
    rect.moveCenter(beside)
    rect.moveRight(beside.x() - _PILL_REACH)
    rect.moveLeft(max(min(rect.left(), bounds.right() - rect.width()), bounds.left()))
    rect.moveTop(max(min(rect.top(), bounds.bottom() - rect.height()), bounds.top()))
    rect = QRectF(round(rect.x()) + 0.5, round(rect.y()) + 0.5, round(rect.width()), round(rect.height()))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.outline(rect, "accent", 1.3, radius=5, filled="surface")
    painter.setFont(pill_font)
    painter.ink("text")
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, rect.width() - 12)
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), shown)
