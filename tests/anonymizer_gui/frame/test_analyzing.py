"""From the start page to the analyses of a release, by mouse and keys in the complete window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.theming import LIGHT, theme_manager
from tests.anonymizer_gui.look_checks import clipped_texts, laid_out, overlapping_siblings
from tests.window_driver import Driver, driven_window

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def driver(qtbot: QtBot, themed: QApplication) -> Iterator[Driver]:
    """Return the window with the hospital example, scored."""
    with driven_window(qtbot, themed) as made:
        made.click("example.hospital")
        made.wait(lambda: made.session.project is not None)
        made.wait_settled()
        yield made


def test_from_an_example_to_the_analyses_of_its_release(driver: Driver, themed: QApplication) -> None:
    driver.click("tab.utility")
    empty = driver.find("utilityEmptyAction", QPushButton)
    assert empty.text() == "Apply the optimum"
    driver.click(empty)
    driver.wait(lambda: driver.session.applied.release is not None)
    driver.wait_settled()
    release, utility = driver.session.applied.release, driver.wiring.utility
    assert release is not None
    tiles = utility.view.strip.tiles
    assert tiles["suppressed"].value() == str(release.n_suppressed)
    assert tiles["classes"].value() == str(release.n_classes)
    assert utility.view.panes["loss_by_attribute"].is_shown

    driver.key(Qt.Key.Key_4, CONTROL)
    assert driver.window.page == "risk"
    driver.wait_settled()
    driver.key(Qt.Key.Key_3, CONTROL)
    assert driver.window.page == "utility"
    driver.trigger("View", "Analyze risk")
    assert driver.window.page == "risk"
    driver.click("tab.utility")

    theme_manager().apply(themed, LIGHT, 1.5)
    laid_out(driver.window)
    assert driver.window.size().toTuple() == (1280, 720)
    assert clipped_texts(driver.window) == []
    assert overlapping_siblings(driver.window) == []


def test_an_out_of_date_release_is_marked_and_its_values_stay(driver: Driver) -> None:
    driver.click("tab.utility")
    driver.click("utilityEmptyAction")
    driver.wait(lambda: driver.session.applied.release is not None)
    driver.wait_settled()
    before = driver.wiring.utility.view.strip.tiles["classes"].value()
    project = driver.session.project
    assert project is not None
    looser = replace(project.requirement, suppression_limit=0.5)
    driver.session.edit("limit", replace(project, requirement=looser))
    driver.wait_settled()
    assert driver.find("staleChip").isVisible()
    assert driver.wiring.utility.view.strip.tiles["classes"].value() == before
