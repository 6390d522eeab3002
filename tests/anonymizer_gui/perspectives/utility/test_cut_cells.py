"""Cells of Analyze utility are whole at the design size; the columns that change can be shown alone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.measured_screens import is_cut, visible_cells
from tests.window_driver import Driver, driven_window

CONTROL = Qt.KeyboardModifier.ControlModifier


def _opened(driver: Driver, example: str) -> None:
    driver.click(f"example.{example}")
    driver.wait(lambda: driver.session.project is not None)
    driver.wait_settled()
    driver.apply_by_keys()
    driver.click("tab.utility")
    driver.wait(lambda: driver.wiring.utility.view.tables.release.side.sides is not None)
    driver.wait_settled()


@pytest.mark.parametrize("example", [pytest.param("adult", marks=pytest.mark.thorough), "clinic", "hospital"])
def test_few_cells_are_cut_at_the_design_size(qtbot: QtBot, themed: QApplication, example: str) -> None:
    with driven_window(qtbot, themed, (1440, 900)) as driver:
        _opened(driver, example)
        tables = driver.wiring.utility.view.tables
        cells = list(visible_cells(tables))
        assert len(cells) > 80
        assert sum(is_cut(*cell) for cell in cells) < 0.08 * len(cells)
        widths = [
            [table.columnWidth(place) for place in range(table.side.columnCount())]
            for table in (tables.input, tables.release)
        ]
        assert widths[0] == widths[1]


def test_only_the_changed_columns_are_shown_on_demand(qtbot: QtBot, themed: QApplication) -> None:
    with driven_window(qtbot, themed, (1440, 900)) as driver:
        _opened(driver, "clinic")
        tables, release = driver.wiring.utility.view.tables, driver.session.applied.release
        assert release.node is not None
        driver.click("changedColumnsOnly")
        shown = {
            name
            for place, name in enumerate(tables.release.side.table.names)
            if not tables.release.isColumnHidden(place)
        }
        generalized = {name for name, level in zip(release.problem.names, release.node, strict=True) if level}
        assert generalized
        dropped = {name for name in tables.release.side.table.names if release.column(name) is None}
        assert shown == generalized | dropped | {"patient id"}  # an identifying column, hidden
        assert all(
            tables.input.isColumnHidden(place) == tables.release.isColumnHidden(place)
            for place in range(tables.input.side.columnCount())
        )
        driver.click("changedColumnsOnly")
        assert not any(
            tables.input.isColumnHidden(place) or tables.input.columnWidth(place) == 0
            for place in range(tables.input.side.columnCount())
        )
