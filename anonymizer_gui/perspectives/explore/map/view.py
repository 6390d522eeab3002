"""Map as one painted widget: nodes by two scores, selected and framed by mouse and keys."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent

from anonymizer_gui.perspectives.explore.hover_card import show_hover_card
from anonymizer_gui.perspectives.explore.lattice.marks import Marks, PlacedMark
from anonymizer_gui.perspectives.explore.map.drawing import (
    Labels,
    axis_labels,
    beyond,
    draw_axes,
    draw_front,
    draw_ground,
    draw_legend,
    draw_limit,
    draw_nodes,
    draw_shape,
    limit_line,
    placed_marks,
    plot_area,
    sized_sides,
    y_labels,
)
from anonymizer_gui.perspectives.explore.map.geometry import (
    MARGIN,
    MapGeometry,
    MapLegend,
    MapLimit,
    MapLook,
    MapPoints,
)
from anonymizer_gui.perspectives.explore.node_canvas import NodeCanvas, NodeLayout
from anonymizer_gui.theming import Theme, font_scale
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.drawn import CachedPicture

_LIMIT_REACH = 4.0
_NO_NODES = np.zeros(0, dtype=np.int64)
_DIRECTIONS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class Drag(Enum):
    """Mouse tools of the map."""

    FRAME = "frame"
    LASSO = "lasso"
    MOVE = "move"
    LIMIT = "limit"


class MapView(NodeCanvas):
    """Nodes by two scores, with the front of the best and the suppression limit."""

    click_reach = 14.0

    nodes_framed = Signal(object)  # bool per node
    clear_requested = Signal()
    limit_changing = Signal(float)  # in values of its axis, while it is dragged
    limit_changed = Signal(float)
    limit_cancelled = Signal()

    points: MapPoints | None = None
    geometry_shown: MapGeometry | None = None  # current view

    def __init__(self) -> None:
        super().__init__("map", self.tr("Map of all nodes by two values"))
        self.look: MapLook | None = None
        self.front: NDArray[np.int64] = _NO_NODES  # nodes of the front
        self.limit: MapLimit | None = None
        self._picture: QImage | None = None
        self._axes = CachedPicture()
        self._fitted: tuple[object, ...] = ()
        self._area = QRectF()
        self._labelled: tuple[object, ...] = ()
        self._labels: tuple[Labels, Labels] = ([], [])
        self.tool = Drag.FRAME
        self._drag: Drag | None = None
        self.shape_shown: list[QPointF] | None = None  # frame or lasso in axis positions
        self._anchor: int | None = None
        self._has_choice = False

    # -- display -------------------------------------------------------------------------------

    def show_points(self, points: MapPoints | None, *, keep_view: bool = False) -> None:
        """Show nodes at other positions; zoom is unchanged if only scores changed. None for none."""
        before = self.points
        self.points = points
        if points is None:
            self.geometry_shown, self.look, self.front, self.marks = None, None, _NO_NODES, Marks()
            self._drop_shape()
            self.update()
            return
        if before is None or before.across is not points.across or before.up is not points.up:
            self._drop_shape()  # the shape would no longer contain the chosen nodes
        if self.look is not None and len(self.look.classes) != len(points.across):
            self.look, self.front = None, _NO_NODES  # new ones follow
        geometry = self.geometry_shown
        if geometry is None or not keep_view:
            self.geometry_shown = MapGeometry(points.across, points.up, QRectF(0, 0, 1, 1))
        else:
            self.geometry_shown = geometry.of(points.across, points.up)
        self.refit()

    def show_look(self, look: MapLook) -> None:
        """Recolour every node."""
        has_legend = self._has_legend
        self.look = look
        self._picture = None
        if self._has_legend != has_legend:
            self.refit()
        self.update()

    def show_front(self, front: NDArray[np.int64]) -> None:
        """Draw the Pareto front through these nodes, the best by the first score first."""
        self.front = front
        self.update()

    def show_limit(self, limit: MapLimit | None) -> None:
        """Draw the suppression limit if an axis shows suppression."""
        if limit != self.limit:
            self.limit = limit
            self.update()

    def show_choice(self, has_choice: bool) -> None:
        """Set whether framed nodes filter the views; otherwise the frame is hidden."""
        self._has_choice = has_choice
        if not has_choice:
            self._drop_shape()

    def set_tool(self, tool: Drag) -> None:
        """Set the mouse tool."""
        self.tool = tool
        self.update_cursor()

    @property
    def shown(self) -> MapGeometry | None:
        """Layout of the nodes; None before they have colours."""
        return self.geometry_shown

    def node_point(self, node: int) -> QPoint:
        assert self.geometry_shown is not None, "no nodes are shown"
        place = self.geometry_shown.place(node)
        return (self.geometry_shown.area if place is None else place).center().toPoint()

    def placed(self, layout: Any, marks: Marks) -> Sequence[PlacedMark]:
        return () if self.look is None else placed_marks(layout, marks)

    def unmarked_near(self, point: QPointF, reach: float) -> int | None:
        """Return the best of the nodes that share the pixel closest to a point."""
        geometry, look = self.geometry_shown, self.look
        if geometry is None or look is None or not geometry.seen.contains(point):
            return None
        shown = look.passing if look.passing.any() else np.ones_like(look.passing)
        return geometry.node_at(point, reach, shown & geometry.has_place, look.rank())

    def limit_shown(self) -> QLineF | None:
        """Return the line of the limit."""
        if self.limit is None or self.points is None or self.geometry_shown is None:
            return None
        return limit_line(self.limit, self.points.x, self.points.y, self.geometry_shown)

    def show_layout(self, layout: NodeLayout | None) -> None:
        assert isinstance(layout, MapGeometry | None)
        self.geometry_shown, self._picture = layout, None
        super().show_layout(layout)

    # -- mouse ---------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.geometry_shown is None or self._pressed is not None:
            return
        self._anchor = None
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.MiddleButton:
            self._pressed, self._drag = event.position(), Drag.MOVE
        else:
            self._drag = Drag.LIMIT if self._is_on_limit(event.position()) else None
        self._is_dragging = self._drag is not None

    def hover(self, position: QPointF | None) -> None:
        self.update_cursor(position)

    def drag(self, start: QPointF, at: QPointF) -> None:
        if self._drag is None:
            self._drag = self.tool
            if self.tool is not Drag.MOVE:
                self.shape_shown = [self._place(start)]
        if self._drag is Drag.MOVE:
            super().drag(start, at)
        elif self._drag is Drag.LIMIT:
            self.limit_changing.emit(self._limit_at(at))
        elif self._drag is Drag.FRAME:
            self.shape_shown = _rectangle(self._place(start), self._place(at))
        elif self.shape_shown is not None:
            self.shape_shown.append(self._place(at))
        self.update()

    def drop(self, at: QPointF) -> None:
        drag, self._drag = self._drag, None
        if drag is Drag.LIMIT:
            self.limit_changed.emit(self._limit_at(at))
        elif drag in (Drag.FRAME, Drag.LASSO):
            self._frame()

    def explain(self, position: QPoint, place: QPoint) -> None:
        if self.node_at(position) is None or self._is_on_limit(QPointF(position)):
            show_hover_card(self, place, self._hint(QPointF(position)))
        else:
            super().explain(position, place)

    def _hint(self, at: QPointF) -> str:
        """Return possible actions at a position without a node; full names of axes with elided ones."""
        geometry, points = self.geometry_shown, self.points
        if geometry is None or points is None:
            return ""
        if self._is_on_limit(at):
            return self.tr("Drag to change the suppression limit")
        if not geometry.seen.contains(at):
            return self.tr(
                "Each mark is a node, coloured as in the lattice\nHorizontal: {across}\nVertical: {up}"
            ).format(across=points.x.name, up=points.y.name)
        return self.tr(
            "Drag around nodes to filter every view; Esc removes the filter\nThe line connects "
            "the Pareto front: nodes for which no other is better in both values.\nWheel: zoom · "
            "Home: show everything\nArrows: nearest node · Ctrl and arrows: along the front · "
            "Shift and arrows: frame nodes"
        )

    def _is_on_limit(self, at: QPointF) -> bool:
        line, geometry, limit = self.limit_shown(), self.geometry_shown, self.limit
        if line is None or geometry is None or limit is None:
            return False
        if not geometry.seen.adjusted(-_LIMIT_REACH, 0, _LIMIT_REACH, 0).contains(at):
            return False
        away = at.x() - line.x1() if limit.is_across else at.y() - line.y1()
        return abs(away) <= _LIMIT_REACH

    def _limit_at(self, at: QPointF) -> float:
        points, limit, place = self.points, self.limit, self._place(at)
        if points is None or limit is None:  # removed during the drag
            return 0.0
        if limit.is_across:
            return points.x.axis.value_at(min(max(place.x(), 0.0), 1.0))
        return points.y.axis.value_at(min(max(place.y(), 0.0), 1.0))

    def _place(self, at: QPointF) -> QPointF:
        assert self.geometry_shown is not None, "nodes are shown where something is dragged"
        return QPointF(*self.geometry_shown.places(at))

    def update_cursor(self, at: QPointF | None = None) -> None:
        if at is not None and self._is_on_limit(at):
            is_across = self.limit is not None and self.limit.is_across
            self.setCursor(Qt.CursorShape.SplitHCursor if is_across else Qt.CursorShape.SplitVCursor)
        elif self._drag is Drag.MOVE:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif self.tool is Drag.MOVE:
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        else:
            self.unsetCursor()

    # -- framing -------------------------------------------------------------------------------

    def _frame(self) -> None:
        """Request the nodes within the shape; an empty shape clears the choice."""
        geometry, look, shape = self.geometry_shown, self.look, self.shape_shown
        if geometry is None or look is None or shape is None:
            return
        chosen = geometry.within(shape)
        if chosen.any():
            self.nodes_framed.emit(chosen)
        else:
            self._clear()
        self.update()

    def _clear(self) -> None:
        self._drop_shape()
        if self._has_choice:
            self.clear_requested.emit()

    def _drop_shape(self) -> None:
        self._anchor = None
        if self.shape_shown is not None and self._drag not in (Drag.FRAME, Drag.LASSO):
            self.shape_shown = None
            self.update()

    # -- keys ----------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, keys = Qt.Key(event.key()), event.modifiers()
        if key in _DIRECTIONS:
            if keys & Qt.KeyboardModifier.ControlModifier:
                self._walk_front(1 if key in (Qt.Key.Key_Right, Qt.Key.Key_Down) else -1)
            else:
                self._step(_DIRECTIONS[key], is_framing=bool(keys & Qt.KeyboardModifier.ShiftModifier))
        elif key == Qt.Key.Key_Escape and (self._drag or self.shape_shown is not None or self._has_choice):
            self._escape()
        else:
            super().keyPressEvent(event)

    def _escape(self) -> None:
        """Cancel a drag, otherwise clear the choice."""
        drag, self._drag, self._pressed = self._drag, None, None
        if drag is Drag.LIMIT:
            self.limit_cancelled.emit()
        elif drag is None:
            self._clear()
        else:
            self._drop_shape()

    def _step(self, direction: tuple[int, int], *, is_framing: bool) -> None:
        geometry, look, selected = self.geometry_shown, self.look, self.marks.selected
        if geometry is None or look is None:
            return
        if selected is None or selected >= len(look.classes) or not geometry.has_place[selected]:
            self._request_best()
            return
        if not is_framing:
            self._anchor = None
        elif self._anchor is None:
            self._anchor = selected
        # While a frame grows, nodes outside it are not dimmed.
        among = geometry.has_place if is_framing else geometry.has_place & look.passing
        found = geometry.beside(selected, direction, among)
        if found is None:
            return
        anchor = self._anchor
        self.node_requested.emit(found)
        self.bring_into_view(found)
        geometry = self.geometry_shown
        if is_framing and anchor is not None and geometry is not None:
            one, other = (QPointF(geometry.across[n], geometry.up[n]) for n in (anchor, found))
            self._anchor, self.shape_shown = anchor, _rectangle(one, other, reach=1e-6)
            self._frame()

    def _request_best(self) -> None:
        """Select the optimum, or the first node with a position."""
        geometry = self.geometry_shown
        assert geometry is not None, "only asked for where nodes are shown"
        optimum = self.marks.optimum
        places = np.flatnonzero(geometry.has_place)
        if optimum is not None and geometry.has_place[optimum]:
            self.node_requested.emit(optimum)
        elif len(places):
            self.node_requested.emit(int(places[0]))

    def _walk_front(self, step: int) -> None:
        """Select the next node on the front, or the first."""
        if not len(self.front):
            return
        front = self.front.tolist()
        at = front.index(self.marks.selected) + step if self.marks.selected in front else 0
        node = front[min(max(at, 0), len(front) - 1)]
        self._anchor = None
        self.node_requested.emit(node)
        self.bring_into_view(node)

    # -- painting ------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(422, 216)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 120)

    def paint(self, painter: ThemedPainter, layout: Any, marks: Marks, hovered: int | None) -> None:
        painter.fill(self.rect(), "surface")
        geometry, points, look = layout, self.points, self.look
        assert points is not None, "nodes are shown at points"
        line, limit = self.limit_shown(), self.limit
        shaded = None if line is None or limit is None else beyond(line, limit, geometry)
        labels = self._labels_of(geometry, points)
        draw_ground(painter, geometry, shaded, labels)
        if look is not None:
            if self._picture is None:
                self._picture = self._draw_nodes(geometry, look, painter.theme)
            painter.drawImage(0, 0, self._picture)
        axes = self._labelled
        self._axes.paint(
            painter, self, axes, lambda own: draw_axes(own, geometry, points.x, points.y, labels)
        )
        painter.setClipRect(geometry.seen.adjusted(-2, -2, 2, 2))
        if len(self.front):
            draw_front(painter, geometry, self.front)
        if line is not None and limit is not None:
            draw_limit(painter, line, limit, geometry)
        if self.shape_shown is not None:
            draw_shape(painter, geometry, self.shape_shown)
        painter.setClipping(False)
        if look is not None:
            draw_legend(painter, geometry, look.legend)
            for mark in self.placed(geometry, marks):
                mark.draw(painter, mark.box, painter.theme)

    def _labels_of(self, geometry: MapGeometry, points: MapPoints) -> tuple[Labels, Labels]:
        """Return the labels of both axes, computed once for axes that stay the same."""
        area = geometry.area.getRect()
        wanted = (points.x, points.y, area, geometry.zoom, geometry.left, geometry.bottom, font_scale())
        if wanted != self._labelled:
            self._labels, self._labelled = axis_labels(points.x, points.y, geometry), wanted
        return self._labels

    def _draw_nodes(self, geometry: MapGeometry, look: MapLook, theme: Theme) -> QImage:
        ratio, size = self.devicePixelRatioF(), (self.width(), self.height())
        sides = None
        if look.sizes is not None:
            sides = sized_sides(look.sizes, int(geometry.has_place.sum()), ratio)
        return draw_nodes(geometry, look.classes, sides, size, ratio, theme)

    @property
    def _has_legend(self) -> bool:
        return self.look is not None and self.look.legend != MapLegend()

    def refit(self) -> None:
        """Leave room for the labels of the vertical axis; it is found once for an axis that stays."""
        self._picture = None
        geometry, points = self.geometry_shown, self.points
        if geometry is not None and points is not None:
            size, has_legend = (self.width(), self.height()), self._has_legend
            wanted = (points.y, geometry.zoom, geometry.bottom, size, has_legend, font_scale())
            if wanted != self._fitted:
                area = plot_area(size, (), has_legend=has_legend)
                labels = [text for _, text in y_labels(points.y, geometry.in_area(area))]
                area = plot_area(size, labels, has_legend=has_legend)
                self._area, self._fitted = area.adjusted(MARGIN, 0, -MARGIN, -MARGIN), wanted
            self.geometry_shown = geometry.in_area(self._area)
        self.update()


def _rectangle(one: QPointF, other: QPointF, reach: float = 0.0) -> list[QPointF]:
    left, right = min(one.x(), other.x()) - reach, max(one.x(), other.x()) + reach
    low, high = min(one.y(), other.y()) - reach, max(one.y(), other.y()) + reach
    return [QPointF(left, low), QPointF(right, low), QPointF(right, high), QPointF(left, high)]
