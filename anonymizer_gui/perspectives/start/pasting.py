"""Opens the table on the clipboard with the open dialog; its temporary file is deleted."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QObject
from PySide6.QtGui import QGuiApplication

from anonymizer_gui.perspectives.start.table_opening import OpenFlow, TableOpening
from anonymizer_gui.tasks import Task
from engine.project import Project
from engine.scratch import scratch_folder
from engine.table.pasted import write_pasted

if TYPE_CHECKING:
    from engine.table.reading import Reading


class Pasting(QObject):
    """One table at a time; on failure, the open project is unchanged."""

    def __init__(self, flow: OpenFlow, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._flow = flow
        self._folder = ExitStack()
        self._tables = TableOpening(flow.window, flow.runner, "paste", parent=self, flow=flow)
        self._tables.read.connect(self._on_read)
        self._tables.failed.connect(self._on_failed)
        self._tables.closed.connect(self.shutdown)

    def paste(self) -> None:
        """Read the clipboard and open the dialog."""
        self.shutdown()
        try:
            folder = self._folder.enter_context(scratch_folder("paste"))
        except OSError as error:
            self._flow.failed.emit(error)
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
        self._flow.failed.emit(error)
