"""A window whose jobs are held in the midst of their work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui import jobs_presenter
from anonymizer_gui.tasks import Task
from anonymizer_gui.tasks.task import TaskMonitor
from tests.anonymizer_gui.tasks.cancelling import CONTROL, Gate
from tests.window_driver import Driver, driven_window


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    """Held at the first look at the monitor; what never looks is held when it has returned."""
    made = Gate()
    work, step = Task.work, TaskMonitor.step

    def gated_work(self: Task) -> None:
        if made.is_for(self):
            made.task, call = self, self._call
            assert call is not None

            def gated() -> Any:
                result = call()
                made.hold()
                return result

            self._call = gated
        work(self)

    def gated_step(self: TaskMonitor, done: int, total: int, text: str = "") -> None:
        if made.task is not None and made.task._monitor is self:
            made.hold()
        step(self, done, total, text)

    monkeypatch.setattr(jobs_presenter, "LONG", 0.0)  # also what is quick here can be cancelled by hand
    monkeypatch.setattr(Task, "work", gated_work)
    monkeypatch.setattr(TaskMonitor, "step", gated_step)
    return made


@pytest.fixture
def driver(qtbot: QtBot, themed: QApplication) -> Iterator[Driver]:
    """The hospital example with its optimum applied."""
    with driven_window(qtbot, themed) as made:
        made.click("example.hospital")
        made.wait(lambda: made.session.project is not None)
        made.wait_settled()
        made.key(Qt.Key.Key_Return, CONTROL)
        made.wait(lambda: made.session.release is not None)
        made.wait_settled()
        yield made
