"""Apply is a step of the history, and a failing node is applied only on purpose."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from tests.anonymizer_gui.hands import let_run
from tests.window_driver import Driver, driven_window

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
_Key = Qt.Key


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    """Return the hospital example in Explore, scored, its optimum selected."""
    with driven_window(qtbot, qapp, (1440, 900)) as made:
        made.open_example("hospital")
        made.click("tab.explore")
        made.wait_settled()
        yield made


def applied(driver: Driver) -> tuple[int, ...] | None:
    return driver.session.applied.node


def failing(driver: Driver) -> tuple[int, ...]:
    problem = driver.session.results.problem
    assert problem is not None
    return tuple(problem.lattice.minimum)


def test_undo_takes_apply_back_and_leaves_the_settings(driver: Driver) -> None:
    session, k = driver.session, driver.find("knob.k")
    optimum = session.results.optimum
    k.setFocus()
    driver.key(_Key.Key_Right)  # k = 4
    driver.wait_settled()
    project = session.project
    driver.apply()
    second = applied(driver)
    assert second is not None
    driver.key(_Key.Key_Z, CONTROL)
    driver.wait(lambda: session.applied.release is None)
    assert session.project is project
    driver.key(_Key.Key_Z, CONTROL | SHIFT)
    driver.wait(lambda: applied(driver) == second)
    driver.click_node(failing(driver))
    driver.apply()
    driver.key(_Key.Key_Z, CONTROL)  # back to the release before
    driver.wait(lambda: applied(driver) == second)
    assert session.history.texts == ("Set k to 4", "Apply a node", "Apply a node")
    driver.key(_Key.Key_Z, CONTROL)
    driver.key(_Key.Key_Z, CONTROL)
    driver.wait_settled()
    assert session.applied.release is None
    assert session.results.optimum == optimum


def test_a_failing_node_says_what_it_suppresses_and_is_applied_on_purpose(driver: Driver) -> None:
    button, banner = driver.find("applyButton", QPushButton), driver.window.banner
    assert (button.text(), button.property("kind")) == ("Apply", "primary")
    driver.click_node(failing(driver))
    driver.wait(lambda: button.text() == "Apply anyway…")
    assert button.property("kind") == ""
    assert "13 records would be suppressed; the limit allows 1" in button.toolTip()
    lattice = driver.find("lattice")
    lattice.setFocus()
    driver.key(_Key.Key_Return)
    driver.wait(banner.isVisible)
    assert banner.problem() == "This node does not satisfy the requirement."
    assert applied(driver) is None
    anyway = next(b for b in banner.findChildren(QPushButton) if b.text() == "Apply anyway")
    driver.click(anyway)
    driver.wait(lambda: applied(driver) == failing(driver))
    assert not banner.isVisible()
    driver.key(_Key.Key_Z, CONTROL)
    driver.wait(lambda: applied(driver) is None)
    driver.click(button)  # asks too
    driver.wait(banner.isVisible)
    assert applied(driver) is None


def test_enter_in_find_finds_and_never_applies(driver: Driver) -> None:
    driver.wait(lambda: driver.wiring.is_settled)
    find = driver.find("findNode", QLineEdit)
    driver.click(find)
    for text in ("age 5", "city hidden"):  # the second replaces the first
        driver.qtbot.keyClicks(find, text)
        driver.key(_Key.Key_Return)
        let_run(30)
        assert find.selectedText() == text
        driver.key(_Key.Key_Return)
        let_run(30)
    assert applied(driver) is None
    assert not driver.window.banner.isVisible()
    driver.key(_Key.Key_Escape)
    assert driver.find("lattice").hasFocus()
