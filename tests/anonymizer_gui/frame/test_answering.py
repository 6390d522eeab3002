"""The window stays responsive during edits of a larger table: every event is short."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from PySide6.QtCore import QAbstractEventDispatcher, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.project import Project
from engine.records import DataType, ReadOptions, Table
from engine.records.table import Column
from tests.window_driver import Driver, driven_window

N_RECORDS = 200_000
MOST = 15  # units of work per event; one takes about 12 ms, and 50 ms are allowed
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def unit_of_work() -> float:
    """Return the processor seconds of a fixed piece of work on this thread, the best of several."""

    def once() -> float:
        began = time.thread_time()
        sum(number * number for number in range(150_000))
        return time.thread_time() - began

    return min(once() for _ in range(5))


class Watchdog:
    """Measures every event of the GUI thread in processor time, which other programs do not increase."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._began = time.thread_time()
        dispatcher = QAbstractEventDispatcher.instance()
        self._dispatcher = dispatcher
        dispatcher.awake.connect(self._on_awake)
        dispatcher.aboutToBlock.connect(self._on_about_to_block)

    def _on_awake(self) -> None:
        self._began = time.thread_time()

    def _on_about_to_block(self) -> None:
        self.longest = max(self.longest, time.thread_time() - self._began)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Measure code of the test as an event."""
        began = time.thread_time()
        yield
        self.longest = max(self.longest, time.thread_time() - began)

    def end(self) -> None:
        self._dispatcher.awake.disconnect(self._on_awake)
        self._dispatcher.aboutToBlock.disconnect(self._on_about_to_block)


def column(name: str, n_labels: int) -> Column:
    codes = (np.arange(N_RECORDS) * 7919 % n_labels).astype(np.int32)
    labels = tuple(f"{name}{number:06}" for number in range(n_labels))
    return Column(name, DataType(), labels, codes, False, np.full(n_labels, np.nan))


@pytest.fixture
def driver(qtbot: QtBot, themed: QApplication) -> Iterator[Driver]:
    table = Table((column("id", N_RECORDS), column("town", 2_000), column("age", 90), column("ill", 30)))
    with driven_window(qtbot, themed) as made:
        made.session.open_project(Project("people", None, ReadOptions(), table))
        made.click("tab.configure")
        made.wait(lambda: not made.wiring.runner.is_busy)
        yield made


def test_no_edit_of_a_larger_table_blocks_the_window(driver: Driver) -> None:
    unit, took = unit_of_work(), {}

    def measured(name: str, act: Callable[[], object]) -> None:
        watchdog = Watchdog()
        with watchdog.turn():
            act()
        driver.wait(lambda: not driver.wiring.runner.is_busy)
        driver.qtbot.wait(20)  # measures delayed events as well
        watchdog.end()
        took[name] = watchdog.longest / unit

    def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = CONTROL) -> Callable[[], None]:
        return lambda: driver.key(key, modifiers)

    driver.select_columns("id")
    measured("role", lambda: driver.qtbot.keyClick(driver.find("dataTable"), Qt.Key.Key_1))
    driver.key(Qt.Key.Key_H, CONTROL)
    driver.type_into("replaceFind", "id00")
    measured("count", lambda: driver.type_into("replaceBy", "x"))
    driver.wait(driver.find("replaceAll").isEnabled)
    measured("replace", lambda: driver.click("replaceAll"))
    assert driver.session.history.texts[-1] == "Replace in id"
    measured("undo", press(Qt.Key.Key_Z))
    measured("redo", press(Qt.Key.Key_Z, CONTROL | SHIFT))
    assert driver.session.project.table.column("id").labels[0] == "id010000"
    driver.key(Qt.Key.Key_F, CONTROL | SHIFT)
    driver.qtbot.keyClicks(driver.find("recordFilter"), "age = 'age000007'")
    measured("filter", press(Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier))
    assert driver.wiring.configure.view.table.table.records.n_shown < N_RECORDS
    measured("all", press(Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier))
    too_long = {name: round(units, 1) for name, units in took.items() if units > MOST}
    assert too_long == {}
