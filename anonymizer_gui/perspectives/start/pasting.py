"""Opens the table on the clipboard by the dialog that opens files; nothing of it stays on the disk."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.start.table_opening import TableOpening
from anonymizer_gui.tasks import Task, TaskRunner
from engine.project import Project
from engine.project.storage.opened import Opened
from engine.scratch import scratch_folder
from engine.table.pasted import write_pasted

if TYPE_CHECKING:
    from engine.table.reading import Reading


class Pasting(QObject):
    """One table at a time; a failed attempt leaves the open project as it is."""

    opened = Signal(object)  # Opened
    failed = Signal(object)  # the exception

    def __init__(self, window: QWidget, runner: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self.prepare: Callable[[Project], Project] = lambda project: project  # what a new one begins with
        self._folder = ExitStack()
        self._tables = TableOpening(window, runner, "paste", parent=self)
        self._tables.read.connect(self._on_read)
        self._tables.failed.connect(self._on_failed)
        self._tables.closed.connect(self.shutdown)

    def set_missing(self, words: tuple[str, ...]) -> None:
        """Say what is read as missing where nothing else is chosen."""
        self._tables.set_missing(words)

    def paste(self) -> None:
        """Read what is on the clipboard, and ask how."""
        self.shutdown()
        try:
            folder = self._folder.enter_context(scratch_folder("paste"))
        except OSError as error:
            self.failed.emit(error)
            return
        path = folder / self.tr("Pasted table.tsv")
        held = QGuiApplication.clipboard().mimeData()
        task = Task(write_pasted, held.text() if held.hasText() else "", path, held.html())
        task.succeeded.connect(lambda _nothing: self._tables.open(path))
        task.failed.connect(self._on_failed)
        self._runner.start(task, key="paste")

    def shutdown(self) -> None:
        """Take away what was written of the clipboard."""
        self._folder.close()

    def _on_read(self, path: Path, reading: Reading) -> None:
        project = self.prepare(Project(path.stem, None, reading.options, reading.table))
        self.opened.emit(Opened(project))

    def _on_failed(self, error: Exception) -> None:
        self.shutdown()
        self.failed.emit(error)
