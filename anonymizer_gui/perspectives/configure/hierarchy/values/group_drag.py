"""Mouse drag of values or groups between the views of the editor.

Qt's own drag and drop hands the mouse to the platform and reports nothing before the drop. Here each
view reports the target under the pointer and highlights it during the drag.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.drafts import Selection
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named


@dataclass(frozen=True)
class DropTarget:
    """Group to drop on; without a label, room for a new group of the level.

    Attributes
    ----------
    beside : str or None
        Value that joins the new group, because the drop was on it.
    """

    level: int
    label: str | None = None
    beside: str | None = None


class DropFace(Protocol):
    """View that accepts drops."""

    def drop_target_at(self, position: QPoint, dragged: Selection) -> DropTarget | None:
        """Return the target of a drop at a position on the screen; None if it is not possible."""

    def show_drop_target(self, target: DropTarget | None) -> None:
        """Highlight the target of a drop."""


class GroupDrag(QObject):
    """Drag in progress, at most one; Escape cancels it.

    The view where the drag starts calls `begin` once the mouse has moved far enough with the button
    down, and receives no further moves of the mouse and no release.
    """

    dropped = Signal(object, object)  # Selection, DropTarget

    def __init__(self, host: QWidget) -> None:
        super().__init__(host)
        self._host = host
        self._faces: list[DropFace] = []
        self.dragged: Selection | None = None
        self._target: DropTarget | None = None
        self._tag = named(make_label("", Text.CELL, "text"), "dragTag")
        self._tag.setParent(host)
        self._tag.setProperty("tag", "true")
        self._tag.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._tag.hide()

    def add_face(self, face: DropFace) -> None:
        """Register a view that accepts drops."""
        self._faces.append(face)

    def begin(self, dragged: Selection, words: str, position: QPoint) -> None:
        """Start a drag; `words` follow the pointer, `position` is on the screen."""
        self.dragged = dragged
        self._tag.setText(words)
        self._tag.adjustSize()
        self._tag.show()
        self._tag.raise_()
        QApplication.instance().installEventFilter(self)  # type: ignore[union-attr]  # there is one
        self.move(position)

    def move(self, position: QPoint) -> None:
        """Continue at a position."""
        if self.dragged is None:
            return
        corner = self._host.mapFromGlobal(position) + QPoint(12, 16)
        corner.setX(min(corner.x(), self._host.width() - self._tag.width()))
        self._tag.move(corner)
        self._target = None
        for face in self._faces:
            target = None if self._target else face.drop_target_at(position, self.dragged)
            self._target = self._target or target
            face.show_drop_target(target)

    def drop(self, position: QPoint) -> None:
        """Finish at a position."""
        QApplication.instance().removeEventFilter(self)  # type: ignore[union-attr]  # there is one
        self.move(position)
        dragged, target = self.dragged, self._target
        self.cancel()
        if dragged is not None and target is not None:
            self.dropped.emit(dragged, target)

    def cancel(self) -> None:
        """Cancel the drag; the mouse does nothing until its button is released."""
        if self.dragged is None:
            return
        self.dragged = self._target = None
        self._tag.hide()
        for face in self._faces:
            face.show_drop_target(None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Windows pass events of the mouse on to their widgets, and note which button is down.
        if isinstance(event, QMouseEvent) and isinstance(watched, QWidget):
            if event.type() == QEvent.Type.MouseMove:
                self.move(event.globalPosition().toPoint())
                return True
            if event.type() == QEvent.Type.MouseButtonRelease and event.button() == Qt.MouseButton.LeftButton:
                self.drop(event.globalPosition().toPoint())
                return True
        if (
            event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride)
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            # Accepted here, the key press follows; consumed here, it would reach the focus widget.
            if event.type() == QEvent.Type.KeyPress:
                self.cancel()
            event.accept()
            return True
        return super().eventFilter(watched, event)
