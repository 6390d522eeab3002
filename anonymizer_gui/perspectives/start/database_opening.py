"""Reads tables of databases and clusters chosen in a dialog, in the background and only on request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject

from anonymizer_gui.perspectives.start.database_dialog import DatabaseDialog
from anonymizer_gui.perspectives.start.table_opening import OpenFlow, name_of_file
from anonymizer_gui.tasks import Task
from engine.errors import AnonymizerError
from engine.monitor import SILENT, Monitor
from engine.project import Project
from engine.records import Table
from engine.records.clusters.opening import cluster_tables, first_records
from engine.records.databases.address import DATABASE_ENDINGS, DatabaseAddress, Login
from engine.records.databases.tables import database_tables, read_database
from engine.records.opening import open_database
from engine.records.options import AUTO, SERVER, ReadOptions

PREVIEW_ROWS = 200


def is_database_file(path: Path) -> bool:
    """Return whether a file is treated as a database, by its extension."""
    return path.suffix.lower() in DATABASE_ENDINGS


class DatabaseChoice(QObject):
    """Lets the user choose a table of a database; one dialog at a time.

    Parameters
    ----------
    key : str
        Prefix of its task keys.
    may_stay : bool
        Whether the records may be left in the database.
    """

    def __init__(self, flow: OpenFlow, key: str, parent: QObject, *, may_stay: bool = False) -> None:
        super().__init__(parent)
        self._may_stay = may_stay
        self._flow, self._runner, self._key = flow, flow.runner, key
        self._dialog: DatabaseDialog | None = None
        self._missing = flow.missing

    def ask(
        self,
        use: Callable[[DatabaseAddress, Login, bool], object],
        place: Path | str = "",
        missing: tuple[str, ...] | None = None,
    ) -> None:
        """Show the dialog with a file or URL filled in.

        Parameters
        ----------
        use : callable
            Called with the address of the table, and whether the records stay there.
        missing : tuple of str, optional
            Words for missing values in the displayed rows.
        """
        if self._dialog is not None:
            return
        self._missing = self._flow.missing if missing is None else missing
        recent = self._flow.recent_databases()
        self._dialog = dialog = DatabaseDialog(self._flow.window, may_stay=self._may_stay, recent=recent)
        dialog.tables_wanted.connect(self._list)
        dialog.preview_wanted.connect(self._preview)
        dialog.given_up.connect(self._stop_looking)
        dialog.chosen.connect(use)
        dialog.chosen.connect(lambda address, *_: self._flow.database_used(address.without_user.url))
        dialog.finished.connect(self._on_finished)
        dialog.open()
        if place:
            dialog.set_place(place)

    def _list(self, address: DatabaseAddress, login: Login) -> None:
        task = Task(cluster_tables if address.is_cluster else database_tables, address, login)
        task.succeeded.connect(lambda names: self._answer(lambda d: d.show_tables(address, names)))
        self._start(task, address)

    def _preview(self, address: DatabaseAddress, login: Login) -> None:
        task = Task(_first_rows, address, ReadOptions(missing=self._missing), login)
        task.succeeded.connect(
            lambda found: self._answer(lambda d: d.show_preview(address, found[0], is_partial=found[1]))
        )
        self._start(task, address)

    def _start(self, task: Task, address: DatabaseAddress) -> None:
        task.failed.connect(lambda error: self._on_look_failed(address, error))
        self._runner.start(task, key=f"{self._key}.look")

    def _answer(self, show: Callable[[DatabaseDialog], None]) -> None:
        """Answer a request of the dialog, if it is still open."""
        if self._dialog is not None:
            show(self._dialog)

    def _stop_looking(self) -> None:
        self._runner.cancel(f"{self._key}.look")

    def _on_look_failed(self, address: DatabaseAddress, error: Exception) -> None:
        if not isinstance(error, AnonymizerError):
            self._flow.runner.error_raised.emit(error)
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
    """Opens a table of a database as a new project; on failure, the open project is unchanged."""

    def __init__(self, flow: OpenFlow, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._flow = flow
        self._choice = DatabaseChoice(flow, "database", self, may_stay=True)

    def ask(self, place: Path | str = "") -> None:
        """Show the dialog with a database filled in."""
        self._choice.ask(self._read, place)

    def _read(self, address: DatabaseAddress, login: Login, stays: bool) -> None:
        stays = stays and not address.is_cluster  # where they always do
        options = ReadOptions(missing=self._flow.missing, source=SERVER if stays else AUTO)
        task = Task(open_database, address, options, login)
        task.succeeded.connect(lambda found: self._on_read(address, *found))
        task.failed.connect(self._flow.runner.error_raised)
        self._flow.runner.start(
            task, label=self.tr("Reading {name}").format(name=address.name), key="database"
        )

    def _on_read(self, address: DatabaseAddress, table: Table, options: ReadOptions) -> None:
        self._flow.begin(Project(name_of(address), None, options, table, database=address.full))


def name_of(address: DatabaseAddress) -> str:
    """Return the name of a project for a table: the table's name, otherwise that of the files or database."""
    if address.files:
        return name_of_file(Path(address.files))
    return address.table or Path(address.name).stem or address.name


def _first_rows(
    address: DatabaseAddress, how: ReadOptions, login: Login, monitor: Monitor = SILENT
) -> tuple[Table, bool]:
    read = first_records if address.is_cluster else read_database
    table = read(address, how, login, monitor, limit=PREVIEW_ROWS)[0]
    return table, table.n_records == PREVIEW_ROWS
