"""Cancel at random moments of opening and counting a table of twenty million records in the window.

.venv/bin/python -m pytest -q -s tests/benchmarks/test_cancelling_large_tables.py

ANONYMIZER_BENCHMARK_RECORDS takes fewer records, ANONYMIZER_BENCHMARK_REGION a folder that make_region.py
made before. Moments are shares of the time that such a job takes until its end, because some of its parts
report no progress. After each, nothing may be left in the folder of temporary files. The shorter of wall and
processor time counts: other programs lengthen the first, and several threads the second.
"""

from __future__ import annotations

import os
import random
import runpy
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.jobs_presenter import LONG
from anonymizer_gui.tasks import Task
from tests.benchmarks.measuring import load_average
from tests.benchmarks.report import Report
from tests.window_driver import Driver, driven_window

ROOT = Path(__file__).resolve().parents[2]
RECORDS = int(os.environ.get("ANONYMIZER_BENCHMARK_RECORDS", 20_000_000))
MOMENTS = int(os.environ.get("ANONYMIZER_BENCHMARK_MOMENTS", 20))  # of each
SEED = 23
SECONDS = 0.5  # wanted
PATIENCE = 900_000  # milliseconds
SHOWN = LONG + 0.15  # seconds after which a job without a label can be cancelled
CONTROL = Qt.KeyboardModifier.ControlModifier


class Cancelled(NamedTuple):
    """A job that was cancelled, and the seconds from the key until its end."""

    what: str
    after: float
    wall: float
    processor: float


@pytest.fixture
def region(tmp_path: Path) -> Path:
    if made := os.environ.get("ANONYMIZER_BENCHMARK_REGION"):
        return Path(made)
    runpy.run_path(str(ROOT / "resources" / "examples" / "make_region.py"))["main"](
        [str(tmp_path / "region"), str(RECORDS)]
    )
    return tmp_path / "region"


def test_cancelled_openings_and_counts_end_at_once_and_leave_nothing(
    qtbot: QtBot, qapp: QApplication, region: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    monkeypatch.setenv("ANONYMIZER_SCRATCH_DIR", str(scratch))
    moments = random.Random(SEED)  # no secret
    found: list[Cancelled] = []
    with driven_window(qtbot, qapp) as driver:
        watch = Watch(driver)
        reading = watch.seconds("open.whole", lambda: begin(driver, region))
        settle(driver)
        before = left_in(scratch)
        driver.set_role(Qt.Key.Key_3, "condition")
        settle(driver)
        driver.set_role(Qt.Key.Key_2, "age", "sex", "postal code")
        settle(driver)
        more = partial(driver.set_role, Qt.Key.Key_2, "education", "occupation")
        counting = watch.seconds("compile", more)
        settle(driver)
        undo(driver)
        while len(found) < MOMENTS:
            found += watch.cancelled("compile", more, "counting", moments.random() * counting)
            settle(driver)
            undo(driver)
        assert left_in(scratch) == before
    kept = set(left_in(scratch))  # until garbage is collected
    with driven_window(qtbot, qapp) as driver:
        watch = Watch(driver)
        while len(found) < 2 * MOMENTS:
            open_again = partial(begin, driver, region)
            found += watch.cancelled("open.whole", open_again, "opening", moments.random() * reading)
            settle(driver)
            if driver.session.project is not None:  # it was read before the moment
                kept.update(left_in(scratch))
            assert kept.issuperset(left_in(scratch))
    report = Report()
    report.section()
    for own in found:
        note = f"  ({own.wall:.2f} s of wall, {own.processor:.2f} s of processor)"
        name = f"Cancel of {own.what} after {own.after:.1f} s"
        report.at_most(name, min(own.wall, own.processor), SECONDS, note, unit="seconds")
    took = f"opening {reading:.1f} s, counting {counting:.1f} s"
    report.show(f"{RECORDS:,} records, {took}, load {load_average() or 0:.1f}")


class Watch:
    """Times of jobs by the first part of their key; a job is not held any longer than that, nor its table."""

    def __init__(self, driver: Driver) -> None:
        self._driver, self._wanted = driver, ""
        self._begun: tuple[Task, float] | None = None  # the newest job wanted
        driver.wiring.runner.task_started.connect(self._on_started)

    def _on_started(self, task: Task) -> None:
        if self._wanted == (task.key[0] if isinstance(task.key, tuple) else task.key):
            self._begun = task, time.perf_counter()

    def _started(self, key: str, act: Callable[[], object]) -> tuple[Task, float]:
        """Do what starts a job with a key; return the job and when it began."""
        self._wanted = key
        act()
        self._driver.wait(lambda: self._begun is not None, PATIENCE)
        begun, self._begun, self._wanted = self._begun, None, ""
        assert begun is not None
        return begun

    def seconds(self, key: str, act: Callable[[], object]) -> float:
        """Return the seconds of a job that is not cancelled."""
        task, began = self._started(key, act)
        self._driver.wait(lambda: task.has_ended, PATIENCE)
        return time.perf_counter() - began

    def cancelled(self, key: str, act: Callable[[], object], what: str, after: float) -> list[Cancelled]:
        """Cancel a job by the window's key after some seconds; return nothing if it ended before."""
        task, began = self._started(key, act)
        moment = began + max(after, SHOWN)
        self._driver.wait(lambda: task.has_ended or time.perf_counter() >= moment, PATIENCE)
        if task.has_ended:
            return []
        wall, processor = time.perf_counter(), time.process_time()
        while not task.is_cancelled:  # the key cancels the newest job first
            self._driver.key(Qt.Key.Key_Period, CONTROL)
        self._driver.wait(lambda: task.has_ended, PATIENCE)
        return [Cancelled(what, after, time.perf_counter() - wall, time.process_time() - processor)]


def begin(driver: Driver, region: Path) -> None:
    """Open the folder by a drop and the button of the dialog."""
    assert driver.drop(region / "people")
    dialog = driver.dialog("openDialog")
    take = driver.button(dialog, "openDialogButton")
    driver.wait(take.isEnabled, PATIENCE)
    driver.click(take)
    driver.wait(lambda: driver.session.project is not None, PATIENCE)


def undo(driver: Driver) -> None:
    driver.key(Qt.Key.Key_Z, CONTROL)
    settle(driver)


def settle(driver: Driver) -> None:
    """Wait until no job runs or is about to."""
    driver.wait(lambda: driver.wiring.scoring.is_settled and not driver.wiring.runner.is_busy, PATIENCE)


def left_in(scratch: Path) -> list[str]:
    """Return the files of tables in the folder of temporary files."""
    return sorted(str(path) for path in scratch.rglob("*") if path.is_file() and "records" in str(path))
