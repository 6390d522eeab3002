"""Lattice as one painted widget: all nodes, marks on some of them, zoom, pan, mouse and keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.perspectives.explore.hover_card import show_hover_card
from anonymizer_gui.perspectives.explore.lattice.card_layout import Arrangement, arrange
from anonymizer_gui.perspectives.explore.lattice.card_painting import marks_of_cards
from anonymizer_gui.perspectives.explore.lattice.chips import shows_chips
from anonymizer_gui.perspectives.explore.lattice.corners import CORNER_RADIUS, Corner
from anonymizer_gui.perspectives.explore.lattice.diagram import Diagram
from anonymizer_gui.perspectives.explore.lattice.diagram_painting import marks_of_diagram
from anonymizer_gui.perspectives.explore.lattice.drawing import Drawing
from anonymizer_gui.perspectives.explore.lattice.edges import NodePaths, StepTaken
from anonymizer_gui.perspectives.explore.lattice.geometry import SMALLEST_PITCH, LatticeGeometry
from anonymizer_gui.perspectives.explore.lattice.layout import LatticeLayout
from anonymizer_gui.perspectives.explore.lattice.marks import (
    ACTIVATE,
    ZOOM_IN,
    ZOOM_OUT,
    LatticeMouse,
    marks_of_nodes,
    names_of_marks,
    step_of,
)
from anonymizer_gui.perspectives.explore.lattice.minimap import Minimap, frame_in_view
from anonymizer_gui.perspectives.explore.lattice.motion import Movement
from anonymizer_gui.perspectives.explore.lattice.neighbourhood import Neighbourhood, NodeValues
from anonymizer_gui.perspectives.explore.lattice.node_look import LatticeColours, NodeLook
from anonymizer_gui.perspectives.explore.lattice.painting import (
    Canvas,
    Overlay,
    card_layer,
    node_layer,
    paint_cards,
    paint_nodes,
)
from anonymizer_gui.perspectives.explore.lattice.placed_marks import mark_at
from anonymizer_gui.perspectives.explore.lattice.raster import NOT_SCORED, DotPicture
from anonymizer_gui.perspectives.explore.lattice.row_labels import RowLabels
from anonymizer_gui.perspectives.explore.lattice.stage import DiagramStage
from anonymizer_gui.perspectives.explore.node_marks import Marks
from anonymizer_gui.perspectives.explore.spoken import spoken_value
from anonymizer_gui.theming import Theme, current_theme, font_scale, scaled, theme_manager
from anonymizer_gui.theming.motion import Motion
from anonymizer_gui.widgets.accessible import PRESS, SHOW_MENU, Accessible, Role, value_changed
from anonymizer_gui.widgets.level_glyph import Glyph
from anonymizer_gui.widgets.marks import draw_focus

__all__ = ["EDGE", "LEFT_GUTTER", "RIGHT_GUTTER", "LatticeColours", "LatticeView"]

# Long counts overlap the ends of short rows; the widest row has a short one next to it.
LEFT_GUTTER, RIGHT_GUTTER, EDGE = 22, 66, 2
_ZOOM_STEP = 1.25
_CLICK_REACH, _HOVER_REACH = 5.0, 2.0
_FITTED = 1.001


class LatticeView(QWidget):
    """Display of nodes by index; knows no model and computes no score."""

    node_requested = Signal(int)
    apply_requested = Signal(int)
    menu_requested = Signal(int, QPoint)  # node, place on the screen
    step_requested = Signal(str)  # "up", "down", "left", "right", "other up", "other down"
    details_requested = Signal(int)
    hover_requested = Signal(int)  # edges of the node under the pointer; -1 when the pointer leaves it
    zoom_changed = Signal()
    cards_toggled = Signal()  # cards are shown or hidden
    resized = Signal()  # the lattice has its new position already

    has_diagrams = True  # small lattices are drawn with cards and all edges

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.layout_shown: LatticeLayout | None = None
        self._levels: NDArray[np.int16] = np.zeros((0, 0), dtype=np.int16)
        self._heights: tuple[int, ...] = ()
        self.geometry_shown: LatticeGeometry | None = None  # current view
        self._target: LatticeGeometry | None = None  # end of a running zoom animation
        self.colours: LatticeColours | None = None
        self.above = Overlay(Marks())  # marks, edges and the last step, drawn above the nodes
        self._stage = DiagramStage()
        self._reserved = QRect()
        self._covered = QRect()
        self._dots: QImage | None = None
        self._drawing = DotPicture()
        self._rows = RowLabels()
        self._shows_cards = False
        self._hood: Neighbourhood | None = None
        self._values = NodeValues()
        self._arrangement: Arrangement | None = None
        self._slide = QPointF()
        self._hovered: int | None = None
        self._mouse = LatticeMouse()
        self._zooming = Movement(Motion.ZOOM, self)
        self._selecting = Movement(Motion.SELECT, self)
        self._walking = Movement(Motion.WALK, self)
        self._details_at: tuple[int, QPoint] | None = None
        self.setObjectName("lattice")
        self.setAccessibleName(self.tr("Lattice of all nodes"))
        self.setProperty("focus_ring", "none")  # painted within the view
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.minimap = Minimap(self)
        self.minimap.looked_at.connect(self._look_at)
        theme_manager().theme_changed.connect(self._on_theme_changed)

    # -- display -------------------------------------------------------------------------------

    def show_lattice(
        self,
        layout: LatticeLayout | None,
        levels: NDArray[np.int16] | None = None,
        heights: Sequence[int] | None = None,
        phrases: Sequence[Sequence[str]] = (),
    ) -> None:
        """Show another lattice completely, without scores; None for none.

        `heights` are the highest levels of the hierarchies, by default of the nodes; `phrases` are the
        generalized columns of each node in words, for cards.
        """
        self._forget_movements()
        self._stage.set_phrases(phrases)
        self.layout_shown = layout
        self._levels = levels if levels is not None else np.zeros((0, 0), dtype=np.int16)
        highest = self._levels.max(axis=0).tolist() if self._levels.size else ()
        self._heights = tuple(highest if heights is None else heights)
        self.above = Overlay(Marks())
        self.geometry_shown, self.colours, self._hovered = None, None, None
        self._shows_cards, self._hood, self._arrangement = False, None, None
        if layout is not None:
            nothing = np.full(layout.n_nodes, NOT_SCORED, dtype=np.uint8)
            self.colours = LatticeColours(nothing, np.full(layout.n_nodes, np.nan))
        self.minimap.show_lattice(layout, None)
        self._refit()

    def show_more(self, layout: LatticeLayout, levels: NDArray[np.int16]) -> None:
        """Show more nodes of the same lattice: zoom and position stay if possible, colours follow."""
        self._forget_movements()
        geometry = self.geometry_shown
        self.layout_shown, self._levels = layout, levels
        nothing = np.full(layout.n_nodes, NOT_SCORED, dtype=np.uint8)
        self.colours = LatticeColours(nothing, np.full(layout.n_nodes, np.nan))
        self._hood, self._arrangement = None, None  # its rows have grown; another one follows
        self.minimap.show_lattice(layout, None)
        if geometry is not None:
            kept = self.above.marks.selected  # still selected if it is visible
            before = None if kept is None else geometry.place(kept).center()
            self.geometry_shown = geometry = geometry.of(layout)
            if kept is not None and before is not None and geometry.zoom > 1:
                self.geometry_shown = geometry.panned(before - geometry.place(kept).center())
        self._refit(keep=True)

    def show_colours(self, colours: LatticeColours) -> None:
        """Recolour every node."""
        self.colours = colours
        self.minimap.show_lattice(self.layout_shown, colours.classes)
        self._redraw()
        self._draw_ahead()

    def show_marks(self, marks: Marks, description: str = "") -> None:
        """Mark the selected, optimal and applied node; the dots are not drawn again."""
        above, before = self.above, self.above.marks
        self.above = replace(above, marks=marks)
        if self.above.paths is not None and self.above.paths.node != marks.selected:
            self.above = replace(self.above, paths=None)
        if self.above.paths is None and marks.selected is not None:
            self.above = replace(self.above, paths=NodePaths(marks.selected, marks.neighbours))
        if self.above.step is not None and self.above.step.end != marks.selected:
            self.above = replace(self.above, step=None)
        if description != self.accessibleDescription():
            self.setAccessibleDescription(description)
            value_changed(self)
        if before.selected != marks.selected:
            self._move_ring(before.selected, marks.selected)
        if self._shows_cards and before != marks:
            self._dots = None
        if self.above != above:
            self._update_uncovered()

    def as_accessible(self) -> Accessible:
        """Return the selected node as value, and the steps to its neighbours as actions."""
        selected, layout = self.above.marks.selected, self.layout_shown
        value = spoken_value(self.accessibleDescription(), 0 if layout is None else layout.n_nodes)
        if selected is None:
            return Accessible(Role.Canvas, value)
        steps = {
            self.tr("One step more general"): "up",
            self.tr("One step more precise"): "down",
            self.tr("Previous in the row"): "left",
            self.tr("Next in the row"): "right",
        }
        actions: dict[str, Callable[[], object]] = {
            PRESS: lambda: self.apply_requested.emit(selected),
            SHOW_MENU: lambda: self._request_menu(selected),
            **{words: partial(self.step_requested.emit, step) for words, step in steps.items()},
        }
        return Accessible(Role.Canvas, value, actions=actions)

    def show_paths(self, paths: NodePaths | None) -> None:
        """Draw the edges of the selected node, and the cheapest path to bottom and top."""
        if paths != self.above.paths:
            self.above = replace(self.above, paths=paths)
            self.update()

    def show_hovered(self, paths: NodePaths) -> None:
        """Answer `hover_requested` with the edges of that node."""
        if paths.node == self._hovered:
            self.above = replace(self.above, hovered=paths)
            self.update()

    def show_step(self, step: StepTaken) -> None:
        """Show which attribute changed in the last step, until another node is selected."""
        self.above = replace(self.above, step=step)
        self.update()

    def show_neighbourhood(self, hood: Neighbourhood | None, values: NodeValues | None = None) -> None:
        """Show cards: the surroundings of the selected node, and its values."""
        before, old = self._hood, self._arrangement
        values = values or NodeValues()
        if hood is before and values == self._values:
            return
        self._hood, self._values = hood, values
        if hood is not before:
            self._arrangement = None
        if not self._shows_cards:
            return
        self._redraw()
        self._place_minimap()
        if hood is None:
            self._set_cards(shown=False)
        elif before is not None and old is not None and hood.node != before.node:
            self._slide_from(old.rect_of(hood.node))

    @property
    def marks(self) -> Marks:
        """The marked nodes."""
        return self.above.marks

    def show_details(self, node: int, text: str, glyph: Glyph | None = None) -> None:
        """Answer `details_requested` with the description and the levels of the node."""
        if self._details_at is not None and self._details_at[0] == node:
            show_hover_card(self, self._details_at[1], text, glyph)

    def set_covered(self, corner: QRect) -> None:
        """Set the top left corner covered by the level filter while zoomed."""
        self._covered = corner

    def set_reserved(self, corner: QRect) -> None:
        """Set the top left corner covered by the level filter; a fitted lattice leaves it free."""
        if corner != self._reserved:
            self._reserved = corner
            self._refit(keep=True)

    @property
    def diagram(self) -> Diagram | None:
        """Cards with all edges, in which a small lattice is drawn; None for others."""
        return None if self.shows_cards or self.geometry_shown is None else self._stage.diagram

    @property
    def is_fitted(self) -> bool:
        """True if all nodes are visible."""
        if self.shows_cards or self.geometry_shown is None:
            return self.geometry_shown is None
        shown = self.diagram
        return self.geometry_shown.zoom <= _FITTED if shown is None else shown.is_whole

    @property
    def has_chips(self) -> bool:
        """True if a view with larger nodes exists between all nodes and cards."""
        if self._stage.diagram is not None:
            return self._stage.has_larger_cards
        return self.geometry_shown is None or self.geometry_shown.chip_zoom > _FITTED

    @property
    def shows_cards(self) -> bool:
        return self._shows_cards and self._hood is not None

    @property
    def cards(self) -> Arrangement | None:
        """Positions of the cards; None while none are shown."""
        if not self.shows_cards or self.layout_shown is None or self._hood is None:
            return None
        if self._arrangement is None:
            canvas = QRectF(0, EDGE, self.width(), self.height() - 2 * EDGE)
            self._arrangement = arrange(self.layout_shown, self._hood, canvas)
        return self._arrangement

    @property
    def drawing(self) -> Drawing:
        """How the nodes are drawn."""
        geometry = self.geometry_shown
        if self.shows_cards or geometry is None:
            return Drawing.CARDS
        if self.diagram is not None:
            return Drawing.DIAGRAM
        if geometry.pitch < SMALLEST_PITCH:
            return Drawing.SHARES
        return Drawing.CHIPS if shows_chips(geometry) else Drawing.DOTS

    @property
    def zoom_stop(self) -> str:
        """ "fit", "chips", "cards", or "" between and beyond."""
        if self.shows_cards:
            return "cards"
        if self.diagram is not None:
            return self._stage.stop
        if self.geometry_shown is None or self.geometry_shown.zoom <= _FITTED:
            return "fit"
        return "chips" if abs(self.geometry_shown.zoom / self.geometry_shown.chip_zoom - 1) < 0.02 else ""

    @property
    def can_zoom_in(self) -> bool:
        """True if a closer view exists."""
        return self.geometry_shown is not None and not self.shows_cards

    def node_rect(self, node: int) -> QRect:
        """Return the rectangle of a node; empty if cards do not show it."""
        if (cards := self.cards) is not None:
            place = cards.rect_of(node)
            return QRect() if place is None else place.toAlignedRect()
        assert self.geometry_shown is not None, "no lattice is shown"
        if (diagram := self.diagram) is not None:
            return diagram.rects[node].toAlignedRect()
        return self.geometry_shown.place(node).toAlignedRect()

    def node_at(self, pos: QPoint) -> int | None:
        """Return the node under a point, or closest to it within a few pixels."""
        return self._node_near(QPointF(pos), _CLICK_REACH)

    def is_free(self, rect: QRect) -> bool:
        """Return whether no node overlaps a rectangle."""
        if self.geometry_shown is None or rect.isEmpty():
            return True
        if (diagram := self.diagram) is not None:
            return diagram.is_free(QRectF(rect))
        if (cards := self.cards) is not None:
            return cards.is_free(QRectF(rect))
        return not len(self.geometry_shown.visible(QRectF(rect)))

    def _node_near(self, point: QPointF, reach: float) -> int | None:
        """Return the node whose mark or name is under a point, or the node there."""
        marks, geometry = self.above.marks, self.geometry_shown
        if (cards := self.cards) is not None:
            marked = mark_at(marks_of_cards(cards, marks), point)
            return cards.node_at(point) if marked is None else marked
        if (diagram := self.diagram) is not None:
            marked = mark_at(marks_of_diagram(diagram, marks), point)
            return diagram.node_at(point, reach) if marked is None else marked
        if geometry is None:
            return None
        inner = self._canvas().inner
        if (marked := mark_at(marks_of_nodes(geometry, marks, inner), point)) is not None:
            return marked
        pills, _texts = names_of_marks(geometry, marks, inner)
        named = next((pill.node for pill in reversed(pills) if pill.rect.contains(point)), None)
        return geometry.node_at(point, reach) if named is None else named

    # -- zoom ----------------------------------------------------------------------------------

    def fit(self) -> None:
        """Show the complete lattice."""
        self._stage.fit()
        self._set_cards(shown=False)
        if self.geometry_shown is not None and self.layout_shown is not None:
            self._go_to(self._fitted(self._area(), self.geometry_shown.ratio))

    def show_chips(self) -> None:
        """Zoom until nodes are chips, around the selected node or the centre."""
        marks = self.above.marks
        if self._stage.diagram is not None:
            self._stage.show_full(marks.optimum if marks.selected is None else marks.selected)
            self._set_cards(shown=False)
            return
        self._set_cards(shown=False)
        if self.geometry_shown is not None:
            node = marks.selected if marks.selected is not None else marks.optimum
            if node is None:
                center = self.geometry_shown.area.center()
                self._go_to(self.geometry_shown.zoomed(self.geometry_shown.chip_zoom, center))
            else:
                self._go_to(self.geometry_shown.centered(self.geometry_shown.chip_zoom, node))

    def show_cards(self) -> None:
        """Show the neighbourhood of the selected node as cards; without one the optimum is requested."""
        layout, marks = self.layout_shown, self.above.marks
        if layout is None:
            return
        self._shows_cards = True
        if marks.selected is None:
            middle = layout.rows[0][len(layout.rows[0]) // 2]
            self.node_requested.emit(int(middle) if marks.optimum is None else marks.optimum)
        self._set_cards(shown=True)

    def zoom_by(self, factor: float, point: QPointF | None = None) -> None:
        """Zoom at a point, or at the selected node if it is visible, or at the centre.

        Beyond the largest chips, the node there is selected and its cards are shown.
        """
        geometry = self._target or self.geometry_shown
        if geometry is None:
            return
        if self.shows_cards:
            if factor < 1:
                self.show_chips()
            return
        if self.diagram is not None:
            self._zoom_diagram(1 if factor > 1 else -1, point)
            return
        if point is None:
            point = geometry.area.center()
            if self.above.marks.selected is not None:
                place = geometry.place(self.above.marks.selected).center()
                point = place if geometry.area.contains(place) else point
        if factor > 1 and geometry.zoom >= geometry.largest_zoom / _FITTED:
            self._zoom_to_cards(point)
        else:
            self._go_to(geometry.zoomed(geometry.zoom * factor, point), point)

    def _zoom_diagram(self, step: int, point: QPointF | None) -> None:
        selected = self.above.marks.selected
        if not self._stage.zoom(step, point, selected):
            if point is not None or selected is None:
                self._zoom_to_cards(QRectF(self.rect()).center() if point is None else point)
            else:
                self.show_cards()
            return
        self._after_zoom()

    def _after_zoom(self) -> None:
        self._redraw()
        self._update_cursor()
        self._place_minimap()
        self.zoom_changed.emit()

    def zoom_in(self) -> None:
        self.zoom_by(_ZOOM_STEP)

    def zoom_out(self) -> None:
        self.zoom_by(1 / _ZOOM_STEP)

    def center_on(self, node: int) -> None:
        """Centre a node; if everything is visible, the view is unchanged."""
        geometry = self._target or self.geometry_shown
        if (diagram := self.diagram) is not None:
            self._stage.pan(diagram.area.center() - diagram.rects[node].center())
            self.update()
        elif geometry is not None and geometry.zoom > _FITTED and not self.shows_cards:
            self._go_to(geometry.centered(geometry.zoom, node))

    def bring_into_view(self, node: int) -> None:
        """Pan just enough to show a node."""
        geometry = self._target or self.geometry_shown
        if geometry is None or self.shows_cards:
            return
        if self.diagram is not None:
            self._stage.bring_into_view(node)
            self.update()
            return
        place, area = geometry.place(node), geometry.area
        x = max(area.left() - place.left(), 0) + min(area.right() - place.right(), 0)
        y = max(area.top() - place.top(), 0) + min(area.bottom() - place.bottom(), 0)
        if geometry.zoom > 1:
            moved = place.translated(x, y)
            if moved.intersects(QRectF(self._covered)):  # not below the filter in the corner
                x += self._covered.right() + 8 - moved.left()
            if not self.minimap.isHidden() and moved.intersects(QRectF(self.minimap.geometry())):
                y += min(self.minimap.y() - 8 - moved.bottom(), 0)
            if x or y:
                self._go_to(geometry.panned(QPointF(x, y)))

    def _zoom_to_cards(self, point: QPointF) -> None:
        node = self._node_near(point, float("inf"))
        if node is not None and node != self.above.marks.selected:
            self.node_requested.emit(node)
        self.show_cards()

    def _set_cards(self, *, shown: bool) -> None:
        """Switch between cards and the complete lattice, which then shows the selected node."""
        was_shown, self._shows_cards = self._shows_cards, shown
        self._forget_hovered()
        self._walking.stop()
        self._slide = QPointF()
        geometry, selected = self.geometry_shown, self.above.marks.selected
        if shown and geometry is not None and selected is not None:
            self._set_geometry(geometry.centered(geometry.chip_zoom, selected))
        self._after_zoom()
        if was_shown or shown:
            self.cards_toggled.emit()

    def _go_to(self, end: LatticeGeometry, anchor: QPointF | None = None) -> None:
        """Animate to another view; `anchor` is the point that stays fixed while zooming."""
        start = self.geometry_shown
        if start is None or end == (self._target or start):
            return
        self._target = end

        def step(share: float) -> None:
            if share >= 1.0:
                self._target = None
                self._set_geometry(end)
            else:
                self._set_geometry(start.on_way_to(end, share, anchor))

        self._zooming.start(step)

    def _set_geometry(self, geometry: LatticeGeometry) -> None:
        if geometry != self.geometry_shown:
            self.geometry_shown = geometry
            self._after_zoom()

    def _look_at(self, across: float, down: float) -> None:
        """Centre a position; with cards, select the node there."""
        layout, geometry = self.layout_shown, self.geometry_shown
        if layout is None or geometry is None:
            return
        if not self.shows_cards:
            self._forget_movements()
            self._set_geometry(geometry.centred_at(across, down))
            return
        row = layout.rows[min(int((1 - down) * layout.n_rows), layout.n_rows - 1)]
        widest = max(len(nodes) for nodes in layout.rows)
        place = round((across - 0.5) * widest + (len(row) - 1) / 2)
        self.node_requested.emit(int(row[min(max(place, 0), len(row) - 1)]))

    # -- animations ----------------------------------------------------------------------------

    def _move_ring(self, before: int | None, after: int | None) -> None:
        """Animate the ring along the edge to the selected node."""
        geometry = self.geometry_shown
        is_still = self.shows_cards or self.diagram is not None
        if before is None or after is None or geometry is None or is_still:
            self._selecting.stop()
            self.above = replace(self.above, lag=QPointF())
            return
        way = geometry.place(before).center() - geometry.place(after).center()

        def step(share: float) -> None:
            self.above = replace(self.above, lag=way * (1 - share))
            self.update()

        self._selecting.start(step)

    def _slide_from(self, place: QRectF | None) -> None:
        """Animate the cards from the previous position of the selected node."""
        cards = self.cards
        if place is None or cards is None:
            return
        way = place.center() - cards.selected.rect.center()

        def step(share: float) -> None:
            self._slide = way * (1 - share)
            self.update()

        self._walking.start(step)

    def _forget_movements(self) -> None:
        for movement in (self._zooming, self._selecting, self._walking):
            movement.stop()
        self._target, self._slide = None, QPointF()
        self.above = replace(self.above, lag=QPointF())

    # -- events --------------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        turns = event.angleDelta().y() / 120
        if turns:
            self.zoom_by(_ZOOM_STEP**turns, event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._mouse.press(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._mouse.is_down:
            self._hover(self._node_near(event.position(), _HOVER_REACH))
            return
        moved = self._mouse.move(event.position())
        if moved is not None and self.diagram is not None:
            self._stage.pan(moved)
            self._update_cursor()
            self.update()
        elif moved is not None and self.geometry_shown is not None and not self.shows_cards:
            self._zooming.stop()
            self._target = None
            self._set_geometry(self.geometry_shown.panned(moved))
            self._update_cursor()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        is_click = self._mouse.release()
        self._update_cursor()
        if is_click and (node := self.node_at(event.position().toPoint())) is not None:
            self.node_requested.emit(node)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            node = self.node_at(event.position().toPoint())
            if node is not None:
                self.apply_requested.emit(node)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, selected = Qt.Key(event.key()), self.above.marks.selected
        if (step := step_of(event)) is not None:
            self.step_requested.emit(step)
        elif key == Qt.Key.Key_Home:
            self.fit()
        elif key in ZOOM_IN:
            self.zoom_in()
        elif key in ZOOM_OUT:
            self.zoom_out()
        elif key in ACTIVATE and selected is not None:
            self.apply_requested.emit(selected)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        is_by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        node = self.above.marks.selected if is_by_key else self.node_at(event.pos())
        if node is not None and is_by_key:
            self._request_menu(node)
        elif node is not None:
            self.menu_requested.emit(node, event.globalPos())

    def _request_menu(self, node: int) -> None:
        self.menu_requested.emit(node, self.mapToGlobal(self.node_rect(node).center()))

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

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._forget_movements()
        self._arrangement = None
        self._refit(keep=True)
        self.resized.emit()

    def sizeHint(self) -> QSize:
        return QSize(1062, 408)

    def minimumSizeHint(self) -> QSize:
        return QSize(360, 160)

    def _hover(self, node: int | None) -> None:
        if node == self._hovered:
            return
        self._forget_hovered()
        self._hovered = node
        self.hover_requested.emit(-1 if node is None else node)

    def _forget_hovered(self) -> None:
        self._hovered = None
        self.above = replace(self.above, hovered=None)
        self.update()

    # -- drawing -------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        if self.geometry_shown is None or self.colours is None or self.layout_shown is None:
            painter.fillRect(self.rect(), theme.color("surface"))
            return
        if self.geometry_shown.ratio != self.devicePixelRatioF():
            self._refit(keep=True)
        look, canvas, geometry = (
            NodeLook(self.colours, self._levels, self._heights),
            self._canvas(),
            self.geometry_shown,
        )
        if (cards := self.cards) is not None and self._hood is not None:
            if self._dots is None:
                marks, layout = self.above.marks, self.layout_shown
                self._dots = card_layer(cards, self._hood, self._values, layout, look, marks, canvas, theme)
            hovered = None if self._hovered is None else cards.rect_of(self._hovered)
            paint_cards(painter, self._dots, hovered, self._slide, canvas, theme)
        elif self.diagram is not None:
            self._stage.paint(painter, look, self.above, self._hovered, canvas, theme)
        else:
            if self._dots is None:
                self._dots = self.drawn_nodes(geometry, look, canvas, theme)
            paint_nodes(painter, geometry, self._dots, self._rows, self.above, look, canvas, theme)
        if self.hasFocus():
            draw_focus(painter, QRectF(self.rect()), theme)

    def _draw_ahead(self) -> None:
        """Draw the nodes before the paint event, so that input is not delayed."""
        geometry, colours = self.geometry_shown, self.colours
        if geometry is None or colours is None or self._shows_cards or not self.isVisible():
            return
        if geometry.ratio == self.devicePixelRatioF():
            look, canvas = NodeLook(colours, self._levels, self._heights), self._canvas()
            if self.diagram is not None:
                self._stage.draw_layer(look, self.above, canvas, current_theme())
            else:
                self._dots = self.drawn_nodes(geometry, look, canvas, current_theme())

    def drawn_nodes(self, geometry: LatticeGeometry, look: NodeLook, canvas: Canvas, theme: Theme) -> QImage:
        """Return the nodes as a picture, below edges and marks; subclasses extend it."""
        return node_layer(geometry, look, canvas, theme, self._drawing)

    def _redraw(self) -> None:
        """Draw the nodes again."""
        self._dots = None
        self._stage.redraw()
        self._update_uncovered()

    def _update_uncovered(self) -> None:
        """Paint what no opaque corner covers; painting below a corner would paint it again."""
        uncovered, round_corner = QRegion(self.rect()), CORNER_RADIUS
        for corner in self.findChildren(Corner, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if corner.isVisible():
                place = corner.geometry()
                uncovered -= place.adjusted(round_corner, 0, -round_corner, 0)
                uncovered -= place.adjusted(0, round_corner, 0, -round_corner)
        self.update(uncovered)

    def _canvas(self) -> Canvas:
        return Canvas(self.size(), (scaled(LEFT_GUTTER), scaled(RIGHT_GUTTER)), self.devicePixelRatioF())

    def _area(self) -> QRectF:
        return self._canvas().inner.adjusted(0, EDGE, 0, -EDGE)

    def _refit(self, *, keep: bool = False) -> None:
        self._dots = None
        self._stage.refit(self.layout_shown if self.has_diagrams else None, self._canvas(), keep=keep)
        if self.layout_shown is None:
            self.geometry_shown = None
            self._place_minimap()
            self.update()
            return
        area, ratio = self._area(), self.devicePixelRatioF()
        if keep and self.geometry_shown is not None:
            geometry = self.geometry_shown.in_area(area, ratio, font_scale())
        else:
            geometry = LatticeGeometry.fitted(self.layout_shown, area, ratio, font_scale())
        if geometry.zoom <= _FITTED:
            geometry = self._fitted(area, ratio)
        self.geometry_shown = geometry
        self._update_cursor()
        self._place_minimap()
        self.update()
        self.zoom_changed.emit()

    def _fitted(self, area: QRectF, ratio: float) -> LatticeGeometry:
        """Return the complete view, moved right of the filter in the corner if there is room."""
        layout = self.layout_shown
        assert layout is not None, "only called with a lattice"
        return LatticeGeometry.fitted_beside(layout, area, ratio, font_scale(), QRectF(self._reserved))

    def _place_minimap(self) -> None:
        """Place the minimap in the corner if not everything is visible, unless it would cover cards."""
        geometry, minimap = self.geometry_shown, self.minimap
        is_zoomed = geometry is not None and self.diagram is None and not self.is_fitted
        size = minimap.sizeHint()
        right = scaled(8) if self.shows_cards else scaled(RIGHT_GUTTER) + 8
        place = QRect(QPoint(0, 0), size)
        place.moveBottomRight(QPoint(self.width() - right, self.height() - 8))
        has_room = self.width() >= 2 * size.width() and self.height() >= 2 * size.height()
        if (cards := self.cards) is not None:
            has_room &= not any(item.rect.intersects(QRectF(place)) for item in cards.items)
        minimap.setVisible(is_zoomed and has_room)
        minimap.setGeometry(place)
        if geometry is not None:
            minimap.show_frame(frame_in_view(geometry, self.cards))

    def _update_cursor(self) -> None:
        if self._mouse.is_panning and not self.shows_cards:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif not self.is_fitted and not self.shows_cards:
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        else:
            self.unsetCursor()

    def _on_theme_changed(self) -> None:
        self._arrangement = None
        self._refit(keep=True)
