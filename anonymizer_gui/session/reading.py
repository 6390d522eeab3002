"""The reading of a table of which only the beginning is known yet."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from engine.project import Project
    from engine.table import Table


class Reading(QObject):
    """Versions of a project that were made with the beginning of its table get all of it, once it is read."""

    changed = Signal(bool)  # whether the table shown is only the beginning of its file

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._beginning: Table | None = None
        self._whole: Project | None = None

    @property
    def is_provisional(self) -> bool:
        """Whether the table is only the beginning of its file, the rest of which is being read.

        Until then nothing is compiled, saved or released, and no edit changes the table.
        """
        return self._beginning is not None and self._whole is None

    def begin(self, beginning: Table | None) -> None:
        """Take the beginning of another table, or none where a table comes whole."""
        self._beginning, self._whole = beginning, None

    def finish(self, whole: Project) -> None:
        """Take the project with all of its table."""
        self._whole = whole

    def with_whole_table(self, project: Project) -> Project:
        """A project with all of its table, if that has been read since it was made."""
        whole = self._whole
        if whole is None or project.table is not self._beginning:
            return project
        return replace(
            project, table=whole.table, options=whole.options, source=whole.source, database=whole.database
        )
