"""Columns are added to the selection without a look at every record."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.models.column_summary import summarize_column
from anonymizer_gui.models.records_model import RecordsModel
from anonymizer_gui.perspectives.configure.table.data_table import DataTable
from engine.records import DataType, Table
from engine.records.table import Column

N_RECORDS = 50_000
NONE = Qt.KeyboardModifier.NoModifier
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def column(name: str) -> Column:
    codes = np.arange(N_RECORDS, dtype=np.int32) % 3
    return Column(name, DataType(), ("x", "y", "z"), codes, False, np.full(3, np.nan))


@pytest.fixture
def n_calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the number of calls of `rowCount`, which Qt makes before it looks at a record."""
    counted, really = [0], RecordsModel.rowCount

    def count(model: RecordsModel, *args: object) -> int:
        counted[0] += 1
        return really(model, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(RecordsModel, "rowCount", count)
    return counted


@pytest.fixture
def table(qtbot: QtBot, themed: QApplication, n_calls: list[int]) -> DataTable:
    made = DataTable()
    qtbot.addWidget(made)
    made.resize(900, 400)
    people = Table(tuple(map(column, "abcde")))
    made.show_table(people, [summarize_column(each, None) for each in people.columns])
    with qtbot.waitExposed(made):
        made.show()
    return made


def click(qtbot: QtBot, table: DataTable, section: int, keys: Qt.KeyboardModifier = NONE) -> None:
    place = QPoint(table.header.sectionViewportPosition(section) + 20, 30)
    qtbot.mouseClick(table.header.viewport(), Qt.MouseButton.LeftButton, keys, place)


def test_control_adds_and_removes_columns_and_shift_adds_a_range(qtbot: QtBot, table: DataTable) -> None:
    click(qtbot, table, 0)
    click(qtbot, table, 2, CONTROL)
    assert table.selected_columns() == ("a", "c")
    click(qtbot, table, 0, CONTROL)
    assert table.selected_columns() == ("c",)
    click(qtbot, table, 2, CONTROL)
    assert table.selected_columns() == ()
    click(qtbot, table, 1)
    click(qtbot, table, 3, SHIFT)
    assert table.selected_columns() == ("b", "c", "d")


def test_control_and_space_add_the_current_column_and_remove_it(qtbot: QtBot, table: DataTable) -> None:
    click(qtbot, table, 0)
    click(qtbot, table, 2, CONTROL)
    qtbot.keyClick(table, Qt.Key.Key_Space, CONTROL)
    assert table.selected_columns() == ("a",)
    qtbot.keyClick(table, Qt.Key.Key_Space, CONTROL)
    assert table.selected_columns() == ("a", "c")
    assert table.currentIndex().column() == 2


def test_no_change_of_the_selection_asks_for_every_record(
    qtbot: QtBot, table: DataTable, n_calls: list[int]
) -> None:
    """Qt asks for each when Ctrl is held, which takes seconds per million records."""
    n_calls[0] = 0
    click(qtbot, table, 0)
    for section in (1, 2, 1):
        click(qtbot, table, section, CONTROL)
    qtbot.keyClick(table, Qt.Key.Key_Space, CONTROL)
    click(qtbot, table, 4, SHIFT)
    qtbot.keyClick(table, Qt.Key.Key_A, CONTROL)
    assert table.selected_columns() == tuple("abcde")
    assert 0 < n_calls[0] < N_RECORDS / 10
