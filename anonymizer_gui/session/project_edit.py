"""The one undo command: redo shows the project after an edit, undo the one before."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QUndoCommand

from engine.project import Project


class ProjectEdit(QUndoCommand):
    """An edit as two frozen projects; they share all that did not change."""

    def __init__(self, text: str, before: Project, after: Project, show: Callable[[Project], None]) -> None:
        super().__init__(text)
        self._before = before
        self._after = after
        self._show = show

    def redo(self) -> None:
        self._show(self._after)

    def undo(self) -> None:
        self._show(self._before)
