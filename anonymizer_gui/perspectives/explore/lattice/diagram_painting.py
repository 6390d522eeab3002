"""Paints a small lattice as a Hasse diagram: cards, edges, marks, the border of what satisfies."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPainterPath, QPen

from anonymizer_gui.perspectives.explore.lattice.card_faces import card_picture, draw_pill, face_of
from anonymizer_gui.perspectives.explore.lattice.diagram import RADIUS, Diagram
from anonymizer_gui.perspectives.explore.lattice.marks import Marks, PlacedMark, StepTaken, marks_on_corner
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.painting import Canvas
from anonymizer_gui.theming import Text, Theme, font, font_scale
from anonymizer_gui.theming.painter import ThemedPainter
from engine.lattice.border import border
from engine.words import _

BoolArray = NDArray[np.bool_]

_EDGE, _BEYOND = 2, 20  # px beside the slots, and of lines outside of the canvas
_LINE_WIDTH, _WARN_WIDTH, _CORNER, _TINT = 2.5, 1.8, 6.0, 0.55
STEP, TO_OPTIMUM, SELECTED, HALO = 1.8, 2.6, 2.5, 3.0
_INSET = 10
_Align = Qt.AlignmentFlag


class DiagramPicture:
    """Diagram whose edges and cards are drawn once for as long as they stay the same."""

    def __init__(self) -> None:
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
        rect = diagram.rects[node]
        face = face_of(node, diagram.size_of(node), rect, look, compared=compared)
        picture = card_picture(face, painter.theme, painter.device().devicePixelRatioF(), font_scale())
        painter.drawPixmap(rect.topLeft(), picture)


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
