"""Base of side sheets with background jobs: one at a time, its errors, and results."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.session import Session
from anonymizer_gui.tasks import Task
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.floating_card import SideSheet
from anonymizer_gui.widgets.job_strip import JobStrip
from engine.errors import AnonymizerError

_WIDTH = 880


class TrialDialog(SideSheet):
    """Provides banner, job strip and stop button; subclasses lay out the rest.

    Closing it does not end a running job.
    """

    cancel_requested = Signal()
    stop_requested = Signal()  # keeps the best result so far

    def __init__(self, name: str, title: str, page: QWidget, stop_hint: str) -> None:
        super().__init__(name, title, _WIDTH, page)
        self.banner = ErrorBanner()
        self.job = JobStrip()
        self.job.cancel_requested.connect(self.cancel_requested)
        self.stop_button = make_button(
            self.tr("Stop and use what is there"), icon_name="flag", tooltip=stop_hint
        )
        self.stop_button.hide()
        self.stop_button.clicked.connect(self._on_stop_clicked)

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

    def _on_stop_clicked(self) -> None:
        self.stop_button.setEnabled(False)
        self.stop_requested.emit()


class TrialPresenter(QObject):
    """Starts jobs for a side sheet of `page` and shows their progress.

    The sheet belongs to the perspective *Explore*, which is shown with it.
    """

    perspective_requested = Signal(str)

    _dialog: TrialDialog | None = None

    def __init__(self, session: Session, page: QWidget) -> None:
        super().__init__(page)
        self._session, self._runner, self._page = session, session.runner, page

    def _open(self, dialog: TrialDialog, key: str) -> None:
        """Show the sheet, with the job of this key if it still runs."""
        if (task := self._runner.running(key)) is not None and not dialog.is_running:
            dialog.show_busy(task.label)
        self.perspective_requested.emit("explore")
        dialog.show()
        dialog.raise_()

    def _start(self, task: Task, key: str, title: str) -> None:
        """Start a job; the caller connects to its result."""
        task.failed.connect(self._on_failed)
        task.cancelled.connect(self._on_cancelled)
        task.progressed.connect(self._on_progressed)
        if self._dialog is not None:
            self._dialog.show_busy(title)
        self._runner.start(task, label=title, key=key)

    def _end(self) -> None:
        """Remove the closed sheet; its job goes on."""
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
        else:
            self._runner.error_raised.emit(error)

    def _on_cancelled(self) -> None:
        if self._dialog is not None:
            self._dialog.show_busy("")

    def _on_progressed(self, done: int, total: int, text: str) -> None:
        if self._dialog is not None:
            self._dialog.job.show_progress(done / max(total, 1), text)
