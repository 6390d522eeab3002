"""Delay of the window while a file of a million records is opened, and memory in use.

.venv/bin/python -m pytest -q -s tests/benchmarks/test_opening.py
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from tests.benchmarks.lateness import Lateness
from tests.benchmarks.live import live
from tests.benchmarks.measuring import resident
from tests.benchmarks.people import N_RECORDS, NAMES
from tests.benchmarks.report import Report, duration
from tests.window_driver import Driver, driven_window

ROOT = Path(__file__).resolve().parents[2]
SIZE = (1440, 900)
SECONDS = 4.0
LATE, MEMORY = 4, 3  # times the delay of an idle window, times the file size
TITLE = f"Opening a CSV file of {N_RECORDS:,} records x {len(NAMES)} columns, window of 1440 x 900"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("opening") / "people.csv"
    # In another process, or its memory would count as the window's.
    subprocess.run([sys.executable, "-m", "tests.benchmarks.people", str(made)], check=True, cwd=ROOT)
    return made


def test_opening(qtbot: QtBot, qapp: QApplication, report: Report, path: Path) -> None:
    size = path.stat().st_size / (1 << 20)
    with driven_window(qtbot, qapp, SIZE) as driver:
        driver.wiring.fast_scoring.start()  # as the program does once its window is shown
        live(lambda: driver.wiring.is_settled and not driver.wiring.fast_scoring.runner.is_busy)
        with Lateness() as idle:
            end = time.perf_counter() + SECONDS
            live(lambda: time.perf_counter() > end)
        before = resident("VmRSS")
        with Lateness() as opening:
            begin = time.perf_counter()
            assert driver.drop(path)
            live(lambda: driver.window.findChildren(QDialog, "openDialog"))
            dialog = driver.dialog("openDialog")
            live(lambda: dialog.reading is not None)  # type: ignore[attr-defined]
            preview = time.perf_counter() - begin
            driver.key(Qt.Key.Key_Return)
            live(lambda: driver.session.project is not None)
            driver.set_role(Qt.Key.Key_1, "id")
            taggable = time.perf_counter() - begin
            assert driver.session.reading.is_provisional
            live(lambda: not driver.session.reading.is_provisional)
            whole = time.perf_counter() - begin
        peak = resident("VmHWM") - before
        with Lateness() as after:
            live(lambda: driver.wiring.is_settled and not driver.wiring.autosave.is_waiting)
        settled, kept = resident("VmRSS") - before, resident("VmHWM") - before
        assert driver.session.project.table.n_records == N_RECORDS
        tell(report, driver, idle, opening, after)
    report.tell("Preview", preview, "seconds")
    report.tell("First role given", taggable, "seconds")
    report.tell("Read to its end", whole, "seconds")
    report.memory(
        "Memory above the idle program, at most", peak, MEMORY * size, f" (a file of {size:,.0f} MB)"
    )
    report.tell("The same while a copy is kept for recovery", kept, "megabytes")
    report.tell("The same after it", settled, "megabytes")
    assert report.is_met


def tell(report: Report, driver: Driver, idle: Lateness, opening: Lateness, after: Lateness) -> None:
    """Print the delay of the window while it opens the file and afterwards."""
    ratio = opening.percentile / idle.percentile
    note = f" ({duration(opening.percentile)} / {duration(idle.percentile)})"
    report.at_most("Lateness of a 5 ms timer while opening / idle, 99th percentile", ratio, LATE, note)
    for text, each in (("idle", idle), ("opening", opening), ("afterwards", after)):
        report.tell(f"Lateness at worst, {text}", each.worst, "seconds")
