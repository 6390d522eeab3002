"""Opens whatever a person points at: a table by the open dialog, a recipe or project at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.start.examples import example_at
from anonymizer_gui.session.saving import PROJECT_ENDING, RECIPE_ENDING, read_project, renamed
from anonymizer_gui.session.visited import Node
from anonymizer_gui.tasks import Task, TaskRunner
from anonymizer_gui.widgets.file_dialogs import ask_open
from engine.errors import AnonymizerError, InputError
from engine.project import Project

if TYPE_CHECKING:
    from anonymizer_gui.perspectives.start.open_dialog import OpenDialog
    from anonymizer_gui.perspectives.start.reading import Reading


class Opening(QObject):
    """One file at a time; a failed attempt leaves the open project as it is."""

    opened = Signal(object, object, object)  # Project, path of the file, node to apply or None
    failed = Signal(object)  # the exception

    def __init__(self, window: QWidget, runner: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._window = window
        self._runner = runner
        self._dialog: OpenDialog | None = None

    def ask(self) -> None:
        """Let the person choose a file."""
        filters = self.tr(
            "Tables, recipes and projects (*.csv *.tsv *.txt *.gz *.toml *.anon);;All files (*)"
        )
        path = ask_open(self._window, self.tr("Open"), filters)
        if path is not None:
            self.open(path)

    def open(self, path: Path) -> None:
        """Open a file of any kind; what is wrong with it is told by `failed`."""
        if path.is_dir():
            self.failed.emit(
                InputError(f"'{path.name}' is a folder.", hint="Choose a table, recipe or project in it.")
            )
        elif path.suffix.lower() in (f".{PROJECT_ENDING}", f".{RECIPE_ENDING}"):
            self._open_project(path)
        else:
            self._open_table(path)

    def accept_as_detected(self) -> None:
        """Take the open dialog's detected choices, as its button would."""
        if self._dialog is not None and self._dialog.reading is not None:
            self._dialog.accept()

    def _open_project(self, path: Path) -> None:
        task = Task(read_project, path)
        task.succeeded.connect(lambda result: self._on_project_read(path, result))
        task.failed.connect(self.failed)
        self._runner.start(task, label=self.tr("Opening {0}").format(path.name), key="open")

    def _on_project_read(self, path: Path, result: tuple[Project, Node | None]) -> None:
        project, applied = result
        if (example := example_at(path)) is not None:
            project = renamed(project, self.tr("{0} example").format(example.name))
        self.opened.emit(project, path, applied)

    def _open_table(self, path: Path) -> None:
        """Detect first: a file that is no table at all gets a message, not a dialog."""
        from anonymizer_gui.perspectives.start.reading import first_reading

        task = Task(first_reading, path)
        task.succeeded.connect(lambda reading: self._show_dialog(path, reading))
        task.failed.connect(lambda error: self._on_detection_failed(path, error))
        self._runner.start(task, label=self.tr("Reading {0}").format(path.name), key="open")

    def _on_detection_failed(self, path: Path, error: Exception) -> None:
        from engine.table.sources import TEXT_ENDINGS

        is_text = path.name.lower().endswith(TEXT_ENDINGS) and path.is_file() and path.stat().st_size > 0
        if isinstance(error, AnonymizerError) and is_text:
            self._show_dialog(path, error)  # another delimiter or header may be all it takes
        else:
            self.failed.emit(error)

    def _show_dialog(self, path: Path, first: Reading | AnonymizerError) -> None:
        from anonymizer_gui.perspectives.start.open_dialog import OpenDialog
        from anonymizer_gui.perspectives.start.reading import Reading, read_again

        dialog = OpenDialog(path.name, self._window)
        self._dialog = dialog

        def read(options: object) -> None:
            task = Task(read_again, path, options)
            task.succeeded.connect(lambda reading: self._on_read(dialog, reading))
            task.failed.connect(lambda error: self._on_read(dialog, error))
            self._runner.start(task, key="open")

        def finish(_result: int) -> None:
            self._runner.cancel("open")
            self._dialog = None
            if dialog.result() == OpenDialog.DialogCode.Accepted and dialog.reading is not None:
                reading = dialog.reading
                name = path.name.split(".")[0] or path.name
                self.opened.emit(Project(name, path, reading.options, reading.table), path, None)
            dialog.deleteLater()

        dialog.options_changed.connect(read)
        dialog.finished.connect(finish)
        if isinstance(first, Reading):
            dialog.show_reading(first)
        else:
            dialog.show_error(first)
        dialog.open()

    def _on_read(self, dialog: OpenDialog, answer: Reading | Exception) -> None:
        if dialog is not self._dialog:
            return
        if isinstance(answer, AnonymizerError):
            dialog.show_error(answer)
        elif isinstance(answer, Exception):
            dialog.reject()
            self.failed.emit(answer)
        else:
            dialog.show_reading(answer)
