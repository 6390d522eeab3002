"""Missing values have a name everywhere, and bands of numbers have a legible axis."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from anonymizer_gui.charts.drawn_chart import DrawnChart
from engine.findings.blocks import Chart, Series
from engine.findings.risk.bins import ValueBin, edges_of
from engine.findings.risk.suppressed_groups import SuppressedGroup, SuppressedGroupsFound
from engine.findings.utility.contingency import ContingencyFound

INCOMES = (
    ValueBin("5072.71 to 15010.2", 5072.71, 15010.2, is_range=True, ends=("5072.71", "15010.2")),
    ValueBin("15010.9 to 18250", 15010.9, 18250.0, is_range=True, ends=("15010.9", "18250")),
    ValueBin("18250.5", 18250.5, 18250.5),
    ValueBin("18251 to 59000.25", 18251.0, 59000.25, is_range=True, ends=("18251", "59000.25")),
)


def test_records_without_a_value_are_a_group_with_a_name() -> None:
    group = SuppressedGroup(("sex",), ("",), 12, 12, 1.0, 50.0)
    both = SuppressedGroup(("sex", "age"), ("", "40"), 12, 12, 1.0, 50.0)
    assert group.text == "sex (missing)"
    assert both.text == "sex (missing), age 40"
    single, pairs = SuppressedGroupsFound(600, 12, 0.02, 10, (group,), (both,), "").tables()
    assert single.rows[0][:2] == ("sex", "(missing)")
    assert pairs.rows[0][:4] == ("sex", "(missing)", "age", "40")


def test_the_table_of_two_columns_names_the_row_of_missing_values() -> None:
    zeros, labels = np.zeros((2, 2)), (("f", ""), ("", "x"))
    found = ContingencyFound(
        "sex", "code", *labels, zeros, zeros, "", "", None, None, None, None, shown="before"
    )
    crossed = found.tables()[0]
    assert [row[0] for row in crossed.rows] == ["f", "(missing)"]
    assert [column.title for column in crossed.columns] == ["sex", "(missing)", "x"]


def test_bands_of_numbers_are_labelled_by_their_edges_and_missing_values_by_name(qtbot: QtBot) -> None:
    edges = edges_of((*INCOMES, ValueBin("")))
    assert edges == ("5\u202f073", "15\u202f011", "18\u202f250", "18\u202f251", "59\u202f000")
    days = (ValueBin("1", 1.0, 1.0), ValueBin("2 to 60", 2.0, 60.0, is_range=True, ends=("2", "60")))
    assert edges_of(days) == ("1", "2", "60")
    assert edges_of((ValueBin("f"), ValueBin("m"), ValueBin(""))) == ()
    shares = (0.2,) * 5
    labels = (*(band.label for band in INCOMES), "(missing)")
    series = (Series("class", shares, "release"), Series("table", shares, "input"))
    bars = Chart("income", "Income", "bars", "income", "share", series, labels, edges=edges)
    view = DrawnChart(bars, "class")
    qtbot.addWidget(view)
    view.resize(360, 240)
    ticks = [text for _place, text in view.plot.items.getAxis("bottom")._tickLevels[0]]
    assert ticks == [*edges, "(missing)"]
