"""Delay of the window during scoring and knob dragging, relative to an idle window.

.venv/bin/python -m pytest -q -s tests/benchmarks/test_explore_answers.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.widgets.knob import Knob
from engine.project import Project
from engine.project.recipe.files import read_recipe
from tests.benchmarks.demo import RECIPE
from tests.benchmarks.lateness import Lateness
from tests.benchmarks.report import Report, duration
from tests.benchmarks.tables import resampled_table
from tests.window_driver import Driver, driven_window

SIZE = (1600, 1000)
SECONDS = 4.0
RECORDS = 200_000
WANTED = 4  # times the delay of an idle window
TITLE = "Explore, Adult example, window of 1600 x 1000: 99th percentile of a 5 ms timer's lateness"


def watch(act: Callable[[], object], goes_on: Callable[[], bool] = lambda: True) -> float:
    """Return the delay during a repeated action, for some seconds at most."""
    with Lateness() as lateness:
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end and goes_on():
            act()
            QTest.qWait(8)
    return lateness.percentile


def many_records() -> Project:
    """Return the example with enough records to be scored during the whole measurement."""
    project = read_recipe(RECIPE)
    return replace(project, table=resampled_table(project.table, project.table.names, RECORDS))


def dragger(driver: Driver) -> Callable[[], None]:
    """Return a function that drags the knob of k a little, to and fro, at most 120 times a second."""
    knob = next(k for k in driver.window.findChildren(Knob) if k.isVisible())
    line = knob.height() - 16
    QTest.mousePress(knob, Qt.MouseButton.LeftButton, pos=QPoint(60, line))
    steps = iter(np.tile(np.r_[60:180:2, 180:60:-2], 1000).tolist())

    def drag() -> None:
        QTest.mouseMove(knob, QPoint(next(steps), line))

    return drag


def test_delay_during_scoring_and_dragging(qtbot: QtBot, qapp: QApplication, report: Report) -> None:
    with driven_window(qtbot, qapp, SIZE) as driver:
        driver.wiring.open_demo()
        driver.wait(lambda: driver.session.applied.release is not None, 60_000)
        driver.wait_settled()
        idle = watch(lambda: None)
        dragging = watch(dragger(driver))
        driver.session.open_project(many_records())
        driver.wait(lambda: driver.wiring.scoring.is_scoring, 60_000)
        scoring = watch(lambda: None, lambda: driver.wiring.scoring.is_scoring)
        driver.wiring.runner.cancel("score")
        report.section()
        for what, late in (("While scoring", scoring), ("While the knob of k is dragged", dragging)):
            report.at_most(what, late / idle, WANTED, f" ({duration(late)} / {duration(idle)})")
