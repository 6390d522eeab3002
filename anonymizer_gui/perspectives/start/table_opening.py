"""Reads a table a person points at, by a dialog that shows how it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.tasks import Task, TaskRunner
from engine.errors import AnonymizerError
from engine.table.reading import ReadOptions

if TYPE_CHECKING:
    from anonymizer_gui.perspectives.start.open_dialog import OpenDialog
    from anonymizer_gui.perspectives.start.reading import Reading
    from engine.table import Column
    from engine.table.types import DataType


class TableOpening(QObject):
    """One file at a time; another one supersedes it.

    Parameters
    ----------
    key : str
        Tells its tasks from those of another opening.
    given : ReadOptions
        What is no choice of the person's, such as that columns without a name are given one.
    """

    read = Signal(object, object)  # path, Reading
    failed = Signal(object)  # the exception
    closed = Signal()  # the dialog, whatever the answer was

    def __init__(
        self,
        window: QWidget,
        runner: TaskRunner,
        key: str,
        given: ReadOptions = ReadOptions(),
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._given = given
        self._window = window
        self._runner = runner
        self._key = key
        self._dialog: OpenDialog | None = None
        self._before = ReadOptions()

    def open(self, path: Path, before: ReadOptions = ReadOptions()) -> None:
        """Detect first: a file that is no table at all gets a message, not a dialog.

        Parameters
        ----------
        path : Path
        before : ReadOptions
            How the table was read that this one takes the place of: names and order of columns stay.
        """
        from anonymizer_gui.perspectives.start.reading import first_reading

        self._before = before
        task = Task(first_reading, path, self._given)
        task.succeeded.connect(lambda reading: self._on_detected(path, reading))
        task.failed.connect(lambda error: self._on_detection_failed(path, error))
        self._runner.start(task, label=self.tr("Reading {0}").format(path.name), key=self._key)

    def accept_as_detected(self) -> None:
        """Take the open dialog's detected choices, as its button would."""
        if self._dialog is not None and self._dialog.reading is not None:
            self._dialog.accept()

    def _on_detected(self, path: Path, reading: Reading) -> None:
        from anonymizer_gui.perspectives.start.reading import is_workbook

        if is_workbook(path):
            self._ask_for_sheets(path, reading)
        else:
            self._show_dialog(path, reading)

    def _on_detection_failed(self, path: Path, error: Exception) -> None:
        from anonymizer_gui.perspectives.start.reading import is_workbook
        from engine.table.sources import TEXT_ENDINGS

        is_text = path.name.lower().endswith(TEXT_ENDINGS) and path.is_file() and path.stat().st_size > 0
        if isinstance(error, AnonymizerError) and is_text:
            self._show_dialog(path, error)  # another delimiter or header may be all it takes
        elif isinstance(error, AnonymizerError) and is_workbook(path):
            self._ask_for_sheets(path, error)  # another sheet may be all it takes
        else:
            self.failed.emit(error)

    def _ask_for_sheets(self, path: Path, first: Reading | AnonymizerError) -> None:
        """Show the dialog once the sheets are known; a file without any keeps its error."""
        from anonymizer_gui.perspectives.start.reading import sheets_of

        task = Task(sheets_of, path)
        task.succeeded.connect(lambda sheets: self._show_dialog(path, first, sheets))
        task.failed.connect(lambda error: self.failed.emit(first if isinstance(first, Exception) else error))
        self._runner.start(task, key=self._key)

    def _show_dialog(
        self, path: Path, first: Reading | AnonymizerError, sheets: tuple[str, ...] = ()
    ) -> None:
        from anonymizer_gui.perspectives.start.open_dialog import OpenDialog
        from anonymizer_gui.perspectives.start.reading import (
            Reading,
            candidates_for,
            is_text,
            misfits_of,
            read_again,
        )

        dialog = OpenDialog(
            path.name,
            self._window,
            sheets=sheets,
            is_text=is_text(path),
            by_place=self._given.name_columns,
            before=self._before,
        )
        self._dialog = dialog

        def read(options: ReadOptions) -> None:
            task = Task(read_again, path, replace(options, name_columns=self._given.name_columns))
            task.succeeded.connect(lambda reading: self._on_read(dialog, reading))
            task.failed.connect(lambda error: self._on_read(dialog, error))
            self._runner.start(task, key=self._key)

        def find_candidates(column: Column, options: ReadOptions) -> None:
            task = Task(candidates_for, column, options)
            task.succeeded.connect(lambda found: self._answer(dialog, dialog.show_candidates, column, found))
            task.failed.connect(self.failed)
            self._runner.start(task, key=f"{self._key}.candidates")

        def find_misfits(column: Column, data_type: DataType) -> None:
            task = Task(misfits_of, column, data_type)
            task.succeeded.connect(
                lambda found: self._answer(dialog, dialog.show_misfits, column, data_type, found)
            )
            task.failed.connect(self.failed)
            self._runner.start(task, key=f"{self._key}.misfits")

        def finish(_result: int) -> None:
            for key in (self._key, f"{self._key}.candidates", f"{self._key}.misfits"):
                self._runner.cancel(key)
            self._dialog = None
            if dialog.result() == OpenDialog.DialogCode.Accepted and dialog.reading is not None:
                self.read.emit(path, dialog.reading)
            dialog.deleteLater()
            self.closed.emit()

        dialog.options_changed.connect(read)
        dialog.candidates_wanted.connect(find_candidates)
        dialog.misfits_wanted.connect(find_misfits)
        dialog.finished.connect(finish)
        if isinstance(first, Reading):
            dialog.show_reading(first)
        else:
            dialog.show_error(first)
        dialog.open()

    def _answer(self, dialog: OpenDialog, show: Callable[..., None], *found: object) -> None:
        """Give a dialog what it asked for, if it is still there."""
        if dialog is self._dialog:
            show(*found)

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
