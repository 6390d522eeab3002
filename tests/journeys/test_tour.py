"""The tour over the Clinic example, by mouse and keys."""

from __future__ import annotations

from pathlib import Path

import shiboken6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from tests.window_driver import Driver


def card(driver: Driver) -> QWidget:
    found = driver.window.findChild(QWidget, "tourCard")
    assert isinstance(found, QWidget)
    return found


def task(driver: Driver) -> str:
    label = card(driver).findChild(QLabel, "tourTask")
    return label.text()


def is_done(driver: Driver) -> bool:
    button = card(driver).findChild(QPushButton, "tourNext")
    return button is not None and button.property("kind") == "primary"


def start(driver: Driver) -> None:
    driver.wiring.actions["tour"].trigger()
    driver.wait(lambda: driver.session.project is not None)
    driver.wait_settled()
    driver.wait(lambda: card(driver).isVisible())


def test_five_stops_each_with_a_task_that_is_noticed(driver: Driver) -> None:
    start(driver)
    assert driver.window.page == "configure"
    assert "diagnosis" in task(driver)
    assert not is_done(driver)
    driver.wiring.configure.view.table.table.select_columns(("diagnosis",))
    driver.wait(lambda: is_done(driver))
    driver.click("tourNext")
    assert driver.window.page == "explore"
    knob = driver.window.findChild(QWidget, "knob.k")
    knob.setFocus()
    for _step in range(40):
        if is_done(driver):
            break
        driver.qtbot.keyClick(knob, Qt.Key.Key_Right)
        driver.wait_settled()
    assert is_done(driver)
    driver.click("tourNext")
    lattice = driver.window.findChild(QWidget, "lattice")
    lattice.setFocus()
    driver.qtbot.keyClick(lattice, Qt.Key.Key_Up)
    driver.wait(lambda: is_done(driver))
    driver.click("tourNext")
    driver.apply()
    driver.wait(lambda: is_done(driver))
    driver.click("tourNext")
    driver.click("tab.risk")
    driver.wait(lambda: is_done(driver))
    driver.click("tourNext")  # Finish
    assert not card(driver).isVisible()


def test_the_tour_can_be_left_and_taken_again(driver: Driver) -> None:
    start(driver)
    frame = driver.window.findChild(QWidget, "tourFrame")
    assert frame.isVisible()
    driver.click("tourClose")
    assert not card(driver).isVisible()
    assert not frame.isVisible()
    start(driver)
    driver.click("tourNext")
    driver.click("tourBack")
    assert "diagnosis" in task(driver)


def test_the_frame_follows_a_knob_that_undo_makes_anew(driver: Driver) -> None:
    start(driver)
    driver.set_role(Qt.Key.Key_4, "diagnosis")  # its model leaves, and its knob
    driver.wait_settled()
    driver.click("tourNext")
    frame, knob = driver.find("tourFrame"), driver.find("knob.k")
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    for modifiers in (control, control | shift):
        driver.key(Qt.Key.Key_Z, modifiers)
        driver.wait_settled()
        driver.wait(lambda: not shiboken6.isValid(knob))  # noqa: B023  # waits within its turn
        knob = driver.find("knob.k")
        around = knob.rect().translated(knob.mapTo(driver.window, QPoint()))
        driver.wait(lambda: frame.isVisible() and frame.geometry().contains(around))  # noqa: B023
    driver.click("tourNext")
    assert frame.geometry().contains(driver.find("lattice").mapTo(driver.window, QPoint(50, 50)))


def test_the_tour_ends_when_another_table_is_opened(driver: Driver, examples: Path) -> None:
    start(driver)
    assert driver.drop(examples / "hospital" / "recipe.toml")
    driver.wait(lambda: "disease" in driver.session.project.table.names)  # type: ignore[union-attr]
    assert not card(driver).isVisible()
    assert not driver.window.findChild(QWidget, "tourFrame").isVisible()  # type: ignore[union-attr]
