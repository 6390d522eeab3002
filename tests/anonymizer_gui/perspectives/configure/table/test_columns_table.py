"""The table of columns: searched, sorted, and edited together as one step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.perspectives.configure.table.columns_presenter import ColumnsDialog
from anonymizer_gui.perspectives.configure.table.panel import ColumnsTable
from anonymizer_gui.session import Session
from engine.project.edits import set_columns
from engine.records import DataType, Kind, Role, Table
from engine.records.values import make_column
from tests.anonymizer_gui.perspectives.configure.conftest import Settle

LEFT = Qt.MouseButton.LeftButton
NONE, CONTROL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def columns(qtbot: QtBot, configure: ConfigurePresenter) -> ColumnsTable:
    """Return the table of columns, shown by its button."""
    qtbot.mouseClick(configure.view.table.columns_button, LEFT)
    return configure.view.table.columns


def click(qtbot: QtBot, columns: ColumnsTable, row: int, keys: Qt.KeyboardModifier = NONE) -> None:
    place = columns.view.visualRect(columns.model.index(row, 0)).center()
    qtbot.mouseClick(columns.view.viewport(), LEFT, keys, place)


def click_heading(qtbot: QtBot, columns: ColumnsTable, section: int) -> None:
    header = columns.view.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(section) + 20, header.height() // 2)
    qtbot.mouseClick(header.viewport(), LEFT, NONE, place)


def texts(columns: ColumnsTable, column: int = 0) -> list[str]:
    return [columns.model.index(row, column).data() for row in range(columns.model.rowCount())]


def choose(qtbot: QtBot, box: QComboBox, data: object) -> None:
    box.setFocus()
    for _ in range(box.findData(data) - box.currentIndex()):
        qtbot.keyClick(box, Qt.Key.Key_Down)


def test_each_column_is_a_line_with_its_settings(columns: ColumnsTable) -> None:
    assert texts(columns) == ["name", "age", "sex", "disease"]
    assert texts(columns, 1) == ["identifying", "quasi-identifying", "quasi-identifying", "sensitive"]
    assert texts(columns, 5) == ["", "0 to 2 of 2", "", ""]
    assert texts(columns, 6) == ["", "1", "1", ""]


def test_lines_are_searched_and_sorted_and_stay_selected(qtbot: QtBot, columns: ColumnsTable) -> None:
    click(qtbot, columns, 2)
    click_heading(qtbot, columns, 0)
    assert texts(columns) == ["age", "disease", "name", "sex"]
    assert columns.selected_columns() == ("sex",)
    qtbot.keyClicks(columns.search_field, "QUASI")
    assert texts(columns) == ["age", "sex"]
    assert columns.selected_columns() == ("sex",)


def test_columns_selected_here_are_selected_everywhere(
    qtbot: QtBot, configure: ConfigurePresenter, columns: ColumnsTable, session: Session
) -> None:
    click(qtbot, columns, 0)
    click(qtbot, columns, 2, CONTROL)
    assert configure.selected_columns() == ("name", "sex")
    assert configure.view.column.title() == "2 columns"
    qtbot.keyClick(columns.view, Qt.Key.Key_3)
    assert [session.project.role(name) for name in ("name", "sex")] == [Role.SENSITIVE] * 2
    assert columns.selected_columns() == ("name", "sex")
    assert texts(columns, 1)[0] == "sensitive"


def test_role_type_levels_and_weight_of_several_columns_are_one_step(
    qtbot: QtBot, configure: ConfigurePresenter, columns: ColumnsTable, session: Session, settle: Settle
) -> None:
    click(qtbot, columns, 1)
    click(qtbot, columns, 2, CONTROL)
    qtbot.mouseClick(columns.set_button, LEFT)
    (dialog,) = configure.view.findChildren(ColumnsDialog)
    choose(qtbot, dialog.kind_box, Kind.TEXT)
    choose(qtbot, dialog.low_box, 1)
    qtbot.mouseClick(dialog.weight_check, LEFT, NONE, QPoint(8, dialog.weight_check.height() // 2))
    dialog.weight_box.selectAll()
    qtbot.keyClicks(dialog.weight_box, "2.5")
    qtbot.mouseClick(dialog.accept_button, LEFT)
    settle()
    project = session.project
    assert [column.data_type.kind for column in project.table.columns] == [Kind.TEXT] * 4
    assert project.hierarchies["age"].min_level == 1
    assert dict(project.search.weights) == {"age": 2.5, "sex": 2.5}
    assert session.history.own.count() == 1
    assert session.history.own.undoText() == "Set 2 columns"
    assert texts(columns, 6) == ["", "2.5", "2.5", ""]
    session.history.undo()
    assert texts(columns, 2)[1] == "Whole number"


def test_ordered_categories_are_given_their_order_and_dates_their_format(
    qtbot: QtBot, configure: ConfigurePresenter, columns: ColumnsTable, session: Session, settle: Settle
) -> None:
    click(qtbot, columns, 3)
    qtbot.mouseClick(columns.set_button, LEFT)
    (dialog,) = configure.view.findChildren(ColumnsDialog)
    assert not dialog.order_edit.isEnabled()
    assert "Only ordered" in dialog.order_edit.toolTip()
    choose(qtbot, dialog.kind_box, Kind.ORDERED)
    qtbot.keyClicks(dialog.order_edit, "mumps; cold;flu")
    assert not dialog.format_edit.isEnabled()
    qtbot.mouseClick(dialog.accept_button, LEFT)
    settle()
    assert session.project.table.column("disease").labels == ("mumps", "cold", "flu")
    dates = make_column("day", ["03/01/2020", "02/02/2020"], np.array([0, 1], dtype=np.int32), DataType())
    project = replace(session.project, table=Table((dates,)), roles={}, qi_order=(), hierarchies={})
    assert set_columns(project, ["day"], kind=Kind.DATE, date_format="%m/%d/%Y").table.columns[0].labels == (
        "02/02/2020",
        "03/01/2020",
    )
    assert set_columns(project, ["day"], kind=Kind.DATE, date_format="%d/%m/%Y").table.columns[0].labels == (
        "03/01/2020",
        "02/02/2020",
    )


def test_a_type_that_does_not_fit_one_of_them_changes_none(
    qtbot: QtBot, configure: ConfigurePresenter, columns: ColumnsTable, session: Session, settle: Settle
) -> None:
    click(qtbot, columns, 1)
    click(qtbot, columns, 3, CONTROL)
    qtbot.keyClick(columns.view, Qt.Key.Key_Return)
    (dialog,) = configure.view.findChildren(ColumnsDialog)
    choose(qtbot, dialog.kind_box, Kind.INTEGER)
    qtbot.mouseClick(dialog.accept_button, LEFT)
    settle()
    assert "Column 'disease'" in configure.view.table.error.problem()
    assert session.history.own.count() == 0


def test_no_type_is_changed_while_the_table_is_still_being_read(
    qtbot: QtBot, configure: ConfigurePresenter, columns: ColumnsTable, session: Session, settle: Settle
) -> None:
    session.open_project(session.project, provisional=True)
    settle()
    click(qtbot, columns, 1)
    qtbot.mouseClick(columns.set_button, LEFT)
    (dialog,) = configure.view.findChildren(ColumnsDialog)
    choose(qtbot, dialog.kind_box, Kind.TEXT)
    qtbot.mouseClick(dialog.accept_button, LEFT)
    settle()
    assert configure.view.table.error.problem() == "The table is still being read."
    kind_box = configure.view.column.kind_box
    assert not kind_box.isEnabled()
    assert "read" in kind_box.toolTip()
    assert session.history.own.count() == 0


def test_the_menu_entry_opens_and_closes_the_table_of_columns(configure: ConfigurePresenter) -> None:
    configure.actions()["columns_table"]()
    assert configure.view.table.shows_columns
    configure.actions()["columns_table"]()
    assert not configure.view.table.shows_columns
