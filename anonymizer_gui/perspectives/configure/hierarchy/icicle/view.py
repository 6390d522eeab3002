"""Icicle with its mouse and key handlers."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.icicle.face import IcicleFace
from anonymizer_gui.perspectives.configure.hierarchy.icicle.keys import IcicleKeys
from anonymizer_gui.perspectives.configure.hierarchy.icicle.mouse import IcicleMouse
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import GroupDrag
from engine.hierarchies.outline import Outline
from engine.table import Column


class IcicleView(IcicleFace):
    """Widget that forwards events to the mouse and key handlers."""

    def __init__(self, drag: GroupDrag, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mouse = IcicleMouse(self, drag)
        self._keys = IcicleKeys(self)

    def show_outline(self, column: Column | None, outline: Outline | None) -> None:
        """Show a hierarchy; a drag or search in progress ends."""
        self._mouse.cancel()
        if column is not self._column:
            self._keys.forget()
        super().show_outline(column, outline)

    def escape(self) -> bool:
        """Cancel a gesture, else release the cut or clear the selection; False if there was nothing."""
        return self._mouse.cancel() or super().escape()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._mouse.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._mouse.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._mouse.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._mouse.double_click(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._mouse.wheel(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.set_hovered(None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        position = QPointF(event.pos())
        if event.reason() == QContextMenuEvent.Reason.Keyboard and self.geometry_shown is not None:
            rect = self.geometry_shown.group_rect(self.cursor_spot.level, self.cursor_spot.first)
            self.menu_requested.emit(self.mapToGlobal(rect.center().toPoint()))
            return
        spot = self.spot_at(position)
        level = self.level_named_at(position)
        if spot is not None and not self.is_marked(spot):
            self.select_spot(spot)
        elif level is not None:
            self.select_level(level)
        self.menu_requested.emit(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.geometry_shown is None or not self._keys.press(event):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not self._keys.release(event):
            super().keyReleaseEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if self._keys.wants(event):  # typing searches here, whatever the key does elsewhere
                event.accept()
                return True
        elif event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = self._tooltip_at(QPointF(event.pos()))
            if text:
                QToolTip.showText(event.globalPos(), text, self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def _tooltip_at(self, position: QPointF) -> str:
        cut, spot = self.cut_at(position), self.spot_at(position)
        if cut is not None:
            return "\n".join(self._cut_words(*cut))
        return self.words.group(spot.level, spot.first, spot.last) if spot is not None else ""

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._describe()
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._keys.forget()
        self.update()
