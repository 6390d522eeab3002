"""The lattice as one painted widget: all nodes, the marks on some of them, zoom, pan, click and keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.perspectives.explore.hover_card import show_hover_card
from anonymizer_gui.perspectives.explore.lattice.lattice_geometry import LatticeGeometry
from anonymizer_gui.perspectives.explore.lattice.lattice_layout import LatticeLayout
from anonymizer_gui.perspectives.explore.lattice.lattice_marks import (
    NodeLook,
    draw_chips,
    draw_edges,
    draw_marks,
    draw_rows,
    draw_squares,
    shows_chips,
)
from anonymizer_gui.perspectives.explore.lattice.lattice_raster import LARGEST_DOT, NOT_SCORED, draw_dots
from anonymizer_gui.perspectives.explore.node_marks import Marks
from anonymizer_gui.theming import Theme, current_theme, scaled, theme_manager
from anonymizer_gui.widgets.marks import draw_focus
from anonymizer_gui.widgets.numbers import as_loss

# Long counts reach over the ends of short rows; the widest row has a short one beside it.
LEFT_GUTTER, RIGHT_GUTTER, EDGE = 22, 66, 2
_ZOOM_STEP = 1.25
_CLICK_REACH = 5.0
_DRAG_START = 4

Classes = NDArray[np.uint8]
Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LatticeColours:
    """How the nodes look under a requirement.

    Attributes
    ----------
    classes : ndarray of uint8, shape (n_nodes,)
        0 to 63 on the ramp, or `FAILS`, `NOT_SCORED`, `DIMMED`.
    values : ndarray of float64, shape (n_nodes,)
        Metric per node, for chips.
    row_texts : sequence of str
        "satisfy / all" per row.
    """

    classes: Classes
    values: Reals
    row_texts: Sequence[str] = ()
    value_name: str = "loss"
    value_text: Callable[[float], str] = field(default=as_loss)


class LatticeView(QWidget):
    """Shows nodes by number; knows no model and computes no score."""

    node_requested = Signal(int)
    apply_requested = Signal(int)
    step_requested = Signal(str)  # "up", "down", "left", "right"
    details_requested = Signal(int)
    zoom_changed = Signal()
    resized = Signal()  # the lattice stands in its new place already

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._layout: LatticeLayout | None = None
        self._levels: NDArray[np.int16] = np.zeros((0, 0), dtype=np.int16)
        self._geometry: LatticeGeometry | None = None
        self._colours: LatticeColours | None = None
        self._marks = Marks()
        self._reserved = QRect()
        self._covered = QRect()
        self._dots: QPixmap | None = None
        self._pressed: QPointF | None = None
        self._is_panning = False
        self._details_at: tuple[int, QPoint] | None = None
        self.setObjectName("lattice")
        self.setAccessibleName(self.tr("Lattice of all nodes"))
        self.setProperty("focus_ring", "none")  # drawn within the view
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        theme_manager().theme_changed.connect(self._on_theme_changed)

    # -- what it shows -------------------------------------------------------------------------

    def show_lattice(self, layout: LatticeLayout | None, levels: NDArray[np.int16] | None = None) -> None:
        """Show another lattice, everything in view and nothing scored yet; None shows none."""
        self._layout = layout
        self._levels = levels if levels is not None else np.zeros((0, 0), dtype=np.int16)
        self._marks = Marks()
        self._geometry = None
        self._colours = None
        if layout is not None:
            nothing = np.full(layout.n_nodes, NOT_SCORED, dtype=np.uint8)
            self._colours = LatticeColours(nothing, np.full(layout.n_nodes, np.nan))
        self._refit()

    def show_more(self, layout: LatticeLayout, levels: NDArray[np.int16]) -> None:
        """Show more nodes of the same lattice: the view stays as far as it can, colours come next."""
        geometry = self._geometry
        self._layout, self._levels = layout, levels
        nothing = np.full(layout.n_nodes, NOT_SCORED, dtype=np.uint8)
        self._colours = LatticeColours(nothing, np.full(layout.n_nodes, np.nan))
        if geometry is not None:
            kept = self._marks.selected  # stays where it is on the screen
            before = None if kept is None else geometry.place(kept).center()
            self._geometry = geometry = geometry.of(layout)
            if kept is not None and before is not None and geometry.zoom > 1:
                self._geometry = geometry.panned(before - geometry.place(kept).center())
        self._refit(keep=True)

    def show_colours(self, colours: LatticeColours) -> None:
        """Recolour every node where it stands."""
        self._colours = colours
        self._dots = None
        self.update()

    def show_marks(self, marks: Marks, description: str = "") -> None:
        """Mark the selected, optimal and applied node; the dots are not drawn anew."""
        self._marks = marks
        if description != self.accessibleDescription():
            self.setAccessibleDescription(description)
            event = QAccessibleEvent(self, QAccessible.Event.DescriptionChanged)
            QAccessible.updateAccessibility(event)
        self.update()

    def show_details(self, node: int, text: str) -> None:
        """Answer `details_requested` with the node in words."""
        if self._details_at is not None and self._details_at[0] == node:
            show_hover_card(self, self._details_at[1], text)

    def set_covered(self, corner: QRect) -> None:
        """The top left corner that the level filter covers where the lattice is zoomed."""
        self._covered = corner

    def set_reserved(self, corner: QRect) -> None:
        """The top left corner that the level filter covers; a fitted lattice makes way for it."""
        if corner != self._reserved:
            self._reserved = corner
            self._refit(keep=True)

    @property
    def layout_shown(self) -> LatticeLayout | None:
        return self._layout

    @property
    def geometry_shown(self) -> LatticeGeometry | None:
        """The view as it stands."""
        return self._geometry

    @property
    def colours(self) -> LatticeColours | None:
        return self._colours

    @property
    def zoom_stop(self) -> str:
        """ "fit", "chips", or "" between and beyond."""
        if self._geometry is None or self._geometry.zoom <= 1.001:
            return "fit"
        return "chips" if abs(self._geometry.zoom / self._geometry.chip_zoom - 1) < 0.02 else ""

    def node_rect(self, node: int) -> QRect:
        """Where a node is drawn."""
        assert self._geometry is not None, "no lattice is shown"
        return self._geometry.place(node).toAlignedRect()

    def node_at(self, pos: QPoint) -> int | None:
        """The node under a point, or closest to it within a few pixels."""
        if self._geometry is None:
            return None
        return self._geometry.node_at(QPointF(pos), _CLICK_REACH)

    def is_free(self, rect: QRect) -> bool:
        """Whether no node lies under a rectangle."""
        if self._geometry is None or rect.isEmpty():
            return True
        return not len(self._geometry.visible(QRectF(rect)))

    # -- zoom ----------------------------------------------------------------------------------

    def fit(self) -> None:
        """Show everything."""
        if self._geometry is not None:
            geometry = self._geometry
            self._set_geometry(LatticeGeometry.fitted(geometry.layout, geometry.area, geometry.ratio))

    def show_chips(self) -> None:
        """Zoom until nodes are chips, around the selected node or the middle."""
        if self._geometry is not None:
            node = self._marks.selected if self._marks.selected is not None else self._marks.optimum
            if node is None:
                center = self._geometry.area.center()
                self._set_geometry(self._geometry.zoomed(self._geometry.chip_zoom, center))
            else:
                self._set_geometry(self._geometry.centered(self._geometry.chip_zoom, node))

    def zoom_by(self, factor: float, point: QPointF | None = None) -> None:
        """Zoom at a point, or at the selected node if it is in view, or at the middle."""
        geometry = self._geometry
        if geometry is None:
            return
        if point is None:
            point = geometry.area.center()
            if self._marks.selected is not None:
                place = geometry.place(self._marks.selected).center()
                point = place if geometry.area.contains(place) else point
        self._set_geometry(geometry.zoomed(geometry.zoom * factor, point))

    def zoom_in(self) -> None:
        self.zoom_by(_ZOOM_STEP)

    def zoom_out(self) -> None:
        self.zoom_by(1 / _ZOOM_STEP)

    def bring_into_view(self, node: int) -> None:
        """Pan as little as needed for a node to be seen."""
        if self._geometry is None:
            return
        place, area = self._geometry.place(node), self._geometry.area
        x = max(area.left() - place.left(), 0) + min(area.right() - place.right(), 0)
        y = max(area.top() - place.top(), 0) + min(area.bottom() - place.bottom(), 0)
        if self._geometry.zoom > 1:
            moved = place.translated(x, y)
            if moved.intersects(QRectF(self._covered)):  # from under the filter in the corner
                x += self._covered.right() + 8 - moved.left()
            if x or y:
                self._set_geometry(self._geometry.panned(QPointF(x, y)))

    def _set_geometry(self, geometry: LatticeGeometry) -> None:
        if geometry != self._geometry:
            self._geometry = geometry
            self._dots = None
            self._update_cursor()
            self.update()
            self.zoom_changed.emit()

    # -- events --------------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        turns = event.angleDelta().y() / 120
        if turns:
            self.zoom_by(_ZOOM_STEP**turns, event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._is_panning = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None or self._geometry is None:
            return
        moved = event.position() - self._pressed
        if self._is_panning or moved.manhattanLength() >= _DRAG_START:
            self._is_panning = True
            self._pressed = event.position()
            self._set_geometry(self._geometry.panned(moved))
            self._update_cursor()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._pressed is None:
            return
        was_panning, self._pressed, self._is_panning = self._is_panning, None, False
        self._update_cursor()
        if not was_panning and (node := self.node_at(event.position().toPoint())) is not None:
            self.node_requested.emit(node)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            node = self.node_at(event.position().toPoint())
            if node is not None:
                self.apply_requested.emit(node)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Up: "up",
            Qt.Key.Key_Down: "down",
            Qt.Key.Key_Left: "left",
            Qt.Key.Key_Right: "right",
        }
        key = Qt.Key(event.key())
        if key in steps:
            self.step_requested.emit(steps[key])
        elif key == Qt.Key.Key_Home:
            self.fit()
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom_in()
        elif key in (Qt.Key.Key_Minus, Qt.Key.Key_Underscore):
            self.zoom_out()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._marks.selected is not None:
            self.apply_requested.emit(self._marks.selected)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            node = self.node_at(event.pos())
            if node is None:
                show_hover_card(self, event.globalPos(), "")
            else:
                self._details_at = (node, event.globalPos())
                self.details_requested.emit(node)
            return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._refit(keep=True)
        self.resized.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(1062, 408)

    def minimumSizeHint(self) -> QSize:
        return QSize(360, 160)

    # -- drawing -------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        geometry, colours = self._geometry, self._colours
        if geometry is None or colours is None:
            painter.fillRect(self.rect(), theme.color("surface"))
            return
        if geometry.ratio != self.devicePixelRatioF():
            self._refit(keep=True)
            geometry = self._geometry
            assert geometry is not None
        look = NodeLook(colours.classes, colours.values, self._levels, colours.value_name, colours.value_text)
        if self._dots is None:
            self._dots = self._layer(geometry, look, theme)
        chips, marks = shows_chips(geometry), self._marks
        painter.fillRect(self.rect(), theme.color("surface"))
        if chips:  # lines run below the text of chips, and above dots, which they would hide behind
            painter.setClipRect(self._inner())
            draw_edges(painter, geometry, marks.selected, marks.neighbours, marks.optimum, look, theme)
            painter.setClipping(False)
        painter.drawPixmap(0, 0, self._dots)
        draw_rows(painter, geometry, QRectF(self.rect()), self._gutters(), colours.row_texts, theme)
        painter.setClipRect(self._inner())
        if not chips:
            draw_edges(painter, geometry, marks.selected, marks.neighbours, marks.optimum, look, theme)
        draw_marks(painter, geometry, marks, self._inner(), look, theme)
        painter.setClipping(False)
        if self.hasFocus():
            draw_focus(painter, QRectF(self.rect()), theme)

    def _layer(self, geometry: LatticeGeometry, look: NodeLook, theme: Theme) -> QPixmap:
        """All nodes as a picture that lasts until they are recoloured, zoomed or panned."""
        if geometry.pitch * geometry.ratio <= LARGEST_DOT:
            return draw_dots(geometry, look.classes, (self.width(), self.height()), theme)
        picture = QPixmap(round(self.width() * geometry.ratio), round(self.height() * geometry.ratio))
        picture.setDevicePixelRatio(geometry.ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        draw = draw_chips if shows_chips(geometry) else draw_squares
        draw(painter, geometry, self._inner(), look, theme)
        painter.end()
        return picture

    def _inner(self) -> QRectF:
        left, right = self._gutters()
        return QRectF(left, 0, self.width() - left - right, self.height())

    def _gutters(self) -> tuple[int, int]:
        return scaled(LEFT_GUTTER), scaled(RIGHT_GUTTER)

    def _area(self) -> QRectF:
        return self._inner().adjusted(0, EDGE, 0, -EDGE)

    def _refit(self, *, keep: bool = False) -> None:
        self._dots = None
        if self._layout is None:
            self._geometry = None
            self.update()
            return
        area, ratio = self._area(), self.devicePixelRatioF()
        if keep and self._geometry is not None:
            geometry = self._geometry.in_area(area, ratio)
        else:
            geometry = LatticeGeometry.fitted(self._layout, area, ratio)
        if geometry.zoom <= 1.001:
            geometry = self._beside_reserved(geometry, area, ratio)
        self._geometry = geometry
        self._update_cursor()
        self.update()
        self.zoom_changed.emit()

    def _beside_reserved(self, geometry: LatticeGeometry, area: QRectF, ratio: float) -> LatticeGeometry:
        """Move a fitted lattice to the right as far as the filter in the corner asks and room allows."""
        if self._reserved.isEmpty():
            return geometry
        needed = 0.0
        for row, nodes in enumerate(geometry.layout.rows):
            if geometry.row_top(row) < self._reserved.bottom() + 4:
                x, _ = geometry.corners(nodes[:1])
                needed = max(needed, self._reserved.right() + 8 - float(x[0]))
        if needed <= 0:
            return geometry
        free = area.width() - geometry.width
        # Centred in the remaining area, so the shift is half of what the left edge moves.
        moved = QRectF(area)
        moved.setLeft(area.left() + min(2 * needed, max(free, 0.0)))
        return LatticeGeometry.fitted(geometry.layout, moved, ratio)

    def _update_cursor(self) -> None:
        if self._is_panning:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif self._geometry is not None and self._geometry.zoom > 1.001:
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        else:
            self.unsetCursor()

    def _on_theme_changed(self) -> None:
        self._refit(keep=True)
