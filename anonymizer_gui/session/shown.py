"""Requirement and metric for the evaluation: the project's, or those of a turning knob."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from engine.privacy import Requirement
    from engine.project import Project


class ProjectSource(Protocol):
    """Source of the current project."""

    @property
    def project(self) -> Project | None: ...


class Shown(QObject):
    """Requirement and metric shown; a preview is not an undo step and ends with the next edit."""

    changed = Signal()  # a knob turns, or was released

    def __init__(self, source: ProjectSource, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source = source
        self._preview: tuple[Requirement, str] | None = None

    @property
    def requirement(self) -> Requirement | None:
        """Requirement shown."""
        if self._preview is not None:
            return self._preview[0]
        return self._source.project.requirement if self._source.project else None

    @property
    def metric(self) -> str:
        """Key of the metric shown."""
        if self._preview is not None:
            return self._preview[1]
        return self._source.project.search.metric if self._source.project else "loss"

    @property
    def is_preview(self) -> bool:
        """Return whether a knob is turning."""
        return self._preview is not None

    def preview(self, requirement: Requirement, metric: str | None = None) -> None:
        """Show another requirement while a knob turns."""
        wanted = (requirement, metric or self.metric)
        if self._source.project is not None and wanted != self._preview:
            self._preview = wanted
            self.changed.emit()

    def cancel(self) -> None:
        """Show the project's own requirement again."""
        if self.forget():
            self.changed.emit()

    def forget(self) -> bool:
        """End the preview without a signal; return whether there was one."""
        was_preview, self._preview = self.is_preview, None
        return was_preview
