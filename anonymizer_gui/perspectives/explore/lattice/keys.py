"""What the keys mean in the lattice."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

_STEPS = {
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
    Qt.Key.Key_Left: "left",
    Qt.Key.Key_Right: "right",
}
ZOOM_IN = (Qt.Key.Key_Plus, Qt.Key.Key_Equal)
ZOOM_OUT = (Qt.Key.Key_Minus, Qt.Key.Key_Underscore)
ACTIVATE = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def step_of(event: QKeyEvent) -> str | None:
    """The step an arrow asks for; with Shift, up and down take the next best edge in place of the last."""
    step = _STEPS.get(Qt.Key(event.key()))
    is_other = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
    return f"other {step}" if is_other and step in ("up", "down") else step
