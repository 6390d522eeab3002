"""Reads tables of databases, by the dialog that asks for one; off the GUI thread, and not before asked to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.start.database_dialog import DatabaseDialog
from anonymizer_gui.tasks import Task, TaskRunner
from engine.errors import AnonymizerError
from engine.monitor import SILENT, Monitor
from engine.project import Project
from engine.project.storage.opened import Opened
from engine.table import Table
from engine.table.database_address import DATABASE_ENDINGS, DatabaseAddress, Login
from engine.table.databases import database_tables, read_database
from engine.table.options import ReadOptions

PREVIEW_ROWS = 200


def is_database_file(path: Path) -> bool:
    """Whether a file is taken for a database, by its ending."""
    return path.suffix.lower() in DATABASE_ENDINGS


class DatabaseChoice(QObject):
    """Lets a person choose a table of a database; one dialog at a time.

    Parameters
    ----------
    key : str
        Tells its tasks from those of another one.
    """

    chosen = Signal(object, object)  # DatabaseAddress, Login
    failed = Signal(object)  # the exception

    def __init__(self, window: QWidget, runner: TaskRunner, key: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._window, self._runner, self._key = window, runner, key
        self._dialog: DatabaseDialog | None = None
        self._missing = ReadOptions().missing

    def set_missing(self, words: tuple[str, ...]) -> None:
        """Say what is read as missing in the rows that are shown."""
        self._missing = words

    def ask(self, place: Path | str = "") -> None:
        """Show the dialog, with a file or URL filled in."""
        if self._dialog is not None:
            return
        self._dialog = dialog = DatabaseDialog(self._window)
        dialog.tables_wanted.connect(self._list)
        dialog.preview_wanted.connect(self._preview)
        dialog.given_up.connect(self._stop_looking)
        dialog.chosen.connect(self.chosen)
        dialog.finished.connect(self._on_finished)
        dialog.open()
        if place:
            dialog.set_place(place)

    def _list(self, address: DatabaseAddress, login: Login) -> None:
        task = Task(database_tables, address, login)
        task.succeeded.connect(lambda names: self._answer(lambda d: d.show_tables(address, names)))
        self._start(task, address)

    def _preview(self, address: DatabaseAddress, login: Login) -> None:
        task = Task(_first_rows, address, ReadOptions(missing=self._missing), login)
        task.succeeded.connect(
            lambda found: self._answer(lambda d: d.show_preview(address, found[0], is_cut=found[1]))
        )
        self._start(task, address)

    def _start(self, task: Task, address: DatabaseAddress) -> None:
        task.failed.connect(lambda error: self._on_look_failed(address, error))
        self._runner.start(task, key=f"{self._key}.look")

    def _answer(self, show: Callable[[DatabaseDialog], None]) -> None:
        """Give the dialog what it asked for, if it is still there."""
        if self._dialog is not None:
            show(self._dialog)

    def _stop_looking(self) -> None:
        self._runner.cancel(f"{self._key}.look")

    def _on_look_failed(self, address: DatabaseAddress, error: Exception) -> None:
        if not isinstance(error, AnonymizerError):
            self.failed.emit(error)
            return
        if self._dialog is not None and self._dialog.is_waiting_for(address):
            self._dialog.show_error(error.problem, error.hint)

    def _on_finished(self, _result: int) -> None:
        self._stop_looking()
        if self._dialog is not None:
            self._dialog.password.clear()
            self._dialog.deleteLater()
            self._dialog = None


class DatabaseOpening(QObject):
    """Opens a table of a database as a new project; a failed attempt leaves the open one as it is."""

    opened = Signal(object)  # Opened
    failed = Signal(object)  # the exception

    def __init__(self, window: QWidget, runner: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.prepare: Callable[[Project], Project] = lambda project: project  # what a new one begins with
        self.ask_first: Callable[[Callable[[], object]], object] = lambda then: then()  # what is unsaved
        self._runner = runner
        self._choice = DatabaseChoice(window, runner, "database", self)
        self._choice.chosen.connect(self._read)
        self._choice.failed.connect(self.failed)
        self._missing = ReadOptions().missing

    def set_missing(self, words: tuple[str, ...]) -> None:
        """Say what is read as missing in a table that is opened."""
        self._missing = words
        self._choice.set_missing(words)

    def actions(self) -> Mapping[str, Callable[[], object]]:
        """What the menus can ask for."""
        return {"open_database": lambda: self.ask_first(self._choice.ask)}

    def ask(self, place: Path | str = "") -> None:
        """Show the dialog with a database filled in."""
        self._choice.ask(place)

    def _read(self, address: DatabaseAddress, login: Login) -> None:
        task = Task(read_database, address, ReadOptions(missing=self._missing), login)
        task.succeeded.connect(lambda found: self._on_read(address, *found))
        task.failed.connect(self.failed)
        self._runner.start(task, label=self.tr("Reading {0}").format(address.name), key="database")

    def _on_read(self, address: DatabaseAddress, table: Table, options: ReadOptions) -> None:
        project = Project(name_of(address), None, options, table, database=address.full)
        self.opened.emit(Opened(self.prepare(project)))


def name_of(address: DatabaseAddress) -> str:
    """What a project of a table is called: like the table, or else like its database."""
    return address.table or Path(address.name).stem or address.name


def _first_rows(
    address: DatabaseAddress, how: ReadOptions, login: Login, monitor: Monitor = SILENT
) -> tuple[Table, bool]:
    table = read_database(address, how, login, monitor, limit=PREVIEW_ROWS)[0]
    return table, table.n_records == PREVIEW_ROWS
