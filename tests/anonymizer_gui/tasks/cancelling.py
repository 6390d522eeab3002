"""Holds a job in the middle of its work, cancels it, and reports all differences to the state before."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog

from anonymizer_gui.tasks import Task
from tests.window_driver import Driver

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
SECONDS = 0.5


class Gate:
    """Holds the task of one key in the middle of its work until it is cancelled."""

    def __init__(self) -> None:
        self.key: object = None
        self.task: Task | None = None
        self.is_reached = threading.Event()

    def arm(self, key: object) -> None:
        """Hold the next task of a key."""
        self.key, self.task = key, None
        self.is_reached.clear()

    def is_for(self, task: Task) -> bool:
        """Return whether a task is the next one of the key."""
        key = task.key[0] if isinstance(task.key, tuple) else task.key
        return self.key is not None and key == self.key and self.task is None

    def hold(self) -> None:
        """Wait until the task is cancelled."""
        if self.task is not None and not self.is_reached.is_set():
            self.is_reached.set()
            ends = time.monotonic() + 20
            while not self.task.is_cancelled and time.monotonic() < ends:
                threading.Event().wait(0.001)


def state_of(driver: Driver, folder: Path) -> dict[str, object]:
    """Return all state that the user could lose."""
    session = driver.session
    return {
        "project": id(session.project),
        "path": session.saved.path,
        "release": id(session.applied.release),
        "stale": session.applied.stale_text,
        "pins": session.remembered.pins,
        "runs": session.remembered.runs,
        "steps": (session.history.step, session.history.texts),
        "modified": session.saved.is_modified,
        "problem": id(session.results.problem),
        "page": driver.window.page,
        "files": {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()},
    }


def cancelled(
    driver: Driver,
    gate: Gate,
    key: object,
    begin: Callable[[], object],
    folder: Path,
    *,
    follows: bool = False,
) -> str:
    """Start a job, cancel it, and return the differences to the state before, as text.

    The window's shortcut cancels it if the window is usable meanwhile, otherwise the button of its dialog. A
    job that follows an edit is compared with the state when it was reached.
    """
    before = state_of(driver, folder)
    gate.arm(key)
    begin()
    driver.qtbot.waitUntil(gate.is_reached.is_set, timeout=10_000)
    if follows:
        before = state_of(driver, folder)
    task = gate.task
    started = time.monotonic()
    if follows or QApplication.activeModalWidget() is not None:
        driver.wiring.runner.cancel(task.key)
    else:
        driver.wait(lambda: driver.wiring.jobs.is_running)
        driver.key(Qt.Key.Key_Period, CONTROL)
    driver.wait(lambda: task.has_ended)
    took = time.monotonic() - started
    gate.arm(None)
    for dialog in driver.window.findChildren(QDialog):
        if dialog.isVisible():
            dialog.reject()
    driver.wait(lambda: not driver.wiring.runner.is_busy)
    after = state_of(driver, folder)
    changed = [name for name, value in before.items() if after[name] != value]
    slow = [f"ended after {took:.1f} s"] if took > SECONDS else []
    banner = driver.window.banner
    told = [banner.problem()] if banner.isVisible() else []
    banner.hide()
    return ", ".join([*changed, *slow, *told])
