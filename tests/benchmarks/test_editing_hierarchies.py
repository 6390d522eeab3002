"""Time of a step in the hierarchy editor relative to a plain Qt table of the same size.

.venv/bin/python -m pytest -q -s tests/benchmarks/test_editing_hierarchies.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QTableView, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.hierarchy.editor import HierarchyEditor
from engine.hierarchies import Hierarchy
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import AttributeHierarchy, Project
from engine.project.edits import set_hierarchy, set_roles
from engine.records import DataType, Role, Table
from engine.records.options import ReadOptions
from engine.records.values import make_column
from tests.benchmarks.lateness import Lateness
from tests.benchmarks.report import Report, duration
from tests.hierarchy_hands import CONTROL, NONE, SHIFT, HierarchyHands
from tests.window_driver import LEFT, Driver, driven_window

SIZE = (1440, 900)
ROUNDS = 7
DRAGGED = 500
WANTED = 10  # times a repaint of the plain table
OPENING = "opening the editor"
JUDGED, MANY = 10_000, 100_000  # distinct values; times for many are only printed
N_LEVELS = 5
Spent = tuple[float, float]
TITLE = "The hierarchy editor, window of 1440 x 900, medians of 7 rounds"


def project(n_values: int) -> Project:
    """Return a project with two records per code, a masking hierarchy of the codes, and a column of sex."""
    texts = [f"{i:06d}" for i in range(n_values)]
    drawn = np.random.default_rng(0).integers(0, n_values, n_values)
    codes = np.concatenate((np.arange(n_values), drawn)).astype(np.int32)
    table = Table(
        (
            make_column("code", texts, codes, DataType()),
            make_column("sex", ["f", "m"], (codes % 2).astype(np.int32), DataType()),
        )
    )
    masked = Hierarchy.from_labels([[t, f"{t[:4]}**", f"{t[:3]}***", f"{t[:2]}****", "*"] for t in texts])
    made = Project("codes", Path("codes.csv"), ReadOptions(), table)
    made = set_roles(made, ["code", "sex"], Role.QUASI_IDENTIFYING)
    made = set_hierarchy(made, "code", AttributeHierarchy(masked))
    return replace(made, requirement=Requirement((KAnonymity(2),), 0.05))


def bare_table(n_rows: int) -> QTableView:
    """Return a Qt table with a Qt model: values, records and the labels of every level."""
    model = QStandardItemModel(n_rows, N_LEVELS + 1)
    for row in range(n_rows):
        for column in range(N_LEVELS + 1):
            model.setItem(row, column, QStandardItem(f"{row:06d}"))
    view = QTableView()
    view.setModel(model)
    model.setParent(view)
    view.resize(*SIZE)
    return view


def spent(act: Callable[[], object]) -> Spent:
    """Return processor seconds of the GUI thread for the step, and until its changes are painted."""
    start = time.thread_time()
    act()
    done = time.thread_time()
    for _ in range(2):  # layouts request a second pass
        QApplication.processEvents()
    return done - start, time.thread_time() - done


class Steps:
    """The measured steps, each by mouse and keys."""

    def __init__(self, driver: Driver) -> None:
        self.hands, self._driver = HierarchyHands(driver), driver

    def open(self) -> Spent:
        button = self._driver.find("editHierarchyButton")
        found = spent(lambda: QTest.mouseClick(button, LEFT))
        self._rest()
        return found

    def close(self) -> None:
        self._driver.click("backButton")
        self._rest()

    def select(self) -> Spent:
        """Select the first values from first to last with Shift."""
        table = self.hands.table
        QTest.mouseClick(table.viewport(), LEFT, NONE, self.hands.place(0, 0))
        place = self.hands.place(DRAGGED - 1, 0)
        self._rest()
        return spent(lambda: QTest.mouseClick(table.viewport(), LEFT, SHIFT, place))

    def drag(self) -> tuple[Spent, Spent]:
        """Drag onto the header of a level; return the slowest move and the drop."""
        viewport, header = self.hands.table.viewport(), self.hands.table.horizontalHeader()
        start = self.hands.place(DRAGGED - 1, 0)
        goal = QPoint(header.sectionViewportPosition(3) + 10, header.height() // 2)
        end = viewport.mapFromGlobal(header.viewport().mapToGlobal(goal))
        QTest.mousePress(viewport, LEFT, NONE, start)
        places = [start + (end - start) * step / 8 for step in range(1, 9)]
        moves = [spent(lambda place=place: QTest.mouseMove(viewport, place)) for place in places]
        drop = spent(lambda: QTest.mouseRelease(viewport, LEFT, NONE, end))
        assert self.hands.undo_text == f"New group of {DRAGGED} values"
        self._rest()
        return max(moves, key=sum), drop

    def rename(self) -> Spent:
        self.hands.key(Qt.Key.Key_F2)
        self._driver.wait(lambda: isinstance(QApplication.focusWidget(), QLineEdit))
        field = QApplication.focusWidget()
        assert isinstance(field, QLineEdit)
        field.selectAll()
        QTest.keyClicks(field, "renamed")
        found = spent(lambda: QTest.keyClick(field, Qt.Key.Key_Return))
        assert self.hands.undo_text.startswith("Rename")
        self._rest()
        return found

    def undo(self) -> Spent:
        found = spent(lambda: self.hands.key(Qt.Key.Key_Z, CONTROL))
        self._rest()
        return found

    def repaint(self) -> Spent:
        """Repaint the complete editor."""
        editor = self._driver.find("hierarchyEditor")
        return spent(lambda: [w.update() for w in editor.findChildren(QWidget)])

    def _rest(self) -> None:
        """Wait until statistics and effects are shown too."""
        self._driver.wait(lambda: not self._driver.wiring.runner.is_busy)
        if self.hands.is_open:
            editor = self._driver.find("hierarchyEditor", HierarchyEditor)
            self._driver.wait(lambda: editor.statistics.updating.isHidden())


@pytest.mark.parametrize("n_values", [JUDGED, MANY])
def test_steps_take_no_longer_than_ten_repaints_of_a_plain_table(
    qtbot: QtBot, qapp: QApplication, report: Report, n_values: int
) -> None:
    report.section()
    with driven_window(qtbot, qapp, SIZE) as driver:
        table = bare_table(n_values)
        qtbot.addWidget(table)
        with qtbot.waitExposed(table):
            table.show()
        repaints: list[float] = []
        driver.session.open_project(project(n_values))
        driver.click("tab.configure")
        driver.wait_settled()
        driver.select_columns("code")
        steps, found = Steps(driver), dict[str, list[Spent]]()
        with Lateness() as opening:
            steps.open()
        with Lateness() as editing:
            for number in range(ROUNDS):
                repaints += [sum(spent(table.viewport().update)) for _ in range(3)]
                if number:
                    steps.close()
                    found.setdefault(OPENING, []).append(steps.open())
                found.setdefault(f"selecting {DRAGGED} values", []).append(steps.select())
                move, drop = steps.drag()
                found.setdefault(f"a step of dragging {DRAGGED} values", []).append(move)
                found.setdefault(f"dropping {DRAGGED} values into a new group", []).append(drop)
                found.setdefault("renaming a group", []).append(steps.rename())
                found.setdefault("undoing a rename", []).append(steps.undo())
                found.setdefault(f"undoing a group of {DRAGGED} values", []).append(steps.undo())
                found.setdefault("painting all of the editor anew", []).append(steps.repaint())
    bare = statistics.median(repaints)
    report.tell(f"{n_values:,} distinct values: a bare QTableView, repainted", bare, "seconds")
    missed = []
    for what, times in found.items():
        whole = statistics.median(map(sum, times))
        painted = statistics.median(paint for _, paint in times)
        note = f"  ({duration(painted)} of {duration(whole)} to paint)"
        if n_values == MANY or what == OPENING:
            report.tell(f"{what}; until painted / bare repaint", whole / bare, "times", note)
        if n_values == MANY:
            continue
        if what == OPENING:  # the step creates a page as well
            report.at_most(f"{what}; painting / bare repaint", painted / bare, WANTED)
            missed += [what] if painted > WANTED * bare else []
        else:
            report.at_most(f"{what}; until painted / bare repaint", whole / bare, WANTED, note)
            missed += [what] if whole > WANTED * bare else []
    report.tell("a timer of 5 ms is late while it opens for the first time", opening.worst, "seconds")
    report.tell("a timer of 5 ms is late during all other steps", editing.worst, "seconds")
    assert not missed
