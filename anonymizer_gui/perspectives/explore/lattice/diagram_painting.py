"""Paints a small lattice as a Hasse diagram: edges, cards, marks, labels of the rows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from anonymizer_gui.perspectives.explore.lattice.card_ground import draw_ground
from anonymizer_gui.perspectives.explore.lattice.chips import draw_pill, draw_words
from anonymizer_gui.perspectives.explore.lattice.diagram import FULL, LEAST, RADIUS, Diagram
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED
from anonymizer_gui.perspectives.explore.node_marks import Marks
from anonymizer_gui.theming import Text, Theme, font, ramp_colors, scaled
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.level_glyph import fitting, glyph_picture, glyph_width
from anonymizer_gui.widgets.marks import draw_applied, draw_optimum, draw_pinned
from engine.numbers import as_exact_count

BAND = 5.0
STEP, TO_OPTIMUM, SELECTED, HALO = 1.8, 2.6, 2.5, 3.0
_STAR, _FLAG, _PIN = 19.0, 18.0, 15.0
_LEFT, _RIGHT, _APART = 8, 5, 8  # px of a card beside its glyph and texts
_WORDS, _TIGHT_WORDS = 109, 44  # px of the texts beside a glyph in the full and the half card
_ABOVE = 4  # px of a card above and below its glyph
_BAR, _BAR_HEIGHT = 62, 5
_TICK = (1.5, 9.0)
_Align = Qt.AlignmentFlag


class DiagramPainting:
    """Painter of one diagram; `phrases` are the generalized columns of each node in words."""

    def __init__(
        self,
        painter: QPainter,
        diagram: Diagram,
        look: NodeLook,
        phrases: Sequence[Sequence[str]],
        marks: Marks,
        theme: Theme,
    ) -> None:
        self._painter, self._diagram, self._look = painter, diagram, look
        self._phrases, self._marks, self._theme = phrases, marks, theme

    # -- nodes ---------------------------------------------------------------------------------

    def draw_nodes(self) -> None:
        """Draw all edges and cards."""
        painter = self._painter
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.border_strong), 1))
        painter.drawLines(self._diagram.lines)
        for node in range(self._diagram.layout.n_nodes):
            self._draw_card(node)

    def _draw_card(self, node: int) -> None:
        painter, theme, look, diagram = self._painter, self._theme, self._look, self._diagram
        rect, value = diagram.rects[node], int(look.classes[node])
        is_minimal = look.is_minimal(node)
        draw_ground(painter, rect, theme, value, band=BAND, radius=RADIUS, is_minimal=is_minimal)
        painter.save()
        if value == DIMMED:
            painter.setOpacity(0.35)
        selected = self._marks.selected
        compared = selected if node in self._marks.neighbours else None
        is_least, is_full = diagram.size is LEAST, diagram.size is FULL
        left, right = (4, 4) if is_least else (scaled(_LEFT), scaled(_RIGHT))
        beside = 0 if is_least else scaled(_WORDS if is_full else _TIGHT_WORDS) - scaled(_APART)
        room = rect.width() - left - right - (0 if is_least else scaled(_APART)) - beside
        high = rect.height() - BAND - _ABOVE
        sizes = [size for size in diagram.size.glyphs if scaled(size.height) <= high]
        glyph, size = fitting(look.glyph(node, compared), room, sizes or diagram.size.glyphs[-1:])
        picture = glyph_picture(glyph, size, painter.device().devicePixelRatioF(), theme)
        across = glyph_width(len(glyph.levels), size)
        x = rect.left() + ((rect.width() - across) / 2 if is_least else left)
        middle = (rect.top() + BAND + rect.bottom()) / 2
        painter.drawPixmap(QPointF(round(x), round(middle - scaled(size.height) / 2)), picture)
        if not is_least:
            x = round(x + across + scaled(_APART))
            place = QRectF(x, rect.top() + BAND, rect.right() - right - x, rect.height() - BAND)
            (self._draw_full if is_full else self._draw_half)(place, node)
        painter.restore()

    def _draw_full(self, place: QRectF, node: int) -> None:
        """Draw the words of a node, and below them loss and suppressed records as bars with numbers."""
        painter, theme, look = self._painter, self._theme, self._look
        satisfies = look.satisfies(node)
        painter.setPen(theme.color("text" if satisfies else "text_2"))
        height, line = QFontMetricsF(font(Text.CAPTION)).height(), scaled(12)
        lines = words_in(self._phrases[node], place.width() - 1) if self._phrases else ()
        unit = place.height() / 53  # of the design
        y = place.top() + (13 if len(lines) < 2 else 8) * unit
        for at, text in enumerate(lines):
            draw_words(
                painter, QRectF(place.left(), y + at * line - height / 2, place.width(), height), text,
                Text.CAPTION,
            )  # fmt: skip
        suppressed, is_over = look.suppressed(node), look.is_over(node)
        colour = theme.danger if is_over else theme.text_2
        numbers = (
            (look.value_text(node) if look.is_scored(node) else "", look.value_share(node), None,
             self._value_colour(node), "text" if satisfies else "text_2", SEMI_BOLD),
            (as_exact_count(suppressed), look.share_of_records(node), look.limit_of_records, colour,
             "danger" if is_over else "text" if satisfies else "text_2", None),
        )  # fmt: skip
        y = place.top() + 31 * unit
        for text, share, tick, fill, token, weight in numbers:
            height = QFontMetricsF(font(Text.TICK, weight)).height()
            self.draw_bar(QPointF(place.left(), y), scaled(_BAR), share, fill, tick)
            painter.setPen(theme.color(token))
            room = QRectF(place.left() + scaled(_BAR), y - height / 2, place.width() - scaled(_BAR), height)
            draw_words(painter, room, text, Text.TICK, weight, at_right=True)
            y += scaled(10) * max(unit, 1)

    def _draw_half(self, place: QRectF, node: int) -> None:
        """Draw the metric above its bar."""
        painter, theme, look = self._painter, self._theme, self._look
        height = QFontMetricsF(font(Text.TICK, SEMI_BOLD)).height()
        painter.setPen(theme.color("text" if look.satisfies(node) else "text_2"))
        middle = place.center().y()
        text = look.value_text(node) if look.is_scored(node) else ""
        draw_words(
            painter, QRectF(place.left(), middle - height, place.width(), height), text, Text.TICK, SEMI_BOLD
        )
        self.draw_bar(
            QPointF(place.left(), middle + scaled(7)), place.width(), look.value_share(node),
            self._value_colour(node),
        )  # fmt: skip

    def draw_bar(
        self, left: QPointF, width: float, share: float, colour: str, tick: float | None = None
    ) -> None:
        """Draw a bar with its left end in the middle of its height, and a tick at a limit."""
        draw_small_bar(self._painter, left, width, share, colour, tick, self._theme)

    def _value_colour(self, node: int) -> str:
        if not self._look.satisfies(node):
            return self._theme.fail_line
        return ramp_colors(self._theme)[int(self._look.classes[node])].name()

    # -- above the nodes -----------------------------------------------------------------------

    def draw_marks(self, hovered: int | None) -> None:
        """Draw the edges of the selected node, the outlines, and star, flag and pins on the corners."""
        painter, theme, marks, rects = self._painter, self._theme, self._marks, self._diagram.rects
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if marks.selected is not None:
            self._draw_steps(marks.selected)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if hovered is not None:
            painter.setPen(QPen(QColor(theme.accent), 1.5))
            painter.drawRoundedRect(rects[hovered].adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        if marks.selected is not None:
            rect = rects[marks.selected]
            for colour, width, out in ((theme.halo, HALO + SELECTED, 1.0), (theme.ink, SELECTED, 0.0)):
                painter.setPen(QPen(QColor(colour), width))
                painter.drawRoundedRect(rect.adjusted(-out, -out, out, out), RADIUS + out, RADIUS + out)
        for node in {*marks.pinned, marks.optimum, marks.applied}:
            if node is not None:
                self._draw_corner(node)

    def _draw_corner(self, node: int) -> None:
        """Draw the marks of a node from its upper right corner to the left."""
        marks, x = self._marks, self._diagram.rects[node].right() - 4
        for is_marked, side, draw in (
            (node == marks.optimum, _STAR, draw_optimum),
            (node == marks.applied, _FLAG, draw_applied),
            (node in marks.pinned, _PIN, draw_pinned),
        ):
            if is_marked:
                place = QRectF(0, 0, side, side)
                place.moveCenter(QPointF(x, self._diagram.rects[node].top()))
                draw(self._painter, place, self._theme)
                x -= side

    def _draw_steps(self, node: int) -> None:
        """Draw the edges of the selected node: dashed to failing nodes, last and bold to the optimum."""
        optimum = self._marks.optimum
        for number, other in sorted(self._diagram.edges_of(node), key=lambda edge: edge[1] == optimum):
            pen = step_pen(self._theme, satisfies=self._look.satisfies(other))
            if other == optimum:
                pen.setWidthF(TO_OPTIMUM)
            self._painter.setPen(pen)
            self._painter.drawLine(self._diagram.lines[number])

    def draw_step(self, start: int, end: int, text: str, bounds: QRectF) -> None:
        """Draw the last step in the accent colour, and its description at its middle."""
        number = next((at for at, other in self._diagram.edges_of(start) if other == end), None)
        if number is None:
            return
        line = self._diagram.lines[number]
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._painter.setPen(QPen(QColor(self._theme.accent), 2.0))
        self._painter.drawLine(line)
        draw_pill(self._painter, line.center(), text, bounds, self._theme)

    def draw_labels(self, canvas: QRectF, texts: Sequence[str]) -> None:
        """Draw the sum of levels left of each row, its satisfying nodes at the right."""
        painter, diagram, theme = self._painter, self._diagram, self._theme
        area = diagram.area
        if not diagram.is_whole:
            painter.fillRect(QRectF(0, 0, area.left(), canvas.height()), QColor(theme.surface))
            after = QRectF(area.right(), 0, canvas.width() - area.right(), canvas.height())
            painter.fillRect(after, QColor(theme.surface))
        painter.setFont(font(Text.AXIS))
        painter.setPen(theme.color("text_3"))
        flags = int(_Align.AlignRight | _Align.AlignVCenter)
        for row in range(diagram.layout.n_rows):
            y = diagram.row_middle(row)
            if not -8 <= y <= canvas.height() + 8:
                continue
            painter.drawText(QRectF(0, y - 8, area.left() - 8, 16), flags, str(diagram.layout.sums[row]))
            if row < len(texts):
                nodes = diagram.layout.rows[row]
                first = diagram.rects[int(nodes[-1])].right() + 4
                painter.drawText(QRectF(first, y - 8, canvas.width() - first - 8, 16), flags, texts[row])


def step_pen(theme: Theme, *, satisfies: bool) -> QPen:
    """Return the pen of an edge from the selected node to a satisfying or failing one."""
    pen = QPen(QColor(theme.ink), STEP)
    if not satisfies:
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([4.0, 3.0])
    return pen


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
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.border if theme.is_dark else theme.sunken))
    painter.drawRoundedRect(track, height / 2, height / 2)
    if share > 0:
        painter.setBrush(QColor(colour))
        filled = QRectF(track.left(), track.top(), max(min(share, 1.0) * width, 1.5), height)
        painter.drawRoundedRect(filled, min(height, filled.width()) / 2, height / 2)
    if tick is not None:
        wide, high = _TICK
        x = track.left() + min(max(tick, 0.0), 1.0) * (width - wide)
        painter.fillRect(QRectF(x, track.center().y() - high / 2, wide, high), QColor(theme.ink))


def words_in(phrases: Sequence[str], width: float, most: int = 2) -> list[str]:
    """Break phrases into lines between them; those that do not fit are counted: "+ 2"."""
    metrics = QFontMetricsF(font(Text.CAPTION))
    for n_shown in range(len(phrases), 0, -1):
        shown = [*phrases[:n_shown], *([f"+ {len(phrases) - n_shown}"] if n_shown < len(phrases) else [])]
        lines: list[str] = []
        for phrase in shown:
            longer = f"{lines[-1]}, {phrase}" if lines else phrase
            if lines and metrics.horizontalAdvance(longer + ",") <= width:
                lines[-1] = longer
            else:
                lines.append(phrase)
        if len(lines) <= most:
            return [*(f"{line}," for line in lines[:-1]), *lines[-1:]]
    return []
