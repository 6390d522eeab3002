"""Import of a table whose first records are already shown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from engine.project import Project
    from engine.table import Table


class Reading(QObject):
    """Gives project versions made with the first records the complete table once it has been read."""

    changed = Signal(bool)  # whether only the first records of the file are shown

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._beginning: Table | None = None
        self._complete: Project | None = None

    @property
    def is_provisional(self) -> bool:
        """Return whether the table has only the first records of its file while the rest is being read.

        Until then nothing is compiled, saved or exported, and no edit changes the table.
        """
        return self._beginning is not None and self._complete is None

    def begin(self, beginning: Table | None) -> None:
        """Start with the first records of another table; None for a table that is already complete."""
        self._beginning, self._complete = beginning, None

    def finish(self, complete: Project) -> None:
        """Set the project with the complete table."""
        self._complete = complete

    def with_complete_table(self, project: Project) -> Project:
        """Return a project with its complete table, if it has been read since the project was made."""
        complete = self._complete
        if complete is None or project.table is not self._beginning:
            return project
        return replace(
            project,
            table=complete.table,
            options=complete.options,
            source=complete.source,
            database=complete.database,
        )
