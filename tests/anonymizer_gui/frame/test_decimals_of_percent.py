"""Percent columns of every table in the window: one number of decimals, so that points align."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from engine.project.recipe.files import read_recipe
from tests.anonymizer_gui.percent_columns import uneven_columns
from tests.screens import analysis_pages
from tests.window_driver import driven_window

SIZE = (1440, 900)


def test_a_percent_column_has_one_number_of_decimals(
    qtbot: QtBot, qapp: QApplication, examples: Path
) -> None:
    """Of Adult; those of the clinic example are checked on every screen."""
    with driven_window(qtbot, qapp, SIZE) as driver:
        driver.session.open_project(read_recipe(examples / "adult" / "recipe.toml"))
        driver.wait_settled()
        driver.click("tab.explore")
        driver.apply()
        driver.wait_settled()
        faults = [f"explore: {fault}" for fault in uneven_columns(driver.window)]
        driver.click("improveButton")
        driver.dialog("improveDialog")
        driver.wait_settled()
        faults += [f"improve: {fault}" for fault in uneven_columns(driver.window)]
        driver.key(Qt.Key.Key_Escape)
        driver.wait(lambda: not any(d.isVisible() for d in driver.window.findChildren(QDialog)))
        for page in analysis_pages(driver):
            faults += [f"{page}: {fault}" for fault in uneven_columns(driver.window)]
    assert faults == []
