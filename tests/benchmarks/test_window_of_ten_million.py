"""Processor time of the window's thread without a look at new events, for actions on ten million records.

.venv/bin/python -m pytest -q -s tests/benchmarks/test_window_of_ten_million.py

ANONYMIZER_BENCHMARK_RECORDS takes fewer records.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableView

from tests.benchmarks.test_window_thread import User, print_blocks
from tests.benchmarks.visits import N_RECORDS, QUASI_IDENTIFYING, SENSITIVE
from tests.hierarchy_hands import CONTROL, SHIFT
from tests.screens import RISK
from tests.watchdog import Watchdog
from tests.window_driver import Driver

ROOT = Path(__file__).resolve().parents[2]
RECORDS = int(os.environ.get("ANONYMIZER_BENCHMARK_RECORDS", N_RECORDS))
BOUND = 0.1  # seconds
PATIENCE = 900_000  # milliseconds; writing and verifying take minutes on a busy machine
_Key = Qt.Key


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "visits.csv"
    words = [sys.executable, "-m", "tests.benchmarks.visits", str(made), str(RECORDS)]
    subprocess.run(words, check=True, cwd=ROOT)
    return made


def test_no_action_on_ten_million_records_blocks_the_window(driver: Driver, path: Path) -> None:
    with Watchdog(BOUND) as watchdog:
        user = User(driver, watchdog, path.parent, PATIENCE)
        try:
            open_file(driver, user, path)
            table(driver, user)
            release(driver, user)
            hierarchy(driver, user)
            user.exporting()
        finally:
            print_blocks(watchdog, f"{RECORDS:,} records x 10 columns", BOUND)
    assert not watchdog.blocks, watchdog.complaint()


def open_file(driver: Driver, user: User, path: Path) -> None:
    user.do("prepare the perspectives", driver.wiring.prepare)
    driver.wait(lambda: "risk" in driver.window.pages)
    user.do("drop the file", lambda: driver.drop(path))
    dialog = driver.dialog("openDialog")
    driver.wait(lambda: dialog.reading is not None, PATIENCE)  # type: ignore[attr-defined]
    user.key("open the file", _Key.Key_Return)
    user.do("open the file", lambda: driver.wait(lambda: driver.session.project is not None, PATIENCE))
    user.do("open the file", lambda: driver.wait(lambda: not driver.session.reading.is_provisional, PATIENCE))


def table(driver: Driver, user: User) -> None:
    user.click("tab.configure")
    project = driver.session.project
    others = [name for name in project.table.names if name not in (*QUASI_IDENTIFYING, SENSITIVE)]
    roles = ((_Key.Key_4, others), (_Key.Key_3, (SENSITIVE,)), (_Key.Key_2, QUASI_IDENTIFYING))
    for key, names in roles:
        user.do(f"role {key.name}", lambda key=key, names=names: driver.set_role(key, *names))
    user.key("undo", _Key.Key_Z, CONTROL)
    user.key("redo", _Key.Key_Z, CONTROL | SHIFT)
    view = driver.find("dataTable", QTableView)
    bar = view.verticalScrollBar()
    user.do("scroll the records", lambda: bar.setValue(bar.maximum() // 2))
    for wanted in (("cost", True), ("age", False), None):
        user.do(f"sort by {wanted}", lambda wanted=wanted: view.sort_requested.emit(wanted))  # type: ignore[attr-defined]
    user.key("filter strip", _Key.Key_F, CONTROL | SHIFT)
    field = driver.find("recordFilter")
    user.do("type a filter", lambda: driver.type_into(field, "age > 60"))
    user.do("filter", lambda: QTest.keyClick(field, _Key.Key_Return))
    user.do("scroll the filtered records", lambda: bar.setValue(bar.maximum() // 2))
    user.key("filter strip, close", _Key.Key_Escape)
    user.key("replace strip", _Key.Key_H, CONTROL)
    user.do("find in a column", lambda: driver.type_into("replaceFind", "A1"))
    user.key("replace strip, close", _Key.Key_Escape)
    user.key("table of columns", _Key.Key_F6)
    user.key("table of columns, back", _Key.Key_F6)
    user.do("select all", lambda: QTest.keyClick(view, _Key.Key_A, CONTROL))
    for name in ("cost", "visit", "age"):
        user.do(f"select a column: {name}", lambda name=name: driver.select_columns(name))


def release(driver: Driver, user: User) -> None:
    user.key("first release", _Key.Key_R, CONTROL)
    user.do(
        "first release", lambda: driver.wait(lambda: driver.session.applied.release is not None, PATIENCE)
    )
    for page in ("explore", "utility", "risk", "configure", "explore", "utility", "risk"):
        user.click(f"tab.{page}", f"{page} of a release")
    for page in RISK:
        user.do(f"risk: {page}", lambda page=page: driver.wiring.risk.view.show_page(page))
    user.click("tab.explore")
    lattice = driver.find("lattice")
    lattice.setFocus()
    for key in (_Key.Key_Down, _Key.Key_Right, _Key.Key_Up, _Key.Key_Left):
        user.do("node by key", lambda key=key: QTest.keyClick(lattice, key))
    user.visit_dialog("classesDialog", "classesDialog", lambda: driver.click("classesButton"))


def hierarchy(driver: Driver, user: User) -> None:
    user.click("tab.configure")
    for name in ("postal code", "age"):
        user.do(f"select a column: {name}", lambda name=name: driver.select_columns(name))
        user.click("editHierarchyButton", f"hierarchy editor of {name}")
        user.click("doneButton", "hierarchy editor, close")
