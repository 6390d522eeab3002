"""Replaces the table of the open project, after showing the changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from anonymizer_gui.perspectives.start.database_opening import DatabaseChoice, is_database_file
from anonymizer_gui.perspectives.start.table_opening import OpenFlow, TableOpening
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import Task
from anonymizer_gui.widgets.file_dialogs import ask_open
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.project import Project
from engine.sources.places import is_several
from engine.table.database_address import DATABASE_ENDINGS, DatabaseAddress, Login
from engine.table.databases import read_database
from engine.table.options import ReadOptions
from engine.table.readers import table_endings

if TYPE_CHECKING:
    from engine.project.reimport import Changes
    from engine.table.reading import Reading


class Reimporting(QObject):
    """One file at a time; the project is unchanged until the user accepts."""

    def __init__(self, flow: OpenFlow, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._flow, self._session, self._runner = flow, session, flow.runner
        self._tables = TableOpening(flow.window, flow.runner, "reimport", parent=self)
        self._tables.read.connect(self._on_read)
        self._tables.failed.connect(flow.failed)
        self._choice = DatabaseChoice(flow, "reimport.database", self)
        self._choice.chosen.connect(self._on_database_chosen)

    def actions(self) -> Mapping[str, Callable[[], object]]:
        """Return the handlers of the menu entries, by action."""
        return {"reimport": self.ask}

    def ask(self) -> None:
        """Let the user choose the file or the database of the table."""
        project = self._session.project
        if project is None:
            return
        # The missing words of the project, not those of the current preferences.
        missing = project.options.missing
        if project.is_in_database:
            self._choice.ask(project.database, missing)
            return
        if project.source is not None and is_several(project.source):
            self._tables.open(project.source, project.options)
            return
        tables = " ".join(f"*{ending}" for ending in (*table_endings(), *DATABASE_ENDINGS))
        filters = self.tr("Tables ({TABLES});;All files (*)").format(TABLES=tables)
        path = ask_open(self._flow.window, self.tr("Re-import table"), filters)
        if path is not None and is_database_file(path):
            self._choice.ask(path, missing)
        elif path is not None:
            self._tables.open(path, project.options)

    def _on_database_chosen(self, address: DatabaseAddress, login: Login, _stays: bool) -> None:
        project = self._session.project
        if project is None:
            return
        task = Task(_read_again, project, address, login)
        task.succeeded.connect(lambda found: self._on_compared(project, address.name, *found))
        task.failed.connect(self._flow.failed)
        label = self.tr("Reading {name}").format(name=address.name)
        self._runner.start(task, label=label, key="reimport")

    def _on_read(self, path: Path, reading: Reading) -> None:
        from engine.project.reimport import reimport

        project = self._session.project
        if project is None:
            return
        task = Task(reimport, project, reading.table, reading.options, path, chosen=reading.typed)
        task.succeeded.connect(lambda found: self._on_compared(project, path.name, *found))
        task.failed.connect(self._flow.failed)
        label = self.tr("Comparing {name}").format(name=path.name)
        self._runner.start(task, label=label, key="reimport")

    def _on_compared(self, before: Project, name: str, after: Project, changes: Changes) -> None:
        from anonymizer_gui.perspectives.start.changes_dialog import ChangesDialog

        if self._session.project is not before:  # edited meanwhile: the comparison is outdated
            return
        dialog = ChangesDialog(name, changes, self._flow.window)

        def finish(result: int) -> None:
            if result == ChangesDialog.DialogCode.Accepted and self._session.project is before:
                self._session.edit(self.tr("Re-import table"), after)
            dialog.deleteLater()

        dialog.finished.connect(finish)
        dialog.open()


def _read_again(
    project: Project, address: DatabaseAddress, login: Login, monitor: Monitor = SILENT
) -> tuple[Project, Changes]:
    """Return the project with a table of a database, read with its own options, and the changes.

    Records that stay in their database or on their cluster stay there again.
    """
    from engine.project.reimport import reimport
    from engine.sources.opening import open_database

    how = ReadOptions(missing=project.options.missing, trim=project.options.trim)
    part = PartMonitor(monitor, 0, 2)
    if project.remote is None:
        table, options = read_database(address, how, login, part)
    else:
        how = replace(how, source=project.remote.kind, order_by=project.options.order_by)
        table, options = open_database(address, how, login, part)
    return reimport(project, table, options, None, PartMonitor(monitor, 1, 2), database=address.full)
