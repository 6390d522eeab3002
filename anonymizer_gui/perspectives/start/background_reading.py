"""Reads a file completely while its first records are displayed."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.tasks import Task, TaskRunner

if TYPE_CHECKING:
    from engine.table.options import ReadOptions
    from engine.table.reading import Reading

_numbers = count(1)


class BackgroundReading(QObject):
    """One file; starting with other options cancels the previous reading.

    Parameters
    ----------
    path : Path
    runner : TaskRunner
    key : str
        Prefix of its task keys, numbered per file so that none replaces another.
    """

    progressed = Signal(float)  # share that has been read
    succeeded = Signal(object)  # Reading
    failed = Signal(object)  # the exception
    cancelled = Signal()  # by the user

    def __init__(self, path: Path, runner: TaskRunner, key: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path = path
        self.chosen: ReadOptions | None = None  # options chosen by the user; None for the detected ones
        self._runner = runner
        self._key = (f"{key}.whole", next(_numbers))
        self._task: Task | None = None

    @property
    def is_running(self) -> bool:
        """True if the file is being read."""
        return self._task is not None

    def start(self, options: ReadOptions, *, detects: bool) -> None:
        """Read from the beginning.

        Parameters
        ----------
        options : ReadOptions
        detects : bool
            Whether missing words are detected in the complete file.
        """
        from anonymizer_gui.perspectives.start.reading import first_reading, read_again

        self.stop()
        self.chosen = None if detects else options
        task = Task(first_reading if detects else read_again, self.path, options)
        self._task = task
        task.progressed.connect(lambda done, total, _text: self._on_progressed(task, done, total))
        task.succeeded.connect(lambda reading: self._on_succeeded(task, reading))
        task.failed.connect(lambda error: self._on_failed(task, error))
        task.cancelled.connect(lambda: self._on_cancelled(task))
        label = self.tr("Reading {name}").format(name=self.path.name)
        self._runner.start(task, label=label, key=self._key)

    def stop(self) -> None:
        """Cancel the reading without a message."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()

    def _on_progressed(self, task: Task, done: int, total: int) -> None:
        if task is self._task and total > 1:
            self.progressed.emit(done / total)

    def _on_succeeded(self, task: Task, reading: Reading) -> None:
        if task is self._task:
            self._task = None
            self.succeeded.emit(reading)

    def _on_failed(self, task: Task, error: Exception) -> None:
        if task is self._task:
            self._task = None
            self.failed.emit(error)

    def _on_cancelled(self, task: Task) -> None:
        if task is self._task:
            self._task = None
            self.cancelled.emit()
