"""Base of dialogs with background jobs: one at a time, its errors, and results."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtWidgets import QDialog, QWidget

from anonymizer_gui.session import Session
from anonymizer_gui.tasks import Task, TaskRunner
from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.job_strip import JobStrip
from engine.errors import AnonymizerError

_SIZE, _LEAST, _AROUND = (1180, 760), (880, 560), 24


class TrialDialog(QDialog):
    """Provides banner and job strip; subclasses lay out the rest."""

    cancel_requested = Signal()
    continues = False  # whether a running job goes on after the dialog was closed

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModal(True)
        self.banner = ErrorBanner()
        self.job = JobStrip()
        self.job.cancel_requested.connect(self.cancel_requested)
        self._fit(parent)

    @property
    def is_running(self) -> bool:
        """True if a job is under way."""
        return not self.job.isHidden()

    def show_busy(self, text: str) -> None:
        """Show a running job; an empty text ends it."""
        if text:
            self.banner.hide()
            self.job.start(text)
        else:
            self.job.finish()

    def reject(self) -> None:
        """Close the dialog and cancel a running job, unless it goes on in the background."""
        if not self.continues:
            self.cancel_requested.emit()
        super().reject()

    def _fit(self, parent: QWidget | None) -> None:
        """Limit the size to the parent window."""
        self.setMinimumSize(scaled(_LEAST[0]), scaled(_LEAST[1]))
        wanted = QSize(scaled(_SIZE[0]), scaled(_SIZE[1]))
        if parent is not None:
            room = parent.window().size() - QSize(2 * _AROUND, 2 * _AROUND)
            self.setMinimumSize(self.minimumSize().boundedTo(room))
            wanted = wanted.boundedTo(room)
        self.resize(wanted)


class TrialPresenter(QObject):
    """Starts jobs for a dialog and shows their progress."""

    _dialog: TrialDialog | None = None

    def __init__(
        self, session: Session, runner: TaskRunner, window: QWidget, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._runner, self._window = session, runner, window

    def _start(self, task: Task, key: str, title: str) -> None:
        """Start a job; the caller connects to its result."""
        task.failed.connect(self._on_failed)
        task.cancelled.connect(self._on_cancelled)
        task.progressed.connect(self._on_progressed)
        if self._dialog is not None:
            self._dialog.show_busy(title)
        self._runner.start(task, key=key)

    def _end(self, *keys: str) -> None:
        """Cancel the jobs when the dialog is closed."""
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
