"""Running jobs: their display in strip and list, Cancel, and closing the window while they run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, QPoint, QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QWidget

from anonymizer_gui.main_window import MainWindow
from anonymizer_gui.session import Session
from anonymizer_gui.session.words import scored_words
from anonymizer_gui.tasks import Task
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.accessible import announce
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.fitted_dialog import FittedDialog
from anonymizer_gui.widgets.floating_card import Popup
from anonymizer_gui.widgets.job_strip import JobStrip
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import vbox
from engine.monitor import SHARES
from engine.numbers import as_exact_count
from engine.words import _

WIDTH = 520


Words = Callable[[Task], str]


class JobLines(QWidget):
    """List of jobs; a job that continues keeps its widget, so that the mouse and tests can rely on it."""

    def __init__(self, words: Words) -> None:
        """Create an empty list; `words` describes a job and its progress."""
        super().__init__()
        self._words = words
        self._strips: dict[Task, JobStrip] = {}
        self._column = vbox(spacing=4, margins=0, of=self)

    def show_jobs(self, jobs: Sequence[Task]) -> None:
        """Show these jobs in this order."""
        for job in self._strips.keys() - set(jobs):
            strip = self._strips.pop(job)
            strip.hide()
            self._column.removeWidget(strip)
            strip.deleteLater()
        for job in jobs:
            strip = self._strips.get(job) or self._made(job)
            if job.is_cancelled:
                strip.show_cancelling()
            else:
                strip.show_progress(job.share, self._words(job))

    def focus_first(self) -> None:
        """Focus the first Cancel button."""
        for strip in self._strips.values():
            strip.focusNextChild()
            return

    def _made(self, job: Task) -> JobStrip:
        strip = self._strips[job] = JobStrip(self, fills=True)
        strip.start(self._words(job), since=job.started_at)
        strip.cancel_requested.connect(job.cancel)
        self._column.addWidget(strip)
        return strip


class JobList(Popup):
    """List of jobs, or that there are none."""

    def __init__(self, words: Words, parent: QWidget) -> None:
        super().__init__("jobList", self.tr("Jobs"), parent)
        self._title = make_label(self.tr("Jobs"), Text.TITLE)
        self._empty = make_label(self.tr("Nothing is running."), Text.CELL, "text_2")
        self._lines = JobLines(words)
        vbox(self._title, self._empty, self._lines, spacing=8, margins=(12, 10, 12, 10), of=self)

    def show_jobs(self, jobs: Sequence[Task]) -> None:
        """Show these jobs in this order; some may wait for others."""
        self._empty.setVisible(not jobs)
        self._lines.setVisible(bool(jobs))
        self._lines.show_jobs(jobs)
        if self.isVisible():
            self._place(self.mapToGlobal(self.rect().bottomRight()))

    def open_above(self, corner: QPoint) -> None:
        """Open with the lower right corner at a point."""
        self._place(corner)
        self.show()
        self._lines.focus_first()

    def _place(self, corner: QPoint) -> None:
        self.settle(scaled(WIDTH))
        self.move(corner - self.rect().bottomRight())


_CLOSING_WIDTH = 560
PATIENCE = 10_000  # milliseconds to wait for jobs after asking them to stop


class ClosingDialog(FittedDialog):
    """Accepted once no job runs; rejected if the window stays open."""

    stop_requested = Signal()

    def __init__(self, words: Words, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("closingDialog")
        self.setWindowTitle(self.tr("Jobs are running"))
        self.setMinimumWidth(scaled(_CLOSING_WIDTH))
        self._question = make_label(self.tr("Close while jobs are running?"), Text.TITLE, wraps=True)
        self._facts = make_label(
            self.tr("Stopping a job changes nothing: no partly written file remains."),
            Text.CELL,
            "text_2",
            wraps=True,
        )
        self._lines = JobLines(words)
        self._stay = make_button(self.tr("Keep open"), "keepOpenButton")
        self._wait = make_button(self.tr("Close when done"), "closeWhenDoneButton")
        self._stop = make_button(self.tr("Stop and close"), "stopAndCloseButton", kind="primary")
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

    def show_jobs(self, jobs: Sequence[Task]) -> None:
        """Show the running jobs; accept the dialog if there are none."""
        self._lines.show_jobs(jobs)
        if jobs:
            self.fit()
        elif self.isVisible():  # else the user has answered already
            self.accept()

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


DOT = " · "
LONG = 0.3  # seconds after which a task without a label is shown as a job
LOOK = 100  # milliseconds between two checks for such tasks


class JobsPresenter(QObject):
    """Keeps the list of jobs: tasks with a label and slow tasks; the status strip shows the newest."""

    changed = Signal()  # a job started or ended

    def __init__(self, window: MainWindow, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._window = window
        self._status = window.status
        self._session = session
        self._runner = session.runner
        self._jobs: list[Task] = []
        self._is_stopping = False
        self._dialog: ClosingDialog | None = None
        self._list = JobList(self._words, window)
        self._looks = QTimer(self, interval=LOOK)
        self._looks.timeout.connect(self._look_for_long_ones)
        session.runner.task_started.connect(self._on_task_started)
        session.runner.task_ended.connect(self._on_task_ended)
        self._status.job.cancel_requested.connect(self.cancel_shown)
        self._status.jobs_button.clicked.connect(self.show_list)
        window.ask_before_closing(self.may_close)

    def actions(self) -> Mapping[str, Callable[[], object]]:
        """Handlers of menu entries by id."""
        return {"cancel": self.cancel_shown, "jobs": self.show_list}

    @property
    def is_running(self) -> bool:
        """Return whether a job is running."""
        return bool(self._jobs)

    def cancel_shown(self) -> None:
        """Cancel the job in the status strip; another running job takes its place."""
        if (shown := self._shown()) is not None:
            shown.cancel()
            if self._shown() is not None:
                self._show_newest()
            self._show_lines()

    def show_list(self) -> None:
        """Open the list of all jobs above the right end of the status strip."""
        self._list.show_jobs(self._jobs)
        margin = QPoint(8, 4)
        self._list.open_above(self._status.mapToGlobal(self._status.rect().topRight()) - margin)

    def may_close(self) -> bool:
        """Ask what to do with running jobs; after stopping or waiting, the window closes."""
        if all(task.is_cancelled for task in self._that_matter()):
            return True
        dialog = ClosingDialog(self._words, self._window)
        dialog.stop_requested.connect(self._stop)
        self._dialog = dialog
        self._show_lines()
        may_close = bool(dialog.exec())
        self._dialog = None
        self._is_stopping = False
        dialog.deleteLater()
        return may_close

    def _that_matter(self) -> list[Task]:
        """Return the tasks the user must decide about before the window closes."""
        return [task for task in self._jobs if not task.has_ended and task.key not in UNASKED]

    def _stop(self) -> None:
        self._is_stopping = True
        self._runner.cancel_all()
        self._show_lines()

    # Running jobs -------------------------------------------------------------------------------

    def _on_task_started(self, task: Task) -> None:
        if self._is_stopping:
            task.cancel()  # a job queued after another must not start
        if task.label or task.key in WRITERS:
            self._take(task)
        elif not self._looks.isActive():
            self._looks.start()

    def _look_for_long_ones(self) -> None:
        unseen = [task for task in self._runner.tasks if task not in self._jobs and not task.has_ended]
        if not unseen:
            self._looks.stop()
        now = time.monotonic()
        for task in unseen:
            if now - task.started_at >= LONG and not task.is_cancelled:
                self._take(task)

    def _take(self, task: Task) -> None:
        self._jobs.append(task)
        task.progressed.connect(self._on_progressed)
        task.failed.connect(self._on_failed)
        if task.key not in UNASKED:
            task.succeeded.connect(self._on_succeeded)
            task.cancelled.connect(self._on_cancelled)
        if task.label or len(self._jobs) == 1:
            self._status.show_job(name_of(task), task.started_at)
        self._show_lines()
        self.changed.emit()

    def _on_task_ended(self, task: Task) -> None:
        if task in self._jobs:
            self._jobs.remove(task)
            self._show_newest()
            self._show_lines()
            self.changed.emit()
        elif self._dialog is not None:
            self._show_lines()

    def _show_newest(self) -> None:
        shown = self._shown()
        if shown is None:
            self._status.show_job("")
        else:
            self._status.show_job(name_of(shown), shown.started_at)

    def _shown(self) -> Task | None:
        """Return the job for the strip: the newest, with a label if any has one."""
        going_on = [task for task in self._jobs if not task.is_cancelled]
        return next(reversed([task for task in going_on if task.label] or going_on), None)

    def _on_progressed(self) -> None:
        task = self.sender()
        if not isinstance(task, Task) or task not in self._jobs:
            return
        if task is self._shown():
            self._status.job.show_progress(task.share, self._words(task))
        if self._list.isVisible() or self._dialog is not None:
            self._show_lines()

    def _words(self, task: Task) -> str:
        """Return the name of a job with its progress, or that it waits for a thread."""
        words, done, total = [name_of(task)], task.done, task.total
        if task.key == "score" and self._session.results.is_explored:
            words.append(scored_words(self._session))
        elif total == SHARES:
            words.append(f"{100 * done // total} %")
        elif total > 1:
            words.append(f"{as_exact_count(done)} / {as_exact_count(total)}")
        return DOT.join(words if task.has_begun else [*words, self.tr("waiting")])

    def _on_failed(self, _error: Exception) -> None:
        if self._dialog is not None:
            self._dialog.reject()  # so that the user can read the error

    def _on_succeeded(self, _result: object) -> None:
        self._announce_end(self.tr("{job}: finished"))

    def _on_cancelled(self) -> None:
        self._announce_end(self.tr("{job}: cancelled"))

    def _announce_end(self, text: str) -> None:
        task = self.sender()
        if isinstance(task, Task):
            announce(self._status, text.format(job=name_of(task)))

    def _show_lines(self) -> None:
        self._list.show_jobs(self._jobs if self._list.isVisible() else ())  # it holds no job that has ended
        if self._dialog is not None:
            tasks = self._runner.tasks if self._is_stopping else self._that_matter()
            self._dialog.show_jobs([task for task in tasks if not task.has_ended])


WRITERS = frozenset(
    {"export", "export.about", "hierarchy.file", "files for arx", "report", "save", "save recipe"}
)  # keys of tasks that write files
UNASKED = frozenset({"autosave", "imports", "recovery", "undo"})  # keys of tasks that the user did not start


def name_of(task: Task) -> str:
    """Return the label of a task, or the default name for its key."""
    if task.label:
        return task.label
    key = task.key[0] if isinstance(task.key, tuple) else task.key
    return _names().get(key if isinstance(key, str) else "", _("Working"))


def _names() -> dict[str, str]:
    scoring, looking = _("Scoring nodes"), _("Examining the node")
    parts = ("node", "metrics", "record", "classes")
    hierarchy, columns = _("Updating the hierarchy"), _("Updating the columns")
    return {
        "export": _("Exporting and verifying"),
        "report": _("Writing the report"),
        "hierarchy.file": _("Reading or writing a hierarchy"),
        "run": _("Measuring the release"),
        "compile": _("Preparing the settings"),
        "evaluate": _("Evaluating the nodes"),
        "explore.curves": _("Computing the curves"),
        "optima": _("Finding the optima"),
        "explore.layout": _("Arranging the lattice"),
        "explore.front": _("Drawing the map"),
        "explore.walk": _("Replaying the algorithm"),
        "score node": scoring,
        "explore.scores": scoring,
        **dict.fromkeys(("explore.details", "explore.suppression"), looking),
        **dict.fromkeys((f"explore.inspect.{part}" for part in parts), looking),
        **dict.fromkeys(("hierarchy.build", "hierarchy.unplaced", "hierarchy.mislabel"), hierarchy),
        **dict.fromkeys(("configure.suggest", "configure.edit", "configure.type"), columns),
        "consequence.suggested": _("Preview of suggested roles"),
        **dict.fromkeys(("consequence.next", "consequence.form"), _("Counting satisfying nodes")),
        "configure.find": _("Finding"),
        "utility.find": _("Finding"),
        "analysis.prepare": _("Preparing the analyses"),
        "autosave": _("Saving a copy"),
        "undo": _("Storing the undo step"),
        "open": _("Reading"),
        "judge.open": _("Reading"),
        "judge.original": _("Reading"),
    }
