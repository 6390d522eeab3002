"""Opens files: a table with the open dialog, a recipe or project directly."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.start.background_reading import BackgroundReading
from anonymizer_gui.perspectives.start.examples import example_at
from anonymizer_gui.perspectives.start.table_opening import OpenFlow, TableOpening
from anonymizer_gui.session.locked_project_file import Look, look_at
from anonymizer_gui.session.saving import PROJECT_ENDING, RECIPE_ENDING, holds_project, read_project, renamed
from anonymizer_gui.tasks import Task, TaskRunner
from anonymizer_gui.widgets.file_dialogs import ask_folder, ask_open_several
from engine.errors import AnonymizerError, TableError
from engine.project import Project
from engine.project.storage.opened_project import DamagedProject, OpenedProject
from engine.sources.places import is_several, place_of_files
from engine.table.database_address import DATABASE_ENDINGS, Connection
from engine.table.readers import table_endings
from engine.table.sources import ARX_ENDING

if TYPE_CHECKING:
    from engine.table.reading import Reading

_PROJECTS = (f".{RECIPE_ENDING}", f".{PROJECT_ENDING}", ARX_ENDING)


class Opening(QObject):
    """One file at a time; on failure, the open project is unchanged."""

    opened = Signal(object, object)  # OpenedProject, path of the file
    begun = Signal(object, object)  # OpenedProject with the first records of a table, and its running reading
    database_wanted = Signal(object)  # path of a database file
    # the exception; DamagedProject with the remaining settings; Connection to its database or None
    table_lost = Signal(object, object, object)
    server_named = Signal(object, object)  # the exception; the recipe that refers to a server
    connection_wanted = Signal(object, object)  # the exception; function that goes on with a Connection
    failed = Signal(object)  # the exception
    file_missing = Signal(object, object, object)  # the exception of the failure; recipe; files located

    def __init__(self, window: QWidget, runner: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._window = window
        self._runner = runner
        self.flow = OpenFlow(window, runner, self)  # shared by the other ways to open a table
        self.seen: Look | None = None  # state of the project file when its reading began
        self._tables = TableOpening(window, runner, "open", parent=self, opens_early=True, flow=self.flow)
        self._tables.read.connect(self._on_table_read)
        self._tables.begun.connect(self._on_table_begun)
        self._tables.failed.connect(self.failed)

    def set_asking(self, ask_first: Callable[[Callable[[], object]], object]) -> None:
        """Set the function that asks about unsaved changes before a dialog shows a table."""
        self._tables.ask_first = ask_first

    def ask(self) -> None:
        """Let the user choose a file, or several files of one table."""
        endings = (*table_endings(), *DATABASE_ENDINGS, *_PROJECTS)
        opened = " ".join(f"*{ending}" for ending in endings)
        filters = self.tr("Tables, recipes and projects ({OPENED});;All files (*)").format(OPENED=opened)
        self.open_together(ask_open_several(self._window, self.tr("Open"), filters))

    def ask_folder(self) -> None:
        """Let the user choose a folder whose files are one table."""
        path = ask_folder(self._window, self.tr("Open a folder of files"))
        if path is not None:
            self._tables.open(path)

    def open_together(self, paths: Sequence[Path]) -> None:
        """Open a file of any kind, or several files as one table; errors are emitted as `failed`."""
        if len(paths) == 1:
            self.open(paths[0])
        elif paths:
            try:
                self._tables.open(place_of_files(paths))
            except TableError as error:
                self.failed.emit(error)

    def open(self, path: Path) -> None:
        """Open a file of any kind, a folder or a pattern; errors are emitted as `failed`."""
        if is_several(path):
            self._tables.open(path)
        elif holds_project(path):
            self._open_project(path)
        elif path.suffix.lower() in DATABASE_ENDINGS:
            self.database_wanted.emit(path)
        else:
            self._tables.open(path)

    def accept_as_detected(self) -> None:
        """Accept the detected options, as the button of the open dialog does."""
        self._tables.accept_as_detected()

    def open_moved(self, path: Path, moved: Mapping[str, Path]) -> None:
        """Open a recipe with moved files, by the paths in the recipe."""
        self._open_project(path, moved)

    def _open_project(
        self, path: Path, moved: Mapping[str, Path] | None = None, connection: Connection | None = None
    ) -> None:
        seen = look_at(path)
        task = Task(read_project, path, moved=moved, connection=connection)
        task.succeeded.connect(lambda result: self._on_project_read(path, result, seen))
        task.failed.connect(lambda error: self._on_project_failed(path, moved or {}, connection, error))
        self._runner.start(task, label=self.tr("Opening {name}").format(name=path.name), key="open")

    def _on_project_read(self, path: Path, opened: OpenedProject, seen: Look | None) -> None:
        self.seen = seen
        if (example := example_at(path)) is not None:
            name = self.tr("{name} example").format(name=example.name)
            opened = opened._replace(project=renamed(opened.project, name))
        self.opened.emit(opened, path)

    def _on_project_failed(
        self, path: Path, moved: Mapping[str, Path], connection: Connection | None, error: Exception
    ) -> None:
        self.failed.emit(error)
        if not isinstance(error, AnonymizerError):
            return
        if "missing" in error.context:
            self.file_missing.emit(error, path, moved)
        elif "database" in error.context and error.context.get("has_settings"):
            self.connection_wanted.emit(error, lambda given: self._open_project(path, moved, given))
        elif "database" in error.context:
            self.server_named.emit(error, path)
        elif error.context.get("has_settings"):
            self.table_lost.emit(error, DamagedProject(path, path.name), connection)

    def _on_table_read(self, path: Path, reading: Reading) -> None:
        self.opened.emit(self._opened(path, reading), path)

    def _on_table_begun(self, reading: Reading, whole: BackgroundReading) -> None:
        self.begun.emit(self._opened(whole.path, reading), whole)

    def _opened(self, path: Path, reading: Reading) -> OpenedProject:
        return OpenedProject(
            self.flow.prepare(Project(name_of_file(path), path, reading.options, reading.table))
        )


def name_of_file(path: Path) -> str:
    """Return the name of a project for a table: that of the file or folder, without ending or pattern."""
    name = re.split(r"[.*?\[{]", path.name)[0].rstrip("-_ ")
    return name or path.absolute().parent.name or path.name
