"""Paints the lattice: a cached layer of nodes, and everything above it."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from anonymizer_gui.perspectives.explore.lattice.card_layout import Arrangement
from anonymizer_gui.perspectives.explore.lattice.card_painting import CardPainting
from anonymizer_gui.perspectives.explore.lattice.chips import chip_rect, shows_chips
from anonymizer_gui.perspectives.explore.lattice.edges import (
    MOST_NODES_WITH_EDGES,
    NodePaths,
    StepTaken,
    draw_edges,
    draw_ends,
    draw_path,
    draw_step,
)
from anonymizer_gui.perspectives.explore.lattice.geometry import SMALLEST_PITCH, LatticeGeometry
from anonymizer_gui.perspectives.explore.lattice.layout import LatticeLayout
from anonymizer_gui.perspectives.explore.lattice.marks import (
    draw_chips,
    draw_marks,
    draw_squares,
)
from anonymizer_gui.perspectives.explore.lattice.neighbourhood import Neighbourhood, NodeValues
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.raster import LARGEST_DOT, DotPicture
from anonymizer_gui.perspectives.explore.lattice.row_labels import RowLabels
from anonymizer_gui.perspectives.explore.node_marks import Marks
from anonymizer_gui.theming import Theme


@dataclass(frozen=True)
class Canvas:
    """Painted widget: its size, and the margins left and right of the lattice."""

    size: QSize
    gutters: tuple[int, int]
    ratio: float

    @property
    def whole(self) -> QRectF:
        return QRectF(0, 0, self.size.width(), self.size.height())

    @property
    def inner(self) -> QRectF:
        left, right = self.gutters
        return self.whole.adjusted(left, 0, -right, 0)

    def blank(self) -> QImage:
        """Return a transparent picture of the same size."""
        width, height = (round(side * self.ratio) for side in (self.size.width(), self.size.height()))
        picture = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
        picture.setDevicePixelRatio(self.ratio)
        picture.fill(Qt.GlobalColor.transparent)
        return picture


@dataclass(frozen=True)
class Overlay:
    """Items above the nodes: marks, edges of the selected and hovered node, the last step."""

    marks: Marks
    paths: NodePaths | None = None
    hovered: NodePaths | None = None
    step: StepTaken | None = None
    lag: QPointF = field(default_factory=QPointF)


def node_layer(
    geometry: LatticeGeometry, look: NodeLook, canvas: Canvas, theme: Theme, dots: DotPicture
) -> QImage:
    """Return all visible nodes as a picture; `dots` draws those without details."""
    chips = shows_chips(geometry)
    is_dots = geometry.pitch * geometry.ratio <= LARGEST_DOT
    if not chips and (is_dots or len(geometry.visible(canvas.inner)) > MOST_NODES_WITH_EDGES):
        size = (canvas.size.width(), canvas.size.height())
        return dots.drawn(geometry, look.classes, size, theme, look.colours.minimal)
    picture = canvas.blank()
    painter = QPainter(picture)
    painter.setClipRect(canvas.inner)
    (draw_chips if chips else draw_squares)(painter, geometry, canvas.inner, look, theme)
    painter.end()
    return picture


def paint_nodes(
    painter: QPainter,
    geometry: LatticeGeometry,
    layer: QImage,
    rows: RowLabels,
    above: Overlay,
    look: NodeLook,
    canvas: Canvas,
    theme: Theme,
) -> None:
    """Paint the lattice at any zoom below cards."""
    chips, marks = shows_chips(geometry), above.marks
    has_nodes = geometry.pitch >= SMALLEST_PITCH
    if layer.hasAlphaChannel():
        painter.fillRect(canvas.whole, theme.color("surface"))
    if chips:  # edges are below the text of chips, but above dots, which would hide them
        painter.setClipRect(canvas.inner)
        _draw_lines(painter, geometry, above, look, theme)
        painter.setClipping(False)
    painter.drawImage(0, 0, layer)
    rows.draw(painter, geometry, canvas.whole, canvas.gutters, look.colours.row_texts, theme)
    painter.setClipRect(canvas.inner)
    if not chips:
        _draw_lines(painter, geometry, above, look, theme)
        if has_nodes and above.hovered is not None:
            draw_ends(painter, geometry, (above.hovered.node,), look, theme)
    elif above.hovered is not None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.accent), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(chip_rect(geometry, above.hovered.node), 4, 4)
    draw_marks(painter, geometry, marks, canvas.inner, theme, above.lag)
    if above.step is not None:
        start, end = (geometry.place(node).center() for node in (above.step.start, above.step.end))
        if chips:
            up = 1 if end.y() < start.y() else -1
            half = QPointF(0, up * chip_rect(geometry, above.step.end).height() / 2)
            start, end = start - half, end + half
        draw_step(painter, start, end, above.step.text, canvas.inner.adjusted(4, 4, -4, -4), theme)
    painter.setClipping(False)


def _draw_lines(
    painter: QPainter, geometry: LatticeGeometry, above: Overlay, look: NodeLook, theme: Theme
) -> None:
    optimum = above.marks.optimum
    if above.hovered is not None and (above.paths is None or above.hovered.node != above.paths.node):
        draw_path(painter, geometry, above.hovered, theme, is_hovered=True)
        draw_edges(painter, geometry, above.hovered, optimum, look, theme, is_hovered=True)
    if above.paths is not None:
        draw_path(painter, geometry, above.paths, theme)
        draw_edges(painter, geometry, above.paths, optimum, look, theme)


def card_layer(
    arrangement: Arrangement,
    hood: Neighbourhood,
    values: NodeValues,
    layout: LatticeLayout,
    look: NodeLook,
    marks: Marks,
    canvas: Canvas,
    theme: Theme,
) -> QImage:
    """Return a neighbourhood as a picture."""
    picture = canvas.blank()
    painter = QPainter(picture)
    CardPainting(painter, arrangement, hood, values, layout, look, marks, theme).draw()
    painter.end()
    return picture


def paint_cards(
    painter: QPainter, layer: QImage, hovered: QRectF | None, offset: QPointF, canvas: Canvas, theme: Theme
) -> None:
    """Paint a neighbourhood, shifted by `offset` during an animation."""
    painter.fillRect(canvas.whole, theme.color("surface"))
    painter.drawImage(offset, layer)
    if hovered is not None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.accent), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(hovered.adjusted(-2, -2, 2, 2), 7, 7)
