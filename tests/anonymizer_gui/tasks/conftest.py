"""Window whose jobs can be held in the middle of their work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui import jobs_presenter
from anonymizer_gui.tasks import Task, TaskRunner
from anonymizer_gui.tasks.task import Job, Report, TaskMonitor
from tests.anonymizer_gui.tasks.cancelling import Gate
from tests.window_driver import Driver, driven_window


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    """Hold a job when it first uses the monitor, or on return if it never does."""
    made = Gate()
    start, run, step = TaskRunner.start, Job.run, TaskMonitor.step
    tasks: dict[Job, Task] = {}

    def known_start(self: TaskRunner, task: Task, label: str = "", key: object = None) -> Task:
        tasks[task.job] = task
        return start(self, task, label, key)

    def gated_run(self: Job, report: Report | None = None) -> None:
        if (task := tasks.get(self)) is not None and made.is_for(task):
            made.task, call = task, self._call
            assert call is not None

            def gated() -> Any:
                result = call()
                made.hold()
                return result

            self._call = gated
        run(self, report)

    def gated_step(self: TaskMonitor, done: int, total: int, text: str = "") -> None:
        if made.task is not None and made.task.job.monitor is self:
            made.hold()
        step(self, done, total, text)

    monkeypatch.setattr(jobs_presenter, "LONG", 0.0)  # quick jobs can then be cancelled by hand too
    monkeypatch.setattr(TaskRunner, "start", known_start)
    monkeypatch.setattr(Job, "run", gated_run)
    monkeypatch.setattr(TaskMonitor, "step", gated_step)
    return made


@pytest.fixture
def driver(qtbot: QtBot, themed: QApplication) -> Iterator[Driver]:
    """Return the hospital example with its optimum applied."""
    with driven_window(qtbot, themed) as made:
        made.open_example("hospital")
        made.apply_by_keys()
        made.wait_settled()
        yield made
