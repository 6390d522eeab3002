"""The main job by keys only: from a CSV file to a verified release, without a mouse."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.lattice.view import LatticeView
from engine.findings.model_check import check
from engine.lattice import Node
from engine.project import Project
from engine.records import Role
from engine.scoring.evaluate import Evaluation
from tests.anonymizer_gui.look_checks import accessible_name, accessible_value
from tests.window_driver import LONG, Driver

Key = Qt.Key
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
MOST_STOPS = 150  # of the Tab key in one perspective
ROLES = {
    "patient id": (Key.Key_1, Role.IDENTIFYING),
    "visit date": (Key.Key_2, Role.QUASI_IDENTIFYING),
    "age": (Key.Key_2, Role.QUASI_IDENTIFYING),
    "sex": (Key.Key_2, Role.QUASI_IDENTIFYING),
    "postal code": (Key.Key_2, Role.QUASI_IDENTIFYING),
    "insurance": (Key.Key_4, Role.INSENSITIVE),
    "length of stay": (Key.Key_4, Role.INSENSITIVE),
    "diagnosis": (Key.Key_3, Role.SENSITIVE),
}


class KeysOnly:
    """Bot of a driver that has no mouse."""

    def __init__(self, qtbot: QtBot) -> None:
        self._qtbot = qtbot

    def __getattr__(self, name: str) -> Any:
        assert not name.startswith("mouse"), "this journey uses keys only"
        return getattr(self._qtbot, name)


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    driver = Driver(KeysOnly(qtbot), qapp, (1440, 900), opens_at_once=False)  # type: ignore[arg-type]
    try:
        yield driver
    finally:
        driver.close()


def focused(driver: Driver) -> QWidget | None:
    driver.wake()
    return QApplication.focusWidget()


def tab_to(driver: Driver, name: str, *, back: bool = False) -> QWidget:
    """Press Tab, or Shift and Tab, until the control of a name has the focus."""
    stops = []
    for _ in range(MOST_STOPS):
        stop = focused(driver)
        if stop is not None and stop.objectName() == name:
            assert accessible_name(stop), f"{name} has no accessible name"
            return stop
        stops.append("" if stop is None else stop.objectName())
        driver.key(Key.Key_Tab, SHIFT if back else Qt.KeyboardModifier.NoModifier)
    raise AssertionError(f"Tab does not reach {name}, only {stops}")


def type_over(driver: Driver, text: str) -> None:
    """Replace the text of the field with the focus, and confirm it."""
    driver.key(Key.Key_A, CONTROL)
    driver.qtbot.keyClicks(focused(driver), text)
    driver.key(Key.Key_Return)


def project_of(driver: Driver) -> Project:
    project = driver.session.project
    assert project is not None
    return project


def evaluated(driver: Driver) -> Evaluation:
    found = driver.session.results.evaluation
    assert found is not None
    return found


def selected(driver: Driver) -> Node:
    node = driver.session.selection.node
    assert node is not None
    return node


def open_file(driver: Driver, path: Path) -> None:
    driver.answer_file_dialog(path)
    driver.key(Key.Key_O, CONTROL)
    dialog = driver.dialog("openDialog")
    driver.wait(driver.button(dialog, "openDialogButton").isEnabled)
    driver.key(Key.Key_Return)
    driver.wait(lambda: driver.session.project is not None)
    driver.wait(lambda: not driver.wiring.runner.is_busy)


def show_perspective(driver: Driver, key: Qt.Key, title: str) -> None:
    """Open a perspective for the first time; its tab has the focus, so that a screen reader says its name."""
    driver.key(key, CONTROL)
    stop = focused(driver)
    assert stop is not None
    assert accessible_name(stop) == title
    driver.wait_settled()


def set_roles(driver: Driver) -> None:
    tab_to(driver, "dataTable")
    driver.key(Key.Key_Home)
    for key, _role in ROLES.values():
        driver.key(key)
        driver.key(Key.Key_Right)
    assert project_of(driver).roles == {name: role for name, (_key, role) in ROLES.items()}


def suggest_hierarchies(driver: Driver) -> None:
    tab_to(driver, "proposeHierarchiesButton", back=True)
    driver.key(Key.Key_Space)
    dialog = driver.dialog("proposeDialog")
    driver.key(Key.Key_Return)
    driver.wait(lambda: not dialog.isVisible())
    driver.wait(lambda: set(project_of(driver).hierarchies) >= set(project_of(driver).quasi_identifying))


def walk_to_a_satisfying_node(driver: Driver) -> Node:
    """Walk in the lattice by arrow keys; every step must be told."""
    view = tab_to(driver, "lattice")
    assert isinstance(view, LatticeView)
    lattice, start = evaluated(driver).lattice, selected(driver)
    driver.key(Key.Key_Up)
    driver.wait(lambda: selected(driver) != start)
    assert selected(driver) in lattice.successors(start)
    for key in (Key.Key_Left, Key.Key_Up, Key.Key_Up, Key.Key_Up):
        before, told = selected(driver), accessible_value(view)
        if evaluated(driver).satisfies[lattice.number(before)] and before != start and key is Key.Key_Up:
            break
        driver.key(key)
        driver.wait(lambda before=before: selected(driver) != before)
        assert accessible_value(view) != told
    node = selected(driver)
    assert evaluated(driver).satisfies[lattice.number(node)]
    assert "; Satisfies · " in accessible_value(view)
    return node


def test_the_main_job_needs_no_mouse(driver: Driver, examples: Path, tmp_path: Path) -> None:
    table, released = tmp_path / "clinic.csv", tmp_path / "released.csv"
    shutil.copy(examples / "clinic" / "clinic.csv", table)
    open_file(driver, table)
    set_roles(driver)
    suggest_hierarchies(driver)
    tab_to(driver, "modelLimit.0")
    type_over(driver, "4")
    assert project_of(driver).requirement.k == 4

    show_perspective(driver, Key.Key_2, "Explore results")
    knob = tab_to(driver, "knob.k")
    driver.wait(lambda: driver.wiring.is_settled, LONG)
    driver.key(Key.Key_Right)
    driver.wait(lambda: project_of(driver).requirement.k > 4)
    k = project_of(driver).requirement.k
    assert accessible_value(knob) == str(k)
    driver.wait_settled()
    node = walk_to_a_satisfying_node(driver)
    driver.key(Key.Key_Return)
    driver.wait(lambda: driver.session.applied.release is not None, LONG)
    driver.wait_settled()
    release = driver.session.applied.release
    assert release.node == node

    show_perspective(driver, Key.Key_4, "Analyze risk")
    strip = driver.wiring.risk.view.strip
    driver.wait(lambda: strip.tone, LONG)
    before = strip.sentence()
    tab_to(driver, "riskThreshold")
    type_over(driver, "1")
    driver.wait(lambda: strip.sentence() != before)
    tab_to(driver, "crowdCanvas")
    driver.key(Key.Key_Right)
    driver.wait(lambda: driver.wiring.risk.view.crowd.member.pane.is_shown)

    driver.key(Key.Key_E, CONTROL)
    dialog: Any = driver.dialog("exportDialog")
    tab_to(driver, "exportPath")
    type_over(driver, str(released))
    driver.wait(lambda: dialog.written or dialog.banner.isVisible(), LONG)
    assert dialog.written == "Written and verified: released.csv"
    driver.key(Key.Key_Escape)
    driver.wait(lambda: not dialog.isVisible())
    known = project_of(driver).quasi_identifying
    assert check(released, known, leave_out_suppressed=True).k >= k
