"""The one primary button of the window makes the next step, in every perspective."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from tests.window_driver import Driver, driven_window

CONTROL = Qt.KeyboardModifier.ControlModifier
PAGES = ("configure", "explore", "utility", "risk")


@pytest.fixture
def driver(qtbot: QtBot, themed: QApplication) -> Iterator[Driver]:
    with driven_window(qtbot, themed) as made:
        yield made


def _primary(driver: Driver) -> list[str]:
    return [
        button.objectName()
        for button in driver.window.findChildren(QPushButton)
        if button.isVisible() and button.property("kind") == "primary"
    ]


def test_a_table_without_roles_gets_a_first_release(driver: Driver, tmp_path: Path, examples: Path) -> None:
    table = tmp_path / "clinic.csv"
    table.write_bytes((examples / "clinic" / "clinic.csv").read_bytes())
    driver.open_table(table)
    for page in PAGES:
        driver.click(f"tab.{page}")
        assert _primary(driver) == ["firstReleaseButton"]
    assert not driver.find("exportButton", QPushButton).isEnabled()


def test_the_button_follows_from_exploring_to_exporting(driver: Driver) -> None:
    driver.click("example.hospital")
    driver.wait(lambda: driver.session.project is not None)
    driver.wait_settled()
    driver.session.selection.select(None)
    driver.click("tab.configure")
    assert _primary(driver) == ["exploreButton"]
    driver.click("exploreButton")
    assert driver.window.page == "explore"
    assert _primary(driver) == []  # until a node is selected
    driver.session.selection.select(driver.session.results.optimum)
    driver.wait_settled()
    assert _primary(driver) == ["applyButton"]
    driver.click("applyButton")
    driver.wait(lambda: driver.session.applied.release is not None)
    driver.wait_settled()
    for page in PAGES:
        driver.click(f"tab.{page}")
        driver.wait_settled()
        assert set(_primary(driver)) - {"applyButton"} == {"exportButton"}
    project = driver.session.project
    assert project is not None
    driver.session.edit(
        "limit", replace(project, requirement=replace(project.requirement, suppression_limit=0.3))
    )
    driver.wait_settled()
    driver.click("tab.risk")
    assert _primary(driver) == ["applyAgainButton"]
