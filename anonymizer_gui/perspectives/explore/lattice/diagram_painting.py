"""Paints a small lattice as a Hasse diagram: edges, cards, marks, labels of the rows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from anonymizer_gui.perspectives.explore.lattice.chips import draw_pill
from anonymizer_gui.perspectives.explore.lattice.diagram import RADIUS, Diagram
from anonymizer_gui.perspectives.explore.lattice.diagram_card import card_picture, face_of
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.placed_marks import PlacedMark, marks_on_corner
from anonymizer_gui.perspectives.explore.node_marks import Marks
from anonymizer_gui.theming import Text, Theme, font, font_scale, scaled

STEP, TO_OPTIMUM, SELECTED, HALO = 1.8, 2.6, 2.5, 3.0
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
        self._ratio, self._scale = painter.device().devicePixelRatioF(), font_scale()

    # -- nodes ---------------------------------------------------------------------------------

    def draw_edges(self) -> None:
        """Draw every edge."""
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._painter.setPen(QPen(QColor(self._theme.border_strong), 1))
        self._painter.drawLines(self._diagram.lines)

    def draw_cards(self) -> None:
        """Draw the card of every node."""
        for node in range(self._diagram.layout.n_nodes):
            self._draw_card(node)

    def _draw_card(self, node: int, compared: int | None = None) -> None:
        phrases = self._phrases[node] if self._phrases else ()
        face = face_of(node, self._diagram, self._look, phrases, compared)
        picture = card_picture(face, self._theme, self._ratio, self._scale)
        self._painter.drawPixmap(self._diagram.rects[node].topLeft(), picture)

    # -- above the nodes -----------------------------------------------------------------------

    def draw_marks(self, hovered: int | None) -> None:
        """Draw the edges of the selected node, the outlines, and star, flag and pins on the corners."""
        painter, theme, marks, rects = self._painter, self._theme, self._marks, self._diagram.rects
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if marks.selected is not None:
            self._draw_steps(marks.selected)
            for _edge, other in self._diagram.edges_of(marks.selected):
                self._draw_card(other, marks.selected)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if hovered is not None:
            painter.setPen(QPen(QColor(theme.accent), 1.5))
            painter.drawRoundedRect(rects[hovered].adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        if marks.selected is not None:
            rect = rects[marks.selected]
            for colour, width, out in ((theme.halo, HALO + SELECTED, 1.0), (theme.ink, SELECTED, 0.0)):
                painter.setPen(QPen(QColor(colour), width))
                painter.drawRoundedRect(rect.adjusted(-out, -out, out, out), RADIUS + out, RADIUS + out)
        for mark in marks_of_diagram(self._diagram, marks):
            mark.draw(painter, mark.box, theme)

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
        flags, half = int(_Align.AlignRight | _Align.AlignVCenter), scaled(8)
        for row in range(diagram.layout.n_rows):
            y = diagram.row_middle(row)
            if not -half <= y <= canvas.height() + half:
                continue
            left = QRectF(0, y - half, area.left() - 8, 2 * half)
            painter.drawText(left, flags, str(diagram.layout.sums[row]))
            if row < len(texts):
                nodes = diagram.layout.rows[row]
                first = diagram.rects[int(nodes[-1])].right() + 4
                right = QRectF(first, y - half, canvas.width() - first - 8, 2 * half)
                painter.drawText(right, flags, texts[row])


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
