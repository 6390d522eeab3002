"""A file too large to wait for: it is tagged while it is read, and what comes of its end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.start import reading
from engine.table import Role
from tests.window_driver import Driver, driven_window

N_RECORDS = 400
HEADER = "name,age,city\n"
RECORDS = [f"person {i},{20 + i % 60},city {i % 7}\n" for i in range(N_RECORDS)]


class Gate:
    """Holds the reading of files to their end until it is opened."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self.n_waiting = 0

    def pass_through(self, monitor: Any) -> None:
        """Wait on the worker's thread, as long as the task is wanted."""
        self.n_waiting += 1
        while not self._open.wait(0.01):
            monitor.step(1, 2)

    def open(self) -> None:
        self._open.set()


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    made, real = Gate(), reading.read_reported

    def held(path: Path, options: Any, monitor: Any, **named: Any) -> Any:
        made.pass_through(monitor)
        return real(path, options, monitor, **named)

    monkeypatch.setattr(reading, "read_reported", held)
    monkeypatch.setattr(reading, "LARGE", 4_000)
    monkeypatch.setattr(reading, "HEAD", 2_000)
    yield made
    made.open()


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication, gate: Gate) -> Iterator[Driver]:
    with driven_window(qtbot, qapp) as made:
        yield made


def a_table(folder: Path, *, last: str = "", name: str = "people.csv") -> Path:
    path = folder / name
    path.write_text(HEADER + "".join(RECORDS) + last)
    return path


def dialog_of(driver: Driver, path: Path) -> Any:
    """Drop a file and wait for its first records."""
    assert driver.drop(path)
    dialog: Any = driver.dialog("openDialog")
    driver.wait(lambda: dialog.reading is not None)
    return dialog


def opened_early(driver: Driver, path: Path) -> None:
    """Open a file before it is read."""
    dialog = dialog_of(driver, path)
    assert not dialog.reading.is_whole
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: driver.session.is_provisional)


def chip(driver: Driver, name: str) -> str:
    found = driver.window.bar.findChild(QWidget, name)
    assert found is not None
    return found.findChildren(QLabel)[-1].text() if found.isVisible() else ""


def test_a_large_file_is_tagged_while_it_is_read_and_keeps_its_roles(
    driver: Driver, gate: Gate, tmp_path: Path
) -> None:
    opened_early(driver, a_table(tmp_path))
    session = driver.session
    assert session.project is not None
    assert 10 < session.project.table.n_records < N_RECORDS
    assert chip(driver, "readingChip") == "Reading people.csv, types are provisional"
    driver.set_role(Qt.Key.Key_1, "name")
    driver.set_role(Qt.Key.Key_2, "age", "city")
    for name in ("export", "score", "find_replace", "filter_records", "first_release"):
        action = driver.wiring.actions[name]
        assert not action.isEnabled()
        assert "still being read" in action.toolTip()
    assert driver.window.status.job.isVisible()
    gate.open()
    driver.wait(lambda: not session.is_provisional)
    assert session.project.table.n_records == N_RECORDS
    assert session.project.role("name") is Role.IDENTIFYING
    assert session.project.quasi_identifying == ("age", "city")
    assert chip(driver, "readingChip") == ""
    assert not driver.window.banner.isVisible()
    driver.wait(lambda: driver.wiring.scoring.is_settled)
    assert driver.wiring.actions["filter_records"].isEnabled()
