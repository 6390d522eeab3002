"""Replaces the table of the open project, after showing the changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from anonymizer_gui.perspectives.start.database_opening import DatabaseChoice, is_database_file
from anonymizer_gui.perspectives.start.table_opening import OpenFlow, TableOpening
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import Task
from anonymizer_gui.widgets.file_dialogs import ask_table
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.project import Project
from engine.records.databases.address import DATABASE_ENDINGS, DatabaseAddress, Login
from engine.records.databases.tables import read_database
from engine.records.options import ReadOptions
from engine.records.places import is_several

if TYPE_CHECKING:
    from engine.project.reimport import Changes
    from engine.records.reading import Reading


class Reimporting(QObject):
    """One file at a time; the project is unchanged until the user accepts."""

    def __init__(self, flow: OpenFlow, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._flow, self._session, self._runner = flow, session, flow.runner
        self._tables = TableOpening(flow, "reimport")
        self._tables.read.connect(self._on_read)
        self._tables.failed.connect(flow.runner.error_raised)
        self._choice = DatabaseChoice(flow, "reimport.database", self)

    def ask(self) -> None:
        """Let the user choose the file or the database of the table."""
        project = self._session.project
        if project is None:
            return
        # The missing words of the project, not those of the current preferences.
        missing = project.options.missing
        if project.is_in_database:
            self._choice.ask(self._read_database, project.database, missing)
            return
        if project.source is not None and is_several(project.source):
            self._tables.open(project.source, project.options)
            return
        path = ask_table(self._flow.window, self.tr("Re-import table"), further=DATABASE_ENDINGS)
        if path is not None and is_database_file(path):
            self._choice.ask(self._read_database, path, missing)
        elif path is not None:
            self._tables.open(path, project.options)

    def _read_database(self, address: DatabaseAddress, login: Login, _stays: bool) -> None:
        project = self._session.project
        if project is None:
            return
        task = Task(_read_again, project, address, login)
        task.succeeded.connect(lambda found: self._on_compared(project, address.name, *found))
        task.failed.connect(self._flow.runner.error_raised)
        label = self.tr("Reading {name}").format(name=address.name)
        self._runner.start(task, label=label, key="reimport")

    def _on_read(self, path: Path, reading: Reading) -> None:
        from engine.project.reimport import reimport

        project = self._session.project
        if project is None:
            return
        task = Task(reimport, project, reading.table, reading.options, path, chosen=reading.typed)
        task.succeeded.connect(lambda found: self._on_compared(project, path.name, *found))
        task.failed.connect(self._flow.runner.error_raised)
        label = self.tr("Comparing {name}").format(name=path.name)
        self._runner.start(task, label=label, key="reimport")

    def _on_compared(self, before: Project, name: str, after: Project, changes: Changes) -> None:
        def use() -> None:
            if self._session.project is before:
                self._session.edit(self.tr("Re-import table"), after)

        if self._session.project is before:  # else edited meanwhile: the comparison is outdated
            self._flow.show_changes(name, changes, use)


def _read_again(
    project: Project, address: DatabaseAddress, login: Login, monitor: Monitor = SILENT
) -> tuple[Project, Changes]:
    """Return the project with a table of a database, read with its own options, and the changes.

    Records that stay in their database or on their cluster stay there again.
    """
    from engine.project.reimport import reimport
    from engine.records.opening import open_database

    how = ReadOptions(missing=project.options.missing, trim=project.options.trim)
    part = PartMonitor(monitor, 0, 2)
    if project.remote is None:
        table, options = read_database(address, how, login, part)
    else:
        how = replace(how, source=project.remote.kind, order_by=project.options.order_by)
        table, options = open_database(address, how, login, part)
    return reimport(project, table, options, None, PartMonitor(monitor, 1, 2), database=address.full)
