"""Columns of undo steps moved from memory to files, off the GUI thread after each edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from anonymizer_gui.session.session import Session
from anonymizer_gui.session.table_versions import StoredColumn, TableVersions
from anonymizer_gui.tasks import Task

if TYPE_CHECKING:
    from engine.records.table import Column

KEY = "undo"


class StepPacker(QObject):
    """Stores one column after another; one that cannot be stored, as on a full disk, stays in memory."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._runner = session.runner
        self._left: set[Column] = set()  # could not be stored
        session.parts.table_changed.connect(self._pack_next)
        session.project_opened.connect(self._on_project_opened)

    def _on_project_opened(self) -> None:
        self._left.clear()
        self._runner.cancel(KEY)

    def _pack_next(self) -> None:
        if self._runner.running(KEY) is not None:
            return
        tables = self._session.tables
        self._left.intersection_update(loose := tables.loose)
        column = next((column for column in loose if column not in self._left), None)
        if column is None:
            return
        task = Task(_stored, tables, column)
        task.succeeded.connect(lambda stored: self._on_stored(column, stored))
        task.cancelled.connect(lambda: self._left.add(column))
        task.ended.connect(self._pack_next)
        self._runner.start(task, key=KEY)

    def _on_stored(self, column: Column, stored: StoredColumn | None) -> None:
        if stored is None:
            self._left.add(column)
        else:
            self._session.tables.replace(column, stored)


def _stored(tables: TableVersions, column: Column) -> StoredColumn | None:
    """Return the stored column, or None if there is no space for its file."""
    try:
        return tables.store(column)
    except OSError:
        return None
