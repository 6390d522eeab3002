"""Mouse of the icicle: click, extend, rubber band, drag groups, move cuts, pan and zoom."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent

from anonymizer_gui.perspectives.configure.hierarchy.drafts import NOTHING, Selection
from anonymizer_gui.perspectives.configure.hierarchy.icicle.canvas import GroupSpan
from anonymizer_gui.perspectives.configure.hierarchy.icicle.face import Gesture, IcicleFace, MouseAction
from anonymizer_gui.perspectives.configure.hierarchy.icicle.geometry import IcicleGeometry
from anonymizer_gui.perspectives.configure.hierarchy.icicle.marks import added, selection_of, toggled
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import GroupDrag

_ZOOM_STEP = 1.25
_EDGE = 16.0  # px from the edge within which a drag pans, and the step per move
_LEFT, _MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
_CTRL, _SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
_ALT = Qt.KeyboardModifier.AltModifier


class IcicleMouse:
    """Mouse handler of a view, from press to release."""

    def __init__(self, view: IcicleFace, drag: GroupDrag) -> None:
        self._view, self._drag = view, drag

    def press(self, event: QMouseEvent) -> None:
        """Start a gesture."""
        view, position = self._view, event.position()
        if view.geometry_shown is None or self._view.gesture is not None:
            return
        if event.button() == _MIDDLE or (event.button() == _LEFT and view.is_panning_key_down):
            self._begin(MouseAction.PAN, position)
            view.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.button() == _LEFT:
            if (cut := view.cut_at(position)) is not None:
                view.set_cut(cut)
                starts = view.geometry_shown.outline.levels[cut[0]].starts
                self._begin(MouseAction.CUT, position).place = int(starts[cut[1]])
            elif (closed := view.chevron_at(position)) is not None:
                view.toggle_requested.emit(closed.level, self._labels(closed)[0])
            else:
                self._press_groups(position, event.modifiers())

    def move(self, event: QMouseEvent) -> None:
        """Continue a gesture, or highlight the group under the pointer."""
        view, position, gesture = self._view, event.position(), self._view.gesture
        geometry = view.geometry_shown
        if geometry is None:
            return
        if gesture is None:
            self._hover(position)
            return
        if gesture.press is MouseAction.PAN:
            view.set_geometry(geometry.panned(position.x() - gesture.at.x()))
        gesture.at = position
        if gesture.press in (MouseAction.CUT, MouseAction.DRAG) and gesture.has_moved:
            geometry = self._panned_at_the_edge(geometry, position)
        if gesture.press is MouseAction.CUT and view.cut is not None and gesture.has_moved:
            gesture.place = view.place_of_cut(position.x(), is_free=bool(event.modifiers() & _ALT))
        elif gesture.press is MouseAction.GROUPS and gesture.has_moved:
            dragged = self._dragged(gesture)
            gesture.press = MouseAction.DRAG
            self._drag.begin(dragged, view.words.selection(dragged), event.globalPosition().toPoint())
        elif gesture.press is MouseAction.DRAG:
            self._drag.move(event.globalPosition().toPoint())
        view.update()

    def release(self, event: QMouseEvent) -> None:
        """Finish a gesture."""
        view, gesture = self._view, self._view.gesture
        if gesture is None or event.button() not in (_LEFT, _MIDDLE):
            return
        gesture.at = event.position()
        self._view.gesture = None
        view.update()
        if gesture.press is MouseAction.DRAG:
            self._drag.drop(event.globalPosition().toPoint())
        elif gesture.press is MouseAction.CUT and view.cut is not None and view.geometry_shown is not None:
            level, boundary = view.cut
            if gesture.place != int(view.geometry_shown.outline.levels[level].starts[boundary]):
                view.cut_requested.emit(level, boundary, gesture.place)
        elif gesture.press is MouseAction.GROUPS and gesture.narrows and gesture.spot is not None:
            view.select_spot(gesture.spot)
        elif gesture.press is MouseAction.BAND:
            self._end_band(gesture)
        self._hover(event.position())

    def double_click(self, event: QMouseEvent) -> None:
        """Rename the group, or the level, under the pointer; without one, show everything."""
        view, position = self._view, event.position()
        if event.button() != _LEFT or view.geometry_shown is None or view.cut_at(position) is not None:
            return
        spot = view.spot_at(position)
        if spot is None and (level := view.level_named_at(position)) is not None:
            view.gesture = None
            view.begin_naming(level)
        elif spot is None:
            view.fit()
        elif spot.level > 0 and spot.last - spot.first == 1:
            self._view.gesture = None
            view.begin_rename(spot.level, self._labels(spot)[0])

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom at the pointer; sideways or with Shift, pan."""
        view, geometry = self._view, self._view.geometry_shown
        if geometry is None:
            return
        turn = event.angleDelta()
        if event.modifiers() & _SHIFT or abs(turn.x()) > abs(turn.y()):
            view.set_geometry(geometry.panned(turn.x() or turn.y()))
        elif turn.y():
            view.zoom_by(_ZOOM_STEP ** (turn.y() / 120), event.position().x())
        event.accept()

    def cancel(self) -> bool:
        """Cancel a gesture; return False if there was none."""
        gesture, self._view.gesture = self._view.gesture, None
        if gesture is None:
            return False
        if gesture.press is MouseAction.DRAG:
            self._drag.cancel()
        self._view.unsetCursor()
        self._view.update()
        return True

    # --------------------------------------------------------------------------------------------

    def _begin(self, press: MouseAction, position: QPointF) -> Gesture:
        self._view.gesture = Gesture(press, position, position)
        return self._view.gesture

    def _panned_at_the_edge(self, geometry: IcicleGeometry, position: QPointF) -> IcicleGeometry:
        """Return the view panned if something is dragged to the edge of the plot."""
        frame = geometry.frame
        if geometry.zoom > 1 and self._view.rect().contains(position.toPoint()):
            beyond = max(frame.left - position.x(), 0.0) or min(frame.right - _EDGE - position.x(), 0.0)
            if beyond:
                geometry = geometry.panned(_EDGE if beyond > 0 else -_EDGE)
                self._view.set_geometry(geometry)
        return geometry

    def _press_groups(self, position: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        view, spot = self._view, self._view.spot_at(position)
        if spot is None or (modifiers & _SHIFT and spot.level != view.cursor_spot.level):
            self._begin(MouseAction.BAND, position).adds = bool(modifiers & (_CTRL | _SHIFT))
        elif modifiers & _SHIFT:
            view.extend_to(spot)
        elif modifiers & _CTRL:
            view.go_to(spot)
            view.selection_requested.emit(toggled(view.selection, self._selection(spot)))
            if spot.level == 0:
                gesture = self._begin(MouseAction.BAND, position)
                gesture.spot, gesture.adds = spot, True
        elif view.is_marked(spot):
            gesture = self._begin(MouseAction.GROUPS, position)
            gesture.spot, gesture.narrows = spot, True
        elif spot.level == 0:
            self._begin(MouseAction.BAND, position).spot = spot
        else:
            view.select_spot(spot)
            self._begin(MouseAction.GROUPS, position).spot = spot

    def _end_band(self, gesture: Gesture) -> None:
        view, geometry = self._view, self._view.geometry_shown
        if geometry is None:
            return
        if gesture.has_moved:
            spot = view.banded(gesture)
            view.go_to(GroupSpan(spot.level, spot.first, spot.first + 1))
            selection = self._selection(spot)
            view.selection_requested.emit(added(view.selection, selection) if gesture.adds else selection)
        elif gesture.adds:
            return
        elif gesture.spot is not None:
            view.select_spot(gesture.spot)
        elif (level := view.level_named_at(gesture.start)) is not None:
            view.select_level(level)
        else:
            view.set_cut(None)
            view.selection_requested.emit(NOTHING)

    def _hover(self, position: QPointF) -> None:
        view = self._view
        cut = view.cut_at(position)
        view.set_hovered(view.spot_at(position) if cut is None else None)
        if cut is not None:
            view.setCursor(Qt.CursorShape.SplitHCursor)
        elif view.is_panning_key_down:
            view.setCursor(Qt.CursorShape.OpenHandCursor)
        else:
            view.unsetCursor()

    def _dragged(self, gesture: Gesture) -> Selection:
        assert gesture.spot is not None
        own = self._selection(gesture.spot)
        return self._view.selection if self._view.is_marked(gesture.spot) else own

    def _selection(self, spot: GroupSpan) -> Selection:
        geometry = self._view.geometry_shown
        assert geometry is not None
        return selection_of(geometry.outline, spot.level, spot.first, spot.last)

    def _labels(self, spot: GroupSpan) -> tuple[str, ...]:
        return self._selection(spot).labels
