"""Opens files: a table with the open dialog, a recipe or project directly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.start.applying_recipe import RecipeApplying
from anonymizer_gui.perspectives.start.database_opening import DatabaseOpening
from anonymizer_gui.perspectives.start.examples import example_at
from anonymizer_gui.perspectives.start.table_opening import OpenFlow, TableOpening, name_of_file
from anonymizer_gui.session.saving import (
    PROJECT_ENDING,
    RECIPE_ENDING,
    Look,
    holds_project,
    look_at,
    read_project,
    renamed,
)
from anonymizer_gui.tasks import Task, TaskRunner
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.file_dialogs import ask_folder, ask_open_several
from engine.errors import AnonymizerError, TableError
from engine.project import Project
from engine.project.storage.opened_project import DamagedProject, OpenedProject
from engine.records.databases.address import DATABASE_ENDINGS, Connection
from engine.records.opening.readers import table_endings
from engine.records.places import is_several, place_of_files
from engine.records.table_files import ARX_ENDING
from engine.records.text.pasted import write_pasted
from engine.scratch import scratch_folder

if TYPE_CHECKING:
    from engine.records.reading import Reading

_PROJECTS = (f".{RECIPE_ENDING}", f".{PROJECT_ENDING}", ARX_ENDING)


class Opening(QObject):
    """One file at a time; on failure, the open project is unchanged."""

    opened = Signal(object, object)  # OpenedProject, path of the file
    begun = Signal(object, object)  # OpenedProject with the first records of a table, and its running reading
    failed = Signal(object)  # the exception

    def __init__(
        self, window: QWidget, runner: TaskRunner, banner: ErrorBanner, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._runner = runner
        self.flow = OpenFlow(window, runner, self)  # shared by the other ways to open a table
        self.seen: Look | None = None  # state of the project file when its reading began
        self.databases = DatabaseOpening(self.flow, self)
        self.applying = RecipeApplying(self.flow, banner, self)
        self._tables = TableOpening(self.flow, "open", opens_early=True)
        self._tables.ask_first = lambda then: self.flow.ask_again(then)
        self._tables.read.connect(self._on_table_read)
        self._tables.begun.connect(
            lambda reading, whole: self.begun.emit(self._opened(whole.path, reading), whole)
        )
        self._tables.failed.connect(self.failed)

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
            self.databases.ask(path)
        else:
            self._tables.open(path)

    def accept_as_detected(self) -> None:
        """Accept the detected options, as the button of the open dialog does."""
        self._tables.accept_as_detected()

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
            self.applying.offer_locating(error, path, moved, lambda found: self._open_project(path, found))
        elif "database" in error.context and error.context.get("has_settings"):
            self.applying.offer_connecting(error, lambda given: self._open_project(path, moved, given))
        elif "database" in error.context:
            self.applying.offer_database(error, path)
        elif error.context.get("has_settings"):
            self.applying.offer_restoring(error, DamagedProject(path, path.name), connection)

    def _on_table_read(self, path: Path, reading: Reading) -> None:
        self.opened.emit(self._opened(path, reading), path)

    def _opened(self, path: Path, reading: Reading) -> OpenedProject:
        return OpenedProject(
            self.flow.prepare(Project(name_of_file(path), path, reading.options, reading.table))
        )


class Pasting(QObject):
    """One table at a time; on failure, the open project is unchanged."""

    def __init__(self, flow: OpenFlow, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._flow = flow
        self._folder = ExitStack()
        self._tables = TableOpening(flow, "paste")
        self._tables.read.connect(self._on_read)
        self._tables.failed.connect(self._on_failed)
        self._tables.closed.connect(self.shutdown)

    def paste(self) -> None:
        """Read the clipboard and open the dialog."""
        self.shutdown()
        try:
            folder = self._folder.enter_context(scratch_folder("paste"))
        except OSError as error:
            self._flow.runner.error_raised.emit(error)
            return
        path = folder / self.tr("Pasted table.tsv")
        # A clipboard that never held anything, or whose owner has ended, has no data at all.
        held: QMimeData | None = QGuiApplication.clipboard().mimeData()
        text, markup = ("", "") if held is None else (held.text() if held.hasText() else "", held.html())
        task = Task(write_pasted, text, path, markup)
        task.succeeded.connect(lambda _nothing: self._tables.open(path))
        task.failed.connect(self._on_failed)
        self._flow.runner.start(task, key="paste")

    def shutdown(self) -> None:
        """Delete the temporary file of the clipboard."""
        self._folder.close()

    def _on_read(self, path: Path, reading: Reading) -> None:
        self._flow.begin(Project(path.stem, None, reading.options, reading.table))

    def _on_failed(self, error: Exception) -> None:
        self.shutdown()
        self._flow.runner.error_raised.emit(error)
