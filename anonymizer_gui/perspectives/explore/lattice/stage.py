"""Small lattice as a diagram within the view: its size and position, its picture, what is drawn above."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter

from anonymizer_gui.perspectives.explore.lattice.diagram import FULL, Diagram, fitted_diagram
from anonymizer_gui.perspectives.explore.lattice.diagram_painting import DiagramPainting
from anonymizer_gui.perspectives.explore.lattice.layout import LatticeLayout
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.painting import Canvas, Overlay
from anonymizer_gui.theming import Theme, font_scale, scaled

_LEFT, _RIGHT, _EDGE = 22, 42, 2


class DiagramStage:
    """The diagram shown, if the lattice has one that fits."""

    def __init__(self) -> None:
        self.diagram: Diagram | None = None
        self._phrases: Sequence[Sequence[str]] = ()
        self._edges: QImage | None = None  # below the cards; they do not depend on colours
        self._layer: QImage | None = None

    def set_phrases(self, phrases: Sequence[Sequence[str]]) -> None:
        """Set the generalized columns of each node in words."""
        self._phrases = phrases
        self.redraw()

    def redraw(self) -> None:
        """Draw the nodes again before the next painting."""
        self._layer = None

    def refit(self, layout: LatticeLayout | None, canvas: Canvas, *, keep: bool) -> None:
        """Fit another lattice or canvas; `keep` leaves a zoomed diagram at its size."""
        area = canvas.whole.adjusted(scaled(_LEFT), _EDGE, -scaled(_RIGHT), -_EDGE)
        fitted = None if layout is None else fitted_diagram(layout, area, font_scale())
        before = self.diagram
        if keep and fitted is not None and before is not None and not before.is_whole:
            kept = before.in_area(area, font_scale())
            fitted = fitted if kept.is_whole else kept
        self.diagram = fitted
        self._replace()

    def _replace(self) -> None:
        """Draw edges and nodes again at other places."""
        self._edges = self._layer = None

    # -- zoom ----------------------------------------------------------------------------------

    def fit(self) -> None:
        """Show everything."""
        if (shown := self.diagram) is not None:
            self.diagram = fitted_diagram(shown.layout, shown.area, shown.scale) or shown
            self._replace()

    def show_full(self, node: int | None) -> None:
        """Show the largest cards, around a node."""
        if (shown := self.diagram) is not None:
            self.diagram = shown.sized(FULL, node)
            self._replace()

    @property
    def stop(self) -> str:
        """ "fit" if everything is visible, "chips" for the largest cards, "" between."""
        shown = self.diagram
        if shown is None or shown.is_whole:
            return "fit"
        return "chips" if shown.size is FULL else ""

    @property
    def has_larger_cards(self) -> bool:
        """True if the largest cards do not all fit."""
        shown = self.diagram
        if shown is None:
            return False
        fitted = fitted_diagram(shown.layout, shown.area, shown.scale)
        return fitted is None or fitted.size is not FULL

    def zoom(self, step: int, point: QPointF | None, selected: int | None) -> bool:
        """Show the next size of cards, keeping the node at a point there; False beyond the largest."""
        shown = self.diagram
        if shown is None:
            return False
        size = shown.next_size(step)
        if size is None or (step < 0 and shown.is_whole):
            return step < 0
        node = selected if point is None else shown.node_at(point, float("inf"))
        place = None if node is None or point is None else shown.rects[node].center()
        after = shown.sized(size, node, place)
        self.diagram = after
        if after.is_whole:
            self.fit()
        self._replace()
        return True

    def pan(self, by: QPointF) -> None:
        if self.diagram is not None and not self.diagram.is_whole:
            self.diagram = self.diagram.panned(by)
            self._replace()

    def bring_into_view(self, node: int) -> None:
        """Pan just enough to show a node."""
        shown = self.diagram
        if shown is None or shown.is_whole:
            return
        place, area = shown.rects[node], shown.area
        x = max(area.left() - place.left(), 0) + min(area.right() - place.right(), 0)
        y = max(area.top() - place.top(), 0) + min(area.bottom() - place.bottom(), 0)
        if x or y:
            self.pan(QPointF(x, y))

    # -- drawing -------------------------------------------------------------------------------

    def draw_layer(self, look: NodeLook, above: Overlay, canvas: Canvas, theme: Theme) -> QImage:
        """Return the edges and cards as a picture."""
        if self._edges is None:
            self._edges = canvas.blank()
            painter = QPainter(self._edges)
            self._painting(painter, look, above, theme).draw_edges()
            painter.end()
        if self._layer is None:
            self._layer = QImage(self._edges)
            painter = QPainter(self._layer)
            self._painting(painter, look, above, theme).draw_cards()
            painter.end()
        return self._layer

    def paint(
        self,
        painter: QPainter,
        look: NodeLook,
        above: Overlay,
        hovered: int | None,
        canvas: Canvas,
        theme: Theme,
    ) -> None:
        """Paint the diagram with marks, last step and labels of the rows."""
        layer = self.draw_layer(look, above, canvas, theme)
        painter.fillRect(canvas.whole, theme.color("surface"))
        painter.drawImage(0, 0, layer)
        painting = self._painting(painter, look, above, theme)
        painting.draw_marks(hovered)
        if above.step is not None:
            bounds = QRectF(canvas.whole).adjusted(4, 4, -4, -4)
            painting.draw_step(above.step.start, above.step.end, above.step.text, bounds)
        painting.draw_labels(canvas.whole, look.colours.row_texts)

    def _painting(self, painter: QPainter, look: NodeLook, above: Overlay, theme: Theme) -> DiagramPainting:
        assert self.diagram is not None, "only painted while one is shown"
        return DiagramPainting(painter, self.diagram, look, self._phrases, above.marks, theme)
