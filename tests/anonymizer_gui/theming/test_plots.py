"""Plots use the colours of the theme and follow a switch."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.charts.plot import style_plot
from anonymizer_gui.theming import DARK, LIGHT, Theme, theme_manager
from anonymizer_gui.theming.motion import Motion, motion_milliseconds, set_reduced_motion


def _colors(plot: pg.PlotWidget) -> set[str]:
    QApplication.processEvents()
    image = plot.grab().toImage()
    places = [(x, y) for x in range(image.width()) for y in range(image.height())]
    return {image.pixelColor(x, y).name().upper() for x, y in places}


@pytest.fixture
def plot(qtbot: QtBot, themed: QApplication) -> pg.PlotWidget:
    widget = pg.PlotWidget()
    qtbot.addWidget(widget)
    widget.resize(240, 160)
    widget.setLabel("left", "loss, 0 to 1")
    widget.plot(np.arange(10), np.arange(10) / 10)
    style_plot(widget)
    widget.show()
    return widget


def test_surface_axis_and_grid_are_tokens_and_follow_a_switch(
    qapp: QApplication, plot: pg.PlotWidget
) -> None:
    def seen(theme: Theme) -> bool:
        return {theme.surface, theme.grid, theme.border_strong} <= _colors(plot)

    assert seen(LIGHT)
    theme_manager().apply(qapp, DARK)
    style_plot(plot)
    assert seen(DARK)
    assert LIGHT.surface not in _colors(plot)


def test_a_switch_keeps_the_name_of_an_axis(qapp: QApplication, plot: pg.PlotWidget) -> None:
    theme_manager().apply(qapp, DARK)
    style_plot(plot)
    assert plot.getAxis("left").labelText == "loss, 0 to 1"
    assert DARK.text_3.lower() in plot.getAxis("left").labelString().lower()


def test_reduced_motion_has_no_duration(themed: QApplication) -> None:
    assert motion_milliseconds(Motion.SELECT) == 120
    set_reduced_motion(True)
    try:
        assert motion_milliseconds(Motion.ZOOM) == 0
    finally:
        set_reduced_motion(False)
