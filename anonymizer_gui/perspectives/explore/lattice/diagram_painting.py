"""Paints a small lattice as a Hasse diagram: cards, edges, marks, the border of what satisfies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPainterPath, QPen, QPixmap

from anonymizer_gui.perspectives.explore.lattice.chips import OF_FILTERED, draw_ground, draw_pill, draw_words
from anonymizer_gui.perspectives.explore.lattice.diagram import (
    FULL,
    HALF,
    LEAST,
    LINE,
    RADIUS,
    CardSize,
    Diagram,
)
from anonymizer_gui.perspectives.explore.lattice.marks import Marks, PlacedMark, StepTaken, marks_on_corner
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.painting import Canvas
from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED, N_RAMP
from anonymizer_gui.theming import Text, Theme, font, font_scale, paint_track, ramp_colors, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.level_glyph import Glyph, fitting, glyph_picture, glyph_width
from engine.lattice.border import border
from engine.words import _

BoolArray = NDArray[np.bool_]

_BAND, _FAILING_BAND = 5.0, 2.0
_LEFT, _RIGHT, _APART = 8, 5, 8  # px of a card beside its glyph and texts
_LINE_LEFT, _LINE_APART = 6, 6  # px of a line card
_WORDS, _TIGHT_WORDS = 109, 44  # px of the texts beside a glyph in the full and the half card
_LINE_WORDS = 84  # px of the texts on a line card, so that glyphs of many columns leave them room
_FURTHER = 2  # px that words of the full card reach beyond its numbers
_ABOVE, _TIGHT = 4, 4  # px of a card above and below its glyph, and beside it in the least card
_BAR_HEIGHT = 5
_MOST_PICTURES, _MOST_TEXTS = 400, 500
_MOST_LINES = 2  # of phrases


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
    node: int, diagram: Diagram, look: NodeLook, phrases: Sequence[str], compared: int | None = None
) -> CardFace:
    """Return the face of a node; levels that differ from `compared` are marked."""
    size, rect = diagram.size_of(node), diagram.rects[node]
    metric = look.value_words(node) if size is LINE else look.value_text(node)
    return CardFace(
        size,
        round(rect.width()),
        round(rect.height()),
        int(look.classes[node]),
        look.is_minimal(node),
        look.glyph(node, compared),
        tuple(phrases),
        metric if look.is_scored(node) else "",
        look.value_share(node),
        (look.reason(node), look.reason(node, is_short=True)),
    )


@lru_cache(maxsize=_MOST_PICTURES)
def card_picture(face: CardFace, theme: Theme, ratio: float, _scale: float) -> QPixmap:
    """Return a card as a picture, for a ratio of pixels and the font scale."""
    picture = QPixmap(round(face.width * ratio), round(face.height * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = ThemedPainter(picture, theme)
    rect = QRectF(0, 0, face.width, face.height)
    band = band_of(face.value)
    draw_ground(painter, rect, face.value, band=band, radius=RADIUS, is_minimal=face.is_minimal)
    if face.value == DIMMED:
        painter.setOpacity(OF_FILTERED)
    left = _draw_glyph(painter, face, ratio)
    if face.size is not LEAST:
        place = QRectF(left, band, face.width - scaled(_RIGHT) - left, face.height - band)
        {FULL: _draw_full, LINE: _draw_line, HALF: _draw_half}[face.size](painter, place, face)
    painter.end()
    return picture


def band_of(value: int) -> float:
    """Return the height of the band of a card with a colour class."""
    return _BAND if value < N_RAMP else _FAILING_BAND


def _draw_glyph(painter: ThemedPainter, face: CardFace, ratio: float) -> float:
    """Draw the levels, on a line card if they have room beside the words; return the x of the texts."""
    is_least, is_line = face.size is LEAST, face.size is LINE
    left, apart = (_LINE_LEFT, _LINE_APART) if is_line else (_LEFT, _APART)
    words = _WORDS if face.size is FULL else _LINE_WORDS if is_line else _TIGHT_WORDS
    band = band_of(face.value)
    high = face.height - band - _ABOVE
    sizes = [size for size in face.size.glyphs if scaled(size.height) <= high]
    room = face.width - (2 * _TIGHT if is_least else scaled(words) + scaled(left) + scaled(_RIGHT))
    glyph, size = fitting(face.glyph, room, sizes or face.size.glyphs[-1:])
    if is_line and room < scaled(size.column):
        return float(scaled(left))
    across = glyph_width(len(glyph.levels), size)
    x = (face.width - across) / 2 if is_least else scaled(left)
    top = (band + face.height - scaled(size.height)) / 2
    painter.drawPixmap(QPointF(round(x), round(top)), glyph_picture(glyph, size, ratio, painter.theme))
    return float(x + across + scaled(apart))


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


def _draw_line(painter: ThemedPainter, place: QRectF, face: CardFace) -> None:
    """Draw one line of words, and below it why the node fails, or its metric."""
    words, second = (QFontMetricsF(font(Text.CAPTION, weight)).height() for weight in (None, SEMI_BOLD))
    top = place.center().y() - (words + second) / 2
    painter.ink("text" if face.satisfies else "text_2")
    (line,) = words_in(face.phrases, place.width(), 1) or (", ".join(face.phrases),)
    draw_words(painter, QRectF(place.left(), top, place.width(), words), line, Text.CAPTION)
    painter.ink("danger" if any(face.reasons) else "text")
    room = QRectF(place.left(), top + words, place.width(), second)
    text = _fitting_of(face.reasons, place.width()) or face.metric
    draw_words(painter, room, text, Text.CAPTION, SEMI_BOLD)


def _fitting_of(texts: tuple[str, str], width: float) -> str:
    """Return the first of two texts if it fits, else the second."""
    fits = QFontMetricsF(font(Text.CAPTION, SEMI_BOLD)).horizontalAdvance(texts[0]) <= width + 1
    return texts[0] if fits else texts[1]


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


_EDGE, _BEYOND = 2, 20  # px beside the slots, and of lines outside of the canvas
_LINE_WIDTH, _WARN_WIDTH, _CORNER, _TINT = 2.5, 1.8, 6.0, 0.55
STEP, TO_OPTIMUM, SELECTED, HALO = 1.8, 2.6, 2.5, 3.0
_INSET = 10
_Align = Qt.AlignmentFlag


class DiagramPicture:
    """Diagram whose edges and cards are drawn once for as long as they stay the same."""

    def __init__(self) -> None:
        self.phrases: Sequence[Sequence[str]] = ()  # generalized columns of each node in words
        self._of: Diagram | None = None
        self._edges = QImage()  # below the cards; they do not depend on colours
        self._layer: QImage | None = None

    def redraw(self) -> None:
        """Draw the cards again before the next painting."""
        self._layer = None

    def layer(self, diagram: Diagram, look: NodeLook, canvas: Canvas, theme: Theme) -> QImage:
        """Return border, edges and cards as a picture."""
        if self._of is not diagram:
            self._of, self._edges, self._layer = diagram, canvas.blank(), None
            painter = ThemedPainter(self._edges, theme)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.ink("border_strong")
            painter.drawLines(diagram.lines)
            painter.end()
        if self._layer is None:
            self._layer = canvas.blank()
            painter = ThemedPainter(self._layer, theme)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            path = border_path(diagram, look.met, canvas.whole)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.tint("ok_soft", _TINT)
            painter.drawPath(path)
            painter.drawImage(0, 0, self._edges)
            painter.ink("warn", _WARN_WIDTH)
            painter.drawLines(_upside_down(diagram, look.met))
            painter.ink("ok", _LINE_WIDTH)
            painter.tint("")
            painter.drawPath(path)
            _draw_border_texts(painter, diagram, look, canvas.whole)
            for node in range(diagram.layout.n_nodes):
                self._draw_card(painter, diagram, look, node)
            painter.end()
        return self._layer

    def paint(
        self,
        painter: ThemedPainter,
        diagram: Diagram,
        look: NodeLook,
        marks: Marks,
        step: StepTaken | None,
        hovered: int | None,
        canvas: Canvas,
    ) -> None:
        """Paint the diagram with marks and the last step."""
        painter.fill(canvas.whole, "surface")
        painter.drawImage(0, 0, self.layer(diagram, look, canvas, painter.theme))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if (selected := marks.selected) is not None:
            _draw_steps(painter, diagram, look, marks)
            for _edge, other in diagram.edges_of(selected):
                self._draw_card(painter, diagram, look, other, selected)
        _draw_marks(painter, diagram, marks, hovered)
        if step is not None:
            _draw_step(painter, diagram, step, canvas.whole.adjusted(4, 4, -4, -4))
        _draw_directions(painter, diagram, canvas.whole)

    def _draw_card(
        self, painter: ThemedPainter, diagram: Diagram, look: NodeLook, node: int, compared: int | None = None
    ) -> None:
        face = face_of(node, diagram, look, self.phrases[node] if self.phrases else (), compared)
        picture = card_picture(face, painter.theme, painter.device().devicePixelRatioF(), font_scale())
        painter.drawPixmap(diagram.rects[node].topLeft(), picture)


def _draw_steps(painter: ThemedPainter, diagram: Diagram, look: NodeLook, marks: Marks) -> None:
    """Draw the edges of the selected node: dashed to failing nodes, last and bold to the optimum."""
    edges = () if marks.selected is None else diagram.edges_of(marks.selected)
    for number, other in sorted(edges, key=lambda edge: edge[1] == marks.optimum):
        pen = step_pen(painter.theme, satisfies=look.satisfies(other))
        if other == marks.optimum:
            pen.setWidthF(TO_OPTIMUM)
        painter.setPen(pen)
        painter.drawLine(diagram.lines[number])


def _draw_marks(painter: ThemedPainter, diagram: Diagram, marks: Marks, hovered: int | None) -> None:
    """Draw the outlines of the hovered and the selected node, and star, flag and pins on the corners."""
    if hovered is not None:
        painter.outline(diagram.rects[hovered].adjusted(0.5, 0.5, -0.5, -0.5), "accent", 1.5, RADIUS)
    if marks.selected is not None:
        rect = diagram.rects[marks.selected]
        for token, width, out in (("halo", HALO + SELECTED, 1.0), ("ink", SELECTED, 0.0)):
            painter.outline(rect.adjusted(-out, -out, out, out), token, width, RADIUS + out)
    for mark in marks_of_diagram(diagram, marks):
        mark.draw(painter, mark.box, painter.theme)


def _draw_step(painter: ThemedPainter, diagram: Diagram, step: StepTaken, bounds: QRectF) -> None:
    """Draw the last step in the accent colour, and its description at its middle."""
    number = next((at for at, other in diagram.edges_of(step.start) if other == step.end), None)
    if number is None:
        return
    line = diagram.lines[number]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.ink("accent", 2.0)
    painter.drawLine(line)
    draw_pill(painter, line.center(), step.text, bounds)


def border_path(diagram: Diagram, met: BoolArray, canvas: QRectF) -> QPainterPath:
    """Return the outline of the slots of satisfying nodes, outside of the canvas at its edges."""
    (pitch_x, pitch_y), center = diagram.pitches, diagram.area.center() + diagram.moved
    bottom, outside = (
        diagram.row_middle(0) + pitch_y / 2,
        canvas.adjusted(-_BEYOND, -_BEYOND, _BEYOND, _BEYOND),
    )
    path = QPainterPath()
    for loop in border(diagram.layout.rows, met):
        points = [
            QPointF(
                min(max(center.x() + x * pitch_x, outside.left()), outside.right()),
                min(max(bottom - y * pitch_y, outside.top()), outside.bottom()),
            )
            for x, y in loop
        ]
        for at, corner in enumerate(points):
            start, end = (_towards(corner, points[(at + step) % len(points)]) for step in (-1, 1))
            if at:
                path.lineTo(start)
            else:
                path.moveTo(start)
            path.quadTo(corner, end)
        path.closeSubpath()
    return path


def _towards(corner: QPointF, other: QPointF) -> QPointF:
    """Return where the rounding of a corner begins, on the line to the next one."""
    line = QLineF(corner, other)
    line.setLength(min(_CORNER, line.length() / 2))
    return line.p2()


def _upside_down(diagram: Diagram, met: BoolArray) -> list[QLineF]:
    """Return the edges from satisfying nodes up to failing ones."""
    edges = diagram.layout.edges
    assert edges is not None, "only layouts with edges are drawn"
    return [diagram.lines[at] for at in np.flatnonzero(met[edges[:, 0]] & ~met[edges[:, 1]])]


def _draw_border_texts(painter: ThemedPainter, diagram: Diagram, look: NodeLook, canvas: QRectF) -> None:
    """Draw what the satisfying nodes meet at the upper right, and below the line why others fail."""
    meets, below = look.border_texts
    metrics = QFontMetricsF(font(Text.CELL_STRONG))
    size = QSizeF(metrics.horizontalAdvance(meets) + 2, metrics.height())
    at_top = QRectF(QPointF(canvas.right() - size.width() - _INSET, _INSET), size)
    is_met = bool(look.met[int(diagram.layout.rows[-1][-1])])
    size.setWidth(metrics.horizontalAdvance(below) + 2)
    for text, token, place in (
        (meets if is_met and diagram.is_whole else "", "ok", at_top),
        (below, "warn", below_border(diagram, look.met, size, canvas)),
    ):
        if text and place is not None and not any(place.intersects(rect) for rect in diagram.rects):
            letters = QPainterPath()
            letters.addText(place.left(), place.top() + metrics.ascent(), font(Text.CELL_STRONG), text)
            painter.strokePath(letters, QPen(painter.theme.color("halo"), HALO))
            painter.fillPath(letters, painter.theme.color(token))


def below_border(diagram: Diagram, met: BoolArray, size: QSizeF, canvas: QRectF) -> QRectF | None:
    """Return a place for a text along a lower side of the satisfying slots, free of cards."""
    pitch_x, pitch_y = diagram.pitches
    center, bottom = diagram.area.center() + diagram.moved, diagram.row_middle(0) + pitch_y / 2
    for loop in border(diagram.layout.rows, met):
        for (left, y), (right, other) in zip(loop, (*loop[1:], loop[0]), strict=True):
            x = max(center.x() + left * pitch_x, canvas.left())
            place = QRectF(QPointF(x + _INSET / 2, bottom - y * pitch_y + 4 if abs(y) < inf else 0), size)
            end = min(center.x() + right * pitch_x, canvas.right())
            is_lower = y == other and left < right and canvas.contains(place) and place.right() <= end
            if is_lower and abs(y) < inf and not any(place.intersects(rect) for rect in diagram.rects):
                return place
    return None


def _draw_directions(painter: ThemedPainter, diagram: Diagram, canvas: QRectF) -> None:
    """Write at the left edge in which direction nodes are more general, where no card is."""
    painter.style(Text.CAPTION, "text_3")
    high = QFontMetricsF(font(Text.CAPTION)).height()
    up, down = _("more general →"), _("← more detail")
    for text, is_top in ((up, True), (down, False)):
        long = QFontMetricsF(font(Text.CAPTION)).horizontalAdvance(text) + 2
        place = QRectF(_EDGE + 3, _INSET if is_top else canvas.bottom() - _INSET - long, high, long)
        if diagram.is_free(place):
            painter.save()
            painter.translate(place.left(), place.bottom())
            painter.rotate(-90)
            painter.drawText(QRectF(0, 0, long, high), int(_Align.AlignCenter), text)
            painter.restore()


def diagram_area(view: QRect) -> QRectF:
    """Return the area of a view with the slots."""
    return QRectF(view).adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)


def marks_of_diagram(diagram: Diagram, marks: Marks) -> list[PlacedMark]:
    """Place star, flag and pins on the corners of their cards."""
    nodes = sorted(node for node in {*marks.pinned, marks.optimum, marks.applied} if node is not None)
    return [mark for node in nodes for mark in marks_on_corner(marks, node, diagram.rects[node])]


def step_pen(theme: Theme, *, satisfies: bool) -> QPen:
    """Return the pen of an edge from the selected node to a satisfying or failing one."""
    pen = QPen(QColor(theme.ink), STEP)
    if not satisfies:
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([4.0, 3.0])
    return pen
