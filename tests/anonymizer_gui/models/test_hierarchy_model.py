"""Models of a hierarchy and of column headers show the engine's data and obey Qt's rules."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from anonymizer_gui.models.column_summary import describe_values, distribution, summarize_column
from anonymizer_gui.perspectives.configure.hierarchy.statistics.panel import StatisticsTable
from anonymizer_gui.perspectives.configure.hierarchy.values.table import GroupCounts, HierarchyTable
from engine.hierarchies import Hierarchy
from engine.hierarchies.statistics import level_statistics
from engine.records import DataType, Kind, Role
from engine.records.table import Column
from engine.records.values import make_column


@pytest.fixture
def ages() -> Column:
    texts = ["20", "21", "35"]
    return make_column("age", texts, np.array([0, 0, 1, 2], dtype=np.int32), DataType(Kind.INTEGER))


TENS = Hierarchy.from_rows([["20", "20-29", "*"], ["21", "20-29", "*"], ["40", "40-49", "*"]])


def test_values_records_and_labels_are_in_one_row(
    qtbot: QtBot, themed: QApplication, ages: Column, qtmodeltester: ModelTester
) -> None:
    table = HierarchyTable("hierarchy")
    qtbot.addWidget(table)
    table.show_hierarchy(ages, TENS)
    rows = [["20", "2", "20-29", "*"], ["21", "1", "20-29", "*"], ["35", "1", "–", "–"]]
    assert table.model.texts() == rows
    assert table.findChild(GroupCounts).n_groups == [1, 1]  # only groups with records
    qtmodeltester.check(table.model)


def test_without_a_hierarchy_values_and_records_are_shown(
    qtbot: QtBot, themed: QApplication, ages: Column
) -> None:
    table = HierarchyTable("hierarchy")
    qtbot.addWidget(table)
    table.show_hierarchy(ages, None)
    assert table.model.texts() == [["20", "2"], ["21", "1"], ["35", "1"]]
    table.show_hierarchy(None, None)
    assert table.model.rowCount() == table.model.columnCount() == 0


def test_statistics_list_the_highest_level_first(
    qtbot: QtBot, themed: QApplication, ages: Column, qtmodeltester: ModelTester
) -> None:
    table = StatisticsTable()
    qtbot.addWidget(table)
    model = table.texts
    table.show_statistics("age", level_statistics(TENS, ages, 2), ("kept", "10-year bands", "hidden"), 2)
    rows = [[model.index(row, column).data() for column in range(6)] for row in range(3)]
    assert rows == [
        ["2", "1", "4", "4", "none", "4"],
        ["1", "2", "1", "3", "1 · 25\u202f%", "1"],
        ["0", "3", "1", "2", "2 · 50\u202f%", "1"],
    ]
    header = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(6)]
    assert header == ["Level", "Groups", "Smallest", "Largest", "Below 2", "k of age alone"]
    tip = model.index(1, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert tip.splitlines() == [
        "Level 1: 10-year bands",
        "2 groups of 1 to 3 records; the largest is 75\u202f% of all",
        "1 group of fewer than 2: 1 record, 25\u202f% of all",
    ]
    qtmodeltester.check(model)


def test_the_distribution_of_numbers_follows_their_scale(ages: Column) -> None:
    # 20 and 21 are in the first third of 20 to 35, nothing is in the second.
    assert distribution(ages) == (1.0, 0.0, pytest.approx(1 / 3))


def test_the_distribution_of_texts_starts_with_the_most_frequent() -> None:
    codes = np.array([0, 1, 1, 1, 2, 2], dtype=np.int32)
    column = make_column("city", ["Pisa", "Roma", "Bari"], codes, DataType())
    assert distribution(column) == (1.0, pytest.approx(2 / 3), pytest.approx(1 / 3))


def test_headers_and_captions_have_type_range_and_number_of_values(ages: Column) -> None:
    assert summarize_column(ages, Role.QUASI_IDENTIFYING).short == "whole · 3"
    assert describe_values(ages) == "whole number · 20 to 35 · 3 values"
