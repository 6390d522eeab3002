"""Cancel at random moments of opening and counting a table of twenty million records in the window.

.venv/bin/python -m pytest -q -s tests/benchmarks/test_cancelling_large_tables.py

ANONYMIZER_BENCHMARK_RECORDS takes fewer records. Moments are shares of the progress, so that they do not
depend on the speed of the machine. After each, nothing may be left in the folder of temporary files.
"""

from __future__ import annotations

import os
import random
import runpy
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.tasks import Task
from tests.benchmarks.measuring import load_average
from tests.benchmarks.report import Report
from tests.window_driver import Driver, driven_window

ROOT = Path(__file__).resolve().parents[2]
RECORDS = int(os.environ.get("ANONYMIZER_BENCHMARK_RECORDS", 20_000_000))
OPENINGS, COUNTS = 14, 6  # cancelled
SEED = 23
SECONDS = 0.5  # wanted
PATIENCE = 900_000  # milliseconds
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def region(tmp_path: Path) -> Path:
    runpy.run_path(str(ROOT / "resources" / "examples" / "make_region.py"))["main"](
        [str(tmp_path / "region"), str(RECORDS)]
    )
    return tmp_path / "region"


def test_twenty_cancels(
    qtbot: QtBot, qapp: QApplication, region: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    monkeypatch.setenv("ANONYMIZER_SCRATCH_DIR", str(scratch))
    moments, found = random.Random(SEED), []  # no secret
    with driven_window(qtbot, qapp) as driver:
        for _unused in range(OPENINGS):
            share = moments.random()
            found.append(("opening", *cancelled(driver, "open.whole", share, lambda: begin(driver, region))))
            assert driver.session.project is None
            driver.wait(lambda: not left_in(scratch))
        begin(driver, region)
        driver.wait(lambda: not driver.session.reading.is_provisional, PATIENCE)
        settle(driver)
        before = left_in(scratch)
        names = ["age", "sex", "postal code", "education", "occupation", "condition"]
        driver.set_role(Qt.Key.Key_2, *names[:3])
        settle(driver)
        for place in range(COUNTS):
            key = (Qt.Key.Key_2, Qt.Key.Key_4)[place % 2]
            share = moments.random()
            found.append(
                ("counting", *cancelled(driver, "compile", share, lambda key=key: roles(driver, key, names)))
            )
            settle(driver)
            driver.key(Qt.Key.Key_Z, CONTROL)
            settle(driver)
        assert left_in(scratch) == before
    report = Report()
    report.section()
    for what, share, wall, processor in found:
        note = f"  ({wall:.2f} s of wall)"
        report.at_most(f"Cancel of {what} at {share:.1%}", processor, SECONDS, note, unit="seconds")
    report.show(f"{RECORDS:,} records, load {load_average() or 0:.1f}")


def begin(driver: Driver, region: Path) -> None:
    """Open the folder by a drop and the button of the dialog."""
    assert driver.drop(region / "people")
    dialog = driver.dialog("openDialog")
    take = driver.button(dialog, "openDialogButton")
    driver.wait(take.isEnabled, PATIENCE)
    driver.click(take)
    driver.wait(lambda: driver.session.project is not None, PATIENCE)


def roles(driver: Driver, key: Qt.Key, names: list[str]) -> None:
    driver.set_role(key, *names[3:5])


def settle(driver: Driver) -> None:
    driver.wait(lambda: not driver.wiring.runner.is_busy, PATIENCE)


def cancelled(
    driver: Driver, key: str, share: float, start: Callable[[], object]
) -> tuple[float, float, float]:
    """Begin a job, cancel it by the window's key at a share of its progress; return both times."""
    start()

    def running() -> Task | None:
        keys = (
            (task, task.key[0] if isinstance(task.key, tuple) else task.key)
            for task in list(driver.wiring.runner.tasks)
        )
        return next((task for task, own in keys if own == key and not task.has_ended), None)

    driver.wait(lambda: running() is not None, PATIENCE)
    task, reached = running(), [0.0]
    assert task is not None

    def note(done: int, total: int, _text: str) -> None:
        reached[0] = done / max(total, 1)

    task.progressed.connect(note)
    driver.wait(lambda: reached[0] >= share or task.has_ended, PATIENCE)
    began, processor = time.perf_counter(), time.process_time()
    driver.key(Qt.Key.Key_Period, CONTROL)
    driver.wait(lambda: task.has_ended and not driver.wiring.runner.is_busy, PATIENCE)
    return reached[0], time.perf_counter() - began, time.process_time() - processor


def _parts(key: object) -> tuple[object, ...]:
    return key if isinstance(key, tuple) else ()


def left_in(scratch: Path) -> list[str]:
    """Return the files of tables in the folder of temporary files."""
    return sorted(str(path) for path in scratch.rglob("*") if path.is_file() and "records" in str(path))
