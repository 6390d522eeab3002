"""Percent columns of every table in the window: one number of decimals, so that points align."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication, QDialog, QTableView
from pytestqt.qtbot import QtBot

from engine.numbers import NARROW_SPACE
from engine.project.recipe.files import read_recipe
from tests.screens import analysis_pages
from tests.window_driver import Driver, driven_window

SIZE = (1440, 900)
MOST_ROWS = 300  # checked per table
PERCENT = re.compile(rf"[<>]?{NARROW_SPACE}?[+\u2212]?[\d{NARROW_SPACE}]*\d(?:\.(\d+))?{NARROW_SPACE}%")


def uneven_columns(driver: Driver) -> list[str]:
    """Return the percent columns of visible tables whose cells differ in their number of decimals."""
    found = []
    for view in driver.window.findChildren(QAbstractItemView):
        if not view.isVisible() or not isinstance(view, QTableView):
            continue
        model = view.model()
        for column in range(model.columnCount()):
            if view.isColumnHidden(column):
                continue
            cells = [
                str(model.index(row, column).data(Qt.ItemDataRole.DisplayRole) or "")
                for row in range(min(model.rowCount(), MOST_ROWS))
            ]
            matches = [match for cell in cells if (match := PERCENT.fullmatch(cell))]
            if len({len(match[1] or "") for match in matches}) > 1:
                title = model.headerData(column, Qt.Orientation.Horizontal)
                found.append(f"{view.objectName()} {title!r}: {[match[0] for match in matches[:8]]}")
    return found


@pytest.mark.parametrize("example", ["clinic", "adult"])
def test_a_percent_column_has_one_number_of_decimals(
    qtbot: QtBot, qapp: QApplication, examples: Path, example: str
) -> None:
    with driven_window(qtbot, qapp, SIZE) as driver:
        driver.session.open_project(read_recipe(examples / example / "recipe.toml"))
        driver.wait_settled()
        driver.click("tab.explore")
        driver.apply()
        driver.wait_settled()
        faults = [f"explore: {fault}" for fault in uneven_columns(driver)]
        driver.click("improveButton")
        driver.dialog("improveDialog")
        driver.wait_settled()
        faults += [f"improve: {fault}" for fault in uneven_columns(driver)]
        driver.key(Qt.Key.Key_Escape)
        driver.wait(lambda: not any(d.isVisible() for d in driver.window.findChildren(QDialog)))
        for page in analysis_pages(driver):
            faults += [f"{page}: {fault}" for fault in uneven_columns(driver)]
    assert faults == []
