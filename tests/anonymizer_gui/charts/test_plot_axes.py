"""The numbers along the axes of plots are those that are drawn, whatever their size."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.charts.plot import ThemedPlot
from anonymizer_gui.widgets.numbers import as_decimal


@pytest.mark.parametrize("highest", [0.00004, 0.05, 40.0, 5_000_000.0])
def test_an_axis_prints_its_values_in_the_unit_it_names(
    qtbot: QtBot, themed: QApplication, highest: float
) -> None:
    printed: dict[float, str] = {}

    def told(value: float, decimals: int) -> str:
        printed[value] = as_decimal(value, decimals)
        return printed[value]

    def draw(plot: ThemedPlot) -> None:
        plot.name_axes("date of birth", "records per day")
        plot.set_tick_text("left", told)
        plot.set_range((0.0, 30_000.0), (0.0, highest))

    plot = ThemedPlot("records by day")
    qtbot.addWidget(plot)
    plot.resize(480, 320)
    plot.show_drawing(draw)
    with qtbot.waitExposed(plot):
        plot.show()
    qtbot.waitUntil(lambda: len(printed) > 1)
    assert highest / 2 < max(printed) <= highest
    assert len(set(printed.values())) == len(printed)  # as many decimals as tell neighbours apart
