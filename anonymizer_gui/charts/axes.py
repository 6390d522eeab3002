"""Axes of plots, with numbers in the format of the whole window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF

pg.setConfigOption("mouseRateLimit", -1)  # a dragged line must follow every mouse move
_MOST_DECIMALS = 9
_LEFT = 3  # pixels before the numbers of the left axis, whose first digit pyqtgraph would cut
_BEYOND = 14  # pixels that a number may extend beyond its axis
TickText = Callable[[float, int], str]  # value and the number of decimals that distinguishes neighbours


class NumberAxis(pg.AxisItem):
    """Axis with numbers, or with names at given positions."""

    def __init__(self, orientation: str, tick_text: TickText) -> None:
        super().__init__(orientation)
        self._tick_text = tick_text

    def set_tick_text(self, tick_text: TickText) -> None:
        """Set the function that formats the numbers."""
        self._tick_text = tick_text
        self.picture = None
        self.update()

    def updateAutoSIPrefix(self) -> None:
        """Keep the axis in its own unit; pyqtgraph rescales to milli or kilo even if this is turned off."""
        self.autoSIPrefixScale, self.labelUnitPrefix = 1.0, ""

    def boundingRect(self) -> QRectF:
        """Return the area with room for the end numbers, which pyqtgraph omits if it draws a grid."""
        rect: QRectF = super().boundingRect()
        if self.orientation == "left":
            return rect.adjusted(0, -_BEYOND, 0, _BEYOND)
        return rect.adjusted(-_BEYOND, 0, _BEYOND, 0)

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        step, decimals = spacing * scale, 0
        while decimals < _MOST_DECIMALS and abs(round(step, decimals) - step) > step / 1000:
            decimals += 1
        return [self._tick_text(value * scale, decimals) for value in values]

    def drawPicture(self, painter: Any, axis: Any, ticks: Any, texts: Sequence[Any]) -> None:
        """Draw the axis without the texts that would overlap one nearer to its end."""
        shown: list[Any] = []
        for spec in reversed(texts):
            if not any(spec[0].intersects(other[0]) for other in shown):
                shown.append(spec)
        super().drawPicture(painter, axis, ticks, shown)


def made_plot(parent: Any, tick_text: TickText) -> pg.PlotWidget:
    """Return a plot with these axes that does not react to the mouse."""
    axes = {name: NumberAxis(name, tick_text) for name in ("left", "bottom")}
    plot = pg.PlotWidget(parent, axisItems=axes)
    plot.setMouseEnabled(x=False, y=False)
    plot.getPlotItem().layout.setContentsMargins(_LEFT, 6, _BEYOND, 2)
    axes["left"].setZValue(-1)  # draws the grid behind the data
    return plot
