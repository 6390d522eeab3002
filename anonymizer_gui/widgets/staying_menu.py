"""Menu that stays open while its check marks are set."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu


class StayingMenu(QMenu):
    """Space, Enter and a click toggle a mark; Escape and a click outside close the menu."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        action = self.actionAt(event.position().toPoint())
        if not self._set(action):
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.key() not in keys or not self._set(self.activeAction()):
            super().keyPressEvent(event)

    def _set(self, action: QAction | None) -> bool:
        """Toggle a check mark; return False for other entries."""
        if action is None or not action.isCheckable() or not action.isEnabled():
            return False
        action.trigger()
        return True
