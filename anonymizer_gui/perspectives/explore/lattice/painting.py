"""Paints the lattice: a cached layer of nodes, and everything above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter

from anonymizer_gui.perspectives.explore.lattice.card_faces import chip_rect, draw_pill, shows_chips
from anonymizer_gui.perspectives.explore.lattice.layout import SMALLEST_PITCH, LatticeGeometry
from anonymizer_gui.perspectives.explore.lattice.marks import (
    MOST_NODES_WITH_EDGES,
    Marks,
    NodePaths,
    StepTaken,
    draw_chips,
    draw_edges,
    draw_ends,
    draw_marks,
    draw_path,
    draw_step,
    draw_unseen,
    draw_visible_edges,
    names_of_marks,
)
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.raster import LARGEST_DOT, DotPicture, draw_squares
from anonymizer_gui.theming import Text, Theme, font, scaled
from anonymizer_gui.theming.painter import ThemedPainter, pixels_of

_BESIDE = 8  # pixels between a count and the right edge, with the space around its text
_AT_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


def draw_rows(
    painter: ThemedPainter, geometry: LatticeGeometry, canvas: Canvas, texts: Sequence[str]
) -> None:
    """Draw the sum of levels left of each row, its satisfying nodes at the right, and a line below.

    The margins of a zoomed lattice, and the strip above it, are covered first; texts that do not fit into
    the margins overlap nodes.
    """
    (left, right), whole = canvas.gutters, canvas.whole
    metrics = QFontMetricsF(font(Text.AXIS))
    widest = max(map(metrics.horizontalAdvance, texts), default=0.0)
    if geometry.zoom > 1:
        counts = max(widest + 12, right)
        painter.fill(QRectF(0, 0, left, whole.height()), "surface")
        painter.fill(QRectF(whole.width() - counts, 0, counts, whole.height()), "surface")
        painter.fill(QRectF(0, 0, whole.width(), canvas.top), "surface")
        painter.fill(QRectF(0, canvas.top - 1, whole.width(), 1), "border")
    painter.style(Text.AXIS, "text_3")
    height, half = geometry.band_height, max(7.0, scaled(7))
    # Digits have no descenders, so lines may be closer than the font's spacing.
    every = max(1, ceil(metrics.capHeight() * 1.5 / height))
    for row in range(geometry.layout.n_rows):
        top = geometry.row_top(row)
        if top + height < canvas.top or top > whole.height():
            continue
        painter.fill(QRectF(left, round(top + height), whole.width() - left - right, 1), "grid")
        if row % every:
            continue
        middle = top + height / 2
        if height > 2 * half:  # the label of a row higher than the window stays visible
            middle = min(max(middle, canvas.top + half + 1), whole.height() - half - 1)
            middle = min(max(middle, top + half), top + height - half)
        # Clear of the frame of a focused view.
        sums = QRectF(0, middle - half, left - 3, 2 * half)
        painter.drawText(sums, _AT_RIGHT, str(geometry.layout.sums[row]))
        if row < len(texts):
            counts_at = QRectF(whole.width() - _BESIDE - widest, middle - half, widest + 2, 2 * half)
            painter.drawText(counts_at, _AT_RIGHT, texts[row])


@dataclass(frozen=True)
class Canvas:
    """Painted widget: its size, and the margins left and right of the lattice."""

    size: QSize
    gutters: tuple[int, int]
    ratio: float
    corners: tuple[QRectF, ...] = ()  # widgets over the lattice, which names avoid
    top: float = 0.0  # height of the strip above a zoomed lattice

    @property
    def whole(self) -> QRectF:
        return QRectF(0, 0, self.size.width(), self.size.height())

    @property
    def inner(self) -> QRectF:
        left, right = self.gutters
        return self.whole.adjusted(left, self.top, -right, 0)

    @property
    def strip(self) -> QRectF:
        """What the widgets in the strip leave free."""
        whole = QRectF(self.inner.left(), 0, self.inner.width(), self.top)
        for corner in self.corners:
            if corner.intersects(whole) and corner.center().x() < self.whole.center().x():
                whole.setLeft(max(whole.left(), corner.right()))
            elif corner.intersects(whole):
                whole.setRight(min(whole.right(), corner.left()))
        return whole

    def blank(self) -> QImage:
        """Return a transparent picture of the same size."""
        width, height = (round(side * self.ratio) for side in (self.size.width(), self.size.height()))
        picture = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
        picture.setDevicePixelRatio(self.ratio)
        picture.fill(Qt.GlobalColor.transparent)
        return picture


@dataclass(frozen=True)
class Overlay:
    """Items above the nodes: edges of the selected and hovered node, the last step."""

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
        return dots.drawn(geometry, look.classes, size, theme, look.minimal)
    picture = canvas.blank()
    painter = ThemedPainter(picture, theme)
    painter.setClipRect(canvas.inner)
    if chips:
        draw_chips(painter, geometry, canvas.inner, look)
    else:
        draw_visible_edges(painter, geometry, geometry.visible(canvas.inner), look)
    painter.end()
    if not chips:
        draw_squares(pixels_of(picture), geometry, look.classes, theme, look.minimal)
    return picture


def paint_nodes(
    painter: ThemedPainter,
    geometry: LatticeGeometry,
    layer: QImage,
    marks: Marks,
    above: Overlay,
    look: NodeLook,
    canvas: Canvas,
) -> None:
    """Paint the lattice at any zoom below cards."""
    chips, inner, step = shows_chips(geometry), canvas.inner, above.step
    has_nodes = geometry.pitch >= SMALLEST_PITCH
    if layer.hasAlphaChannel():
        painter.fill(canvas.whole, "surface")
    if chips:  # edges are below the text of chips, but above dots, which would hide them
        painter.setClipRect(inner)
        _draw_lines(painter, geometry, marks.optimum, above, look, inner)
        painter.setClipping(False)
    painter.drawImage(0, 0, layer)
    draw_rows(painter, geometry, canvas, look.row_texts)
    painter.setClipRect(inner)
    if not chips:
        _draw_lines(painter, geometry, marks.optimum, above, look, inner)
        if has_nodes and above.hovered is not None:
            draw_ends(painter, geometry, (above.hovered.node,), look)
    else:
        if above.paths is not None:
            draw_unseen(painter, geometry, above.paths, inner)
        if above.hovered is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.outline(chip_rect(geometry, above.hovered.node), "accent", 1.5, radius=5)
    if step is not None:
        start, end = (geometry.place(node).center() for node in (step.start, step.end))
        if chips:
            up = 1 if end.y() < start.y() else -1
            half = QPointF(0, up * chip_rect(geometry, step.end).height() / 2)
            start, end = start - half, end + half
        draw_step(painter, start, end)
    names = names_of_marks(geometry, marks, inner, canvas.corners, step)
    draw_marks(painter, geometry, marks, inner, names, above.lag)
    painter.setClipping(False)
    if step is not None and chips:  # where it is on no node
        at, room = (start + end) / 2, canvas.strip if canvas.top else inner
        at.setY(room.center().y() if canvas.top else at.y())
        draw_pill(painter, at, step.text, room.adjusted(4, 2, -4, -2))


def _draw_lines(
    painter: ThemedPainter,
    geometry: LatticeGeometry,
    optimum: int | None,
    above: Overlay,
    look: NodeLook,
    inner: QRectF,
) -> None:
    if above.hovered is not None and (above.paths is None or above.hovered.node != above.paths.node):
        draw_edges(painter, geometry, above.hovered, optimum, look, inner, is_hovered=True)
    if above.paths is not None:
        if above.step is not None:  # the path is for walking by keys
            draw_path(painter, geometry, above.paths)
        draw_edges(painter, geometry, above.paths, optimum, look, inner)


def paint_cards(
    painter: ThemedPainter, layer: QImage, hovered: QRectF | None, offset: QPointF, canvas: Canvas
) -> None:
    """Paint a neighbourhood, shifted by `offset` during an animation."""
    painter.fill(canvas.whole, "surface")
    painter.drawImage(offset, layer)
    if hovered is not None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.outline(hovered.adjusted(-2, -2, 2, 2), "accent", 1.5, radius=7)
