"""Gives a pyqtgraph plot the colours and sizes of the theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QPen

from anonymizer_gui.theming.manager import current_theme
from anonymizer_gui.theming.type_scale import Text, font, pixels

if TYPE_CHECKING:  # pyqtgraph takes long to import; only those who plot pay for it
    import pyqtgraph as pg


def style_plot(plot: pg.PlotWidget) -> None:
    """Apply the current theme to a plot: call once after making it and again on `theme_changed`."""
    theme = current_theme()
    plot.setBackground(theme.surface)
    plot.setMenuEnabled(False)
    plot.hideButtons()
    plot.setFrameShape(plot.Shape.NoFrame)
    axis_pen = QPen(theme.color("border_strong"), 1)
    axis_pen.setCosmetic(True)
    item = plot.getPlotItem()
    for name in ("left", "bottom"):
        axis = item.getAxis(name)
        axis.setPen(axis_pen)
        axis.setTextPen(theme.color("text_3"))
        axis.setTickFont(font(Text.TICK))
        axis.setStyle(tickLength=-4)
        # The label keeps its text and takes the size of axis captions; pyqtgraph wants it as CSS.
        axis.setLabel(**{"color": theme.text_3, "font-size": f"{pixels(Text.AXIS)}px"})
    item.getAxis("left").setGrid(False)
    for name in ("top", "right"):
        item.hideAxis(name)
