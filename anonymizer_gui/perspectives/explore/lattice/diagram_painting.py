"""Paints a small lattice as a Hasse diagram: cards, edges, marks, labels of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen, QPixmap

from anonymizer_gui.perspectives.explore.lattice.chips import OF_FILTERED, draw_ground, draw_pill, draw_words
from anonymizer_gui.perspectives.explore.lattice.diagram import FULL, LEAST, RADIUS, CardSize, Diagram
from anonymizer_gui.perspectives.explore.lattice.marks import Marks, PlacedMark, StepTaken, marks_on_corner
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.painting import Canvas
from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED, N_RAMP
from anonymizer_gui.theming import Text, Theme, font, font_scale, paint_track, ramp_colors, scaled
from anonymizer_gui.theming.painter import ThemedPainter
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
_MOST_LINES = 2  # of phrases


@dataclass(frozen=True)
class CardFace:
    """Content of a card: colour class, levels, words, and two values as numbers and shares of their bars."""

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
    painter = ThemedPainter(picture, theme)
    rect = QRectF(0, 0, face.width, face.height)
    draw_ground(painter, rect, face.value, band=BAND, radius=RADIUS, is_minimal=face.is_minimal)
    if face.value == DIMMED:
        painter.setOpacity(OF_FILTERED)
    left = _draw_glyph(painter, face, ratio)
    if face.size is not LEAST:
        place = QRectF(left, BAND, face.width - scaled(_RIGHT) - left, face.height - BAND)
        (_draw_full if face.size is FULL else _draw_half)(painter, place, face)
    painter.end()
    return picture


def _draw_glyph(painter: ThemedPainter, face: CardFace, ratio: float) -> float:
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
    painter.drawPixmap(QPointF(round(x), round(top)), glyph_picture(glyph, size, ratio, painter.theme))
    return float(x + across + scaled(_APART))


def _draw_full(painter: ThemedPainter, place: QRectF, face: CardFace) -> None:
    """Draw the words of a node, and below them loss and suppressed records as bars with numbers."""
    ink = "text" if face.satisfies else "text_2"
    painter.ink(ink)
    height, line = QFontMetricsF(font(Text.CAPTION)).height(), scaled(12)
    wide = place.width() + _FURTHER
    lines = words_in(face.phrases, wide)
    unit = place.height() / _INNER
    y = place.top() + (13 if len(lines) < 2 else 8) * unit
    for at, text in enumerate(lines):
        room = QRectF(place.left(), y + at * line - height / 2, wide, height)
        draw_words(painter, room, text, Text.CAPTION)
    y = place.top() + 31 * unit
    metric_bar = (face.metric_share, _metric_colour(face, painter.theme), None)
    colour = painter.theme.danger if face.is_over else painter.theme.text_2
    suppressed_bar = (face.suppressed_share, colour, face.limit_share)
    for text, bar, token, weight in (
        (face.metric, metric_bar, ink, SEMI_BOLD),
        (face.suppressed, suppressed_bar, "danger" if face.is_over else ink, None),
    ):
        height = QFontMetricsF(font(Text.TICK, weight)).height()
        draw_small_bar(painter, QPointF(place.left(), y), scaled(_BAR), *bar)
        painter.ink(token)
        room = QRectF(place.left() + scaled(_BAR), y - height / 2, place.width() - scaled(_BAR), height)
        draw_words(painter, room, text, Text.TICK, weight, at_right=True)
        y += scaled(10) * max(unit, 1)


def _draw_half(painter: ThemedPainter, place: QRectF, face: CardFace) -> None:
    """Draw the metric above its bar."""
    height, middle = QFontMetricsF(font(Text.TICK, SEMI_BOLD)).height(), place.center().y()
    painter.ink("text" if face.satisfies else "text_2")
    room = QRectF(place.left(), middle - height, place.width(), height)
    draw_words(painter, room, face.metric, Text.TICK, SEMI_BOLD)
    left = QPointF(place.left(), middle + scaled(7))
    draw_small_bar(painter, left, place.width(), face.metric_share, _metric_colour(face, painter.theme), None)


def _metric_colour(face: CardFace, theme: Theme) -> str:
    return ramp_colors(theme)[face.value].name() if face.satisfies else theme.fail_line


def draw_small_bar(
    painter: ThemedPainter, left: QPointF, width: float, share: float, colour: str, tick: float | None
) -> None:
    """Draw a bar on its track from the middle of its left end, with a tick at a limit."""
    height = scaled(_BAR_HEIGHT)
    track = QRectF(left.x(), round(left.y() - height / 2), width, height)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_track(painter, track, painter.theme, "border" if painter.theme.is_dark else "sunken", height / 2)
    painter.setPen(Qt.PenStyle.NoPen)
    if share > 0:
        painter.setBrush(QColor(colour))
        filled = QRectF(track.left(), track.top(), max(min(share, 1.0) * width, 1.5), height)
        painter.drawRoundedRect(filled, min(height, filled.width()) / 2, height / 2)
    if tick is not None:
        wide, high = _TICK
        x = track.left() + min(max(tick, 0.0), 1.0) * (width - wide)
        painter.fill(QRectF(x, track.center().y() - high / 2, wide, high), "ink")


def words_in(phrases: Sequence[str], width: float) -> tuple[str, ...]:
    """Break phrases into lines between them; those that do not fit are counted: "+ 2"."""
    return _words_in(tuple(phrases), width, font_scale())


@lru_cache(maxsize=_MOST_TEXTS)
def _words_in(phrases: tuple[str, ...], width: float, _scale: float) -> tuple[str, ...]:
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
        if len(lines) <= _MOST_LINES:
            return (*(f"{line}," for line in lines[:-1]), *lines[-1:])
    return ()


_LABEL_LEFT, _LABEL_RIGHT, _EDGE = 22, 42, 2
STEP, TO_OPTIMUM, SELECTED, HALO = 1.8, 2.6, 2.5, 3.0
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
        """Return the edges and cards as a picture."""
        if self._of is not diagram:
            self._of, self._edges, self._layer = diagram, canvas.blank(), None
            painter = ThemedPainter(self._edges, theme)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.ink("border_strong")
            painter.drawLines(diagram.lines)
            painter.end()
        if self._layer is None:
            self._layer = QImage(self._edges)
            painter = ThemedPainter(self._layer, theme)
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
        """Paint the diagram with marks, last step and labels of the rows."""
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
        _draw_labels(painter, diagram, canvas.whole, look.row_texts)

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


def _draw_labels(painter: ThemedPainter, diagram: Diagram, canvas: QRectF, texts: Sequence[str]) -> None:
    """Draw the sum of levels left of each row, its satisfying nodes at the right."""
    area = diagram.area
    if not diagram.is_whole:
        painter.fill(QRectF(0, 0, area.left(), canvas.height()), "surface")
        painter.fill(QRectF(area.right(), 0, canvas.width() - area.right(), canvas.height()), "surface")
    painter.style(Text.AXIS, "text_3")
    flags, half = int(_Align.AlignRight | _Align.AlignVCenter), scaled(8)
    for row, nodes in enumerate(diagram.layout.rows):
        y = diagram.row_middle(row)
        if not -half <= y <= canvas.height() + half:
            continue
        left = QRectF(0, y - half, area.left() - 8, 2 * half)
        painter.drawText(left, flags, str(diagram.layout.sums[row]))
        if row < len(texts):
            first = diagram.rects[int(nodes[-1])].right() + 4
            right = QRectF(first, y - half, canvas.width() - first - 8, 2 * half)
            painter.drawText(right, flags, texts[row])


def diagram_area(view: QRect) -> QRectF:
    """Return the area of a view between the labels of the rows."""
    return QRectF(view).adjusted(scaled(_LABEL_LEFT), _EDGE, -scaled(_LABEL_RIGHT), -_EDGE)


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
