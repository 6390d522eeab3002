"""The jobs that are running: which of them the status strip shows, how far it is, and its Cancel."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.main_window import MainWindow
from anonymizer_gui.session import Session
from anonymizer_gui.session.scored_words import scored_words
from anonymizer_gui.tasks import Task, TaskRunner
from anonymizer_gui.widgets.numbers import as_exact_count

DOT = " · "


class JobsPresenter(QObject):
    """Keeps the list of labelled tasks; the newest one is shown."""

    changed = Signal()  # a job began or ended

    def __init__(
        self, window: MainWindow, session: Session, runner: TaskRunner, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._status = window.status
        self._session = session
        self._jobs: list[Task] = []
        runner.task_started.connect(self._on_task_started)
        runner.task_ended.connect(self._on_task_ended)
        self._status.cancel_requested.connect(self.cancel_newest)

    def actions(self) -> Mapping[str, Callable[[], object]]:
        """What the menus can ask for."""
        return {"cancel": self.cancel_newest}

    @property
    def is_running(self) -> bool:
        """Whether there is a job."""
        return bool(self._jobs)

    def cancel_newest(self) -> None:
        """Cancel the job that is shown."""
        for task in reversed(self._jobs):
            if not task.is_cancelled:
                task.cancel()
                return

    def _on_task_started(self, task: Task) -> None:
        if task.label:
            self._jobs.append(task)
            task.progressed.connect(self._on_progressed)
            self._status.show_job(task.label)
            self.changed.emit()

    def _on_task_ended(self, task: Task) -> None:
        if task in self._jobs:
            self._jobs.remove(task)
            running = [job for job in self._jobs if not job.is_cancelled]
            self._status.show_job(running[-1].label if running else "")
            self.changed.emit()

    def _on_progressed(self, done: int, total: int, text: str) -> None:
        if self._jobs and self.sender() is self._jobs[-1]:
            label = self._jobs[-1].label
            counts = DOT + f"{as_exact_count(done)} / {as_exact_count(total)}" if total > 1 else ""
            if self._jobs[-1].key == "score" and self._session.is_explored:
                counts = DOT + scored_words(self._session)
            self._status.job.show_progress(done / max(total, 1), label + counts)
