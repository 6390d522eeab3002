"""A job cancelled in the midst of its work ends within half a second and leaves everything as it was."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.tasks import Task
from anonymizer_gui.tasks.task import TaskMonitor
from engine.project import edits
from tests.conftest import EXAMPLES
from tests.window_driver import Driver, driven_window

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
SECONDS = 0.5


class Gate:
    """Holds the task of one key in the midst of its work until it is cancelled."""

    def __init__(self) -> None:
        self.key: object = None
        self.task: Task | None = None
        self.is_reached = threading.Event()

    def arm(self, key: object) -> None:
        self.key, self.task = key, None
        self.is_reached.clear()

    def hold(self) -> None:
        if self.task is not None and not self.is_reached.is_set():
            self.is_reached.set()
            ends = time.monotonic() + 20
            while not self.task.is_cancelled and time.monotonic() < ends:
                threading.Event().wait(0.001)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    """Held at the first look at the monitor; what never looks is held when it has returned."""
    made = Gate()
    work, step = Task.work, TaskMonitor.step

    def gated_work(self: Task) -> None:
        if made.key is not None and self.key == made.key and made.task is None:
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


def state_of(driver: Driver, folder: Path) -> dict[str, object]:
    """Everything that a person could lose."""
    session = driver.session
    return {
        "project": id(session.project),
        "path": session.path,
        "release": id(session.release),
        "stale": session.stale_text,
        "pins": session.pins,
        "runs": session.runs,
        "steps": (session.step, session.steps),
        "modified": session.is_modified,
        "problem": id(session.problem),
        "page": driver.window.page,
        "files": {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()},
    }


def cancelled(driver: Driver, gate: Gate, key: object, begin: Callable[[], object], folder: Path) -> str:
    """Begin a job, cancel it by its key, and say what is other than before."""
    before = state_of(driver, folder)
    gate.arm(key)
    begin()
    driver.wait(gate.is_reached.is_set)
    driver.wait(lambda: driver.wiring.jobs.is_running)
    task = gate.task
    assert task is not None
    started = time.monotonic()
    driver.key(Qt.Key.Key_Period, CONTROL)
    driver.wait(lambda: task.has_ended)
    took = time.monotonic() - started
    gate.arm(None)
    driver.wait(lambda: not driver.wiring.runner.is_busy)
    after = state_of(driver, folder)
    changed = [name for name, value in before.items() if after[name] != value]
    slow = [f"ended after {took:.1f} s"] if took > SECONDS else []
    banner = driver.window.banner
    told = [banner.problem()] if banner.isVisible() else []
    return ", ".join([*changed, *slow, *told])


def test_a_job_that_reads_or_writes_a_file_leaves_project_and_files_as_they_were(
    driver: Driver, gate: Gate, tmp_path: Path
) -> None:
    saved, recipe = tmp_path / "kept.anon", tmp_path / "kept.toml"
    table = EXAMPLES / "hospital" / "hospital.csv"
    driver.answer_file_dialog(saved)
    driver.key(Qt.Key.Key_S, CONTROL | SHIFT)
    driver.wait(lambda: driver.session.path == saved)
    driver.answer_file_dialog(recipe)
    driver.trigger("File", "Save recipe")
    driver.wait(recipe.exists)
    driver.wait_settled()
    found = {
        "table": cancelled(driver, gate, "open", lambda: driver.drop(table), tmp_path),
        "project": cancelled(driver, gate, "open", lambda: driver.drop(saved), tmp_path),
        "recipe": cancelled(driver, gate, "open", lambda: driver.drop(recipe), tmp_path),
    }
    assert driver.session.project is not None
    driver.session.edit("Set the limit", edits.set_suppression_limit(driver.session.project, 0.4))
    driver.wait_settled()
    found["save"] = cancelled(driver, gate, "save", lambda: driver.key(Qt.Key.Key_S, CONTROL), tmp_path)
    assert dict.fromkeys(found, "") == found


def test_a_job_that_computes_leaves_release_and_settings_as_they_were(
    driver: Driver, gate: Gate, tmp_path: Path
) -> None:
    found = {
        "apply": cancelled(driver, gate, "release", lambda: driver.key(Qt.Key.Key_Return, CONTROL), tmp_path),
        "first release": cancelled(
            driver, gate, "first release", lambda: driver.key(Qt.Key.Key_R, CONTROL), tmp_path
        ),
        "score": cancelled(driver, gate, "score", lambda: driver.key(Qt.Key.Key_F5), tmp_path),
    }
    assert found["score"] in ("", "problem")  # scoring again compiles the same settings again
    found["score"] = ""
    assert driver.session.profile is not None
    assert driver.session.profile.is_complete  # what was scored before is still there
    driver.key(Qt.Key.Key_F5)
    driver.wait_settled()
    assert driver.session.project is not None
    driver.session.edit("Set the limit", edits.set_suppression_limit(driver.session.project, 0.4))
    driver.wait_settled()
    again = CONTROL | SHIFT
    found["again"] = cancelled(
        driver, gate, "release", lambda: driver.key(Qt.Key.Key_Return, again), tmp_path
    )
    assert dict.fromkeys(found, "") == found
