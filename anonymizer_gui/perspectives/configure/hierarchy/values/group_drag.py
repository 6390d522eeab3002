"""Dragging values or groups from any face of the editor onto any other, with the mouse alone.

Qt's own drag and drop hands the mouse to the platform and tells nothing before the drop; here each face
says what lies under the pointer and shows it while the drag goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.drafts import Selection
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named


@dataclass(frozen=True)
class DropTarget:
    """A group to drop on; without a label, room where a new group of the level would be made."""

    level: int
    label: str | None = None


class DropFace(Protocol):
    """A face that takes what is dragged."""

    def drop_target_at(self, position: QPoint, dragged: Selection) -> DropTarget | None:
        """What a drop at a place on the screen would go into; None where it cannot."""

    def show_drop_target(self, target: DropTarget | None) -> None:
        """Point out where a drop would go."""


class GroupDrag(QObject):
    """One drag at a time; Escape ends it without a drop.

    The face where the drag begins calls `begin` once the mouse has moved far enough with the button
    down, `move` on every further move, and `drop` when the button is let go.
    """

    dropped = Signal(object, object)  # Selection, DropTarget

    def __init__(self, host: QWidget) -> None:
        super().__init__(host)
        self._host = host
        self._faces: list[DropFace] = []
        self.dragged: Selection | None = None
        self._tag = named(make_label("", Text.CELL, "text"), "dragTag")
        self._tag.setParent(host)
        self._tag.setProperty("tag", "true")
        self._tag.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._tag.hide()

    def add_face(self, face: DropFace) -> None:
        """Let a face take drops."""
        self._faces.append(face)

    def begin(self, dragged: Selection, words: str, position: QPoint) -> None:
        """Start to drag; `words` go along with the pointer, `position` is on the screen."""
        self.dragged = dragged
        self._tag.setText(words)
        self._tag.adjustSize()
        self._tag.show()
        self._tag.raise_()
        QApplication.instance().installEventFilter(self)  # type: ignore[union-attr]  # there is one
        self.move(position)

    def move(self, position: QPoint) -> None:
        """Follow the pointer."""
        if self.dragged is None:
            return
        corner = self._host.mapFromGlobal(position) + QPoint(12, 16)
        corner.setX(min(corner.x(), self._host.width() - self._tag.width()))
        self._tag.move(corner)
        target_found = False
        for face in self._faces:
            target = None if target_found else face.drop_target_at(position, self.dragged)
            target_found = target_found or target is not None
            face.show_drop_target(target)

    def drop(self, position: QPoint) -> None:
        """Let go."""
        dragged = self.dragged
        if dragged is None:
            return
        found = (face.drop_target_at(position, dragged) for face in self._faces)
        target = next((target for target in found if target is not None), None)
        self.cancel()
        if target is not None:
            self.dropped.emit(dragged, target)

    def cancel(self) -> None:
        """End without a drop."""
        if self.dragged is None:
            return
        self.dragged = None
        self._tag.hide()
        QApplication.instance().removeEventFilter(self)  # type: ignore[union-attr]  # there is one
        for face in self._faces:
            face.show_drop_target(None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride)
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            # Accepted here, the key follows; ended here, it would reach what has the focus.
            if event.type() == QEvent.Type.KeyPress:
                self.cancel()
            event.accept()
            return True
        return super().eventFilter(watched, event)
