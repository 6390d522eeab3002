"""Ten million records from opening to a verified export, in the window.

.venv/bin/python -m pytest -q -s tests/benchmarks/test_ten_million.py

ANONYMIZER_BENCHMARK_RECORDS takes fewer records.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.export.dialog import ExportDialog
from tests.benchmarks.lateness import Lateness
from tests.benchmarks.live import live
from tests.benchmarks.measuring import resident
from tests.benchmarks.report import Report, duration
from tests.benchmarks.visits import N_RECORDS, QUASI_IDENTIFYING, SENSITIVE
from tests.window_driver import driven_window

ROOT = Path(__file__).resolve().parents[2]
SIZE = (1440, 900)
RECORDS = int(os.environ.get("ANONYMIZER_BENCHMARK_RECORDS", N_RECORDS))
PROCESSOR, MEMORY, STALL = 25, 3072, 0.2  # times reading the file once, MB, seconds
CONTROL = Qt.KeyboardModifier.ControlModifier
READ_ONCE = (
    "import sys, time; from pyarrow import csv; start = time.process_time(); "
    "csv.read_csv(sys.argv[1]); print(time.process_time() - start)"
)
TITLE = f"{RECORDS:,} records x 10 columns from opening to a verified export, window of 1440 x 900"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("visits") / "visits.csv"
    # In another process, or its memory would count as the window's.
    words = [sys.executable, "-m", "tests.benchmarks.visits", str(made), str(RECORDS)]
    subprocess.run(words, check=True, cwd=ROOT)
    return made


def read_once(path: Path) -> float:
    """Return processor seconds in which pyarrow reads the file."""
    words = [sys.executable, "-c", READ_ONCE, str(path)]
    return float(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def test_from_opening_to_a_verified_export(
    qtbot: QtBot, qapp: QApplication, report: Report, path: Path
) -> None:
    before = read_once(path)
    with driven_window(qtbot, qapp, SIZE) as driver:
        driver.wiring.fast_scoring.start()  # as the program does once its window is shown
        live(lambda: driver.wiring.is_settled and not driver.wiring.fast_scoring.runner.is_busy)
        total = time.process_time()

        def step(what: str, lateness: Lateness, start: tuple[float, float]) -> None:
            wall, processor = time.perf_counter() - start[0], time.process_time() - start[1]
            report.at_most(
                f"{what}: worst stall / {duration(STALL)}",
                lateness.worst / STALL,
                1,
                f" ({duration(lateness.worst)}; {processor:.1f} s of processor, {wall:.0f} s, "
                f"{resident('VmRSS'):,.0f} MB)",
            )

        start = time.perf_counter(), time.process_time()
        with Lateness() as opening:
            assert driver.drop(path)
            live(lambda: driver.window.findChildren(QDialog, "openDialog"))
            dialog = driver.dialog("openDialog")
            live(lambda: dialog.reading is not None)  # type: ignore[attr-defined]
            driver.key(Qt.Key.Key_Return)
            live(lambda: driver.session.project is not None and not driver.session.reading.is_provisional)
            live(lambda: driver.wiring.is_settled)
        step("Opening", opening, start)
        start = time.perf_counter(), time.process_time()
        with Lateness() as first:
            for key, names in ((Qt.Key.Key_2, QUASI_IDENTIFYING), (Qt.Key.Key_3, (SENSITIVE,))):
                for name in names:
                    driver.set_role(key, name)
            project = driver.session.project
            for name in project.table.names:
                if name not in (*QUASI_IDENTIFYING, SENSITIVE):
                    driver.set_role(Qt.Key.Key_4, name)
            driver.key(Qt.Key.Key_R, CONTROL)
            live(lambda: driver.session.applied.release is not None and driver.wiring.is_settled)
        step("First release", first, start)
        start = time.perf_counter(), time.process_time()
        with Lateness() as export:
            driver.key(Qt.Key.Key_E, CONTROL)
            asked = driver.dialog("exportDialog")
            assert isinstance(asked, ExportDialog)
            driver.type_into("exportPath", str(path.with_name("released.csv")))
            driver.key(Qt.Key.Key_Return)
            live(lambda: asked.written or asked.banner.isVisible())
            assert asked.written.startswith("Written and verified"), asked.banner.problem()
        step("Export", export, start)
        spent = time.process_time() - total
    once = max(before, read_once(path))
    report.at_most(
        "Processor time of all / reading the file once",
        spent / once,
        PROCESSOR,
        f" ({spent:.0f} s / {once:.1f} s)",
    )
    report.memory("Memory of the process, at most", resident("VmHWM"), MEMORY)
    assert report.is_met
