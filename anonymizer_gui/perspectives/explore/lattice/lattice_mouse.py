"""What the mouse does in the lattice: a press that moves pans, one that does not is a click."""

from __future__ import annotations

from PySide6.QtCore import QPointF

_DRAG_START = 4


class LatticeMouse:
    """Where the button went down, and whether the picture moves with it."""

    def __init__(self) -> None:
        self._pressed: QPointF | None = None
        self.is_panning = False

    @property
    def is_down(self) -> bool:
        return self._pressed is not None

    def press(self, position: QPointF) -> None:
        self._pressed, self.is_panning = position, False

    def move(self, position: QPointF) -> QPointF | None:
        """How far the picture moves; None while it may still become a click."""
        if self._pressed is None:
            return None
        moved = position - self._pressed
        if not self.is_panning and moved.manhattanLength() < _DRAG_START:
            return None
        self.is_panning = True
        self._pressed = position
        return moved

    def release(self) -> bool:
        """Let go; whether that was a click."""
        is_click = self.is_down and not self.is_panning
        self._pressed, self.is_panning = None, False
        return is_click
