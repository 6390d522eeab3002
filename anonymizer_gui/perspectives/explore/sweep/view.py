"""Sweep as a heat map or as curves: cells by threshold and limit, under mouse and keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFocusEvent,
    QFont,
    QKeyEvent,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPen,
    QPolygonF,
)

from anonymizer_gui.perspectives.explore.hover_card import show_hover_card
from anonymizer_gui.theming import (
    Text,
    Theme,
    font,
    loss_at,
    ramp_color,
    scaled,
)
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.accessible import PRESS, Accessible, Role
from anonymizer_gui.widgets.marks import Mark, draw_mark
from anonymizer_gui.widgets.painted_view import PaintedView


class Cell(NamedTuple):
    """A threshold and a limit, by their indices."""

    threshold: int
    limit: int


class Line(NamedTuple):
    """Limits with the same optimum metric at every threshold, drawn as one curve."""

    first: int
    last: int


@dataclass(frozen=True, eq=False)
class SweepTable:
    """Axes and values of one sweep.

    Attributes
    ----------
    threshold_name, limit_name, value_name : str
        Names of the axes and the values, with units.
    thresholds : tuple of float
        Ascending.
    threshold_texts, limit_texts : tuple of str
        Labels of the axes.
    values : ndarray of float64, shape (n_thresholds, n_limits)
        Metric of the optimum; nan if no node satisfies.
    value_text : callable
        Formats a value.
    is_logarithmic : bool
        Whether the threshold axis is logarithmic.
    """

    threshold_name: str
    limit_name: str
    value_name: str
    thresholds: tuple[float, ...]
    threshold_texts: tuple[str, ...]
    limit_texts: tuple[str, ...]
    values: NDArray[np.float64]
    value_text: Callable[[float], str]
    is_logarithmic: bool

    @property
    def ends(self) -> tuple[float, float] | None:
        """Least and largest value; None if no cell has one."""
        known = self.values[np.isfinite(self.values)]
        return (float(known.min()), float(known.max())) if len(known) else None

    def has_node(self, cell: Cell) -> bool:
        """Return whether a node satisfies in a cell."""
        return bool(np.isfinite(self.values[cell]))

    def lines(self) -> list[Line]:
        """Return the curves, from the strictest limit on."""
        found = []
        columns = range(self.values.shape[1])
        for _, alike in groupby(columns, key=lambda column: self.values[:, column].tobytes()):
            places = list(alike)
            found.append(Line(places[0], places[-1]))
        return found

    def moved(self, cell: Cell, thresholds: int, limits: int) -> Cell:
        """Return the cell moved by steps, limited to the table."""
        n_thresholds, n_limits = self.values.shape
        return Cell(
            min(max(cell.threshold + thresholds, 0), n_thresholds - 1),
            min(max(cell.limit + limits, 0), n_limits - 1),
        )


_LINE = 13  # px, line of an axis label
_STEPS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}


class SweepView(PaintedView):
    """Painted sweep; subclasses place and paint its cells."""

    cell_requested = Signal(int, int)  # use this cell
    cell_pointed = Signal(int, int)  # show its description; -1, -1 for none

    cursor_cell: Cell | None = None  # current cell of the keyboard

    def __init__(self, object_name: str, spoken: str) -> None:
        super().__init__(object_name, spoken)
        self.description: Callable[[Cell], str] = lambda _cell: ""
        self.table: SweepTable | None = None
        self.present: Cell | None = None  # cell of the current settings
        self._hovered: Cell | None = None

    # -- display -------------------------------------------------------------------------------

    def show_table(self, table: SweepTable | None) -> None:
        """Show another sweep."""
        self.table, self._hovered, self.present = table, None, None
        if table is not None and self.cursor_cell is not None:
            self.cursor_cell = table.moved(self.cursor_cell, 0, 0)
        self.update()

    def as_accessible(self) -> Accessible:
        """Return the current cell as value."""
        cell = self.cursor_cell
        if cell is None:
            return Accessible(Role.Canvas)
        return Accessible(Role.Canvas, self.description(cell), actions={PRESS: lambda: self._adopt(cell)})

    def show_present(self, cell: Cell | None) -> None:
        """Frame the cell of the current settings."""
        if cell != self.present:
            self.present = cell
            if not self.hasFocus():
                self.cursor_cell = cell
            self.update()

    # -- for subclasses ------------------------------------------------------------------------

    def cell_at(self, point: QPointF) -> Cell | None:
        """Return the cell drawn at a point."""
        raise NotImplementedError

    def place(self, cell: Cell) -> QRectF:
        """Return the rectangle of a cell."""
        raise NotImplementedError

    def draw_table(self, painter: ThemedPainter, table: SweepTable) -> None:
        """Draw axes and cells."""
        raise NotImplementedError

    # -- events --------------------------------------------------------------------------------

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hover(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and cell is not None:
            self.cursor_cell = cell
            self._adopt(cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, table, cursor = Qt.Key(event.key()), self.table, self.cursor_cell
        if table is None:
            super().keyPressEvent(event)
        elif key in _STEPS:
            self.cursor_cell = Cell(0, 0) if cursor is None else table.moved(cursor, *_STEPS[key])
            self._announce(self.cursor_cell)
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and cursor is not None:
            self._adopt(cursor)
        else:
            super().keyPressEvent(event)

    def explain(self, position: QPoint, place: QPoint) -> None:
        cell = self.cell_at(QPointF(position))
        show_hover_card(self, place, "" if cell is None else self.description(cell))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.table is not None and self.cursor_cell is None:
            self.cursor_cell = self.present or Cell(0, 0)
        if self.cursor_cell is not None:
            self._announce(self.cursor_cell)
        self.update()

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 100)

    def draw(self, painter: ThemedPainter) -> None:
        painter.fill(self.rect(), "surface")
        if self.table is not None:
            self.draw_table(painter, self.table)

    # ------------------------------------------------------------------------------------------

    def hover(self, position: QPointF | None) -> None:
        cell = None if position is None else self.cell_at(position)
        if cell != self._hovered:
            self._hovered = cell
            self._announce(cell if cell is not None else self.cursor_cell if self.hasFocus() else None)
            self.update()

    def _announce(self, cell: Cell | None) -> None:
        self.describe("" if cell is None else self.description(cell))
        self.cell_pointed.emit(*(cell if cell is not None else (-1, -1)))

    def _adopt(self, cell: Cell) -> None:
        self._announce(cell)
        if self.table is not None and self.table.has_node(cell):
            self.cell_requested.emit(*cell)
        self.update()

    # -- painting ------------------------------------------------------------------------------

    def _plot(self, left: float, right: float) -> QRectF:
        """Return the area between the margins, above two lines of text."""
        room = QRectF(self.rect()).adjusted(left, 8, -right, -(2 * scaled(_LINE) + 6))
        return room if room.isValid() else QRectF(left, 8, 1, 1)

    def _draw_name_below(self, painter: ThemedPainter, plot: QRectF, text: str) -> None:
        painter.style(Text.AXIS, "text_3")
        row = QRectF(plot.left(), plot.bottom() + scaled(_LINE) + 4, plot.width(), scaled(_LINE))
        shown = painter.elided(text, row.width())
        painter.drawText(row, int(Qt.AlignmentFlag.AlignCenter), shown)

    def _draw_name_beside(self, painter: ThemedPainter, plot: QRectF, text: str) -> None:
        """Draw the name of the vertical axis, rotated."""
        painter.save()
        painter.style(Text.AXIS, "text_3")
        painter.translate(4, plot.bottom())
        painter.rotate(-90)
        shown = painter.elided(text, plot.height())
        row = QRectF(0, 0, plot.height(), scaled(_LINE))
        painter.drawText(row, int(Qt.AlignmentFlag.AlignCenter), shown)
        painter.restore()

    def _draw_texts_below(self, painter: ThemedPainter, plot: QRectF, texts: list[tuple[float, str]]) -> None:
        """Draw labels centred at positions, omitting those that would touch the previous one."""
        painter.style(Text.TICK, "text_3")
        taken = -10.0
        for x, text in texts:
            width = painter.fontMetrics().horizontalAdvance(text)
            if x - width / 2 > taken + 4:
                place = QRectF(x - width / 2, plot.bottom() + 3, width + 1, scaled(_LINE))
                painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), text)
                taken = x + width / 2


_NAME, _LIMITS, _LEGEND = 20, 36, 76  # px of the margins: axis name, axis numbers, legend
_BRIGHT = 0.35  # of a shade on which dark text is more legible than light text
_Align = Qt.AlignmentFlag


class HeatView(SweepView):
    """Cells without a satisfying node are hatched; the current settings are framed."""

    def cell_at(self, point: QPointF) -> Cell | None:
        table, area = self.table, self._area()
        if table is None or not area.contains(point):
            return None
        n_thresholds, n_limits = table.values.shape
        across = int((point.x() - area.left()) / area.width() * n_thresholds)
        up = int((area.bottom() - point.y()) / area.height() * n_limits)
        return table.moved(Cell(across, up), 0, 0)

    def place(self, cell: Cell) -> QRectF:
        area = self._area()
        assert self.table is not None, "there are cells only of a sweep"
        n_thresholds, n_limits = self.table.values.shape
        left, right = (area.left() + area.width() * (cell.threshold + i) / n_thresholds for i in (0, 1))
        bottom, top = (area.bottom() - area.height() * (cell.limit + i) / n_limits for i in (0, 1))
        return QRectF(QPointF(round(left), round(top)), QPointF(round(right) - 1, round(bottom) - 1))

    def draw_table(self, painter: ThemedPainter, table: SweepTable) -> None:
        area = self._area()
        self._draw_name_below(painter, area, table.threshold_name)
        self._draw_name_beside(painter, area, table.limit_name)
        n_thresholds, n_limits = table.values.shape
        xs = [self.place(Cell(i, 0)).center().x() for i in range(n_thresholds)]
        self._draw_texts_below(painter, area, list(zip(xs, table.threshold_texts, strict=True)))
        self._draw_limits(painter, table, area)
        for i in range(n_thresholds):
            for j in range(n_limits):
                self._draw_cell(painter, table, Cell(i, j))
        self._draw_legend(painter, table, area)
        self._draw_frames(painter)

    def _area(self) -> QRectF:
        return self._plot(scaled(_NAME) + scaled(_LIMITS), scaled(_LEGEND))

    def _draw_limits(self, painter: ThemedPainter, table: SweepTable, area: QRectF) -> None:
        height, free = painter.fontMetrics().height() - 2, area.bottom() + 1
        for j, text in enumerate(table.limit_texts):
            y = self.place(Cell(0, j)).center().y()
            if y + height / 2 <= free:
                row = QRectF(scaled(_NAME), y - height / 2, area.left() - scaled(_NAME) - 5, height)
                painter.drawText(row, int(_Align.AlignRight | _Align.AlignVCenter), text)
                free = y - height / 2

    def _draw_cell(self, painter: ThemedPainter, table: SweepTable, cell: Cell) -> None:
        rect, ends = self.place(cell), table.ends
        if ends is None or not table.has_node(cell):
            painter.fillRect(rect, QBrush(painter.theme.color("fail_line"), Qt.BrushStyle.BDiagPattern))
            return
        value = float(table.values[cell])
        shade = ramp_color(painter.theme, value, *ends)
        painter.fillRect(rect, shade)
        text = table.value_text(value)
        use: QFont = font(Text.TICK, SEMI_BOLD if cell == self.present else None)
        painter.setFont(use)
        metrics = painter.fontMetrics()
        if metrics.horizontalAdvance(text) + 4 <= rect.width() and metrics.capHeight() + 4 <= rect.height():
            painter.setPen(_on_shade(shade, painter.theme))
            painter.drawText(rect, int(_Align.AlignCenter), text)

    def _draw_frames(self, painter: ThemedPainter) -> None:
        """Draw the frames of the hovered cell, the current settings, and the current cell."""
        painter.tint("")
        if self._hovered is not None:
            painter.ink("text", 1)
            painter.drawRect(self.place(self._hovered).adjusted(0.5, 0.5, -0.5, -0.5))
        if self.present is not None:
            rect = self.place(self.present)
            for token, width in (("halo", 5), ("ink", 2)):
                pen = QPen(painter.theme.color(token), width)
                pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
                painter.setPen(pen)
                painter.drawRect(rect.adjusted(-1, -1, 1, 1))
        if self.hasFocus() and self.cursor_cell is not None:
            rect = self.place(self.cursor_cell)
            for token, grown in (("halo", 1), ("accent", 3)):
                painter.ink(token, 2)
                painter.drawRect(rect.adjusted(-grown, -grown, grown, grown))

    def _draw_legend(self, painter: ThemedPainter, table: SweepTable, area: QRectF) -> None:
        """Draw the shades with the values at their ends and middle, and the hatching."""
        line = scaled(13)
        left = area.right() + 10
        painter.style(Text.TICK, "text_3")
        room = self.width() - left - 2
        name = painter.elided(table.value_name, room)
        painter.drawText(QRectF(left, area.top() - 2, room, line), int(_Align.AlignLeft), name)
        bar = QRectF(left, area.top() + line + 2, 8, max(area.height() - 2 * line - 10, 8))
        ends = table.ends
        if ends is not None:
            gradient = QLinearGradient(bar.topLeft(), bar.bottomLeft())
            for step in range(9):
                gradient.setColorAt(step / 8, ramp_color(painter.theme, loss_at(step / 8, *ends), *ends))
            painter.fillRect(bar, gradient)
            places = ((0.0, bar.top() - 2), (1.0, bar.bottom() - line + 2))
            both = ends[0] < ends[1] and bar.height() >= 2 * line
            for position, y in places if both else places[:1]:
                text = table.value_text(loss_at(position, *ends))
                painter.drawText(QRectF(left + 12, y, room - 12, line), int(_Align.AlignLeft), text)
        swatch = QRectF(left, area.bottom() - 9, 8, 9)
        painter.fillRect(swatch, QBrush(painter.theme.color("fail_line"), Qt.BrushStyle.BDiagPattern))
        none = painter.elided(self.tr("no node"), room - 12)
        painter.drawText(
            QRectF(left + 12, area.bottom() - line + 2, room - 12, line), int(_Align.AlignLeft), none
        )


def _on_shade(shade: QColor, theme: Theme) -> QColor:
    """Return ink or halo, whichever is more legible."""
    light, dark = ("ink", "halo") if theme.is_dark else ("halo", "ink")
    return theme.color(dark if shade.greenF() * 0.6 + shade.redF() * 0.3 > _BRIGHT else light)


_VALUES, _LABELS = 44, 92  # px of the margins of curves: axis numbers, labels
_REACH = 14.0  # px from a point within which a click selects it
_DASHES: tuple[list[float], ...] = ([], [4.0, 2.0], [1.5, 2.0], [6.0, 2.0, 1.5, 2.0])


class CurveView(SweepView):
    """Points are results; the lines between them are only visual aids."""

    def cell_at(self, point: QPointF) -> Cell | None:
        table = self.table
        if table is None or table.ends is None:
            return None
        nearest, least = None, _REACH
        for line in table.lines():
            for i in np.flatnonzero(np.isfinite(table.values[:, line.first])):
                away = self._point(table, int(i), line.first) - point
                distance = float(np.hypot(away.x(), away.y()))
                if distance < least:
                    nearest, least = Cell(int(i), self._limit_meant(line)), distance
        return nearest

    def place(self, cell: Cell) -> QRectF:
        assert self.table is not None, "there are cells only of a sweep"
        at = self._point(self.table, *cell)
        return QRectF(at.x() - 4, at.y() - 4, 8, 8)

    def _limit_meant(self, line: Line) -> int:
        """Return the present limit, otherwise the strictest, of limits with equal results."""
        if self.present is not None and line.first <= self.present.limit <= line.last:
            return self.present.limit
        return line.first

    def draw_table(self, painter: ThemedPainter, table: SweepTable) -> None:
        plot, ends = self._area(), table.ends
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        name = table.threshold_name
        if table.is_logarithmic:
            name = self.tr("{name} (logarithmic)").format(name=name)
        self._draw_name_below(painter, plot, name)
        name = self.tr("{value_name} of the optimum").format(value_name=table.value_name)
        self._draw_name_beside(painter, plot, name)
        xs = [self._x(table, i) for i in range(len(table.thresholds))]
        self._draw_texts_below(painter, plot, list(zip(xs, table.threshold_texts, strict=True)))
        painter.ink("border_strong", 1)
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())
        if ends is None:
            return
        self._draw_values(painter, table)
        lines = table.lines()
        present = self.present
        for order, line in enumerate(lines):
            is_present = present is not None and line.first <= present.limit <= line.last
            if is_present:
                painter.ink("series_2", 2.4)
            else:
                painter.ink("series_1", 1.3, _DASHES[order % len(_DASHES)])
            self._draw_line(painter, table, line)
        self._draw_labels(painter, table, lines)
        self._draw_marked(painter, table)

    def _area(self) -> QRectF:
        return self._plot(scaled(_NAME) + scaled(_VALUES), scaled(_LABELS))

    def _x(self, table: SweepTable, threshold: int) -> float:
        plot, values = self._area().adjusted(8, 0, -8, 0), table.thresholds
        low, high, at = values[0], values[-1], values[threshold]
        if table.is_logarithmic:
            low, high, at = log(low), log(high), log(at)
        return plot.left() + plot.width() * ((at - low) / (high - low) if high > low else 0.5)

    def _point(self, table: SweepTable, threshold: int, limit: int) -> QPointF:
        """Return the pixel of a result; on the lower edge if there is none."""
        plot = self._area().adjusted(0, 6, 0, -6)
        value, ends = float(table.values[threshold, limit]), table.ends
        share = 0.0
        if ends is not None and np.isfinite(value):
            share = (value - ends[0]) / (ends[1] - ends[0]) if ends[1] > ends[0] else 0.5
        return QPointF(self._x(table, threshold), plot.bottom() - share * plot.height())

    def _draw_values(self, painter: ThemedPainter, table: SweepTable) -> None:
        """Draw three axis numbers with their grid lines."""
        plot, ends = self._area(), table.ends
        assert ends is not None, "only called where there are values"
        painter.setFont(font(Text.TICK))
        inner, height = plot.adjusted(0, 6, 0, -6), scaled(13)
        for share in (0.0, 0.5, 1.0) if ends[0] < ends[1] else (0.5,):
            y = round(inner.bottom() - share * inner.height()) + 0.5
            painter.ink("grid", 1)
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
            painter.ink("text_3")
            value = ends[0] + share * (ends[1] - ends[0]) if ends[0] < ends[1] else ends[0]
            row = QRectF(scaled(_NAME), y - height / 2, scaled(_VALUES) - 5, height)
            painter.drawText(row, int(_Align.AlignRight | _Align.AlignVCenter), table.value_text(value))

    def _draw_line(self, painter: ThemedPainter, table: SweepTable, line: Line) -> None:
        points = [
            self._point(table, int(i), line.first)
            for i in np.flatnonzero(np.isfinite(table.values[:, line.first]))
        ]
        painter.tint("")
        painter.drawPolyline(QPolygonF(points))
        painter.setBrush(painter.pen().color())
        painter.setPen(Qt.PenStyle.NoPen)
        for point in points:
            painter.drawEllipse(point, 2.2, 2.2)

    def _draw_labels(self, painter: ThemedPainter, table: SweepTable, lines: list[Line]) -> None:
        """Draw the name of each curve at its end; overlapping names move apart."""
        plot, height = self._area(), painter.fontMetrics().height()
        wanted = []
        for line in lines:
            known = np.flatnonzero(np.isfinite(table.values[:, line.first]))
            if len(known):
                wanted.append((self._point(table, int(known[-1]), line.first).y(), line))
        wanted.sort(key=lambda entry: (entry[0], entry[1].first))
        free = plot.top() - height / 2
        places = []
        for y, line in wanted:
            free = max(y - height / 2, free)
            places.append((free, line))
            free += height
        over = max(free - (self.height() - 2), 0.0)
        for top, line in places:
            is_present = self.present is not None and line.first <= self.present.limit <= line.last
            painter.style(
                Text.TICK, "accent_text" if is_present else "text_2", SEMI_BOLD if is_present else None
            )
            text = table.limit_texts[line.first]
            if line.last > line.first:
                text = self.tr("{text} to {limit_text}").format(
                    text=text, limit_text=table.limit_texts[line.last]
                )
            row = QRectF(plot.right() + 6, top - over, self.width() - plot.right() - 8, height)
            shown = painter.elided(text, row.width())
            painter.drawText(row, int(_Align.AlignLeft | _Align.AlignVCenter), shown)

    def _draw_marked(self, painter: ThemedPainter, table: SweepTable) -> None:
        """Draw the marks of the current settings, the current cell, and the hovered cell."""
        if self.present is not None and table.has_node(self.present):
            at = self._point(table, *self.present)
            draw_mark(painter, QRectF(at.x() - 7, at.y() - 7, 14, 14), painter.theme, Mark.SELECTED)
        painter.tint("")
        if self.hasFocus() and self.cursor_cell is not None:
            painter.ink("accent", 2)
            painter.drawEllipse(self._point(table, *self.cursor_cell), 10, 10)
        if self._hovered is not None:
            painter.ink("text", 1.3)
            painter.drawEllipse(self._point(table, *self._hovered), 5, 5)
