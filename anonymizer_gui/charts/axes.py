"""The axes of plots: their numbers are written as the rest of the window writes numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF

pg.setConfigOption("mouseRateLimit", -1)  # a line that is dragged follows every move
_MOST_DECIMALS = 9
_BEYOND = 14  # pixels that a number may reach beyond its axis
TickText = Callable[[float, int], str]  # of a value, with the decimals that tell it from its neighbours


class NumberAxis(pg.AxisItem):
    """An axis with numbers, or with names at given places."""

    def __init__(self, orientation: str, tick_text: TickText) -> None:
        super().__init__(orientation)
        self._tick_text = tick_text

    def set_tick_text(self, tick_text: TickText) -> None:
        """Write the numbers in another way."""
        self._tick_text = tick_text
        self.picture = None
        self.update()

    def updateAutoSIPrefix(self) -> None:
        """Print no thousandths of what the axis names, as pyqtgraph does even where it is told not to."""
        self.autoSIPrefixScale, self.labelUnitPrefix = 1.0, ""

    def boundingRect(self) -> QRectF:
        """With room for the numbers at both ends, which pyqtgraph leaves out where it draws a grid."""
        rect: QRectF = super().boundingRect()
        if self.orientation == "left":
            return rect.adjusted(0, -_BEYOND, 0, _BEYOND)
        return rect.adjusted(-_BEYOND, 0, _BEYOND, 0)

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        step, decimals = spacing * scale, 0
        while decimals < _MOST_DECIMALS and abs(round(step, decimals) - step) > step / 1000:
            decimals += 1
        return [self._tick_text(value * scale, decimals) for value in values]


def made_plot(parent: Any, tick_text: TickText) -> pg.PlotWidget:
    """A plot that no hand moves, with such axes."""
    axes = {name: NumberAxis(name, tick_text) for name in ("left", "bottom")}
    plot = pg.PlotWidget(parent, axisItems=axes)
    plot.setMouseEnabled(x=False, y=False)
    plot.getPlotItem().layout.setContentsMargins(0, 6, _BEYOND, 2)
    axes["left"].setZValue(-1)  # the grid lies behind what is drawn
    return plot
