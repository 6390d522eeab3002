"""The tour over the Clinic example, by mouse and keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.window_driver import Driver, driven_window


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    with driven_window(qtbot, qapp) as driven:
        yield driven


def card(driver: Driver) -> QWidget:
    found = driver.window.findChild(QWidget, "tourCard")
    assert isinstance(found, QWidget)
    return found


def task(driver: Driver) -> str:
    label = card(driver).findChild(QLabel, "tourTask")
    assert isinstance(label, QLabel)
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
    assert knob is not None
    knob.setFocus()
    for _step in range(40):
        if is_done(driver):
            break
        driver.qtbot.keyClick(knob, Qt.Key.Key_Right)
        driver.wait_settled()
    assert is_done(driver)
    driver.click("tourNext")
    lattice = driver.window.findChild(QWidget, "lattice")
    assert lattice is not None
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
    assert frame is not None
    assert frame.isVisible()
    driver.click("tourClose")
    assert not card(driver).isVisible()
    assert not frame.isVisible()
    start(driver)
    driver.click("tourNext")
    driver.click("tourBack")
    assert "diagnosis" in task(driver)
