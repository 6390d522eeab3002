"""Automatic saving of unsaved work for recovery, some seconds after each change, off the GUI thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from anonymizer_gui.session.saving import Look
from anonymizer_gui.session.session import Session
from anonymizer_gui.tasks import Task, TaskRunner
from engine.errors import ExportError
from engine.monitor import SILENT, Monitor
from engine.project import Project
from engine.project.pins_and_runs import ProjectState
from engine.project.storage.opened_project import OpenedProject
from engine.records import Table
from engine.records.databases.address import Connection
from engine.scratch import config_dir

if TYPE_CHECKING:
    from engine.project.storage.recovery import Look, Offer, Recovery


class Recovering:
    """Saves the work of this window and lists that of others; all methods may be called from any thread."""

    def __init__(self) -> None:
        self._root = config_dir() / "recovery"
        self._made: Recovery | None = None
        self._making = threading.Lock()

    @property
    def has_offers(self) -> bool:
        """Return whether there may be offers; fast."""
        try:
            return any(self._root.iterdir())
        except OSError:
            return False

    def offers(self) -> tuple[Offer, ...]:
        return self._recovery().offers()

    def read(
        self, offer: Offer, monitor: Monitor = SILENT, connection: Connection | None = None
    ) -> OpenedProject:
        return self._recovery().read(offer, monitor, connection)

    def discard(self, offer: Offer) -> None:
        self._recovery().discard(offer)

    def write(
        self,
        project: Project,
        state: ProjectState,
        path: Path | None,
        seen: Look | None = None,
        monitor: Monitor = SILENT,
    ) -> None:
        self._recovery().write(project, state, path, seen, monitor)

    def clear(self) -> None:
        """Delete the recovery data of this window, if there is any."""
        if self._made is not None:
            self._made.clear()

    def _recovery(self) -> Recovery:
        from engine.project.storage.recovery import Recovery

        with self._making:
            if self._made is None:
                self._made = Recovery(self._root)
            return self._made


INTERVAL = 8_000  # milliseconds from a change to its saving, at most
SOON = 1_000  # the same for a table not saved yet, because writing it takes time, and for removal


class Autosave(QObject):
    """Saves the session for recovery; nothing is stored for a project without unsaved changes.

    Parameters
    ----------
    recovery : Recovering
        Writes and deletes the recovery data.
    interval : int, optional
        Milliseconds.
    """

    failed = Signal(object)  # the exception; once until saving works again
    stored = Signal()  # all current work is recoverable or saved

    def __init__(
        self, session: Session, recovery: Recovering, parent: QObject | None = None, interval: int = INTERVAL
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._recovery = recovery
        # Own runner: it must not wait behind jobs, and does not count as activity of the window.
        self._runner = TaskRunner(self, n_threads=1)
        self.seen: Callable[[Path], Look | None] = lambda _path: None  # state of the project file
        self._is_due = False  # a change during saving
        self._has_failed = False
        self._is_ended = False
        self._unwanted: Project | None = None
        self._timer = QTimer(self, singleShot=True)
        self._interval = interval
        self._table: Table | None = None  # the table last saved
        self._timer.timeout.connect(self._try_to_store)
        session.snapshot_changed.connect(self._on_changed)
        session.reading.changed.connect(self._on_changed)
        session.saved.modified_changed.connect(self._on_modified_changed)

    @property
    def is_waiting(self) -> bool:
        """Return whether a change is not yet saved."""
        return self._timer.isActive() or self._runner.is_busy

    def set_interval(self, milliseconds: int) -> None:
        """Set the time between a change and its saving."""
        self._interval = milliseconds

    def discard_changes(self) -> None:
        """Discard the current changes at the end of the program, as the user decided."""
        self._unwanted = self._session.project

    def shutdown(self) -> None:
        """End; delete the recovery data, unless there are unsaved changes that the user did not discard."""
        self._is_ended = True
        self._timer.stop()
        self._runner.shutdown()
        if not self._session.saved.is_modified or self._session.project is self._unwanted:
            self._recovery.clear()

    def _on_changed(self) -> None:
        project = self._session.project
        is_kept = project is not None and project.table is self._table
        delay = self._interval if is_kept else min(self._interval, SOON)
        is_in_time = self._timer.isActive() and self._timer.remainingTime() <= delay
        if not is_in_time and not self._is_ended:
            self._timer.start(delay)

    def _on_modified_changed(self, is_modified: bool) -> None:
        if not is_modified and self._session.saved.path is not None and not self._is_ended:
            self._timer.stop()
            self._try_to_store()  # just saved or opened: recovery data is obsolete
        else:
            self._on_changed()

    def _try_to_store(self) -> None:
        """Save the current state; if the task cannot start, as without memory, try again later."""
        try:
            self._store()
        except MemoryError as error:
            self._on_failed(error)
            self._timer.start(self._interval)

    def _store(self) -> None:
        session = self._session
        if self._runner.is_busy:
            self._is_due = True
            return
        if session.reading.is_provisional:
            self._timer.start(self._interval)  # recovery data must be complete
            return
        is_saved = session.saved.path is not None and not session.saved.is_modified
        if session.project is None or is_saved:
            task, self._table = Task(self._recovery.clear), None
            self._unwanted = self._unwanted if session.project is not None else None
        else:
            project, state = session.snapshot()
            self._table = project.table
            seen = None if session.saved.path is None else self.seen(session.saved.path)
            task = Task(self._recovery.write, project, state, session.saved.path, seen)
        task.succeeded.connect(self._on_stored)
        task.failed.connect(self._on_failed)
        task.ended.connect(self._on_ended)
        self._runner.start(task)

    def _on_stored(self, _nothing: object) -> None:
        self._has_failed = False

    def _on_failed(self, error: Exception) -> None:
        self._is_due, self._table = True, None
        if not self._has_failed:
            self._has_failed = True
            self.failed.emit(self._without_memory() if isinstance(error, MemoryError) else error)

    def _without_memory(self) -> ExportError:
        return ExportError(
            self.tr("Not enough memory to save unsaved work automatically."),
            hint=self.tr("The previous copy is intact. Close other programs; the program will try again."),
        )

    def _on_ended(self) -> None:
        is_due, self._is_due = self._is_due, False
        if is_due:
            self._on_changed()
        elif not self._timer.isActive():
            self.stored.emit()
