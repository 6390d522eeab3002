"""A dialog that writes files: a question about what is there already, progress, and the outcome."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.fitted_dialog import FittedDialog
from anonymizer_gui.widgets.job_strip import JobStrip
from anonymizer_gui.widgets.layouts import hbox

MARGIN, SPACING = 16, 12


class WritingDialog(FittedDialog):
    """Shows and asks; while files are written nothing can be chosen, and it stays open.

    Attributes
    ----------
    banner : ErrorBanner
        What kept files from being written.
    job : JobStrip
    close_button : QPushButton
    """

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModal(True)
        self._asked_about: Path | None = None
        self.banner = ErrorBanner()
        self.job = JobStrip()
        self.job.cancel_requested.connect(self.cancel_requested)
        self.close_button = make_button(self.tr("Close"))
        self.close_button.clicked.connect(self.reject)

    @property
    def is_busy(self) -> bool:
        """Whether something is being written."""
        return not self.close_button.isEnabled()

    def show_problem(self, problem: str, hint: str, *, tone: str = "danger") -> None:
        """Say what kept the file from being written."""
        self._asked_about = None
        self.banner.show_error(problem, hint, tone=tone)
        self.fit()

    def ask_to_replace(self, path: Path) -> None:
        """Ask whether a file that is there already may be replaced."""
        self._asked_about = path
        self.banner.show_error(
            self.tr("'{0}' exists already.").format(path.name),
            self.tr("Choose another name, or replace it; what it holds now is lost then."),
            self.tr("Replace"),
            tone="warn",
        )
        self.fit()
        self.banner.focus_action()

    def show_progress_of(self, done: int, total: int, text: str) -> None:
        """How far the writing is."""
        self.job.show_progress(done / max(total, 1), text)

    def reject(self) -> None:
        if not self.is_busy:
            super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.is_busy:
            event.ignore()
        else:
            super().closeEvent(event)

    def _start_busy(self, text: str, widgets: tuple[QWidget, ...]) -> None:
        self._set_enabled(widgets, is_enabled=False)
        self.banner.hide()
        self.job.start(text)

    def _end_busy(self, widgets: tuple[QWidget, ...]) -> None:
        self._set_enabled(widgets, is_enabled=True)
        self.job.finish()

    def _set_enabled(self, widgets: tuple[QWidget, ...], *, is_enabled: bool) -> None:
        for widget in (*widgets, self.close_button):
            widget.setEnabled(is_enabled)

    def _forget_question(self) -> None:
        """Another file is meant now than the one that was asked about."""
        if self._asked_about is not None:
            self._asked_about = None
            self.banner.hide()

    def _column_with(self, *buttons: QPushButton) -> tuple[QVBoxLayout, QHBoxLayout]:
        """The column of the dialog, and its last row: progress at the left, these buttons at the right."""
        row = hbox((self.job, 1))
        row.addStretch(0)
        for button in buttons:
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.setSpacing(SPACING)
        return column, row
