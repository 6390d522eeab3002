"""Tables copy what is selected, with headings, as tab-separated text; long ones measure few rows."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import RowDelegate, TextsTable
from tests.anonymizer_gui.hands import right_click

_HEADINGS = (Heading("Name"), Heading("Loss", is_number=True))
_ROWS = (
    (Cell("age"), Cell("0.10")),
    (Cell("two\tparts"), Cell("0.20")),
    (Cell("", spoken="drawn"), Cell("0.30")),
)


@pytest.fixture
def table(qtbot: QtBot) -> TextsTable:
    table = TextsTable("rows", "Rows")
    qtbot.addWidget(table)
    table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    table.show_rows(_HEADINGS, _ROWS)
    QGuiApplication.clipboard().setText("before")
    with qtbot.waitExposed(table):
        table.show()
    table.activateWindow()
    table.setFocus()
    qtbot.waitUntil(table.hasFocus)
    return table


def _press_copy(qtbot: QtBot, table: TextsTable) -> str:
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    return QGuiApplication.clipboard().text()


def test_all_selected_rows_are_copied_below_their_headings(qtbot: QtBot, table: TextsTable) -> None:
    qtbot.keyClick(table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert _press_copy(qtbot, table) == "Name\tLoss\nage\t0.10\ntwo parts\t0.20\ndrawn\t0.30\n"


def test_a_clicked_row_is_copied_alone(qtbot: QtBot, table: TextsTable) -> None:
    place = table.visualRect(table.model().index(1, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert _press_copy(qtbot, table) == "Name\tLoss\ntwo parts\t0.20\n"


def test_columns_are_copied_as_displayed(qtbot: QtBot, table: TextsTable) -> None:
    table.horizontalHeader().moveSection(1, 0)
    table.selectRow(0)
    assert _press_copy(qtbot, table) == "Loss\tName\n0.10\tage\n"
    table.hideColumn(0)
    assert _press_copy(qtbot, table) == "Loss\n0.10\n"


def test_an_empty_selection_leaves_the_clipboard_unchanged(qtbot: QtBot, table: TextsTable) -> None:
    table.clearSelection()
    assert _press_copy(qtbot, table) == "before"


def test_the_menu_copies_a_table_without_selection_completely(qtbot: QtBot, table: TextsTable) -> None:
    table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
    right_click(table.viewport(), table.viewport().rect().center())
    menu = QApplication.activePopupWidget()
    assert menu.pos() == table.viewport().mapToGlobal(table.viewport().rect().center())
    (copy,) = menu.actions()
    qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(copy).center())
    assert QGuiApplication.clipboard().text().splitlines() == [
        "Name\tLoss", "age\t0.10", "two parts\t0.20", "drawn\t0.30",
    ]  # fmt: skip


def test_row_headings_are_copied_if_displayed(qtbot: QtBot, table: TextsTable) -> None:
    table.verticalHeader().show()
    table.selectRow(0)
    assert _press_copy(qtbot, table).startswith("\tName\tLoss\n")


def test_a_thousand_rows_are_not_measured_as_the_few_wrapped_ones_before(
    table: TextsTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.show_rows(_HEADINGS, _ROWS, wraps=True)
    measured, measure = [], RowDelegate.sizeHint
    monkeypatch.setattr(RowDelegate, "sizeHint", lambda *given: measured.append(1) or measure(*given))
    table.show_rows(_HEADINGS, _ROWS * 300)
    QApplication.processEvents()
    assert len(measured) < 100
