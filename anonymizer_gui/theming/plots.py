"""Colours and sizes of the theme for a pyqtgraph plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QBrush, QColor, QLinearGradient, QPen

from anonymizer_gui.theming.manager import current_theme
from anonymizer_gui.theming.type_scale import Text, font, pixels

if TYPE_CHECKING:  # pyqtgraph is slow to import and needed by plots only
    import pyqtgraph as pg

_OPAQUE = 255


def style_plot(plot: pg.PlotWidget, *, grid: bool = True) -> None:
    """Apply the current theme to a plot: call once after creating it and again on `theme_changed`.

    Axis labels keep their text; `grid` draws one horizontal line per labelled tick.
    """
    theme = current_theme()
    plot.setBackground(theme.surface)
    plot.setFrameShape(plot.Shape.NoFrame)
    item = plot.getPlotItem()
    item.setMenuEnabled(False)
    item.hideButtons()
    for name in ("top", "right"):
        item.hideAxis(name)
    for name in ("left", "bottom"):
        axis = item.getAxis(name)
        axis.setPen(_hairline(theme.color("border_strong")))
        axis.setTextPen(theme.color("text_3"))
        axis.setTickFont(font(Text.TICK))
        axis.setStyle(tickLength=4, maxTickLevel=0)
        axis.enableAutoSIPrefix(False)  # keeps fractions free of milli and kilo prefixes
        style = {"color": theme.text_3, "font-size": f"{pixels(Text.AXIS)}px", "font-weight": "400"}
        axis.setLabel(axis.labelText, axis.labelUnits, axis.labelUnitPrefix, **style)
    left = item.getAxis("left")
    left.setTickPen(_hairline(theme.color("grid")) if grid else None)
    left.setGrid(_OPAQUE if grid else False)


def _hairline(color: QColor) -> QPen:
    """Return a pen one pixel wide at any zoom.

    pyqtgraph fades grid lines of a plain colour by their number, but not those of a gradient; this gradient
    has the same colour at both ends.
    """
    gradient = QLinearGradient(0, 0, 1, 0)
    gradient.setColorAt(0, color)
    gradient.setColorAt(1, color)
    pen = QPen(QBrush(gradient), 1)
    pen.setCosmetic(True)
    return pen
