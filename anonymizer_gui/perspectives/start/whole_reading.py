"""Reads a file to its end while its first records are looked at already."""

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


class WholeReading(QObject):
    """One file, by one set of options after another: what was begun with others is given up.

    Parameters
    ----------
    path : Path
    runner : TaskRunner
    key : str
        What the jobs call it by; every file has its own number next to it, so that none supersedes another.
    """

    progressed = Signal(float)  # the share that is read
    succeeded = Signal(object)  # Reading
    failed = Signal(object)  # the exception
    cancelled = Signal()  # by the person

    def __init__(self, path: Path, runner: TaskRunner, key: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path = path
        self.chosen: ReadOptions | None = None  # by a person; None if all is as it was detected
        self._runner = runner
        self._key = (f"{key}.whole", next(_numbers))
        self._task: Task | None = None

    @property
    def is_running(self) -> bool:
        """True if the end of the file is still to come."""
        return self._task is not None

    def start(self, options: ReadOptions, *, detects: bool) -> None:
        """Read from the beginning.

        Parameters
        ----------
        options : ReadOptions
        detects : bool
            Whether also words that mean missing are looked for in all of it.
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
        """Give up what is being read; nothing is told of it."""
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
