"""The model of the values shows an outline with any closed groups, and obeys Qt's rules."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.hierarchy.drafts import Selection
from anonymizer_gui.perspectives.configure.hierarchy.values.model import ValueModel
from engine.hierarchies import Hierarchy
from engine.hierarchies.outline import Order, outline
from engine.records import DataType, Kind
from engine.records.table import Column
from engine.records.values import make_column

TENS = Hierarchy.from_rows(
    [["20", "20-29", "*"], ["21", "20-29", "*"], ["35", "30-39", "*"], ["40", "40-49", "*"]]
)


@pytest.fixture
def ages() -> Column:
    codes = np.array([0, 0, 1, 2], dtype=np.int32)
    return make_column("age", ["20", "21", "35"], codes, DataType(Kind.INTEGER))


@pytest.fixture
def model(themed: QApplication) -> ValueModel:
    return ValueModel()


def cells(model: ValueModel) -> list[list[str]]:
    return [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_a_row_gives_value_records_and_the_label_of_every_level(
    model: ValueModel, ages: Column, qtmodeltester: ModelTester
) -> None:
    model.show_outline(ages, outline(TENS, ages))
    assert cells(model) == [["20", "2", "20-29", "*"], ["21", "1", "20-29", "*"], ["35", "1", "30-39", "*"]]
    headings = [model.headerData(section, Qt.Orientation.Horizontal) for section in range(4)]
    assert headings == ["0 original", "Records", "1", "2"]
    qtmodeltester.check(model)


def test_a_closed_group_is_one_row_with_nothing_on_the_levels_below_it(
    model: ValueModel, ages: Column, qtmodeltester: ModelTester
) -> None:
    over = Hierarchy.from_rows([[*row[:2], "young" if row[0] < "30" else "old", "*"] for row in TENS.rows()])
    model.show_outline(ages, outline(over, ages, closed=[(2, "young")]))
    assert cells(model) == [["young", "3", "", "young", "*"], ["35", "1", "30-39", "old", "*"]]
    assert (model.n_values(0), model.closed_level(0)) == (2, 2)
    assert model.group_at(0, 2) == (2, "young")
    assert model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "young, collapsed, 2 values"
    assert "In young" in model.index(0, 2).data(Qt.ItemDataRole.ToolTipRole)
    qtmodeltester.check(model)


def test_only_cells_with_a_label_can_be_edited_and_others_say_why_not(
    model: ValueModel, ages: Column
) -> None:
    model.show_outline(ages, outline(TENS, ages, closed=[(2, "*")]))
    editable = [bool(model.flags(model.index(0, column)) & Qt.ItemFlag.ItemIsEditable) for column in range(4)]
    assert editable == [False, False, False, True]
    model.show_outline(ages, outline(TENS, ages))
    hints = [model.index(0, column).data(Qt.ItemDataRole.ToolTipRole) for column in range(3)]
    assert "come from the data" in hints[0]
    assert "counted" in hints[1]
    assert "Enter" in hints[2]


def test_the_missing_value_is_named(model: ValueModel) -> None:
    column = make_column("sex", ["f", ""], np.array([0, 1], dtype=np.int32), DataType(), "")
    hierarchy = Hierarchy.from_rows([["f", "*"]]).extended([""])
    model.show_outline(column, outline(hierarchy, column))
    assert [row[0] for row in cells(model)] == ["f", "(missing)"]


def test_values_are_shown_while_there_is_no_hierarchy(
    model: ValueModel, ages: Column, qtmodeltester: ModelTester
) -> None:
    model.show_outline(ages, None)
    assert cells(model) == [["20", "2"], ["21", "1"], ["35", "1"]]
    qtmodeltester.check(model)
    model.show_outline(None, None)
    assert model.rowCount() == model.columnCount() == 0


def test_another_order_of_the_same_rows_does_not_reset_the_model(
    qtbot: QtBot, model: ValueModel, ages: Column
) -> None:
    model.show_outline(ages, outline(TENS, ages))
    with qtbot.assertNotEmitted(model.modelReset), qtbot.waitSignal(model.dataChanged):
        model.show_outline(ages, outline(TENS, ages, Order.RECORDS))
    with qtbot.waitSignal(model.modelReset):
        model.show_outline(ages, outline(TENS, ages, shows_absent=True))


def test_cells_of_the_selected_groups_are_reported_as_selected(model: ValueModel, ages: Column) -> None:
    model.show_outline(ages, outline(TENS, ages))
    model.show_selection(Selection(1, ("20-29",)))
    selected = [[model.is_selected(row, column) for column in range(4)] for row in range(3)]
    assert selected == [[False, False, True, False], [False, False, True, False], [False] * 4]
    assert model.index(0, 2).data(Qt.ItemDataRole.AccessibleDescriptionRole) == "selected"
    model.show_selection(Selection(0, ("35",)))
    assert [model.is_selected(2, column) for column in range(4)] == [True, True, False, False]
