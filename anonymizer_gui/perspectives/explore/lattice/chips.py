"""Nodes as chips: coloured edge, level vector, and the metric if there is room for a second line."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPen,
    QPixmap,
    QStaticText,
    QTransform,
)

from anonymizer_gui.perspectives.explore.lattice.geometry import (
    CHIP_GAP,
    CHIP_HEIGHT,
    CHIP_WIDTH,
    LatticeGeometry,
)
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED, N_RAMP, NOT_SCORED
from anonymizer_gui.theming import Text, Theme, font, font_scale, ramp_colors
from anonymizer_gui.theming.type_scale import SEMI_BOLD

_SMALLEST_CHIP = (104.0, 34.0)  # px of a chip with nine levels above a value
_TWO_LINES = 30.0
_SPACING = 1.6  # px between the levels of a vector
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


def vector_text(levels: Sequence[int]) -> str:
    """Return levels as text, separated if some have two digits."""
    return ("" if max(levels, default=0) <= 9 else " ").join(str(level) for level in levels)


@lru_cache(maxsize=_MOST_TEXTS)
def _vector(levels: bytes) -> str:
    return vector_text(np.frombuffer(levels, dtype=np.int16).tolist())


def vector_font(use: Text = Text.CELL) -> QFont:
    """Return the font of a level vector, with slightly spaced digits."""
    made = font(use)
    made.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, _SPACING)
    return made


def draw_chips_at(
    painter: QPainter,
    nodes: Sequence[int],
    rects: Sequence[QRectF],
    look: NodeLook,
    theme: Theme,
    words: Sequence[str] | None = None,
) -> None:
    """Draw chips of one size; common properties are looked up once because a frame has hundreds.

    `words` is the second line, the metric by default.
    """
    if not nodes:
        return
    ratio, scale = painter.device().devicePixelRatioF(), font_scale()
    width, height = round(rects[0].width()), round(rects[0].height())
    room = int(width - _LEFT - _RIGHT)
    has_two = height >= _TWO_LINES
    corners = [(rect.left(), rect.top()) for rect in rects]
    classes = look.classes[np.asarray(nodes)].tolist()
    for node, (x, y), value in zip(nodes, corners, classes, strict=True):
        frame = _frame(width, height, value, ratio, theme, look.is_minimal(node))
        painter.drawPixmap(QPointF(x - 0.5, y - 0.5), frame)
    vectors = [_vector(levels.tobytes()) for levels in look.levels[np.asarray(nodes)]]
    lines = [(vectors, Text.CELL, True, "text", height / 4 + 1.5 if has_two else height / 2)]
    if has_two:
        values = [look.value_words(node) for node in nodes] if words is None else list(words)
        lines.append((values, Text.TICK, False, "text_2", height * 0.75 - 1))
    for texts, use, is_vector, token, middle in lines:
        painter.setFont(vector_font(use) if is_vector else font(use))
        for is_dim in (False, True):
            painter.setPen(theme.color("text_3" if is_dim else token))
            for (x, y), text, value in zip(corners, texts, classes, strict=True):
                if (value == DIMMED) is is_dim:
                    shaped, half = _fitted(text, use, None, is_vector, room, scale)
                    painter.drawStaticText(QPointF(x + _LEFT, y + middle - half), shaped)


def draw_words(painter: QPainter, rect: QRectF, text: str, use: Text, weight: int | None = None) -> None:
    """Draw a short text at the left of a rectangle, vertically centred, elided to its width."""
    painter.setFont(font(use, weight))
    shaped, half = _fitted(text, use, weight, False, int(rect.width()), font_scale())
    painter.drawStaticText(QPointF(rect.left(), rect.center().y() - half), shaped)


@lru_cache(maxsize=_MOST_TEXTS)
def _fitted(
    text: str, use: Text, weight: int | None, is_vector: bool, room: int, _scale: float
) -> tuple[QStaticText, float]:
    """Return a text laid out for a width, and half of its height; layout costs more than drawing."""
    chosen = vector_font(use) if is_vector else font(use, weight)
    shown = text
    if QFontMetricsF(chosen).horizontalAdvance(text) > room + 1:
        shown = QFontMetricsF(chosen).elidedText(text, Qt.TextElideMode.ElideRight, room)
    shaped = QStaticText(shown)
    shaped.setTextFormat(Qt.TextFormat.PlainText)
    shaped.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
    shaped.prepare(QTransform(), chosen)
    return shaped, shaped.size().height() / 2


@lru_cache(maxsize=300)
def _frame(width: int, height: int, value: int, ratio: float, theme: Theme, is_minimal: bool) -> QPixmap:
    """Return background, edge and band of a chip: solid if satisfying, dashed if failing, else dotted."""
    picture = QPixmap(round((width + 1) * ratio), round((height + 1) * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    satisfies = value < N_RAMP
    pen = QPen(QColor(theme.border_strong if satisfies else theme.fail_line), 1)
    if not satisfies:
        pen.setDashPattern([1, 2] if value == NOT_SCORED else [3, 2])
    rect = QRectF(0.5, 0.5, width, height)
    painter.setPen(pen)
    painter.setBrush(QColor(theme.surface))
    painter.drawRoundedRect(rect, 4, 4)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ramp_colors(theme)[value] if satisfies else QColor(theme.fail))
    painter.drawRoundedRect(QRectF(rect.left(), rect.top(), 5, height), 2, 2)
    if is_minimal:
        draw_foot(painter, rect, theme)
    painter.end()
    return picture


def draw_foot(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """Draw the line below a minimal node."""
    painter.fillRect(QRectF(rect.left() + 3, rect.bottom() - 2, rect.width() - 6, 2.5), QColor(theme.ink))


def draw_pill(painter: QPainter, beside: QPointF, text: str, bounds: QRectF, theme: Theme) -> None:
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
    painter.setPen(QPen(QColor(theme.accent), 1.3))
    painter.setBrush(QColor(theme.surface))
    painter.drawRoundedRect(rect, 5, 5)
    painter.setFont(pill_font)
    painter.setPen(theme.color("text"))
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, rect.width() - 12)
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), shown)
