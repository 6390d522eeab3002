"""Card of one node in a Hasse diagram, drawn once for all frames in which it looks the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPixmap

from anonymizer_gui.perspectives.explore.lattice.card_ground import OF_FILTERED, draw_ground
from anonymizer_gui.perspectives.explore.lattice.chips import draw_words
from anonymizer_gui.perspectives.explore.lattice.diagram import FULL, LEAST, RADIUS, CardSize, Diagram
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED, N_RAMP
from anonymizer_gui.theming import Text, Theme, font, font_scale, paint_track, ramp_colors, scaled
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.level_glyph import Glyph, fitting, glyph_picture, glyph_width

BAND = 5.0
_LEFT, _RIGHT, _APART = 8, 5, 8  # px of a card beside its glyph and texts
_WORDS, _TIGHT_WORDS = 109, 44  # px of the texts beside a glyph in the full and the half card
_FURTHER = 2  # px that words of the full card reach beyond its numbers
_ABOVE, _TIGHT = 4, 4  # px of a card above and below its glyph, and beside it in the least card
_BAR, _BAR_HEIGHT = 62, 5
_TICK = (1.5, 9.0)
_INNER = 53  # px of the full card below its band
_MOST_PICTURES, _MOST_TEXTS = 400, 500


@dataclass(frozen=True)
class CardFace:
    """What a card shows: colour class, levels, words, and two values as numbers and shares of their bars."""

    size: CardSize
    width: int
    height: int
    value: int
    is_minimal: bool
    glyph: Glyph
    phrases: tuple[str, ...]
    metric: str
    metric_share: float
    suppressed: str
    suppressed_share: float
    limit_share: float | None
    is_over: bool

    @property
    def satisfies(self) -> bool:
        return self.value < N_RAMP


def face_of(
    node: int, diagram: Diagram, look: NodeLook, phrases: Sequence[str], compared: int | None = None
) -> CardFace:
    """Return the face of a node; levels that differ from `compared` are marked."""
    return CardFace(
        diagram.size,
        *diagram.card,
        int(look.classes[node]),
        look.is_minimal(node),
        look.glyph(node, compared),
        tuple(phrases),
        look.value_text(node) if look.is_scored(node) else "",
        look.value_share(node),
        look.suppressed_text(node),
        look.share_of_records(node),
        look.limit_of_records,
        look.is_over(node),
    )


@lru_cache(maxsize=_MOST_PICTURES)
def card_picture(face: CardFace, theme: Theme, ratio: float, _scale: float) -> QPixmap:
    """Return a card as a picture, for a ratio of pixels and the font scale."""
    picture = QPixmap(round(face.width * ratio), round(face.height * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    rect = QRectF(0, 0, face.width, face.height)
    draw_ground(painter, rect, theme, face.value, band=BAND, radius=RADIUS, is_minimal=face.is_minimal)
    if face.value == DIMMED:
        painter.setOpacity(OF_FILTERED)
    left = _draw_glyph(painter, face, theme, ratio)
    if face.size is not LEAST:
        place = QRectF(left, BAND, face.width - scaled(_RIGHT) - left, face.height - BAND)
        (_draw_full if face.size is FULL else _draw_half)(painter, place, face, theme)
    painter.end()
    return picture


def _draw_glyph(painter: QPainter, face: CardFace, theme: Theme, ratio: float) -> float:
    """Draw the levels; return the x of the texts after them."""
    is_least = face.size is LEAST
    beside = scaled(_WORDS if face.size is FULL else _TIGHT_WORDS) + scaled(_LEFT) + scaled(_RIGHT)
    high = face.height - BAND - _ABOVE
    sizes = [size for size in face.size.glyphs if scaled(size.height) <= high]
    room = face.width - (2 * _TIGHT if is_least else beside)
    glyph, size = fitting(face.glyph, room, sizes or face.size.glyphs[-1:])
    across = glyph_width(len(glyph.levels), size)
    x = (face.width - across) / 2 if is_least else scaled(_LEFT)
    top = (BAND + face.height - scaled(size.height)) / 2
    painter.drawPixmap(QPointF(round(x), round(top)), glyph_picture(glyph, size, ratio, theme))
    return float(x + across + scaled(_APART))


def _draw_full(painter: QPainter, place: QRectF, face: CardFace, theme: Theme) -> None:
    """Draw the words of a node, and below them loss and suppressed records as bars with numbers."""
    ink = "text" if face.satisfies else "text_2"
    painter.setPen(theme.color(ink))
    height, line = QFontMetricsF(font(Text.CAPTION)).height(), scaled(12)
    wide = place.width() + _FURTHER
    lines = words_in(face.phrases, wide)
    unit = place.height() / _INNER
    y = place.top() + (13 if len(lines) < 2 else 8) * unit
    for at, text in enumerate(lines):
        room = QRectF(place.left(), y + at * line - height / 2, wide, height)
        draw_words(painter, room, text, Text.CAPTION)
    y = place.top() + 31 * unit
    metric_bar = (face.metric_share, _metric_colour(face, theme), None)
    suppressed_bar = (face.suppressed_share, theme.danger if face.is_over else theme.text_2, face.limit_share)
    for text, bar, token, weight in (
        (face.metric, metric_bar, ink, SEMI_BOLD),
        (face.suppressed, suppressed_bar, "danger" if face.is_over else ink, None),
    ):
        height = QFontMetricsF(font(Text.TICK, weight)).height()
        draw_small_bar(painter, QPointF(place.left(), y), scaled(_BAR), *bar, theme)
        painter.setPen(theme.color(token))
        room = QRectF(place.left() + scaled(_BAR), y - height / 2, place.width() - scaled(_BAR), height)
        draw_words(painter, room, text, Text.TICK, weight, at_right=True)
        y += scaled(10) * max(unit, 1)


def _draw_half(painter: QPainter, place: QRectF, face: CardFace, theme: Theme) -> None:
    """Draw the metric above its bar."""
    height, middle = QFontMetricsF(font(Text.TICK, SEMI_BOLD)).height(), place.center().y()
    painter.setPen(theme.color("text" if face.satisfies else "text_2"))
    room = QRectF(place.left(), middle - height, place.width(), height)
    draw_words(painter, room, face.metric, Text.TICK, SEMI_BOLD)
    left = QPointF(place.left(), middle + scaled(7))
    draw_small_bar(painter, left, place.width(), face.metric_share, _metric_colour(face, theme), None, theme)


def _metric_colour(face: CardFace, theme: Theme) -> str:
    return ramp_colors(theme)[face.value].name() if face.satisfies else theme.fail_line


def draw_small_bar(
    painter: QPainter,
    left: QPointF,
    width: float,
    share: float,
    colour: str,
    tick: float | None,
    theme: Theme,
) -> None:
    """Draw a bar on its track from the middle of its left end, with a tick at a limit."""
    height = scaled(_BAR_HEIGHT)
    track = QRectF(left.x(), round(left.y() - height / 2), width, height)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_track(painter, track, theme, "border" if theme.is_dark else "sunken", height / 2)
    painter.setPen(Qt.PenStyle.NoPen)
    if share > 0:
        painter.setBrush(QColor(colour))
        filled = QRectF(track.left(), track.top(), max(min(share, 1.0) * width, 1.5), height)
        painter.drawRoundedRect(filled, min(height, filled.width()) / 2, height / 2)
    if tick is not None:
        wide, high = _TICK
        x = track.left() + min(max(tick, 0.0), 1.0) * (width - wide)
        painter.fillRect(QRectF(x, track.center().y() - high / 2, wide, high), QColor(theme.ink))


def words_in(phrases: Sequence[str], width: float, most: int = 2) -> tuple[str, ...]:
    """Break phrases into lines between them; those that do not fit are counted: "+ 2"."""
    return _words_in(tuple(phrases), width, most, font_scale())


@lru_cache(maxsize=_MOST_TEXTS)
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
