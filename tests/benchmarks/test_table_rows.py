"""Delay of the window while ten million records are shown, sorted, filtered and searched.

.venv/bin/python -m pytest -q -s tests/benchmarks/test_table_rows.py
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import TaskRunner
from anonymizer_gui.theming import LIGHT, theme_manager
from engine.project.recipe.files import read_recipe
from tests.benchmarks.demo import RECIPE
from tests.benchmarks.lateness import Lateness
from tests.benchmarks.report import Report, duration
from tests.benchmarks.tables import resampled_table

N_RECORDS = 10_000_000
WORST = 0.25  # seconds of delay allowed
TITLE = "The table of 10,000,000 records x 10 columns in Configure: time of each step, worst lateness"


@pytest.fixture(scope="module")
def bench(qapp: QApplication) -> Iterator[tuple[ConfigurePresenter, TaskRunner]]:
    theme_manager().apply(qapp, LIGHT, 1.0)
    session = Session()
    runner = session.runner
    configure = ConfigurePresenter(session)
    configure.view.resize(1440, 802)
    configure.view.show()
    project = read_recipe(RECIPE)
    session.open_project(
        replace(project, table=resampled_table(project.table, project.table.names, N_RECORDS))
    )
    while runner.is_busy:
        QTest.qWait(20)
    yield configure, runner
    session.close_project()
    runner.shutdown()
    configure.view.hide()
    session.history.own.blockSignals(True)


@pytest.mark.parametrize(
    ("name", "act"),
    [
        ("sort", lambda c: c.view.table.table.sort_requested.emit(("education", True))),
        ("filter", lambda c: c.view.table.filter_bar.filter_requested.emit("age >= 40 and sex = 'Female'")),
        ("find what is nowhere", lambda c: c.view.table.find_requested.emit("nobody", False)),
        ("find", lambda c: c.view.table.find_requested.emit("Iran", False)),
        ("all again", lambda c: c.view.table.filter_bar.filter_requested.emit("")),
        ("own order", lambda c: c.view.table.table.sort_requested.emit(None)),
        ("go to the last record", lambda c: c.view.table.filter_bar.record_requested.emit(N_RECORDS)),
        ("back to the first", lambda c: c.view.table.filter_bar.record_requested.emit(1)),
        (
            "select all columns",
            lambda c: c.view.table.table.select_columns(c.view.table.table.records.table.names),
        ),
    ],
)
def test_the_window_stays_responsive(
    bench: tuple[ConfigurePresenter, TaskRunner],
    report: Report,
    name: str,
    act: Callable[[ConfigurePresenter], None],
) -> None:
    configure, runner = bench
    start = time.perf_counter()
    with Lateness() as lateness:
        act(configure)
        QTest.qWait(20)
        while runner.is_busy:
            QTest.qWait(20)
    took = time.perf_counter() - start
    latest, usual = duration(lateness.worst), duration(lateness.percentile)
    report.tell(name, took, "seconds", f"  (late by {usual}, 99th percentile, {latest} at worst)")
    assert lateness.worst < WORST
