"""A closed project is freed completely, however often projects are opened."""

from __future__ import annotations

import gc
from collections import Counter
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.tasks import Task
from anonymizer_gui.widgets.fitted_dialog import Question
from engine.frequency import Problem
from engine.project import Project
from engine.recoding import Release
from engine.records import Table
from engine.scoring import Evaluation, LatticeProfile
from tests.window_driver import Driver, driven_window

CONTROL = Qt.KeyboardModifier.ControlModifier
PERSPECTIVES = (Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3, Qt.Key.Key_4)
KINDS = (Evaluation, LatticeProfile, Problem, Project, Release, Task)
OPENED = ("hospital", "clinic", "hospital", "hospital")


def alive() -> Counter[str]:
    """Return the number of large objects; tables without columns are placeholders of views."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    found = Counter(kind.__name__ for thing in gc.get_objects() for kind in KINDS if isinstance(thing, kind))
    found.update("Table" for thing in gc.get_objects() if isinstance(thing, Table) and thing.columns)
    return found


def nothing_is_left(before: Counter[str]) -> None:
    assert alive() - before == Counter()


def use_and_close(driver: Driver, example: str) -> None:
    driver.click(f"example.{example}")
    driver.wait(lambda: driver.session.project is not None)
    driver.wait_settled()
    driver.apply_by_keys()
    for key in PERSPECTIVES:
        driver.key(key, CONTROL)
        driver.wait_settled()
    driver.when_modal(Question, lambda box: driver.click(box.answers["discard"]))
    driver.key(Qt.Key.Key_W, CONTROL)
    driver.wait(lambda: driver.session.project is None and not driver.wiring.runner.is_busy)


def close_fresh(driver: Driver, table: Path) -> None:
    """Open a table without roles, whose suggestions are tried, and close it."""
    driver.drop(table)
    dialog = driver.dialog("openDialog")
    driver.wait(lambda: dialog.reading is not None)  # type: ignore[attr-defined]
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: driver.session.project is not None)
    driver.wait(lambda: driver.wiring.is_settled and not driver.wiring.runner.is_busy)
    driver.when_modal(Question, lambda box: driver.click(box.answers["discard"]))
    driver.key(Qt.Key.Key_W, CONTROL)
    driver.wait(lambda: driver.session.project is None and not driver.wiring.runner.is_busy)


def test_opened_used_and_closed_projects_are_freed(
    qtbot: QtBot, themed: QApplication, examples: Path
) -> None:
    with driven_window(qtbot, themed) as driver:
        gc.freeze()  # excludes objects of other tests from every collection
        before = alive()
        for example in OPENED:
            use_and_close(driver, example)
            # Recovery data is deleted a second later.
            qtbot.waitUntil(partial(nothing_is_left, before), timeout=30_000)
        close_fresh(driver, examples / "clinic" / "clinic.csv")
        qtbot.waitUntil(partial(nothing_is_left, before), timeout=30_000)
