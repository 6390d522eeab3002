"""Axes of plots, with numbers in the format of the whole window."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from datetime import date
from math import ceil, floor
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF

pg.setConfigOption("mouseRateLimit", -1)  # a dragged line must follow every mouse move
_MOST_DECIMALS = 9
_LEFT = 3  # pixels before the numbers of the left axis, whose first digit pyqtgraph would cut
_BEYOND = 14  # pixels that a number may extend beyond its axis
_YEAR_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_MONTH_STEPS = (1, 3, 6)
_DAY_STEPS = (1, 2, 7, 14)
_MONTH, _YEAR = 30.4, 365.25
_EARLIEST, _LATEST = 1, 9999
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


def date_ticks(low: float, high: float, n_most: int) -> list[tuple[float, str]]:
    """Return about `n_most` round dates between two ordinal days: days, months or years."""
    days = (high - low) / max(n_most, 1)
    first, last = max(ceil(low), 1), min(floor(high), date.max.toordinal())
    if last < first:
        return []
    start, end = date.fromordinal(first), date.fromordinal(last)
    if days <= _DAY_STEPS[-1]:
        step = next(step for step in _DAY_STEPS if step >= days)
        return [
            (float(day), date.fromordinal(day).isoformat())
            for day in range(_next(first, step), last + 1, step)
        ]
    if days <= _MONTH_STEPS[-1] * _MONTH:
        step = next(step for step in _MONTH_STEPS if step * _MONTH >= days)
        months = range(_next(start.year * 12 + start.month - 1, step), end.year * 12 + end.month, step)
        dates = [date(month // 12, month % 12 + 1, 1) for month in months]
        return [(float(day.toordinal()), f"{day:%Y-%m}") for day in dates if day.toordinal() >= low]
    step = _YEAR_STEPS[min(bisect_left(_YEAR_STEPS, days / _YEAR), len(_YEAR_STEPS) - 1)]
    years = range(max(_next(start.year, step), _EARLIEST), min(end.year, _LATEST) + 1, step)
    dates = [date(year, 1, 1) for year in years]
    return [(float(day.toordinal()), str(day.year)) for day in dates if day.toordinal() >= low]


def _next(value: int, step: int) -> int:
    return -(-value // step) * step
