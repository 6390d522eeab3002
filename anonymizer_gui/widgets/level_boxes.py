"""Row of numbered boxes, one per level: chosen ones filled, allowed ones soft, others outlined."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.accessible import (
    DECREASE,
    INCREASE,
    TOGGLE,
    Accessible,
    Number,
    Role,
    value_changed,
)
from anonymizer_gui.widgets.drawn import Drawn

_Align = Qt.AlignmentFlag
_HIT = 24  # pixels, minimum size of a click target


class LevelBoxes(Drawn, QWidget):
    """Selection of allowed levels; arrow keys move within the row and Space toggles.

    With `keeps_range` the allowed levels stay contiguous, as a bounded lattice requires.
    """

    allowed_changed = Signal(object)  # frozenset[int]

    def __init__(
        self, name: str, n_levels: int = 1, *, box_size: int = 24, keeps_range: bool = False
    ) -> None:
        super().__init__()
        self._box_size = box_size
        self._keeps_range = keeps_range
        self._n_levels = n_levels
        self._allowed: frozenset[int] = frozenset(range(n_levels))
        self._chosen: int | None = None
        self._meanings: tuple[str, ...] = ()
        self._cursor = 0
        self._hovered: int | None = None
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        # Boxes of many levels shrink to their design size if larger text leaves no room.
        can_shrink = box_size >= _HIT
        width = QSizePolicy.Policy.Maximum if can_shrink else QSizePolicy.Policy.Fixed
        self.setSizePolicy(width, QSizePolicy.Policy.Fixed)
        self._update_description()

    def show_levels(
        self,
        n_levels: int,
        allowed: Collection[int],
        chosen: int | None = None,
        meanings: Sequence[str] = (),
    ) -> None:
        """Show `n_levels` boxes; `meanings` describe the effect of each level."""
        shown = n_levels, frozenset(allowed), chosen, tuple(meanings)
        if shown == (self._n_levels, self._allowed, self._chosen, self._meanings):
            return
        self._n_levels, self._allowed, self._chosen, self._meanings = shown
        self._cursor = min(self._cursor, n_levels - 1)
        self.updateGeometry()
        self._update_description()
        self.update()

    def allowed(self) -> frozenset[int]:
        return self._allowed

    def chosen(self) -> int | None:
        return self._chosen

    def as_accessible(self) -> Accessible:
        actions = {
            TOGGLE: lambda: self.toggle(self._cursor),
            INCREASE: lambda: self._move_to(self._cursor + 1),
            DECREASE: lambda: self._move_to(self._cursor - 1),
        }
        highest = max(self._n_levels - 1, 0)
        number = Number(self._cursor, 0, highest, 1, lambda level: self._move_to(round(level)))
        states = {"checkable": True, "checked": self._cursor in self._allowed}
        return Accessible(Role.Slider, self._in_words(self._cursor), number, actions=actions, states=states)

    def box_rect(self, level: int) -> QRect:
        """Return the rectangle of a level's box."""
        side, gap = self._side(), self._gap()
        return QRect(level * (side + gap), (self.height() - side) // 2, side, side)

    def level_at(self, x: int) -> int | None:
        """Return the level whose box, with the gap after it, contains the horizontal position `x`."""
        level = x // (self._side() + self._gap())
        return level if 0 <= level < self._n_levels else None

    def toggle(self, level: int) -> None:
        """Allow or exclude a level as a click does; at least one level stays allowed."""
        allowed = self._ranged(level) if self._keeps_range else self._allowed ^ {level}
        if allowed and allowed != self._allowed:
            self._allowed = frozenset(allowed)
            self._update_description()
            self.update()
            self.allowed_changed.emit(self._allowed)

    def sizeHint(self) -> QSize:
        return self._size_for(scaled(self._box_size))

    def minimumSizeHint(self) -> QSize:
        return self._size_for(min(scaled(self._box_size), max(self._box_size, _HIT)))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        level = self.level_at(round(event.position().x()))
        if event.button() == Qt.MouseButton.LeftButton and level is not None:
            self._cursor = level
            self.toggle(level)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._set_hovered(self.level_at(round(event.position().x())))

    def leaveEvent(self, event: QEvent) -> None:
        self._set_hovered(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        moves = {
            Qt.Key.Key_Left: self._cursor - 1,
            Qt.Key.Key_Right: self._cursor + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: self._n_levels - 1,
        }
        if Qt.Key(key) in moves:
            self._move_to(moves[Qt.Key(key)])
        elif key in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.toggle(self._cursor)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            level = self.level_at(event.pos().x())
            QToolTip.showText(event.globalPos(), "" if level is None else self._in_words(level), self)
            return True
        return super().event(event)

    def draw(self, painter: ThemedPainter) -> None:
        use = Text.CELL if self._box_size >= 20 else Text.TICK
        for level in range(self._n_levels):
            box = QRectF(self.box_rect(level)).adjusted(0.5, 0.5, -0.5, -0.5)
            if level == self._chosen:
                fill, edge, ink = "accent", "accent", "on_accent"
            elif level in self._allowed:
                fill, edge, ink = "accent_soft", "accent_soft", "accent_text"
            else:
                fill, edge, ink = "surface", "border_strong", "text_3"
            if level == self._hovered:
                edge = "accent"
            painter.outline(box, edge, radius=4, filled=fill)
            token = ink if self.isEnabled() else "text_disabled"
            painter.style(use, token, SEMI_BOLD if level in self._allowed else None)
            painter.drawText(box, int(_Align.AlignCenter), str(level))
            if self.hasFocus() and level == self._cursor:
                painter.outline(box.adjusted(0.5, 0.5, -0.5, -0.5), "ink", 1.5, radius=4)

    def _move_to(self, level: int) -> None:
        self._cursor = min(max(level, 0), self._n_levels - 1)
        self._update_description()
        self.update()

    def _size_for(self, side: int) -> QSize:
        width = self._n_levels * (side + self._gap()) - self._gap()
        return QSize(max(width, side), scaled(self._box_size) + 2)

    def _side(self) -> int:
        wanted = scaled(self._box_size)
        if self.sizePolicy().horizontalPolicy() is QSizePolicy.Policy.Fixed:
            return wanted
        room = (self.width() + self._gap()) // max(self._n_levels, 1) - self._gap()
        return max(min(wanted, room), min(wanted, self._box_size))

    def _gap(self) -> int:
        return 4 if self._box_size >= 20 else 2

    def _ranged(self, level: int) -> frozenset[int]:
        """Return the range extended to a level outside it, or cut at the nearer end."""
        if not self._allowed:
            return frozenset({level})
        low, high = min(self._allowed), max(self._allowed)
        if level < low:
            low = level
        elif level > high:
            high = level
        elif level - low <= high - level:
            low = level + 1
        else:
            high = level - 1
        return frozenset(range(low, high + 1))

    def _in_words(self, level: int) -> str:
        meaning = f", {self._meanings[level]}" if level < len(self._meanings) else ""
        state = self.tr("allowed") if level in self._allowed else self.tr("excluded")
        return self.tr("Level {level}{meaning}: {state}").format(level=level, meaning=meaning, state=state)

    def _update_description(self) -> None:
        self.setAccessibleDescription(self._in_words(self._cursor) if self._n_levels else "")
        value_changed(self)

    def _set_hovered(self, level: int | None) -> None:
        if level != self._hovered:
            self._hovered = level
            self.update()
