"""Plot in the colours of the theme: axes, lines, steps, bars, limits, labels and overlays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QLinearGradient,
    QMouseEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QSizePolicy, QToolTip, QWidget

from anonymizer_gui.theming import Text, current_theme, font, pixels, scaled, theme_manager
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.accessible import Accessible, Role
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.labels import ElidedLabel
from anonymizer_gui.widgets.layouts import named, vbox
from anonymizer_gui.widgets.picture_saving import LEFT_OUT_OF_PICTURES, copy_picture
from engine.numbers import as_decimal, with_unit
from engine.words import _

if TYPE_CHECKING:
    import pyqtgraph as pg


@dataclass(frozen=True, slots=True)
class AxisTitles:
    """Titles of both axes including units, such as "records per year of age".

    Raises
    ------
    ValueError
        If a title is empty, because a plot without it cannot be read.
    """

    bottom: str
    left: str

    def __post_init__(self) -> None:
        if not self.bottom.strip() or not self.left.strip():
            raise ValueError(f"an axis has no title: {self!r}")


Drawing = Callable[["ThemedPlot"], None]
TickText = Callable[[float, int], str]
FILL_OPACITY = 0.45  # of areas, so that the grid and series behind remain visible
LINE_WIDTH = 1.6
_HATCH_OPACITY = 0.35
_BELOW = 44  # height of the bottom axis with its name
_GROUND_OPACITY = 0.75  # of the background behind labels
SMALLEST = QSize(160, 96)
_ZOOM_STEP, _MOST_ZOOM = 1.25, 1000.0
_BEHIND = -10


def as_percent_tick(value: float, decimals: int) -> str:
    """Return a fraction on an axis as percent."""
    return with_unit(as_decimal(value * 100, max(decimals - 2, 0)), "%")


class ThemedPlot(QWidget):
    """Plot that draws its content again if the theme or the text size changes.

    A drawing function receives the plot and calls its `add_` methods; colours are token names, so no drawing
    stores a colour. `pyqtgraph` is imported with the first drawing, unless
    the window imported it in advance.

    A readout next to the pointer describes the point under it. Ctrl and the wheel zoom along the bottom axis,
    dragging pans a zoomed plot, and a double click or the button in the corner resets the zoom. The context
    menu copies a picture.
    """

    def __init__(self, name: str) -> None:
        """Create an empty plot; `name` is its accessible name."""
        super().__init__()
        self._plot: pg.PlotWidget | None = None
        self._draw: Drawing | None = None
        # Describes a point given by its coordinates; "" for no description.
        self.tooltip: Callable[[float, float], str] | None = None
        self.titles: AxisTitles | None = None  # titles of the axes; None without a drawing
        self._full_range = (0.0, 1.0)  # range of the bottom axis without zoom
        self._readout = make_readout(self)
        self._menu: QMenu | None = None
        self._reset = make_reset(self)
        self._reset.clicked.connect(self.reset_zoom)
        self._name_above = ElidedLabel("", Text.AXIS, "text_3")
        self._name_above.hide()
        self._column = vbox(self._name_above, spacing=0, margins=0, of=self)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(SMALLEST)
        theme_manager().theme_changed.connect(self._redraw)

    def as_accessible(self) -> Accessible:
        return Accessible(Role.Chart)

    @property
    def plot(self) -> pg.PlotWidget:
        """Widget of pyqtgraph, created on first use."""
        if self._plot is None:
            from anonymizer_gui.charts.axes import made_plot

            self._plot = made_plot(self, as_decimal)
            for widget in (self._plot, self._plot.viewport()):
                widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            self._plot.viewport().setMouseTracking(True)
            self._plot.viewport().installEventFilter(self)
            self._column.addWidget(self._plot)
            style_plot(self._plot)
        return self._plot

    @property
    def items(self) -> pg.PlotItem:
        """Plot item inside the widget."""
        return self.plot.getPlotItem()

    def show_drawing(self, draw: Drawing, titles: AxisTitles, description: str = "") -> None:
        """Replace the drawing; the description is its text for a screen reader."""
        self._draw, self.titles = draw, titles
        self.setAccessibleDescription(description)
        self._redraw()

    def clear(self) -> None:
        """Remove the drawing."""
        self._draw, self.tooltip, self.titles = None, None, None
        for part in (self._name_above, self._readout, self._reset):
            part.hide()
        if self._plot is not None:
            self.items.clear()

    def _place_titles(self, titles: AxisTitles) -> None:
        """Place the left title along its axis, or above a plot that is too low for it."""
        wide = QFontMetrics(font(Text.AXIS)).horizontalAdvance(titles.left)
        is_above = wide > self.height() - scaled(_BELOW)
        self.items.getAxis("bottom").setLabel(titles.bottom)
        self.items.getAxis("left").setLabel("" if is_above else titles.left)
        self.items.getAxis("left").showLabel(not is_above)
        self._name_above.setText(titles.left)
        self._name_above.setVisible(is_above)
        style_plot(self.plot)

    # Drawing methods ---------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.titles is not None:
            self._place_titles(self.titles)
        if self._plot is not None:
            place_reset(self._reset, self._plot.geometry())

    def set_range(self, xs: tuple[float, float], ys: tuple[float, float]) -> None:
        """Set the visible range of both axes."""
        self._full_range = xs
        self.items.vb.setLimits(xMin=xs[0], xMax=xs[1], minXRange=(xs[1] - xs[0]) / _MOST_ZOOM)
        self.items.setYRange(*ys, padding=0)
        self._zoom_to(*xs)

    def set_ticks(self, axis: str, ticks: Sequence[tuple[float, str]]) -> None:
        """Set names at positions of the axis "bottom" or "left"."""
        self.items.getAxis(axis).setTicks([list(ticks)])

    def set_tick_text(self, axis: str, tick_text: TickText) -> None:
        """Set the function that formats the numbers of an axis, such as `as_percent_tick`."""
        self.items.getAxis(axis).set_tick_text(tick_text)

    def add_line(
        self, xs: Any, ys: Any, token: str, *, dashed: bool = False, width: float = LINE_WIDTH
    ) -> None:
        """Draw a line through points, with gaps at NaN."""
        self.items.plot(
            np.asarray(xs, dtype=float),
            np.asarray(ys, dtype=float),
            pen=_pen(current_theme().color(token), dashed=dashed, width=width),
            connect="finite",
            antialias=True,
        )

    def add_points(self, xs: Any, ys: Any, token: str, *, hollow: bool = False) -> None:
        """Draw points as discs."""
        theme = current_theme()
        self.items.plot(
            np.asarray(xs, dtype=float),
            np.asarray(ys, dtype=float),
            pen=None,
            symbol="o",
            symbolSize=6,
            symbolPen=_pen(theme.color(token)),
            symbolBrush=theme.color("surface" if hollow else token),
        )

    def add_steps(self, edges: Any, heights: Any, token: str, *, dashed: bool = False) -> None:
        """Draw a step line, constant between two edges; `edges` has one more entry than `heights`."""
        self.items.plot(
            np.asarray(edges, dtype=float),
            np.asarray(heights, dtype=float),
            stepMode="center",
            pen=_pen(current_theme().color(token), dashed=dashed),
        )

    def add_bars(self, lefts: Any, rights: Any, heights: Any, token: str, *, filled: bool = True) -> None:
        """Draw bars from zero: filled areas with a top edge, or outlines only."""
        import pyqtgraph as pg

        theme = current_theme()
        lefts, rights, heights = (np.asarray(values, dtype=float) for values in (lefts, rights, heights))
        area = theme.color(token)
        area.setAlphaF(FILL_OPACITY if filled else 0.0)
        pen = QPen(Qt.PenStyle.NoPen) if filled else _pen(theme.color(token))
        self.items.addItem(
            pg.BarGraphItem(x0=lefts, x1=rights, y0=0, y1=heights, pen=pen, brush=area, name=None)
        )
        if filled and len(lefts):
            xs = np.column_stack([lefts, rights]).ravel()
            self.items.plot(xs, np.repeat(heights, 2), pen=_pen(theme.color(token), width=2), connect="pairs")

    def add_limit(self, place: float, text: str = "") -> None:
        """Draw a dashed vertical line across the plot with a label at its end."""
        import pyqtgraph as pg

        theme = current_theme()
        line = pg.InfiniteLine(place, pen=_pen(theme.color("accent"), dashed=True, width=1.2))
        self.items.addItem(line, ignoreBounds=True)
        if text:
            label = pg.InfLineLabel(line, text, position=0.94, color=theme.color("text_2"))
            label.setFont(font(Text.TICK))

    def add_area(self, left: float, right: float, token: str) -> pg.LinearRegionItem:
        """Draw a band of lines at 45 degrees behind the rest, over the full height between two positions."""
        import pyqtgraph as pg

        color = current_theme().color(token)
        color.setAlphaF(_HATCH_OPACITY)
        brush, pen = QBrush(color, Qt.BrushStyle.BDiagPattern), QPen(Qt.PenStyle.NoPen)
        area = pg.LinearRegionItem((left, right), movable=False, brush=brush, pen=pen)
        area.setZValue(_BEHIND)
        self.items.addItem(area, ignoreBounds=True)
        return area

    def add_handle(self, place: float, text: str, token: str) -> pg.InfiniteLine:
        """Draw a dashed vertical line that the user can drag, with a label."""
        import pyqtgraph as pg

        theme = current_theme()
        line = pg.InfiniteLine(
            place,
            movable=True,
            bounds=self._full_range,
            pen=_pen(theme.color(token), dashed=True),
            hoverPen=_pen(theme.color(token), width=2),
            label=text,
            labelOpts={"position": 0.95, "color": theme.color(token), "fill": theme.color("surface")},
        )
        line.label.setFont(_word_font(strong=True))
        line.setCursor(Qt.CursorShape.SplitHCursor)
        self.items.addItem(line, ignoreBounds=True)
        return line

    def add_text(
        self,
        x: float,
        y: float,
        text: str,
        token: str = "text_2",
        *,
        anchor: tuple[float, float] = (0.5, 1.0),
        strong: bool = False,
        is_on_area: bool = False,
    ) -> None:
        """Draw text at a point; `anchor` is the part of the text placed there, (0, 0) its upper left corner.

        Outside an area, the text has a background that dims the lines behind it.
        """
        import pyqtgraph as pg

        theme = current_theme()
        ground = theme.color("surface")
        ground.setAlphaF(0.0 if is_on_area else _GROUND_OPACITY)
        item = pg.TextItem(text, color=theme.color(token), anchor=anchor, fill=ground)
        item.setFont(_word_font(strong=strong))
        item.setPos(x, y)
        self.items.addItem(item, ignoreBounds=True)

    # -------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(320, 200)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = self._words_at(QPointF(event.pos()))
            if text:
                QToolTip.showText(event.globalPos(), text, self)
            else:
                QToolTip.hideText()
            return True
        if kind == QEvent.Type.Wheel and isinstance(event, QWheelEvent):
            self._on_wheel(event)
            return True
        if kind == QEvent.Type.MouseButtonDblClick:
            self.reset_zoom()
            return True
        if kind == QEvent.Type.ContextMenu and isinstance(event, QContextMenuEvent):
            self.contextMenuEvent(event)
            return True
        if kind == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            self._show_readout(event.position())
        elif kind == QEvent.Type.Leave:
            self._readout.hide()
        return super().eventFilter(watched, event)

    @property
    def is_zoomed(self) -> bool:
        """Return whether only a part of the bottom axis is visible."""
        low, high = self.items.vb.viewRange()[0]
        return bool(high - low < (self._full_range[1] - self._full_range[0]) * (1 - 1e-9))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self._draw is None:
            event.ignore()
            return
        self._readout.hide()
        if self._menu is not None:
            self._menu.deleteLater()
        menu = self._menu = named(QMenu(self), "plotMenu")
        menu.addAction(self.tr("Copy picture")).triggered.connect(lambda: copy_picture(self))
        reset = menu.addAction(self.tr("Reset zoom"))
        reset.setEnabled(self.is_zoomed)
        reset.triggered.connect(self.reset_zoom)
        menu.popup(event.globalPos())
        event.accept()

    def _on_wheel(self, event: QWheelEvent) -> None:
        """Zoom at the pointer; without Ctrl the page scrolls."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier or self._draw is None:
            event.ignore()
            return
        at, (low, high) = self.place_at(event.position()).x(), self.items.vb.viewRange()[0]
        factor = _ZOOM_STEP ** (-event.angleDelta().y() / 120)
        width = min((high - low) * factor, self._full_range[1] - self._full_range[0])
        start = min(
            max(at - (at - low) / (high - low) * width, self._full_range[0]), self._full_range[1] - width
        )
        self._zoom_to(start, start + width)
        event.accept()

    def reset_zoom(self) -> None:
        """Show the complete bottom axis."""
        self._zoom_to(*self._full_range)

    def _zoom_to(self, low: float, high: float) -> None:
        self.items.setXRange(low, high, padding=0)
        self.items.vb.setMouseEnabled(x=self.is_zoomed, y=False)
        self._reset.setVisible(self.is_zoomed)
        place_reset(self._reset, self.plot.geometry())

    def _words_at(self, point: QPointF) -> str:
        place = self.place_at(point)
        return self.tooltip(place.x(), place.y()) if self.tooltip is not None else ""

    def _show_readout(self, point: QPointF) -> None:
        text = self._words_at(point) if self.items.vb.sceneBoundingRect().contains(point) else ""
        show_readout(self._readout, text, self.plot.viewport().mapTo(self, point.toPoint()), self.rect())

    def place_at(self, point: QPointF) -> QPointF:
        """Return the coordinates of a point of the widget."""
        return self.items.vb.mapSceneToView(point)  # type: ignore[no-any-return]

    def point_at(self, x: float, y: float) -> QPointF:
        """Return the point of the widget at given coordinates."""
        return self.items.vb.mapViewToScene(QPointF(x, y))  # type: ignore[no-any-return]

    def _redraw(self) -> None:
        if self._draw is None or self.titles is None:
            return
        items = self.items
        items.clear()
        for axis in ("bottom", "left"):
            items.getAxis(axis).setTicks(None)
            items.getAxis(axis).set_tick_text(as_decimal)
        self.tooltip = None
        self._place_titles(self.titles)
        self._draw(self)


def _pen(color: QColor, *, dashed: bool = False, width: float = LINE_WIDTH) -> QPen:
    pen = QPen(color, width)
    pen.setCosmetic(True)
    if dashed:
        pen.setDashPattern([4, 3])
    return pen


def _word_font(*, strong: bool) -> QFont:
    return font(Text.AXIS, SEMI_BOLD if strong else None)


_BESIDE = 12  # px between the pointer and the readout
_EDGE = 4


def make_readout(plot: QWidget) -> QLabel:
    """Return the hidden label that describes the point under the pointer."""
    readout = named(QLabel(plot), "plotReadout")
    readout.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    readout.setProperty(LEFT_OUT_OF_PICTURES, True)
    readout.hide()
    return readout


def show_readout(readout: QLabel, text: str, pointer: QPoint, area: QRect) -> None:
    """Show a text next to the pointer, on the side with room in the area; an empty text hides it."""
    readout.setText(text)
    readout.setVisible(bool(text))
    if not text:
        return
    readout.adjustSize()
    x, y = pointer.x() + _BESIDE, pointer.y() + _BESIDE
    if x + readout.width() > area.right() - _EDGE:
        x = pointer.x() - _BESIDE - readout.width()
    if y + readout.height() > area.bottom() - _EDGE:
        y = pointer.y() - _BESIDE - readout.height()
    readout.move(max(x, _EDGE), max(y, _EDGE))
    readout.raise_()


def make_reset(plot: QWidget) -> QPushButton:
    """Return the hidden button that shows all of a zoomed plot again."""
    button = make_button(_("Reset zoom"), "plotReset", small=True)
    button.setParent(plot)
    button.setProperty(LEFT_OUT_OF_PICTURES, True)
    button.hide()
    return button


def place_reset(button: QPushButton, area: QRect) -> None:
    """Move the button to the upper right corner of an area of its plot."""
    button.adjustSize()
    button.move(area.right() - button.width() - _EDGE, area.top() + _EDGE)
    button.raise_()


_OPAQUE = 255


def style_plot(plot: pg.PlotWidget) -> None:
    """Apply the current theme to a plot: call once after creating it and again on `theme_changed`.

    Axis labels keep their text; each labelled tick of the left axis has a horizontal line.
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
    left.setTickPen(_hairline(theme.color("grid")))
    left.setGrid(_OPAQUE)


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
