"""What presenters of a `TrialDialog` have in common: a job that the dialog shows, as long as it is open."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.explore.algorithms.trial_dialog import TrialDialog
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import Task, TaskRunner
from engine.errors import AnonymizerError


class TrialPresenter(QObject):
    """Starts jobs for a dialog, and shows how they go."""

    _dialog: TrialDialog | None = None

    def __init__(
        self, session: Session, runner: TaskRunner, window: QWidget, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._runner, self._window = session, runner, window

    def _start(self, task: Task, key: str, title: str) -> None:
        """Start a job; what it gives is for who made it to take."""
        task.failed.connect(self._on_failed)
        task.cancelled.connect(self._on_cancelled)
        task.progressed.connect(self._on_progressed)
        if self._dialog is not None:
            self._dialog.show_busy(title)
        self._runner.start(task, key=key)

    def _end(self, *keys: str) -> None:
        """The dialog was closed: its jobs end with it."""
        for key in keys:
            self._runner.cancel(key)
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None

    def _on_failed(self, error: Exception) -> None:
        if self._dialog is not None:
            self._dialog.show_busy("")
        if not isinstance(error, AnonymizerError):
            raise error
        if self._dialog is not None:
            self._dialog.banner.show_error(error.problem, error.hint)

    def _on_cancelled(self) -> None:
        if self._dialog is not None:
            self._dialog.show_busy("")

    def _on_progressed(self, done: int, total: int, text: str) -> None:
        if self._dialog is not None:
            self._dialog.job.show_progress(done / max(total, 1), text)
