"""Slider of the suppression limit, filled with the accent colour up to the limit."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.theming import scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.accessible import DECREASE, INCREASE, Accessible, Number, Role, value_changed
from anonymizer_gui.widgets.drawn import Drawn
from engine.numbers import as_percent

RANGES = (0.2, 0.5, 1.0)
_STEPS = 80
_STEP, _PAGE = 0.005, 0.05  # of the keys
_HANDLE, _SIDE = 6.5, 8
_Key = Qt.Key


class LimitSlider(Drawn, QWidget):
    """Emits `value_moved` while dragged, `value_chosen` on release or by keys.

    Parameters
    ----------
    ranges : tuple of float
        Possible right ends of the scale, which grows only if a larger value was typed.
    words : callable
        Words for a value, as screen readers say it.
    hint : str
        Its tooltip, in which `largest` is the right end of the scale.
    """

    value_moved = Signal(float)
    value_chosen = Signal(float)

    def __init__(
        self,
        name: str,
        *,
        ranges: tuple[float, ...] = RANGES,
        words: Callable[[float], str] = as_percent,
        hint: str = "",
    ) -> None:
        super().__init__()
        self._ranges, self._words = ranges, words
        self._hint = hint or self.tr("0 to {largest}; type any limit in the field")
        self._value = 0.0
        self._dragged = False
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def largest(self) -> float:
        """Right end of the scale."""
        return next((end for end in self._ranges if self._value <= end), 1.0)

    def as_accessible(self) -> Accessible:
        number = Number(self._value, 0.0, self.largest, _STEP, self._choose)
        actions = {
            INCREASE: lambda: self._choose(self._value + _STEP),
            DECREASE: lambda: self._choose(self._value - _STEP),
        }
        return Accessible(Role.Slider, self._words(self._value), number, actions=actions)

    def set_value(self, value: float) -> None:
        """Set the limit without emitting a signal."""
        if not self._dragged and value != self._value:
            self._set(value)

    def x_of(self, value: float) -> float:
        """Return the position of a limit on the slider in px."""
        return _SIDE + value / self.largest * (self.width() - 2 * _SIDE)

    def sizeHint(self) -> QSize:
        return QSize(150, scaled(24))

    def minimumSizeHint(self) -> QSize:
        return QSize(64, scaled(24))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._dragged = True
            self._move_to(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged:
            self._move_to(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragged:
            self._dragged = False
            self.value_chosen.emit(self._value)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {
            _Key.Key_Left: -_STEP,
            _Key.Key_Down: -_STEP,
            _Key.Key_Right: _STEP,
            _Key.Key_Up: _STEP,
            _Key.Key_PageDown: -_PAGE,
            _Key.Key_PageUp: _PAGE,
        }.get(Qt.Key(event.key()))
        if step is None and event.key() != _Key.Key_Home:
            super().keyPressEvent(event)
            return
        self._choose(0.0 if step is None else self._value + step)

    def draw(self, painter: ThemedPainter) -> None:
        middle, end = self.height() / 2, self.x_of(min(self._value, self.largest))
        track = QRectF(_SIDE, middle - 0.75, self.width() - 2 * _SIDE, 1.5)
        painter.fill(track, "border_strong", radius=0.75)
        painter.fill(QRectF(_SIDE, middle - 1.5, max(end - _SIDE, 0), 3), "accent", radius=1.5)
        painter.ink("accent", 2)
        painter.tint("surface")
        painter.drawEllipse(QPointF(end, middle), _HANDLE, _HANDLE)

    def _choose(self, wanted: float) -> None:
        value = round(min(max(wanted, 0.0), 1.0), 6)
        if value != self._value:
            self._set(value)
            self.value_chosen.emit(value)

    def _move_to(self, x: float) -> None:
        share = min(max((x - _SIDE) / max(self.width() - 2 * _SIDE, 1), 0.0), 1.0)
        # Rounded to convenient numbers, so that the entry next to it shows the exact limit.
        value = round(round(share * _STEPS) / _STEPS * self.largest, 6)
        if value != self._value:
            self._set(value)
            self.value_moved.emit(value)

    def _set(self, value: float) -> None:
        self._value = value
        value_changed(self)
        self.setToolTip(self._hint.format(largest=self._words(self.largest)))
        self.update()
