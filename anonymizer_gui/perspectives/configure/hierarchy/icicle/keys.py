"""Keys of the icicle: move, extend, rename, move cuts, zoom, and search by typing."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent

from anonymizer_gui.perspectives.configure.hierarchy.icicle.canvas import GroupSpan
from anonymizer_gui.perspectives.configure.hierarchy.icicle.face import IcicleFace

_ZOOM_STEP = 1.5
_Key, _Modifier = Qt.Key, Qt.KeyboardModifier
_SIDES = {_Key.Key_Left: -1, _Key.Key_Right: 1}
_LEVELS = {_Key.Key_Up: 1, _Key.Key_Down: -1}
_ZOOMS = {_Key.Key_PageUp: _ZOOM_STEP, _Key.Key_PageDown: 1 / _ZOOM_STEP}


class IcicleKeys:
    """Key handler of a view, with the text typed since the last pause."""

    def __init__(self, view: IcicleFace) -> None:
        self._view = view
        self._search = TypedSearch(view)
        self._search.changed.connect(self._show_search)

    def forget(self) -> None:
        """Reset when the focus is lost."""
        self._view.is_panning_key_down = False
        self._search.clear()

    def wants(self, event: QKeyEvent) -> bool:
        """Return whether the icicle uses a key, so that no shortcut takes it."""
        has_modifiers = bool(event.modifiers() & (_Modifier.ControlModifier | _Modifier.AltModifier))
        if event.modifiers() == _Modifier.AltModifier and _Key(event.key()) in _SIDES:
            return True
        return not has_modifiers and (event.text().isprintable() and event.text() != "")

    def press(self, event: QKeyEvent) -> bool:
        """Handle a key press; return False if the key has no function here."""
        view, key, modifiers = self._view, _Key(event.key()), event.modifiers()
        is_extending = bool(modifiers & _Modifier.ShiftModifier)
        is_plain = not modifiers & (_Modifier.ControlModifier | _Modifier.AltModifier)
        if key in _SIDES and (modifiers & _Modifier.AltModifier or (view.cut is not None and is_plain)):
            self._move_cut(_SIDES[key], is_free=bool(modifiers & _Modifier.AltModifier))
        elif key in _SIDES and is_plain:
            self._step(_SIDES[key], is_extending=is_extending)
        elif key in _LEVELS and is_plain:
            self._change_level(_LEVELS[key])
        elif key == _Key.Key_Home and modifiers & _Modifier.ControlModifier:
            view.fit()
        elif key in (_Key.Key_Home, _Key.Key_End) and is_plain:
            self._step_to(0 if key == _Key.Key_Home else self._n_groups() - 1, is_extending=is_extending)
        elif key in _ZOOMS:
            view.zoom_by(_ZOOMS[key])
        elif key == _Key.Key_A and modifiers == _Modifier.ControlModifier:
            view.request(view.cursor_spot.level, 0, self._n_groups())  # the current group is unchanged
        elif key in (_Key.Key_Return, _Key.Key_Enter) and is_plain:
            self._rename()
        elif key == _Key.Key_Escape:
            return self._escape()
        elif key == _Key.Key_Backspace and self._search.text:
            self._search.erase()
            self._find()
        elif key == _Key.Key_Space and is_plain and not self._search.text:
            self._view.is_panning_key_down = True
        elif is_plain and event.text() and event.text().isprintable():
            self._search.type(event.text())
            self._find()
        else:
            return False
        return True

    def release(self, event: QKeyEvent) -> bool:
        """Handle a key release."""
        if event.key() == _Key.Key_Space and not event.isAutoRepeat() and self._view.is_panning_key_down:
            self._view.is_panning_key_down = False
            return True
        return False

    # --------------------------------------------------------------------------------------------

    def _show_search(self) -> None:
        self._view.typed = self._search.text
        self._view.update()

    def _n_groups(self) -> int:
        geometry = self._view.geometry_shown
        assert geometry is not None
        return len(geometry.outline.levels[self._view.cursor_spot.level].codes)

    def _step(self, step: int, *, is_extending: bool) -> None:
        spot = self._view.cursor_spot
        goal = spot.last - 1 + step if step > 0 else spot.first + step
        self._step_to(min(max(goal, 0), self._n_groups() - 1), is_extending=is_extending)

    def _step_to(self, group: int, *, is_extending: bool) -> None:
        view = self._view
        spot = GroupSpan(view.cursor_spot.level, group, group + 1)
        if is_extending:
            view.extend_to(spot)
        else:
            view.select_spot(self._open(spot))

    def _change_level(self, step: int) -> None:
        """Move to the group above, or to the first one below."""
        view, geometry = self._view, self._view.geometry_shown
        assert geometry is not None
        spot = view.cursor_spot
        level = min(max(spot.level + step, 0), geometry.height)
        place = int(geometry.outline.levels[spot.level].starts[spot.first])
        group = geometry.group_of_place(level, place)
        if level != spot.level:
            view.select_spot(self._open(GroupSpan(level, group, group + 1)))

    def _open(self, spot: GroupSpan) -> GroupSpan:
        """Open a closed group and return it."""
        geometry = self._view.geometry_shown
        assert geometry is not None
        place = int(geometry.outline.levels[spot.level].starts[spot.first])
        closed = int(geometry.outline.closed[place])
        if closed <= spot.level:
            return spot
        group = geometry.group_of_place(closed, place)
        return GroupSpan(closed, group, group + 1)

    def _move_cut(self, step: int, *, is_free: bool) -> None:
        """Move the chosen cut, or the one at the end of the current group, by one step.

        Cuts of dates move by periods, free ones by values. A cut that was just chosen is not free: moving it
        by values would split the groups below at once.
        """
        view, geometry = self._view, self._view.geometry_shown
        assert geometry is not None
        if view.cut is None:
            level, first = view.cursor_spot.level, view.cursor_spot.first
            found = [b for b in (first + 1, first) if geometry.can_cut(level, b)]
            if not found:
                return
            view.set_cut((level, found[0]))
            is_free = False
        assert view.cut is not None
        level, boundary = view.cut
        goal = view.next_of_cut(step, is_free=is_free)
        if goal is not None:
            view.cut_requested.emit(level, boundary, goal)

    def _rename(self) -> None:
        view, spot = self._view, self._view.cursor_spot
        geometry = view.geometry_shown
        assert geometry is not None
        if spot.level > 0 and spot.last - spot.first == 1:
            code = int(geometry.outline.levels[spot.level].codes[spot.first])
            view.begin_rename(spot.level, geometry.outline.hierarchy.levels[spot.level].labels[code])

    def _escape(self) -> bool:
        if self._search.text:
            self._search.clear()
            return True
        return self._view.escape()

    def _find(self) -> None:
        view, geometry = self._view, self._view.geometry_shown
        assert geometry is not None
        spot = view.cursor_spot
        labels = geometry.outline.hierarchy.levels[spot.level].labels
        codes = geometry.outline.levels[spot.level].codes
        found = self._search.find([labels[code] for code in codes.tolist()], spot.first)
        if found is not None:
            view.select_spot(self._open(GroupSpan(spot.level, found, found + 1)))


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
