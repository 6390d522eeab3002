"""Running jobs: their display in strip and list, Cancel, and closing the window while they run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import count

from PySide6.QtCore import QObject, QPoint, QTimer, Signal

from anonymizer_gui.frame.closing_dialog import ClosingDialog
from anonymizer_gui.frame.job_list import JobLine, JobList
from anonymizer_gui.main_window import MainWindow
from anonymizer_gui.session import Session
from anonymizer_gui.session.words import scored_words
from anonymizer_gui.tasks import Task, TaskRunner
from anonymizer_gui.tasks.job_names import UNASKED, WRITERS, name_of
from anonymizer_gui.widgets.announce import announce
from engine.monitor import SHARES
from engine.numbers import as_exact_count

DOT = " · "
LONG = 0.3  # seconds after which a task without a label is shown as a job
LOOK = 100  # milliseconds between two checks for such tasks


class JobsPresenter(QObject):
    """Keeps the list of jobs: tasks with a label and slow tasks; the status strip shows the newest."""

    changed = Signal()  # a job started or ended

    def __init__(
        self, window: MainWindow, session: Session, runner: TaskRunner, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._status = window.status
        self._session = session
        self._runner = runner
        self._jobs: dict[Task, JobLine] = {}
        self._numbers = count(1)
        self._is_stopping = False
        self._dialog: ClosingDialog | None = None
        self._list = JobList(window)
        self._list.cancel_requested.connect(self._cancel)
        self._looks = QTimer(self)
        self._looks.setInterval(LOOK)
        self._looks.timeout.connect(self._look_for_long_ones)
        runner.task_started.connect(self._on_task_started)
        runner.task_ended.connect(self._on_task_ended)
        self._status.cancel_requested.connect(self.cancel_shown)
        self._status.jobs_requested.connect(self.show_list)
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
        self._list.show_jobs(self._lines())
        margin = QPoint(8, 4)
        self._list.open_above(self._status.mapToGlobal(self._status.rect().topRight()) - margin)

    def may_close(self) -> bool:
        """Ask what to do with running jobs; after stopping or waiting, the window closes."""
        if all(task.is_cancelled for task in self._that_matter()):
            return True
        dialog = ClosingDialog(self._window)
        dialog.cancel_requested.connect(self._cancel)
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

    def _cancel(self, number: int) -> None:
        for task, line in self._jobs.items():
            if line.number == number:
                task.cancel()
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
        self._jobs[task] = JobLine(next(self._numbers), name_of(task), since=task.started_at)
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
        if self._jobs.pop(task, None) is not None:
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

    def _on_progressed(self, done: int, total: int, _text: str) -> None:
        task = self.sender()
        if not isinstance(task, Task) or task not in self._jobs:
            return
        text, share = self._words(task, done, total), done / max(total, 1)
        line = self._jobs[task]
        self._jobs[task] = JobLine(line.number, text, share, line.since)
        if task is self._shown():
            self._status.job.show_progress(share, text)
        if self._list.isVisible() or self._dialog is not None:
            self._show_lines()

    def _words(self, task: Task, done: int, total: int) -> str:
        if task.key == "score" and self._session.results.is_explored:
            return name_of(task) + DOT + scored_words(self._session)
        if total <= 1:
            return name_of(task)
        if total == SHARES:
            return name_of(task) + DOT + f"{100 * done // total} %"
        return name_of(task) + DOT + f"{as_exact_count(done)} / {as_exact_count(total)}"

    def _on_failed(self, _error: Exception) -> None:
        if self._dialog is not None:
            self._dialog.show_failure()

    def _on_succeeded(self, _result: object) -> None:
        self._announce_end(self.tr("{job}: finished"))

    def _on_cancelled(self) -> None:
        self._announce_end(self.tr("{job}: cancelled"))

    def _announce_end(self, text: str) -> None:
        task = self.sender()
        if isinstance(task, Task):
            announce(self._status, text.format(job=name_of(task)))

    def _show_lines(self) -> None:
        if self._list.isVisible():
            self._list.show_jobs(self._lines())
        if self._dialog is not None:
            tasks = self._runner.tasks if self._is_stopping else self._that_matter()
            self._dialog.show_jobs([self._line(task) for task in tasks if not task.has_ended])

    def _lines(self) -> list[JobLine]:
        return [self._line(task) for task in self._jobs]

    def _line(self, task: Task) -> JobLine:
        line = self._jobs.get(task) or JobLine(-id(task), name_of(task), since=task.started_at)
        text = line.text if task.has_begun else DOT.join((line.text, self.tr("waiting")))
        return JobLine(line.number, text, line.share, line.since, task.is_cancelled)
