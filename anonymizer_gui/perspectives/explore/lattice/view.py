"""Lattice as one painted view: all nodes, marks on some of them, zoom and pan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QRegion, QWheelEvent

from anonymizer_gui.perspectives.explore.lattice.card_faces import shows_chips
from anonymizer_gui.perspectives.explore.lattice.card_painting import CardPainting, marks_of_cards
from anonymizer_gui.perspectives.explore.lattice.corners import CORNER_RADIUS, Corner, Minimap, frame_in_view
from anonymizer_gui.perspectives.explore.lattice.diagram import FULL, Diagram, diagram_of
from anonymizer_gui.perspectives.explore.lattice.diagram_painting import (
    DiagramPicture,
    diagram_area,
    marks_of_diagram,
)
from anonymizer_gui.perspectives.explore.lattice.layout import (
    CHIP_PITCH_X,
    CHIP_PITCH_Y,
    SMALLEST_PITCH,
    LatticeGeometry,
    LatticeLayout,
)
from anonymizer_gui.perspectives.explore.lattice.legend import Drawing
from anonymizer_gui.perspectives.explore.lattice.marks import (
    Marks,
    NodePaths,
    PlacedMark,
    StepTaken,
    marks_of_nodes,
    names_of_marks,
)
from anonymizer_gui.perspectives.explore.lattice.neighbourhood import (
    Arrangement,
    Neighbourhood,
    NodeValues,
    arrange,
)
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook, no_words
from anonymizer_gui.perspectives.explore.lattice.painting import (
    Canvas,
    Overlay,
    node_layer,
    paint_cards,
    paint_nodes,
)
from anonymizer_gui.perspectives.explore.lattice.raster import NOT_SCORED, DotPicture
from anonymizer_gui.perspectives.explore.lattice.split import (
    Facet,
    SplitLayout,
    SplitWords,
    draw_frames,
    marks_of_split,
    paint_split,
    split_area,
)
from anonymizer_gui.perspectives.explore.node_canvas import NodeCanvas, NodeLayout
from anonymizer_gui.theming import Theme, current_theme, font_scale, scaled
from anonymizer_gui.theming.motion import Motion, Movement
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.accessible import Accessible, Role, value_changed
from engine.scoring.split import Split

# Long counts overlap the ends of short rows; the widest row has a short one next to it.
LEFT_GUTTER, RIGHT_GUTTER, EDGE = 22, 66, 2
STRIP, _MINIMAP = 34, 260  # px: height of the strip above a zoomed lattice, and width of the minimap in it
_FACETS = {  # rows upwards and columns to the right
    Qt.Key.Key_Up: (1, 0),
    Qt.Key.Key_Down: (-1, 0),
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
}
_STEPS = {
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
    Qt.Key.Key_Left: "left",
    Qt.Key.Key_Right: "right",
}


class LatticeView(NodeCanvas):
    """Nodes as dots, chips, cards of a diagram, or cards around the selected node."""

    step_requested = Signal(str)  # "up", "down", "left", "right", "other up", "other down"
    cards_toggled = Signal()  # cards are shown or hidden

    has_diagrams = True  # small lattices are drawn with cards and all edges
    largest_place = (CHIP_PITCH_X, CHIP_PITCH_Y)  # px of a node at the largest zoom
    layout_shown: LatticeLayout | None = None
    geometry_shown: LatticeGeometry | None = None  # current view
    _diagram: Diagram | None = None
    _hood: Neighbourhood | None = None
    _shows_cards = _shows_split = False
    _split: SplitLayout | None = None
    _split_words: SplitWords | None = None
    _facet: Facet = (0, 0)  # on which keys act
    _framed: QImage | None = None  # dots of facets with their frames

    def __init__(self) -> None:
        super().__init__("lattice", self.tr("Lattice of all nodes"))
        self._levels: NDArray[np.int16] = np.zeros((0, 0), dtype=np.int16)
        self._heights: tuple[int, ...] = ()
        self._phrases: Callable[[int], Sequence[str]] = no_words
        self._target: LatticeGeometry | None = None  # end of a running zoom animation
        self.colours: NodeLook | None = None
        self.above = Overlay()  # edges and the last step, drawn above the nodes
        self._picture = DiagramPicture()
        self._failing: NDArray[np.bool_] | None = None  # nodes with line cards, until a knob is released
        self._reserved = QRect()
        self._dots: QImage | None = None
        self._drawing = DotPicture()
        self._values = NodeValues()
        self._arrangement: Arrangement | None = None
        self._slide = QPointF()
        self._zooming = Movement(Motion.ZOOM, self)
        self._selecting = Movement(Motion.SELECT, self)
        self._walking = Movement(Motion.WALK, self)
        self.minimap = Minimap(self)
        self.minimap.looked_at.connect(self._look_at)

    # -- display -------------------------------------------------------------------------------

    def show_lattice(
        self,
        layout: LatticeLayout | None,
        levels: NDArray[np.int16] | None = None,
        heights: Sequence[int] | None = None,
        phrases: Callable[[int], Sequence[str]] = no_words,
    ) -> None:
        """Show another lattice completely, without scores; None for none.

        `heights` are the highest levels of the hierarchies, by default of the nodes; `phrases` returns the
        generalized columns of a node in words, for cards.
        """
        self._forget_movements()
        self._phrases = phrases
        self.layout_shown = layout
        self._levels = levels if levels is not None else np.zeros((0, 0), dtype=np.int16)
        highest = self._levels.max(axis=0).tolist() if self._levels.size else ()
        self._heights = tuple(highest if heights is None else heights)
        self.above, self.marks = Overlay(), Marks()
        self.geometry_shown, self.colours, self.hovered = None, None, None
        self._shows_cards, self._hood, self._arrangement, self._failing = False, None, None, None
        self._shows_split, self._split, self._split_words = False, None, None
        if layout is not None:
            self.colours = self._unscored(layout)
        self.minimap.show_lattice(layout, None)
        self._refit()

    def show_more(self, layout: LatticeLayout, levels: NDArray[np.int16]) -> None:
        """Show more nodes of the same lattice: zoom and position stay if possible, colours follow."""
        self._forget_movements()
        geometry = self.geometry_shown
        self.layout_shown, self._levels = layout, levels
        self.colours = self._unscored(layout)
        self._hood, self._arrangement = None, None  # its rows have grown; another one follows
        self.minimap.show_lattice(layout, None)
        if geometry is not None:
            kept = self.marks.selected  # still selected if it is visible
            before = None if kept is None else geometry.place(kept).center()
            self.geometry_shown = geometry = geometry.of(layout)
            if kept is not None and before is not None and geometry.zoom > 1:
                self.geometry_shown = geometry.panned(before - geometry.place(kept).center())
        self._refit(keep=True)

    def _unscored(self, layout: LatticeLayout) -> NodeLook:
        nothing, values = np.full(layout.n_nodes, NOT_SCORED, dtype=np.uint8), np.full(layout.n_nodes, np.nan)
        return self._dressed(NodeLook(nothing, values))

    def _dressed(self, look: NodeLook) -> NodeLook:
        return replace(look, levels=self._levels, heights=self._heights, phrases=self._phrases)

    def show_colours(self, colours: NodeLook, *, keeps_formats: bool = False) -> None:
        """Recolour every node; cards keep their formats while a knob is held."""
        self.colours = look = self._dressed(colours)
        if self._failing is None or not (keeps_formats or np.array_equal(self._failing, ~look.met)):
            self._failing = ~look.met
            if self._diagram is not None:
                self._diagram = replace(self._diagram, failing=self._failing)
        self.minimap.show_lattice(self.layout_shown, colours.classes)
        self._redraw()
        self._draw_ahead()

    def change_marks(self, before: Marks) -> None:
        above, selected = self.above, self.marks.selected
        paths = above.paths if above.paths is not None and above.paths.node == selected else None
        if paths is None and selected is not None:
            paths = NodePaths(selected, self.marks.neighbours)
        step = above.step if above.step is not None and above.step.end == selected else None
        self.above = replace(above, paths=paths, step=step)
        if before.selected != selected:
            self._move_ring(before.selected, selected)
        if self._shows_cards:
            self._dots = None
        self._update_uncovered()

    def spoken_actions(self, selected: int) -> dict[str, Callable[[], object]]:
        steps = {
            self.tr("One step more general"): "up",
            self.tr("One step more precise"): "down",
            self.tr("Previous in the row"): "left",
            self.tr("Next in the row"): "right",
        }
        walk = self.step_requested.emit
        return super().spoken_actions(selected) | {
            words: partial(walk, step) for words, step in steps.items()
        }

    def show_paths(self, paths: NodePaths | None) -> None:
        """Draw the edges of the selected node, and the cheapest path to bottom and top."""
        if paths != self.above.paths:
            self.above = replace(self.above, paths=paths)
            self.update()

    def show_hovered(self, paths: NodePaths) -> None:
        """Answer `hover_requested` with the edges of that node."""
        if paths.node == self.hovered:
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
            self._slide_from(old.place(hood.node))

    def show_facets(
        self, split: Split | None, layout: LatticeLayout | None, words: SplitWords | None
    ) -> None:
        """Set the facets of `show_split`, and their numbers; None for a lattice that is not split."""
        if split is None or layout is None or words is None:
            self._split, self._shows_split = None, False
        elif self._split is None or self._split.split != split:
            self._split = self._laid_out(split, layout)
            self._facet = words.optimum or (0, 0)
        self._split_words = words
        if self._shows_split:
            self.update()

    @property
    def can_split(self) -> bool:
        """True if the lattice has facets."""
        return self._split is not None

    def show_split(self) -> None:
        """Show the facets, all of them."""
        if self._split is not None:
            self._split, self._shows_split = self._split.fitted(), True
            self._set_cards(shown=False)

    def _laid_out(self, split: Split, layout: LatticeLayout) -> SplitLayout:
        return SplitLayout(
            split, layout, split_area(QRectF(self.rect())), self.devicePixelRatioF(), font_scale()
        )

    def open_facet(self, facet: Facet | None) -> None:
        """Show one facet alone, or all."""
        if self.split is not None:
            self.show_layout(self.split.opening(facet))

    def spoken_facet(self) -> str:
        """Return the numbers of the facet that keys act on."""
        return "" if self._split_words is None else self._split_words.spoken(self._facet)

    def set_reserved(self, corner: QRect) -> None:
        """Set the top left corner covered by the level filter; a fitted lattice leaves it free."""
        if corner != self._reserved:
            self._reserved = corner
            self._refit(keep=True)

    @property
    def shown(self) -> LatticeGeometry | Diagram | Arrangement | SplitLayout | None:
        """Layout of nodes: on cards around the selected one, in facets, on cards of all, or in rows."""
        return self.cards or self.split or self.diagram or self.geometry_shown

    @property
    def destination(self) -> LatticeGeometry | Diagram | Arrangement | SplitLayout | None:
        return self.cards or self.split or self.diagram or self._target or self.geometry_shown

    @property
    def split(self) -> SplitLayout | None:
        """Facets of a large lattice; None while they are not shown."""
        return self._split if self._shows_split and not self.shows_cards else None

    @property
    def diagram(self) -> Diagram | None:
        """Cards with all edges, in which a small lattice is drawn; None for others."""
        return None if self.shows_cards or self.geometry_shown is None else self._diagram

    @property
    def is_fitted(self) -> bool:
        """True if all nodes are visible."""
        return self.shown is None or self.shown.is_whole

    @property
    def has_chips(self) -> bool:
        """True if a view with larger nodes exists between all nodes and cards."""
        larger = self._diagram or self.geometry_shown
        return larger is None or larger.has_larger

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
        """Form in which the nodes are drawn."""
        shown = self.shown
        if isinstance(shown, Diagram):
            return Drawing.DIAGRAM
        if isinstance(shown, SplitLayout):
            return Drawing.DOTS
        if not isinstance(shown, LatticeGeometry):
            return Drawing.CARDS
        if shown.pitch < SMALLEST_PITCH:
            return Drawing.SHARES
        return Drawing.CHIPS if shows_chips(shown) else Drawing.DOTS

    @property
    def zoom_stop(self) -> str:
        """ "fit", "chips", "cards", or "" between and beyond."""
        return "fit" if self.shown is None else self.shown.stop

    @property
    def can_zoom_in(self) -> bool:
        """True if a closer view exists."""
        return self.geometry_shown is not None and not self.shows_cards

    def is_free(self, rect: QRect) -> bool:
        """Return whether no node overlaps a rectangle; there are none in the strip."""
        seen = QRectF(rect).intersected(QRectF(self.rect()).adjusted(0, self.strip, 0, 0))
        return self.shown is None or seen.isEmpty() or self.shown.is_free(seen)

    @property
    def strip(self) -> int:
        """Height of the strip above the nodes of a zoomed lattice; 0 if there is none."""
        return scaled(STRIP) if isinstance(self.shown, LatticeGeometry) and not self.is_fitted else 0

    def placed(self, layout: Any, marks: Marks) -> Sequence[PlacedMark]:
        if isinstance(layout, Arrangement):
            return marks_of_cards(layout, marks)
        if isinstance(layout, Diagram):
            return marks_of_diagram(layout, marks)
        if isinstance(layout, SplitLayout):
            return marks_of_split(layout, marks)
        canvas = self._canvas()
        names = names_of_marks(layout, marks, canvas.inner, canvas.corners, self.above.step)
        return marks_of_nodes(layout, marks, canvas.inner, names)

    def node_near(self, point: QPointF, reach: float) -> int | None:
        return None if point.y() < self.strip else super().node_near(point, reach)

    # -- zoom ----------------------------------------------------------------------------------

    def show_layout(self, layout: NodeLayout | None) -> None:
        if isinstance(layout, Diagram):
            self._diagram = layout
            self._after_zoom()
        elif isinstance(layout, SplitLayout):
            self._split, self._facet = layout, layout.opened or self._facet
            self._after_zoom()
        elif isinstance(layout, LatticeGeometry):
            self._zooming.stop()
            self._target = None
            self._set_geometry(layout)

    def go_to(self, layout: NodeLayout, anchor: QPointF | None = None) -> None:
        """Show another part of the lattice; dots and chips move there, around a fixed point."""
        start = self.geometry_shown
        if not isinstance(layout, LatticeGeometry):
            self.show_layout(layout)
        elif start is not None and layout != (self._target or start):
            self._target = layout

            def step(share: float) -> None:
                if share >= 1.0:
                    self._target = None
                    self._set_geometry(layout)
                else:
                    self._set_geometry(start.on_way_to(layout, share, anchor))

            self._zooming.start(step)

    def fit(self) -> None:
        if self._diagram is not None:
            self._diagram = self._diagram.fitted()
        self._shows_split = False
        self._set_cards(shown=False)
        if self.geometry_shown is not None and self.layout_shown is not None:
            self.go_to(self._fitted(self.layout_shown))

    def show_chips(self) -> None:
        """Zoom until nodes are chips, around the selected node or the centre."""
        node = self.marks.optimum if self.marks.selected is None else self.marks.selected
        if self._diagram is not None:
            self._diagram = self._diagram.sized(FULL, node)
        self._shows_split = False
        self._set_cards(shown=False)
        geometry = self.geometry_shown
        if self._diagram is not None or geometry is None:
            return
        if node is None:
            self.go_to(geometry.zoomed_to(geometry.chip_zoom, geometry.seen.center()))
        else:
            self.go_to(geometry.centered(geometry.chip_zoom, node))

    def show_cards(self) -> None:
        """Show the neighbourhood of the selected node as cards; without one the optimum is requested."""
        layout, marks = self.layout_shown, self.marks
        if layout is None:
            return
        self._shows_cards = True
        if marks.selected is None:
            middle = layout.rows[0][len(layout.rows[0]) // 2]
            self.node_requested.emit(int(middle) if marks.optimum is None else marks.optimum)
        self._set_cards(shown=True)

    def zoom_by(self, factor: float, point: QPointF | None = None) -> None:
        if not self.shows_cards:
            super().zoom_by(factor, point)
        elif factor < 1:
            self.show_chips()

    def zoom_beyond(self, point: QPointF | None) -> None:
        """Select the node at the point, and show its cards."""
        if point is not None or self.marks.selected is None:
            node = self.node_near(QRectF(self.rect()).center() if point is None else point, float("inf"))
            if node is not None and node != self.marks.selected:
                self.node_requested.emit(node)
        self.show_cards()

    def _after_zoom(self) -> None:
        self._redraw()
        self.update_cursor()
        self._place_minimap()
        self.zoom_changed.emit()

    def center_on(self, node: int) -> None:
        """Centre a node; if everything is visible, the view is unchanged."""
        shown = self.destination
        place = None if shown is None or shown.is_whole else shown.place(node)
        if isinstance(shown, LatticeGeometry) and place is not None:
            self.go_to(shown.centered(shown.zoom, node))
        elif isinstance(shown, Diagram) and place is not None:
            self.pan(shown.area.center() - place.center())
        elif isinstance(shown, SplitLayout):
            self.bring_into_view(node)

    def bring_into_view(self, node: int) -> None:
        if (split := self.split) is None:
            super().bring_into_view(node)
            return
        facet = split.split.facet_of(node)
        if split.opened is None:
            self._facet = facet
            self.show_layout(split.showing(facet))
        elif split.opened != facet:
            self.open_facet(facet)

    def clear_of_corners(self, place: QRectF) -> QPointF:
        return QPointF(0, max(self.strip + 1 - place.top(), 0) if self.strip else 0)

    def _set_cards(self, *, shown: bool) -> None:
        """Switch between cards and the complete lattice, which then shows the selected node."""
        was_shown, self._shows_cards = self._shows_cards, shown
        self.hovered = None
        self.change_hovered()
        self._walking.stop()
        self._slide = QPointF()
        geometry, selected = self.geometry_shown, self.marks.selected
        if shown and geometry is not None and selected is not None:
            self._set_geometry(geometry.centered(geometry.chip_zoom, selected))
        self._after_zoom()
        if was_shown or shown:
            self.cards_toggled.emit()

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
        is_still = self.shows_cards or self.diagram is not None or self.split is not None
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

    def as_accessible(self) -> Accessible:
        """Return the current facet as value of a table, or the selected node."""
        shown = super().as_accessible()
        if self.split is None or self.split.opened is not None:
            return shown
        return replace(shown, role=Role.Table, value=self.spoken_facet())

    def _answer_in_split(self, split: SplitLayout, key: Qt.Key) -> bool:
        """Move between facets, or open and leave one; return whether the key does."""
        if split.opened is not None:
            if is_back := key in (Qt.Key.Key_Escape, Qt.Key.Key_Home):
                self.open_facet(None)
            return is_back
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.open_facet(self._facet)
        elif key == Qt.Key.Key_Home:
            self.show_split()
        elif key in _FACETS:
            moved = (at + step for at, step in zip(self._facet, _FACETS[key], strict=True))
            row, column = (min(max(at, 0), n - 1) for at, n in zip(moved, split.split.shape, strict=True))
            self._facet = row, column
            self.show_layout(split.showing(self._facet))
            value_changed(self)
        else:
            return False
        return True

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        split, at, is_click = self.split, event.position(), not self._is_dragging
        super().mouseReleaseEvent(event)
        if split is not None and split.opened is None and is_click and self.node_at(at.toPoint()) is None:
            self.open_facet(split.facet_at(at))

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.split is None or self.split.opened is not None or self.split.is_whole:
            super().wheelEvent(event)
        else:
            self.pan(QPointF(event.angleDelta()) / 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.split is not None and self._answer_in_split(self.split, Qt.Key(event.key())):
            return
        if (step := _STEPS.get(Qt.Key(event.key()))) is None:
            super().keyPressEvent(event)
            return
        is_other = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self.step_requested.emit(f"other {step}" if is_other and step in ("up", "down") else step)

    def refit(self) -> None:
        self._forget_movements()
        self._arrangement = None
        self._refit(keep=True)

    def sizeHint(self) -> QSize:
        return QSize(1062, 408)

    def minimumSizeHint(self) -> QSize:
        return QSize(360, 160)

    def change_hovered(self) -> None:
        self.above = replace(self.above, hovered=None)
        self.update()

    # -- drawing -------------------------------------------------------------------------------

    def draw(self, painter: ThemedPainter) -> None:
        if self.geometry_shown is not None and self.geometry_shown.ratio != self.devicePixelRatioF():
            self._refit(keep=True)
        super().draw(painter)

    def paint(self, painter: ThemedPainter, layout: Any, marks: Marks, hovered: int | None) -> None:
        look, canvas = self.colours, self._canvas()
        assert look is not None, "the nodes of a lattice have colours"
        if isinstance(layout, Diagram):
            self._picture.paint(painter, layout, look, marks, self.above.step, hovered, canvas)
            return
        if isinstance(layout, SplitLayout):
            assert self._split_words is not None, "facets have numbers"
            at = self._facet if self.hasFocus() and layout.opened is None else None
            dots = self._drawn_facets(layout, look, painter.theme)
            paint_split(painter, layout, dots, self._split_words, marks, at)
            return
        if self._dots is None:
            self._dots = self.drawn_nodes(layout, look, canvas, painter.theme)
        if isinstance(layout, Arrangement):
            place = None if hovered is None else layout.place(hovered)
            paint_cards(painter, self._dots, place, self._slide, canvas)
        else:
            paint_nodes(painter, layout, self._dots, marks, self.above, look, canvas)

    def _draw_ahead(self) -> None:
        """Draw the nodes before the paint event, so that input is not delayed."""
        geometry, look, theme = self.geometry_shown, self.colours, current_theme()
        if geometry is None or look is None or self._shows_cards or not self.isVisible():
            return
        if geometry.ratio == self.devicePixelRatioF():
            canvas = self._canvas()
            if self.split is not None:
                self._drawn_facets(self.split, look, theme)
            elif (diagram := self.diagram) is not None:
                self._picture.layer(diagram, look, canvas, theme)
            else:
                self._dots = self.drawn_nodes(geometry, look, canvas, theme)

    def _drawn_facets(self, split: SplitLayout, look: NodeLook, theme: Theme) -> QImage:
        """Return the dots of all facets in frames; only changed dots are drawn again."""
        size = (self.width(), self.height())
        dots = self._drawing.drawn(split, look.classes, size, theme, look.minimal)
        if dots is not self._framed:
            self._framed = dots
            draw_frames(dots, split, theme)
        return dots

    def drawn_nodes(
        self,
        layout: LatticeGeometry | Arrangement,
        look: NodeLook,
        canvas: Canvas,
        theme: Theme,
    ) -> QImage:
        """Return the nodes as a picture, below edges and marks; subclasses extend it."""
        if isinstance(layout, LatticeGeometry):
            return node_layer(layout, look, canvas, theme, self._drawing)
        assert self._hood is not None, "cards are those of a neighbourhood"
        assert self.layout_shown is not None
        picture = canvas.blank()
        own = ThemedPainter(picture, theme)
        CardPainting(own, layout, self._hood, self._values, self.layout_shown, look, self.marks).draw()
        own.end()
        return picture

    def _redraw(self) -> None:
        """Draw the nodes again."""
        self._dots = None
        self._picture.redraw()
        self._update_uncovered()

    def _update_uncovered(self) -> None:
        """Paint what no opaque corner covers; painting below a corner would paint it again."""
        uncovered, round_corner = QRegion(self.rect()), CORNER_RADIUS
        for place in self._corners():
            uncovered -= place.adjusted(round_corner, 0, -round_corner, 0)
            uncovered -= place.adjusted(0, round_corner, 0, -round_corner)
        self.update(uncovered)

    def _corners(self) -> list[QRect]:
        found = self.findChildren(Corner, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return [corner.geometry() for corner in found if corner.isVisible()]

    def _canvas(self) -> Canvas:
        gutters, corners = (scaled(LEFT_GUTTER), scaled(RIGHT_GUTTER)), tuple(map(QRectF, self._corners()))
        return Canvas(self.size(), gutters, self.devicePixelRatioF(), corners, self.strip)

    def _area(self) -> QRectF:
        area = self._canvas().inner.adjusted(0, EDGE, 0, -EDGE)
        # While a layout changes, a view can be lower than its edges.
        return QRectF(area.topLeft(), QSizeF(max(area.width(), 1.0), max(area.height(), 1.0)))

    def _refit(self, *, keep: bool = False) -> None:
        """Fit the nodes into the view; `keep` leaves the size of zoomed ones."""
        layout, before, diagram = self.layout_shown, self.geometry_shown, self._diagram
        self.geometry_shown = self._diagram = None
        if layout is not None:
            area, ratio, scale = self._area(), self.devicePixelRatioF(), font_scale()
            if self.has_diagrams:
                zoomed, whole = diagram if keep else None, diagram_area(self.rect())
                self._diagram = diagram_of(layout, whole, scale, self._failing, zoomed)
            if keep and before is not None and not before.is_whole:
                before = before.in_area(area, ratio, scale)
                self.geometry_shown = None if before.is_whole else before
            self.geometry_shown = self.geometry_shown or self._fitted(layout)
            if self._split is not None:
                self._split = replace(
                    self._laid_out(self._split.split, self._split.layout), opened=self._split.opened
                )
        self._after_zoom()
        self.update()

    def _fitted(self, layout: LatticeLayout) -> LatticeGeometry:
        """Return the complete view, moved right of the filter in the corner if there is room."""
        corner, ratio = QRectF(self._reserved), self.devicePixelRatioF()
        strip = float(scaled(STRIP))
        whole = LatticeGeometry(
            layout, self._area(), ratio, font_scale(), covered=strip, largest=self.largest_place
        )
        return whole.beside(corner)

    def _place_minimap(self) -> None:
        """Place the minimap in the strip, or with cards in the corner unless it would cover some."""
        geometry, minimap = self.geometry_shown, self.minimap
        is_zoomed = geometry is not None and self.diagram is None and not self.is_fitted
        is_zoomed &= self.split is None
        if (cards := self.cards) is not None:
            size = minimap.sizeHint()
            place = QRect(QPoint(0, 0), size)
            place.moveBottomRight(QPoint(self.width() - scaled(8), self.height() - 8))
            has_room = self.width() >= 2 * size.width() and self.height() >= 2 * size.height()
            has_room &= not any(item.rect.intersects(QRectF(place)) for item in cards.items)
        else:
            width = scaled(_MINIMAP)
            place = QRect(self.width() - scaled(RIGHT_GUTTER) - width, 2, width, scaled(STRIP) - 5)
            has_room = self.width() >= 2 * width
        minimap.setVisible(is_zoomed and has_room)
        minimap.setGeometry(place)
        minimap.set_solid(cards is not None)
        if geometry is not None:
            minimap.show_frame(frame_in_view(geometry, self.cards))

    def update_cursor(self, at: QPointF | None = None) -> None:
        if self._is_dragging and not self.shows_cards:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif not self.is_fitted and not self.shows_cards:
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        else:
            self.unsetCursor()
