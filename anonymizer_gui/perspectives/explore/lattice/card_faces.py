"""Paints cards of nodes in every size, of which large lattices have line cards, and short texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QStaticText,
    QTransform,
)

from anonymizer_gui.perspectives.explore.lattice.diagram import FULL, LEAST, LINE, RADIUS, CardSize
from anonymizer_gui.perspectives.explore.lattice.layout import (
    CHIP_GAP,
    LatticeGeometry,
)
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED, FAILS, N_RAMP, NOT_SCORED
from anonymizer_gui.theming import Text, Theme, font, font_scale, paint_track, ramp_colors, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.level_glyph import Glyph, GlyphSize, fitting, glyph_picture, glyph_width

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


_BAND, _FAILING_BAND = 5.0, 2.0
_LEFT, _RIGHT, _APART = 8, 5, 8  # px of a card beside its glyph and texts
_LINE_LEFT, _LINE_APART = 6, 6  # px of a line card
_WORDS, _TIGHT_WORDS = 109, 44  # px of the texts beside a glyph in the full and the half card
_LINE_WORDS = 89  # px of the texts on a line card, so that glyphs of many columns leave them room
_FURTHER = 2  # px that words of the full card reach beyond its numbers
_ABOVE, _TIGHT = 4, 4  # px of a card above and below its glyph, and beside it in the least card
_BAR_HEIGHT = 5
_MOST_PICTURES, _MOST_LAID_OUT = 400, 2000
_MOST_LINES = 2  # of phrases
_ZEROS = str.maketrans("123456789", "000000000")


@dataclass(frozen=True)
class CardFace:
    """Content of a card: colour class, levels, words, and its metric or what makes it fail."""

    size: CardSize
    width: int
    height: int
    value: int
    is_minimal: bool
    glyph: Glyph
    phrases: tuple[str, ...]
    metric: str  # with its name on a line card
    metric_share: float
    reasons: tuple[str, str]  # at length and in short; empty if it satisfies

    @property
    def satisfies(self) -> bool:
        return self.value < N_RAMP


def face_of(
    node: int,
    size: CardSize,
    rect: QRectF,
    look: NodeLook,
    phrases: Sequence[str] | None = None,
    compared: int | None = None,
) -> CardFace:
    """Return the face of a node in a rectangle; levels that differ from `compared` are marked.

    The words are those of its levels, or `phrases`.
    """
    metric = look.value_words(node) if size is LINE else look.value_text(node)
    return CardFace(
        size,
        round(rect.width()),
        round(rect.height()),
        int(look.classes[node]),
        look.is_minimal(node),
        look.glyph(node, compared),
        tuple(look.phrases(node) if phrases is None else phrases),
        metric if look.is_scored(node) else "",
        0.0 if size is LINE else look.value_share(node),
        (look.reason(node), look.reason(node, is_short=True)),
    )


@lru_cache(maxsize=_MOST_PICTURES)
def card_picture(face: CardFace, theme: Theme, ratio: float, _scale: float) -> QPixmap:
    """Return a card as a picture, for a ratio of pixels and the font scale."""
    picture = _blank(face, ratio)
    painter = ThemedPainter(picture, theme)
    draw_card(painter, face, ratio)
    painter.end()
    return picture


def _blank(face: CardFace, ratio: float) -> QPixmap:
    picture = QPixmap(round(face.width * ratio), round(face.height * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    return picture


def draw_card(painter: ThemedPainter, face: CardFace, ratio: float) -> None:
    """Draw a card at the origin, for a ratio of pixels."""
    band, whole = band_of(face.value), QRectF(0, 0, face.width, face.height)
    draw_ground(painter, whole, face.value, band=band, radius=RADIUS, is_minimal=face.is_minimal)
    if face.value == DIMMED:
        painter.setOpacity(OF_FILTERED)
    if face.size is LINE:
        _draw_line(painter, face, ratio)
    else:
        left = _draw_glyph(painter, face, ratio)
        place = QRectF(left, band, face.width - scaled(_RIGHT) - left, face.height - band)
        if face.size is not LEAST:
            (_draw_full if face.size is FULL else _draw_half)(painter, place, face)
    painter.setOpacity(1.0)


def band_of(value: int) -> float:
    """Return the height of the band of a card with a colour class."""
    return _BAND if value < N_RAMP else _FAILING_BAND


def _draw_glyph(painter: ThemedPainter, face: CardFace, ratio: float) -> float:
    """Draw the levels, on a line card if they have room beside the words; return the x of the texts."""
    band = band_of(face.value)
    size, left, room, texts = _glyph_place(
        face.size, len(face.glyph.levels), face.width, face.height, band, font_scale()
    )
    if size is None:
        return texts
    glyph, _size = fitting(face.glyph, room, (size,)) if texts < 0 else (face.glyph, size)
    if texts < 0:
        across = glyph_width(len(glyph.levels), size)
        left = (face.width - across) / 2 if face.size is LEAST else left
        texts = left + across + scaled(_LINE_APART if face.size is LINE else _APART)
    top = (band + face.height - scaled(size.height)) / 2
    painter.drawPixmap(QPointF(round(left), round(top)), glyph_picture(glyph, size, ratio, painter.theme))
    return texts


@lru_cache(maxsize=_MOST_GROUNDS)
def _glyph_place(
    card: CardSize, n_columns: int, width: int, height: int, band: float, _scale: float
) -> tuple[GlyphSize | None, float, float, float]:
    """Return size, x and room of a glyph on a card, and the x of its texts.

    Without room there is no size; if not all columns fit, the x of the texts depends on the others and is -1.
    """
    is_least, is_line = card is LEAST, card is LINE
    left, apart = (_LINE_LEFT, _LINE_APART) if is_line else (_LEFT, _APART)
    words = _WORDS if card is FULL else _LINE_WORDS if is_line else _TIGHT_WORDS
    high = height - band - _ABOVE
    sizes = [size for size in card.glyphs if scaled(size.height) <= high] or card.glyphs[-1:]
    room = width - (2 * _TIGHT if is_least else scaled(words) + scaled(left) + scaled(_RIGHT))
    size = next((size for size in sizes if glyph_width(n_columns, size) <= room), sizes[-1])
    if is_line and room < scaled(size.column):
        return None, 0.0, room, float(scaled(left))
    across = glyph_width(n_columns, size)
    if across > room:
        return size, float(scaled(left)), room, -1.0
    x = (width - across) / 2 if is_least else scaled(left)
    return size, x, room, float(x + across + scaled(apart))


def _draw_full(painter: ThemedPainter, place: QRectF, face: CardFace) -> None:
    """Draw the words of a node, and below them its metric as a bar with a number, or why it fails."""
    ink, line = "text" if face.satisfies else "text_2", scaled(13)
    height = QFontMetricsF(font(Text.CAPTION)).height()
    numbers = QFontMetricsF(font(Text.CELL, SEMI_BOLD))
    foot = QRectF(place.left(), place.bottom() - numbers.height() - 2, place.width(), numbers.height())
    lines = words_in(face.phrases, place.width() + _FURTHER)
    painter.ink(ink)
    y = place.top() + (foot.top() - place.top() - (len(lines) - 1) * line - height) / 2
    for at, text in enumerate(lines):
        room = QRectF(place.left(), y + at * line, place.width() + _FURTHER, height)
        draw_words(painter, room, text, Text.CAPTION)
    if any(face.reasons):
        painter.ink("danger")
        draw_words(painter, foot, _fitting_of(face.reasons, foot.width()), Text.CAPTION, SEMI_BOLD)
        return
    width = place.width() - max(numbers.horizontalAdvance(face.metric), scaled(30)) - scaled(6)
    left = QPointF(place.left(), foot.center().y())
    draw_small_bar(painter, left, width, face.metric_share, _metric_colour(face, painter.theme))
    painter.ink(ink)
    draw_words(painter, foot, face.metric, Text.CELL, SEMI_BOLD, at_right=True)


def _draw_line(painter: ThemedPainter, face: CardFace, ratio: float) -> None:
    """Draw levels and one line of words, and below it why the node fails, or its metric."""
    value = 0 if face.satisfies else FAILS  # a turn of a knob changes classes and reasons only
    of = (LINE, face.width, face.height, value, face.is_minimal, face.glyph, face.phrases)
    body, room = _line_body(CardFace(*of, "", 0.0, ("", "")), painter.theme, ratio, font_scale())
    painter.drawPixmap(0, 0, body)
    painter.setPen(painter.theme.color("danger" if any(face.reasons) else "text"))
    text = _fitting_of(face.reasons, room.width()) or face.metric
    draw_words(painter, room, text, Text.CAPTION, SEMI_BOLD)


@lru_cache(maxsize=_MOST_LAID_OUT)
def _line_body(face: CardFace, theme: Theme, ratio: float, scale: float) -> tuple[QPixmap, QRectF]:
    """Return levels and words of a line card as a picture, and the place of its second line."""
    picture = _blank(face, ratio)
    painter = ThemedPainter(picture, theme)
    left, band, foot = _draw_glyph(painter, face, ratio), band_of(face.value), FOOT * face.is_minimal
    width, (words, second) = face.width - scaled(_RIGHT) - left, _line_heights(scale)
    top = band + (face.height - band - foot - words - second) / 2
    painter.ink("text" if face.satisfies else "text_2")
    turns = (face.phrases[at:] + face.phrases[:at] for at in range(len(face.phrases)))
    fitting_turns = (found[0] for turn in turns if (found := words_in(turn, width, 1)))
    line = next(fitting_turns, ", ".join(face.phrases))
    draw_words(painter, QRectF(left, top, width, words), line, Text.CAPTION)
    painter.end()
    return picture, QRectF(left, top + words, width, second)


@lru_cache
def _line_heights(_scale: float) -> tuple[float, float]:
    regular, bold = (QFontMetricsF(font(Text.CAPTION, weight)).height() for weight in (None, SEMI_BOLD))
    return regular, bold


def _fitting_of(texts: tuple[str, str], width: float) -> str:
    """Return the first of two texts if it fits, else the second."""
    return texts[0] if text_width(texts[0], Text.CAPTION, SEMI_BOLD) <= width + 1 else texts[1]


def text_width(text: str, use: Text, weight: int | None = None) -> float:
    """Return the width of a text, whose digits are all as wide as a zero."""
    return _width(text.translate(_ZEROS), use, weight, font_scale())


@lru_cache(maxsize=_MOST_LAID_OUT)
def _width(text: str, use: Text, weight: int | None, _scale: float) -> float:
    return QFontMetricsF(font(use, weight)).horizontalAdvance(text)


def _draw_half(painter: ThemedPainter, place: QRectF, face: CardFace) -> None:
    """Draw the metric above its bar, or in short why the node fails."""
    height, middle = QFontMetricsF(font(Text.TICK, SEMI_BOLD)).height(), place.center().y()
    if any(face.reasons):
        painter.ink("danger")
        room = QRectF(place.left(), middle - height / 2, place.width(), height)
        draw_words(painter, room, face.reasons[1], Text.TICK, SEMI_BOLD)
        return
    painter.ink("text" if face.satisfies else "text_2")
    room = QRectF(place.left(), middle - height, place.width(), height)
    draw_words(painter, room, face.metric, Text.TICK, SEMI_BOLD)
    left = QPointF(place.left(), middle + scaled(7))
    draw_small_bar(painter, left, place.width(), face.metric_share, _metric_colour(face, painter.theme))


def _metric_colour(face: CardFace, theme: Theme) -> str:
    return ramp_colors(theme)[face.value].name() if face.satisfies else theme.fail_line


def draw_small_bar(painter: ThemedPainter, left: QPointF, width: float, share: float, colour: str) -> None:
    """Draw a bar on its track from the middle of its left end."""
    height = scaled(_BAR_HEIGHT)
    track = QRectF(left.x(), round(left.y() - height / 2), width, height)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_track(painter, track, painter.theme, "border" if painter.theme.is_dark else "sunken", height / 2)
    painter.setPen(Qt.PenStyle.NoPen)
    if share > 0:
        painter.setBrush(QColor(colour))
        filled = QRectF(track.left(), track.top(), max(min(share, 1.0) * width, 1.5), height)
        painter.drawRoundedRect(filled, min(height, filled.width()) / 2, height / 2)


def words_in(phrases: Sequence[str], width: float, most: int = _MOST_LINES) -> tuple[str, ...]:
    """Break phrases into lines between them; those that do not fit are counted: "+ 2"."""
    return _words_in(tuple(phrases), width, most, font_scale())


@lru_cache(maxsize=_MOST_LAID_OUT)
def _words_in(phrases: tuple[str, ...], width: float, most: int, _scale: float) -> tuple[str, ...]:
    metrics = QFontMetricsF(font(Text.CAPTION))
    for n_shown in range(len(phrases), 0, -1):
        shown = [*phrases[:n_shown], *([f"+ {len(phrases) - n_shown}"] if n_shown < len(phrases) else [])]
        lines: list[str] = []
        for place, phrase in enumerate(shown, start=1):
            longer = f"{lines[-1]}, {phrase}" if lines else phrase
            comma = "," if place < len(shown) else ""  # a line before another ends with one
            if lines and metrics.horizontalAdvance(longer + comma) <= width:
                lines[-1] = longer
            else:
                lines.append(phrase)
        if len(lines) <= most:
            return (*(f"{line}," for line in lines[:-1]), *lines[-1:])
    return ()


_SMALLEST_CHIP = (104.0, 34.0)  # px of the place of a chip with words beside the levels
_MOST_TEXTS = 6000
_PILL_REACH = 24.0


def shows_chips(geometry: LatticeGeometry) -> bool:
    """Return whether nodes are large enough for line cards."""
    pitch_x, pitch_y = geometry.pitches
    least_x, least_y = _SMALLEST_CHIP
    return pitch_x >= least_x * geometry.scale and pitch_y >= least_y * geometry.scale


def chip_rect(geometry: LatticeGeometry, node: int) -> QRectF:
    """Return the rectangle of the line card of a node, on whole pixels."""
    return chip_rects(geometry, np.array([node]))[0]


def chip_rects(geometry: LatticeGeometry, nodes: NDArray[np.int64]) -> list[QRectF]:
    """Return the rectangles of the line cards of nodes, all of the same size."""
    pitches, scale = geometry.pitches, geometry.scale
    width, height = (
        round(min(pitch - min(CHIP_GAP * scale, pitch * 0.12), most * scale))
        for pitch, most in zip(pitches, (LINE.width, LINE.height), strict=True)
    )
    x, y = geometry.corners(nodes)
    left, top = np.rint(x + (pitches[0] - width) / 2), np.rint(y + (pitches[1] - height) / 2)
    return [QRectF(a, b, width, height) for a, b in zip(left.tolist(), top.tolist(), strict=True)]


def draw_line_cards(
    painter: ThemedPainter,
    cards: Iterable[tuple[int, QRectF]],
    look: NodeLook,
    words: Mapping[int, Sequence[str]] | None = None,
    compared: int | None = None,
) -> None:
    """Draw nodes as line cards; `words` replace those of their levels."""
    of, ratio = words or {}, painter.device().devicePixelRatioF()
    for node, rect in cards:  # not by `card_picture`, as every turn of a knob would make all of them again
        painter.translate(rect.topLeft())
        draw_card(painter, face_of(node, LINE, rect, look, of.get(node), compared), ratio)
        painter.translate(-rect.topLeft())


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
    shaped, half, used = _fitted(text, use, weight, int(rect.width()), font_scale())
    painter.setFont(used)
    left = rect.right() - shaped.size().width() if at_right else rect.left()
    painter.drawStaticText(QPointF(left, rect.center().y() - half), shaped)


@lru_cache(maxsize=_MOST_TEXTS)
def _fitted(
    text: str, use: Text, weight: int | None, room: int, _scale: float
) -> tuple[QStaticText, float, QFont]:
    """Return a text laid out for a width, half of its height, and its font; layout costs most."""
    chosen = font(use, weight)
    shown = text
    if text_width(text, use, weight) > room + 1:
        shown = QFontMetricsF(chosen).elidedText(text, Qt.TextElideMode.ElideRight, room)
    shaped = QStaticText(shown)
    shaped.setTextFormat(Qt.TextFormat.PlainText)
    shaped.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
    shaped.prepare(QTransform(), chosen)
    return shaped, shaped.size().height() / 2, chosen


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
