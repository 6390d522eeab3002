"""The requirement and the metric that are shown: those of a turning knob, else the project's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from engine.privacy import Requirement
    from engine.project import Project


class Asked(Protocol):
    """Who knows the project."""

    @property
    def project(self) -> Project | None: ...


class Shown(QObject):
    """What nodes are judged by; a preview is no undo step and ends with the next edit."""

    changed = Signal()  # a knob turns, or was let go

    def __init__(self, asked: Asked, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._asked = asked
        self._preview: tuple[Requirement, str] | None = None

    @property
    def requirement(self) -> Requirement | None:
        """The requirement to show."""
        if self._preview is not None:
            return self._preview[0]
        return self._asked.project.requirement if self._asked.project else None

    @property
    def metric(self) -> str:
        """The key of the metric to show."""
        if self._preview is not None:
            return self._preview[1]
        return self._asked.project.search.metric if self._asked.project else "loss"

    @property
    def is_preview(self) -> bool:
        """Whether a knob is turning."""
        return self._preview is not None

    def preview(self, requirement: Requirement, metric: str | None = None) -> None:
        """Show another requirement while a knob turns."""
        wanted = (requirement, metric or self.metric)
        if self._asked.project is not None and wanted != self._preview:
            self._preview = wanted
            self.changed.emit()

    def cancel(self) -> None:
        """Return to the project's own requirement."""
        if self.forget():
            self.changed.emit()

    def forget(self) -> bool:
        """End the preview and tell nobody; whether there was one."""
        was_preview, self._preview = self.is_preview, None
        return was_preview
