"""Reads a table chosen by the user, with a dialog for its import settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtWidgets import QWidget

from anonymizer_gui.tasks import Task, TaskRunner
from engine.errors import AnonymizerError
from engine.project import Project
from engine.project.storage.opened_project import OpenedProject
from engine.records.options import ReadOptions

if TYPE_CHECKING:
    from anonymizer_gui.perspectives.start.open_dialog import OpenDialog
    from engine.project.reimport import Changes
    from engine.records import Column, Table
    from engine.records.reading import Reading
    from engine.records.types import DataType

_numbers = count(1)


def name_of_file(path: Path) -> str:
    """Return the name of a project for a table: that of the file or folder, without ending or pattern."""
    name = re.split(r"[.*?\[{]", path.name)[0].rstrip("-_ ")
    return name or path.absolute().parent.name or path.name


class BackgroundReading(QObject):
    """One file; starting with other options cancels the previous reading.

    Parameters
    ----------
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
        detects : bool
            Whether missing words are detected in the complete file.
        """
        from anonymizer_gui.perspectives.start.reading import first_reading, read_again

        self.stop()
        self.chosen = None if detects else options
        task = Task(first_reading if detects else read_again, self.path, options)
        self._task = task
        task.progressed.connect(lambda done, total, _text: self._on_progressed(task, done, total))
        task.succeeded.connect(lambda reading: self._end(task, self.succeeded, reading))
        task.failed.connect(lambda error: self._end(task, self.failed, error))
        task.cancelled.connect(lambda: self._end(task, self.cancelled))
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

    def _end(self, task: Task, signal: SignalInstance, *answer: object) -> None:
        if task is self._task:  # a stopped one ends without a message
            self._task = None
            signal.emit(*answer)


class OpenFlow(QObject):
    """Common steps of all ways to open a table: first options, unsaved changes, and the new project.

    Attributes
    ----------
    missing : tuple of str
        Default words that are read as missing.
    prepare : callable
        Sets the defaults of a new project.
    ask_first : callable
        Asks about unsaved changes, then continues.
    ask_again : callable
        The same after something has been read, which takes a while.
    recent_databases, database_used : callable
        Return the addresses of databases used last, and note one, without user and password.
    """

    opened = Signal(object)  # OpenedProject

    def __init__(self, window: QWidget, runner: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.window, self.runner = window, runner
        self.missing = ReadOptions().missing
        self.prepare: Callable[[Project], Project] = lambda project: project
        self.ask_first: Callable[[Callable[[], object]], object] = lambda then: then()
        self.ask_again = self.ask_first
        self.recent_databases: Callable[[], Sequence[str]] = lambda: ()
        self.database_used: Callable[[str], object] = lambda _url: None

    def set_missing(self, words: tuple[str, ...]) -> None:
        """Set the words that are read as missing."""
        self.missing = words

    def begin(self, project: Project) -> None:
        """Open a new project."""
        self.opened.emit(OpenedProject(self.prepare(project)))

    def show_changes(
        self, name: str, changes: Changes, accept: Callable[[], object], recipe: str = ""
    ) -> None:
        """Show what a table changes, and continue if the user accepts it."""
        from anonymizer_gui.perspectives.start.changes_dialog import ChangesDialog

        dialog = ChangesDialog(name, changes, self.window, recipe=recipe)
        dialog.accepted.connect(accept)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


class TableOpening(QObject):
    """One file at a time; another one replaces it.

    Parameters
    ----------
    key : str
        Prefix of its task keys.
    given : ReadOptions, optional
        Options that the user cannot choose; by default, the words of the flow for missing values.
    opens_early : bool
        Whether a large file is handed over by `begun` as soon as its first records are accepted; otherwise
        `read` follows when it is complete.
    """

    begun = Signal(object, object)  # Reading of the first records, and the running one
    read = Signal(object, object)  # path, Reading
    failed = Signal(object)  # the exception
    closed = Signal()  # the dialog, and reading has ended

    def __init__(
        self, flow: OpenFlow, key: str, given: ReadOptions | None = None, *, opens_early: bool = False
    ) -> None:
        super().__init__(flow)
        self._flow, self._window, self._runner, self._key = flow, flow.window, flow.runner, key
        # Unsaved changes at this time; nothing can be edited while the dialog is open.
        self.ask_first: Callable[[Callable[[], object]], object] = lambda then: then()
        self._given, self._takes_words = given or ReadOptions(), given is None
        self._opens_early = opens_early
        self._dialog: OpenDialog | None = None
        self._before = ReadOptions()
        self._chosen: ReadOptions | None = None

    def open(self, path: Path, before: ReadOptions | None = None, chosen: ReadOptions | None = None) -> None:
        """Detect the options first: a file that is not a table gets a message instead of a dialog.

        Parameters
        ----------
        before : ReadOptions or None
            Options of the table that this one replaces: names and order of columns are restored, and the
            same cells are missing.
        chosen : ReadOptions or None
            Earlier choices for the same file, which the user wants to change.
        """
        from anonymizer_gui.perspectives.start.reading import (
            file_choices,
            first_reading,
            is_large,
            places_of,
            read_again,
        )

        if before is not None:
            self._given = replace(self._given, missing=before.missing)
            if places_of(path):
                self._given = replace(self._given, source=before.source, memory=before.memory)
        elif self._takes_words:
            self._given = replace(self._given, missing=self._flow.missing)
        self._before, self._chosen = before or ReadOptions(), chosen
        is_early = is_large(path)
        if chosen is None:
            task = Task(first_reading, path, self._given, is_head=is_early)
        else:
            task = Task(read_again, path, file_choices(chosen), is_head=is_early)
        task.succeeded.connect(lambda reading: self._on_detected(path, reading))
        task.failed.connect(
            lambda error: (
                self._on_detected(path, error)
                if isinstance(error, AnonymizerError)
                else self.failed.emit(error)
            )
        )
        self._runner.start(task, label=self.tr("Reading {name}").format(name=path.name), key=self._key)

    def accept_as_detected(self) -> None:
        """Accept the detected options, as the button of the open dialog does."""
        if self._dialog is not None and self._dialog.reading is not None:
            self._dialog.accept()

    def _on_detected(self, path: Path, first: Reading | AnonymizerError) -> None:
        """Show the dialog, also for an error that other options may avoid: a delimiter, sheet or catalog."""
        from anonymizer_gui.perspectives.start.reading import catalogs_of, is_workbook, may_be_text

        if is_workbook(path):
            self._ask_for_sheets(path, first)
        elif not isinstance(first, AnonymizerError) or may_be_text(path) or catalogs_of(path):
            self.ask_first(lambda: self._show_dialog(path, first))
        else:
            self.failed.emit(first)

    def _ask_for_sheets(self, path: Path, first: Reading | AnonymizerError) -> None:
        """Show the dialog once the sheets are known; a file without any keeps its error."""
        from anonymizer_gui.perspectives.start.reading import sheets_of

        task = Task(sheets_of, path)
        task.succeeded.connect(lambda sheets: self.ask_first(lambda: self._show_dialog(path, first, sheets)))
        task.failed.connect(lambda error: self.failed.emit(first if isinstance(first, Exception) else error))
        self._runner.start(task, key=self._key)

    def _show_dialog(
        self, path: Path, first: Reading | AnonymizerError, sheets: tuple[str, ...] = ()
    ) -> None:
        from anonymizer_gui.perspectives.start.open_dialog import OpenDialog
        from anonymizer_gui.perspectives.start.reading import (
            candidates_for,
            file_choices,
            is_large,
            misfits_of,
            offered_by,
            offers_of,
            raw_rows_of,
            read_again,
            traits_of,
        )

        dialog = OpenDialog(
            path.name,
            self._window,
            has=traits_of(path),
            offered=offered_by(path, sheets),
            before=self._before,
            chosen=self._chosen,
        )
        self._dialog = dialog
        whole = BackgroundReading(path, self._runner, self._key, self) if is_large(path) else None

        def read(options: ReadOptions) -> None:
            if whole is not None:
                whole.stop()
            task = Task(read_again, path, options, is_head=whole is not None)
            task.succeeded.connect(lambda reading: take(reading, options))
            task.failed.connect(lambda error: self._on_read(dialog, error))
            self._runner.start(task, key=self._key)

        def take(reading: Reading, options: ReadOptions, *, detects: bool = False) -> None:
            if whole is not None and dialog is self._dialog and not reading.is_complete:
                # First, because the display may request another reading.
                whole.start(options, detects=detects)
            self._on_read(dialog, reading)

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

        def find_raw(options: ReadOptions) -> None:
            task = self._looking(dialog, dialog.show_raw, raw_rows_of, path, options)
            self._runner.start(task, key=f"{self._key}.raw")

        def find_offers(table: Table) -> None:
            task = self._looking(dialog, dialog.show_offers, offers_of, table)
            self._runner.start(task, key=f"{self._key}.offers")

        def finish(_result: int) -> None:
            for key in ("", ".candidates", ".misfits", ".raw", ".offers"):
                self._runner.cancel(self._key + key)
            self._dialog = None
            is_accepted = dialog.result() == OpenDialog.DialogCode.Accepted
            self._on_answered(path, dialog.reading if is_accepted else None, whole)
            dialog.deleteLater()

        dialog.options_changed.connect(read)
        dialog.candidates_wanted.connect(find_candidates)
        dialog.misfits_wanted.connect(find_misfits)
        dialog.raw_wanted.connect(find_raw)
        dialog.offers_wanted.connect(find_offers)
        dialog.finished.connect(finish)
        if whole is not None:
            whole.progressed.connect(lambda share: self._answer(dialog, dialog.show_progress, share))
            whole.succeeded.connect(lambda reading: self._on_read(dialog, reading))
            whole.failed.connect(lambda error: self._on_broken(dialog, error))
            whole.cancelled.connect(lambda: self._answer(dialog, dialog.reject))
        if not isinstance(first, AnonymizerError):
            options = file_choices(self._chosen or self._given)
            if self._chosen is None:  # matches in the first records are known already
                options = replace(options, comment=first.options.comment, missing=first.options.missing)
            take(first, options, detects=self._chosen is None)
        else:
            dialog.show_error(first)
        dialog.open()

    def _on_answered(self, path: Path, reading: Reading | None, whole: BackgroundReading | None) -> None:
        """Hand over the reading; continue if it is only the beginning."""
        if reading is None or reading.is_complete:
            if whole is not None:
                whole.stop()
                whole.deleteLater()
            if reading is not None:
                self.read.emit(path, reading)
            self.closed.emit()
            return
        assert whole is not None, "what is not whole is being read to its end"
        if self._opens_early:
            self.begun.emit(reading, whole)
            self.closed.emit()
            return
        whole.succeeded.connect(lambda reading: self.read.emit(path, reading))
        whole.failed.connect(self.failed)
        for ended in (whole.succeeded, whole.failed, whole.cancelled):
            ended.connect(self.closed)
            ended.connect(whole.deleteLater)

    def _looking(
        self, dialog: OpenDialog, show: Callable[..., None], function: Callable[..., object], *about: object
    ) -> Task:
        """Return a job whose result a dialog shows, if it is still open."""
        task = Task(function, *about)
        task.succeeded.connect(lambda found: self._answer(dialog, show, found))
        task.failed.connect(self.failed)
        return task

    def _answer(self, dialog: OpenDialog, show: Callable[..., None], *found: object) -> None:
        """Answer a request of a dialog, if it is still open."""
        if dialog is self._dialog:
            show(*found)

    def _on_broken(self, dialog: OpenDialog, error: Exception) -> None:
        if isinstance(error, AnonymizerError):
            self._answer(dialog, dialog.show_broken, error)
        else:
            self._on_read(dialog, error)

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
