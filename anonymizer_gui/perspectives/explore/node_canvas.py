"""One view for every drawing of nodes by index: a layout places them, and a painter draws them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QWheelEvent

from anonymizer_gui.perspectives.explore.hover_card import show_hover_card
from anonymizer_gui.perspectives.explore.lattice.marks import Marks, PlacedMark, mark_at
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.accessible import PRESS, SHOW_MENU, Accessible, Role
from anonymizer_gui.widgets.level_glyph import Glyph
from anonymizer_gui.widgets.painted_view import PaintedView
from engine.numbers import as_nodes
from engine.words import _


class NodeLayout(Protocol):
    """Layout of nodes. It is immutable: a change of the view returns another layout."""

    @property
    def n_nodes(self) -> int: ...

    @property
    def area(self) -> QRectF:
        """Part of the view in which nodes are visible."""

    @property
    def is_whole(self) -> bool:
        """Return whether all nodes are visible."""

    def place(self, node: int) -> QRectF | None:
        """Return the rectangle of a node; None if it has none."""

    def node_at(self, point: QPointF, reach: float = 0.0) -> int | None:
        """Return the node under a point, or the closest one within `reach` pixels."""

    def zoomed(self, factor: float, point: QPointF) -> NodeLayout | None:
        """Return the layout in another size, in which a point keeps its place; None beyond the largest."""

    def panned(self, by: QPointF) -> NodeLayout: ...

    def fitted(self) -> NodeLayout:
        """Return the layout in which all nodes are visible."""


class NodePainter(Protocol):
    """Painter of nodes; `layout` is of the kind that the painter is made for."""

    def placed(self, layout: Any, marks: Marks) -> Sequence[PlacedMark]:
        """Return the marks in the order of drawing; they are clicked before the nodes below them."""

    def paint(self, painter: ThemedPainter, layout: Any, marks: Marks, hovered: int | None) -> None:
        """Draw nodes and marks on the surface."""


def spoken_value(description: str, n_nodes: int) -> str:
    """Return the first paragraph of a description of the selected node, and the number of nodes.

    The description is empty if no node is selected.
    """
    if not n_nodes:
        return ""
    about = "; ".join(description.partition("\n\n")[0].splitlines())
    return f"{about or _('no node selected')}; {as_nodes(n_nodes)}"


_DRAG_START = 4  # px that a pressed pointer moves before it drags
_HOVER_REACH = 2.0
_ZOOM_STEP = 1.25
_ZOOMS = {
    Qt.Key.Key_Plus: _ZOOM_STEP,
    Qt.Key.Key_Equal: _ZOOM_STEP,
    Qt.Key.Key_Minus: 1 / _ZOOM_STEP,
    Qt.Key.Key_Underscore: 1 / _ZOOM_STEP,
}
_ACTIVATE = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class NodeCanvas(PaintedView):
    """Display of nodes by index; knows no model and computes no score.

    A subclass that keeps pictures of its nodes is its own painter.
    """

    node_requested = Signal(int)
    apply_requested = Signal(int)
    menu_requested = Signal(int, QPoint)  # node, place on the screen
    details_requested = Signal(int)
    hover_requested = Signal(int)  # node under the pointer; -1 when the pointer leaves it
    zoom_changed = Signal()
    marks_changed = Signal()

    click_reach = 5.0  # px around a node

    # Qt asks for the selected node before the constructor has ended.
    marks = Marks()
    hovered: int | None = None
    _shown: NodeLayout | None = None
    _details_at: tuple[int, QPoint] | None = None

    def __init__(self, object_name: str, spoken: str, painter: NodePainter | None = None) -> None:
        super().__init__(object_name, spoken)
        self._painter = painter
        self._pressed: QPointF | None = None  # where the pointer was pressed, or panned to since
        self._is_dragging = False

    # -- display -------------------------------------------------------------------------------

    @property
    def shown(self) -> NodeLayout | None:
        """Layout of the nodes; None without nodes."""
        return self._shown

    @property
    def destination(self) -> NodeLayout | None:
        """Layout at the end of a running animation."""
        return self.shown

    def show_layout(self, layout: NodeLayout | None) -> None:
        """Show the nodes in other places."""
        self._shown = layout
        self.update()
        self.zoom_changed.emit()

    def go_to(self, layout: NodeLayout, anchor: QPointF | None = None) -> None:
        """Show another part of the same layout; subclasses may animate it with a fixed point."""
        self.show_layout(layout)

    def show_marks(self, marks: Marks, description: str = "") -> None:
        """Mark the selected, optimal and applied node; the nodes are not drawn again."""
        before, self.marks = self.marks, marks
        self.describe(description)
        if before != marks:
            self.change_marks(before)
            self.marks_changed.emit()

    def change_marks(self, before: Marks) -> None:
        """Draw other marks than before."""
        self.update()

    def draw(self, painter: ThemedPainter) -> None:
        if (shown := self.shown) is None:
            painter.fill(self.rect(), "surface")
        else:
            self.paint(painter, shown, self.marks, self.hovered)

    def paint(self, painter: ThemedPainter, layout: Any, marks: Marks, hovered: int | None) -> None:
        assert self._painter is not None, "a view without a painter is its own"
        self._painter.paint(painter, layout, marks, hovered)

    def placed(self, layout: Any, marks: Marks) -> Sequence[PlacedMark]:
        assert self._painter is not None, "a view without a painter is its own"
        return self._painter.placed(layout, marks)

    # -- places --------------------------------------------------------------------------------

    def node_at(self, pos: QPoint) -> int | None:
        """Return the node whose mark is under a point, or the node within a few pixels."""
        return self.node_near(QPointF(pos), self.click_reach)

    def node_near(self, point: QPointF, reach: float) -> int | None:
        """Return the node whose mark is under a point, or the closest one within `reach` pixels."""
        if (shown := self.shown) is None:
            return None
        marked = mark_at(self.placed(shown, self.marks), point)
        return self.unmarked_near(point, reach) if marked is None else marked

    def unmarked_near(self, point: QPointF, reach: float) -> int | None:
        """Return the node under a point, below all marks, or the closest one within `reach` pixels."""
        return None if self.shown is None else self.shown.node_at(point, reach)

    def node_rect(self, node: int) -> QRect:
        """Return the rectangle of a node; empty if it has none."""
        place = None if self.shown is None else self.shown.place(node)
        return QRect() if place is None else place.toAlignedRect()

    def node_point(self, node: int) -> QPoint:
        """Return the pixel of a node."""
        return self.node_rect(node).center()

    # -- zoom ----------------------------------------------------------------------------------

    def fit(self) -> None:
        """Show all nodes."""
        if (shown := self.destination) is not None:
            self.go_to(shown.fitted())

    def zoom_in(self) -> None:
        self.zoom_by(_ZOOM_STEP)

    def zoom_out(self) -> None:
        self.zoom_by(1 / _ZOOM_STEP)

    def zoom_by(self, factor: float, point: QPointF | None = None) -> None:
        """Zoom at a point, or at the selected node if it is visible, or at the centre."""
        if (shown := self.destination) is None:
            return
        anchor = point or self._selected_point(shown) or shown.area.center()
        after = shown.zoomed(factor, anchor)
        if after is None:
            self.zoom_beyond(point)
        else:
            self.go_to(after, anchor)

    def zoom_beyond(self, point: QPointF | None) -> None:
        """Answer a zoom beyond the largest size, at a point if there is one."""

    def _selected_point(self, shown: NodeLayout) -> QPointF | None:
        place = None if self.marks.selected is None else shown.place(self.marks.selected)
        return place.center() if place is not None and shown.area.contains(place.center()) else None

    def pan(self, by: QPointF) -> None:
        """Pan what is larger than the view."""
        shown = self.shown
        if shown is not None and not by.isNull():
            self.show_layout(shown.panned(by))

    def bring_into_view(self, node: int) -> None:
        """Pan just enough to show a node."""
        shown = self.destination
        place = None if shown is None else shown.place(node)
        if shown is None or place is None or shown.is_whole:
            return
        area = shown.area
        by = QPointF(
            max(area.left() - place.left(), 0) + min(area.right() - place.right(), 0),
            max(area.top() - place.top(), 0) + min(area.bottom() - place.bottom(), 0),
        )
        by += self.clear_of_corners(place.translated(by))
        if not by.isNull():
            self.go_to(shown.panned(by))

    def clear_of_corners(self, place: QRectF) -> QPointF:
        """Return how far to pan so that nothing in the corners of the view covers a place."""
        return QPointF()

    # -- screen readers and hover card ---------------------------------------------------------

    def spoken_actions(self, selected: int) -> dict[str, Callable[[], object]]:
        """Return the actions of screen readers on the selected node."""
        return {
            PRESS: lambda: self.apply_requested.emit(selected),
            SHOW_MENU: lambda: self._request_menu(selected),
        }

    def as_accessible(self) -> Accessible:
        """Return the selected node as value."""
        selected, n_nodes = self.marks.selected, 0 if self.shown is None else self.shown.n_nodes
        value = spoken_value(self.accessibleDescription(), n_nodes)
        return Accessible(
            Role.Canvas, value, actions={} if selected is None else self.spoken_actions(selected)
        )

    def show_details(self, node: int, text: str, glyph: Glyph | None = None) -> None:
        """Answer `details_requested` with the description and the levels of the node."""
        if self._details_at is not None and self._details_at[0] == node:
            show_hover_card(self, self._details_at[1], text, glyph)

    def explain(self, position: QPoint, place: QPoint) -> None:
        node = self.node_at(position)
        if node is None:
            show_hover_card(self, place, "")
        else:
            self._details_at = (node, place)
            self.details_requested.emit(node)

    # -- pointer -------------------------------------------------------------------------------

    def hover(self, position: QPointF | None) -> None:
        node = None if position is None else self.node_near(position, _HOVER_REACH)
        if node != self.hovered:
            self.hovered = node
            self.change_hovered()
            self.hover_requested.emit(-1 if node is None else node)

    def change_hovered(self) -> None:
        """Highlight another node than before."""
        self.update()

    def drag(self, start: QPointF, at: QPointF) -> None:
        """Follow a pressed pointer that has moved."""
        self._pressed = at
        self.pan(at - start)

    def drop(self, at: QPointF) -> None:
        """End what `drag` began."""

    def update_cursor(self, at: QPointF | None = None) -> None:
        """Show by the cursor what a press at a point would do."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._is_dragging = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        pressed, at = self._pressed, event.position()
        if pressed is None:
            self.hover(at)
        elif self._is_dragging or (at - pressed).manhattanLength() >= _DRAG_START:
            self._is_dragging = True
            self.drag(pressed, at)
            self.update_cursor(at)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        at, is_pressed, was_dragged = event.position(), self._pressed is not None, self._is_dragging
        self._pressed, self._is_dragging = None, False
        if is_pressed and was_dragged:
            self.drop(at)
        elif is_pressed and (node := self.node_at(at.toPoint())) is not None:
            self.node_requested.emit(node)
        self.update_cursor(at)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turns = event.angleDelta().y() / 120
        if turns:
            self.zoom_by(_ZOOM_STEP**turns, event.position())
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            node = self.node_at(event.position().toPoint())
            if node is not None:
                self.apply_requested.emit(node)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        is_by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        node = self.marks.selected if is_by_key else self.node_at(event.pos())
        if node is not None and is_by_key:
            self._request_menu(node)
        elif node is not None:
            self.menu_requested.emit(node, event.globalPos())

    def _request_menu(self, node: int) -> None:
        self.menu_requested.emit(node, self.mapToGlobal(self.node_point(node)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, selected = Qt.Key(event.key()), self.marks.selected
        if key == Qt.Key.Key_Home:
            self.fit()
        elif key in _ZOOMS:
            self.zoom_by(_ZOOMS[key])
        elif key in _ACTIVATE and selected is not None:
            self.apply_requested.emit(selected)
        else:
            super().keyPressEvent(event)
