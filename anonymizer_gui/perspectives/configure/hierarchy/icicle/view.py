"""Icicle with its mouse and its keys."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip

from anonymizer_gui.perspectives.configure.hierarchy.drafts import NOTHING, Selection
from anonymizer_gui.perspectives.configure.hierarchy.icicle.face import Gesture, IcicleFace, MouseAction
from anonymizer_gui.perspectives.configure.hierarchy.icicle.marks import selection_of
from anonymizer_gui.perspectives.configure.hierarchy.icicle.paint import GroupSpan
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import DropTarget, GroupDrag
from engine.hierarchies.outline import Outline
from engine.records import Column

_WHEEL_STEP, _KEY_STEP = 1.25, 1.5  # of the zoom
_EDGE = 16.0  # px from the edge within which a drag pans, and the step per move
_LEFT, _MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
_CTRL, _SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
_ALT = Qt.KeyboardModifier.AltModifier
_Key = Qt.Key
_SIDES = {_Key.Key_Left: -1, _Key.Key_Right: 1}
_LEVELS = {_Key.Key_Up: 1, _Key.Key_Down: -1}
_ZOOMS = {_Key.Key_PageUp: _KEY_STEP, _Key.Key_PageDown: 1 / _KEY_STEP}


class IcicleView(IcicleFace):
    """Groups are clicked, extended, banded, dragged, renamed and found by typing; cuts are moved."""

    def __init__(self, drag: GroupDrag) -> None:
        super().__init__()
        self._drag = drag
        self._search = TypedSearch(self)
        self._search.changed.connect(self._show_search)

    def show_outline(self, column: Column | None, outline: Outline | None) -> None:
        """Show a hierarchy; a drag or search in progress ends."""
        self._cancel()
        self._drag.cancel()
        if column is not self._column:
            self._forget_keys()
        super().show_outline(column, outline)

    def escape(self) -> bool:
        """Cancel a gesture, else release the cut or clear the selection; False if there was nothing."""
        return self._cancel() or super().escape()

    # Pointer ------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        QToolTip.hideText()
        if self.gesture is not None:
            return
        if event.button() == _MIDDLE or (event.button() == _LEFT and self._is_panning_key_down):
            self._begin(MouseAction.PAN, position)
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.button() == _LEFT:
            if (cut := self.cut_at(position)) is not None:
                self.set_cut(cut)
                self._begin(MouseAction.CUT, position).place = self.place_of(*cut)
            elif (closed := self.chevron_at(position)) is not None:
                self.toggle_requested.emit(closed.level, self._selection(closed).labels[0])
            else:
                self._press_groups(position, event.modifiers())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position, gesture = event.position(), self.gesture
        if gesture is None:
            self.hover(position)
            return
        if gesture.press is MouseAction.PAN:
            self.set_geometry(self.placed.panned(position.x() - gesture.at.x()))
        gesture.at = position
        if gesture.press is MouseAction.CUT and self.cut is not None and gesture.has_moved:
            self._pan_at_the_edge(position)
            gesture.place = self.place_of_cut(position.x(), is_free=bool(event.modifiers() & _ALT))
        elif gesture.press is MouseAction.GROUPS and gesture.has_moved:
            assert gesture.spot is not None, "pressed on groups"
            is_marked = self.is_marked(gesture.spot)
            dragged = self.selection if is_marked else self._selection(gesture.spot)
            self.gesture = None
            self._drag.begin(dragged, dragged.words, event.globalPosition().toPoint())
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        gesture = self.gesture
        if gesture is None or event.button() not in (_LEFT, _MIDDLE):
            return
        gesture.at = event.position()
        self.gesture = None
        self.update()
        if gesture.press is MouseAction.CUT and self.cut is not None:
            if gesture.place != (here := self.place_of(*self.cut)):
                self.cut_requested.emit(*self.cut, gesture.place)
            elif gesture.has_moved and here in self.placed.cut_range(*self.cut):
                words = self.tr("The cut cannot move further: every group keeps at least one value.")
                QToolTip.showText(event.globalPosition().toPoint(), words, self)
        elif gesture.press is MouseAction.GROUPS and gesture.narrows and gesture.spot is not None:
            self.select_spot(gesture.spot)
        elif gesture.press is MouseAction.BAND:
            self._end_band(gesture)
        self.hover(event.position())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Rename the group, or the level, under the pointer; without one, show everything."""
        position = event.position()
        if event.button() != _LEFT or self.cut_at(position) is not None:
            return
        spot = self.spot_at(position)
        if spot is None and (level := self.level_named_at(position)) is not None:
            self.gesture = None
            self.begin_naming(level)
        elif spot is None:
            self.fit()
        elif spot.level > 0 and spot.last - spot.first == 1:
            self.gesture = None
            self.begin_rename(spot.level, self._selection(spot).labels[0])

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer; sideways or with Shift, pan."""
        geometry, turn = self.placed, event.angleDelta()
        if event.modifiers() & _SHIFT or abs(turn.x()) > abs(turn.y()):
            self.set_geometry(geometry.panned(turn.x() or turn.y()))
        elif turn.y():
            self.zoom_by(_WHEEL_STEP ** (turn.y() / 120), event.position().x())
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        position = QPointF(event.pos())
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            rect = self.placed.group_rect(self.cursor_spot.level, self.cursor_spot.first)
            self.menu_requested.emit(self.mapToGlobal(rect.center().toPoint()))
            return
        spot = self.spot_at(position)
        level = self.level_named_at(position)
        if spot is not None and not self.is_marked(spot):
            self.select_spot(spot)
        elif level is not None:
            self.select_level(level)
        self.menu_requested.emit(event.globalPos())

    def explain(self, position: QPoint, place: QPoint) -> None:
        at, text = QPointF(position), ""
        cut, spot = (self.cut_at(at), self.spot_at(at)) if self.isEnabled() else (None, None)
        if cut is not None:
            text = "\n".join(self._cut_words(*cut))
        elif spot is not None:
            text = self.words.group(spot.level, spot.first, spot.last)
        QToolTip.showText(place, text, self)

    def hover(self, position: QPointF | None) -> None:
        cut = None if position is None else self.cut_at(position)
        self.set_hovered(None if position is None or cut is not None else self.spot_at(position))
        if cut is not None:
            self.setCursor(Qt.CursorShape.SplitHCursor)
        elif self._is_panning_key_down:
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        elif position is not None:
            self.unsetCursor()

    def drop_target_at(self, position: QPoint, dragged: Selection) -> DropTarget | None:
        """Return the target of a drop; at the edge of the plot, other groups come into view."""
        if self.geometry_shown is not None and self.isVisible():
            self._pan_at_the_edge(QPointF(self.mapFromGlobal(position)))
        return super().drop_target_at(position, dragged)

    def _begin(self, press: MouseAction, position: QPointF) -> Gesture:
        self.gesture = Gesture(press, position, position)
        return self.gesture

    def _cancel(self) -> bool:
        """Cancel a gesture; return False if there was none."""
        gesture, self.gesture = self.gesture, None
        if gesture is None:
            return False
        self.unsetCursor()
        self.update()
        return True

    def _pan_at_the_edge(self, position: QPointF) -> None:
        """Pan if something is dragged to the edge of the plot."""
        frame = self.placed.frame
        if self.placed.zoom > 1 and self.rect().contains(position.toPoint()):
            beyond = max(frame.left - position.x(), 0.0) or min(frame.right - _EDGE - position.x(), 0.0)
            if beyond:
                self.set_geometry(self.placed.panned(_EDGE if beyond > 0 else -_EDGE))

    def _press_groups(self, position: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        spot = self.spot_at(position)
        if spot is None or (modifiers & _SHIFT and spot.level != self.cursor_spot.level):
            self._begin(MouseAction.BAND, position).adds = bool(modifiers & (_CTRL | _SHIFT))
        elif modifiers & _SHIFT:
            self.extend_to(spot)
        elif modifiers & _CTRL:
            self.go_to(spot)
            self.selection_requested.emit(self.selection.toggled(self._selection(spot)))
            if spot.level == 0:
                gesture = self._begin(MouseAction.BAND, position)
                gesture.spot, gesture.adds = spot, True
        elif self.is_marked(spot):
            gesture = self._begin(MouseAction.GROUPS, position)
            gesture.spot, gesture.narrows = spot, True
        elif spot.level == 0:
            self._begin(MouseAction.BAND, position).spot = spot
        else:
            self.select_spot(spot)
            self._begin(MouseAction.GROUPS, position).spot = spot

    def _end_band(self, gesture: Gesture) -> None:
        if gesture.has_moved:
            spot = self.banded(gesture)
            self.go_to(GroupSpan(spot.level, spot.first, spot.first + 1))
            selection = self._selection(spot)
            self.selection_requested.emit(self.selection.added(selection) if gesture.adds else selection)
        elif gesture.adds:
            return
        elif gesture.spot is not None:
            self.select_spot(gesture.spot)
        elif (level := self.level_named_at(gesture.start)) is not None:
            self.select_level(level)
        else:
            self.set_cut(None)
            self.selection_requested.emit(NOTHING)

    def _selection(self, spot: GroupSpan) -> Selection:
        return selection_of(self.placed.outline, spot.level, spot.first, spot.last)

    # Keys ---------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            moves_cut = event.modifiers() == _ALT and _Key(event.key()) in _SIDES
            is_typed = event.text() != "" and event.text().isprintable()
            if moves_cut or (is_typed and not event.modifiers() & (_CTRL | _ALT)):
                event.accept()  # typing searches here, whatever the key does elsewhere
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._press_key(event):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == _Key.Key_Space and not event.isAutoRepeat() and self._is_panning_key_down:
            self._is_panning_key_down = False
        else:
            super().keyReleaseEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._describe()
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._forget_keys()
        self.update()

    def _press_key(self, event: QKeyEvent) -> bool:
        """Do what a key does; return False if it has no function here."""
        key, modifiers, text = _Key(event.key()), event.modifiers(), event.text()
        is_extending, is_plain = bool(modifiers & _SHIFT), not modifiers & (_CTRL | _ALT)
        if key in _SIDES and (modifiers & _ALT or (self.cut is not None and is_plain)):
            self._move_cut(_SIDES[key], is_free=bool(modifiers & _ALT))
        elif key in _SIDES and is_plain:
            spot, step = self.cursor_spot, _SIDES[key]
            goal = spot.last - 1 + step if step > 0 else spot.first + step
            self._step_to(min(max(goal, 0), self._n_groups() - 1), is_extending=is_extending)
        elif key in _LEVELS and is_plain:
            self._change_level(_LEVELS[key])
        elif key == _Key.Key_Home and modifiers & _CTRL:
            self.fit()
        elif key in (_Key.Key_Home, _Key.Key_End) and is_plain:
            self._step_to(0 if key == _Key.Key_Home else self._n_groups() - 1, is_extending=is_extending)
        elif key in _ZOOMS:
            self.zoom_by(_ZOOMS[key])
        elif key == _Key.Key_A and modifiers == _CTRL:
            self.request(self.cursor_spot.level, 0, self._n_groups())  # the current group is unchanged
        elif key in (_Key.Key_Return, _Key.Key_Enter) and is_plain:
            self._rename()
        elif key == _Key.Key_Escape:
            return self._escape()
        elif key == _Key.Key_Backspace and self._search.text:
            self._search.erase()
            self._find()
        elif key == _Key.Key_Space and is_plain and not self._search.text:
            self._is_panning_key_down = True
        elif is_plain and text and text.isprintable():
            self._search.type(text)
            self._find()
        else:
            return False
        return True

    def _forget_keys(self) -> None:
        self._is_panning_key_down = False
        self._search.clear()

    def _show_search(self) -> None:
        self.typed = self._search.text
        self.update()

    def _n_groups(self) -> int:
        return len(self.placed.outline.levels[self.cursor_spot.level].codes)

    def _step_to(self, group: int, *, is_extending: bool) -> None:
        spot = GroupSpan(self.cursor_spot.level, group, group + 1)
        if is_extending:
            self.extend_to(spot)
        else:
            self.select_spot(self._open(spot))

    def _change_level(self, step: int) -> None:
        """Move to the group above, or to the first one below."""
        spot = self.cursor_spot
        level = min(max(spot.level + step, 0), self.placed.height)
        group = self.placed.group_of_place(level, self.place_of(spot.level, spot.first))
        if level != spot.level:
            self.select_spot(self._open(GroupSpan(level, group, group + 1)))

    def _open(self, spot: GroupSpan) -> GroupSpan:
        """Open a closed group and return it."""
        place = self.place_of(spot.level, spot.first)
        closed = int(self.placed.outline.closed[place])
        if closed <= spot.level:
            return spot
        group = self.placed.group_of_place(closed, place)
        return GroupSpan(closed, group, group + 1)

    def _move_cut(self, step: int, *, is_free: bool) -> None:
        """Move the chosen cut, or the one at the end of the current group, by one step.

        Cuts of dates move by periods, free ones by values. A cut that was just chosen is not free: moving it
        by values would split the groups below at once.
        """
        if self.cut is None:
            level, first = self.cursor_spot.level, self.cursor_spot.first
            found = [b for b in (first + 1, first) if self.placed.can_cut(level, b)]
            if not found:
                return
            self.set_cut((level, found[0]))
            is_free = False
        assert self.cut is not None, "chosen before"
        goal = self.next_of_cut(step, is_free=is_free)
        if goal is not None:
            self.cut_requested.emit(*self.cut, goal)

    def _rename(self) -> None:
        spot, outline = self.cursor_spot, self.placed.outline
        if spot.level > 0 and spot.last - spot.first == 1:
            code = int(outline.levels[spot.level].codes[spot.first])
            self.begin_rename(spot.level, outline.hierarchy.levels[spot.level].labels[code])

    def _escape(self) -> bool:
        if self._search.text:
            self._search.clear()
            return True
        return self.escape()

    def _find(self) -> None:
        spot, outline = self.cursor_spot, self.placed.outline
        labels, codes = outline.hierarchy.levels[spot.level].labels, outline.levels[spot.level].codes
        found = self._search.find([labels[code] for code in codes.tolist()], spot.first)
        if found is not None:
            self.select_spot(self._open(GroupSpan(spot.level, found, found + 1)))


_FORGOTTEN_AFTER = 1500  # ms without a key


class TypedSearch(QObject):
    """Text typed since the last pause."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, singleShot=True, interval=_FORGOTTEN_AFTER)
        self._timer.timeout.connect(self.clear)
        self.text = ""

    def clear(self) -> None:
        """Clear the text."""
        self._timer.stop()
        if self.text:
            self.text = ""
            self.changed.emit()

    def type(self, text: str) -> None:
        """Append the text of a key."""
        self.text += text
        self._timer.start()
        self.changed.emit()

    def erase(self) -> None:
        """Remove the last character."""
        self.text = self.text[:-1]
        self._timer.start()
        self.changed.emit()

    def find(self, labels: Sequence[str], current: int) -> int | None:
        """Return the first match from the current label on, excluding it when a search starts."""
        wanted = self.text.casefold()
        if not wanted or not labels:
            return None
        begin = current if len(wanted) > 1 else current + 1
        folded = [label.casefold() for label in labels]
        order = [*range(begin, len(folded)), *range(min(begin, len(folded)))]
        found = next((i for i in order if folded[i].startswith(wanted)), None)
        return found if found is not None else next((i for i in order if wanted in folded[i]), None)
