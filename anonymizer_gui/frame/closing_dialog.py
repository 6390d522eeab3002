"""Dialog on closing the window while jobs run: asks whether to stop them and waits for their end."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QWidget

from anonymizer_gui.frame.job_list import JobLine, JobLines
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.fitted_dialog import FittedDialog
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named, vbox

WIDTH = 560
PATIENCE = 10_000  # milliseconds to wait for jobs after asking them to stop


class ClosingDialog(FittedDialog):
    """Accepted once no job runs; rejected if the window stays open."""

    cancel_requested = Signal(int)
    stop_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("closingDialog")
        self.setWindowTitle(self.tr("Jobs are running"))
        self.setMinimumWidth(scaled(WIDTH))
        self._question = make_label("", Text.TITLE, wraps=True)
        self._facts = make_label(
            self.tr("Stopping a job changes nothing: no partly written file remains."),
            Text.CELL,
            "text_2",
            wraps=True,
        )
        self._lines = JobLines()
        self._lines.cancel_requested.connect(self.cancel_requested)
        self._stay = named(make_button(self.tr("Keep open")), "keepOpenButton")
        self._wait = named(make_button(self.tr("Close when done")), "closeWhenDoneButton")
        self._stop = named(make_button(self.tr("Stop and close"), kind="primary"), "stopAndCloseButton")
        self._stay.clicked.connect(self.reject)
        self._wait.clicked.connect(self._on_wait_clicked)
        self._stop.clicked.connect(self._on_stop_clicked)
        self._stop.setDefault(True)
        vbox(
            self._question,
            self._lines,
            self._facts,
            button_row(self._stay, self._wait, self._stop),
            spacing=12,
            margins=16,
            of=self,
        )
        self._ask()

    def show_jobs(self, lines: Sequence[JobLine]) -> None:
        """Show the running jobs; accept the dialog if there are none."""
        self._lines.show_jobs(lines)
        if lines:
            self.fit()
        elif self.isVisible():  # else the user has answered already
            self.accept()

    def show_failure(self) -> None:
        """Stay open after a job failed, so that the user can read its error."""
        self.reject()

    def _ask(self) -> None:
        self._question.setText(self.tr("Close while jobs are running?"))

    def _on_wait_clicked(self) -> None:
        self._wait.setEnabled(False)
        self._question.setText(self.tr("The window closes when these jobs have finished."))

    def _on_stop_clicked(self) -> None:
        self._wait.setEnabled(False)
        self._stop.setEnabled(False)
        self._stay.setEnabled(False)
        self._question.setText(self.tr("Stopping"))
        QTimer.singleShot(PATIENCE, self, self.accept)
        self.stop_requested.emit()

    def reject(self) -> None:
        """Keep the window open; not possible once jobs were asked to stop."""
        if self._stay.isEnabled():
            super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._stay.isEnabled():
            super().closeEvent(event)
        else:
            event.ignore()
