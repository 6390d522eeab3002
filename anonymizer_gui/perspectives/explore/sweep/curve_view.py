"""Sweep as curves: the optimum's metric by threshold, one curve for limits with equal results."""

from __future__ import annotations

from math import log

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from anonymizer_gui.perspectives.explore.sweep.table import Cell, Line, SweepTable
from anonymizer_gui.perspectives.explore.sweep.view import SweepView
from anonymizer_gui.theming import Text, Theme, font, scaled
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.marks import Mark, draw_mark

_NAME, _VALUES, _LABELS = 20, 44, 92  # px of the margins: axis name, axis numbers, labels of curves
_REACH = 14.0  # px from a point within which a click selects it
_DASHES: tuple[list[float], ...] = ([], [4.0, 2.0], [1.5, 2.0], [6.0, 2.0, 1.5, 2.0])
_Align = Qt.AlignmentFlag


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

    def draw(self, painter: QPainter, table: SweepTable, theme: Theme) -> None:
        plot, ends = self._area(), table.ends
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        name = table.threshold_name
        if table.is_logarithmic:
            name = self.tr("{name} (logarithmic)").format(name=name)
        self._draw_name_below(painter, plot, name, theme)
        name = self.tr("{value_name} of the optimum").format(value_name=table.value_name)
        self._draw_name_beside(painter, plot, name, theme)
        xs = [self._x(table, i) for i in range(len(table.thresholds))]
        self._draw_texts_below(painter, plot, list(zip(xs, table.threshold_texts, strict=True)), theme)
        painter.setPen(QPen(theme.color("border_strong"), 1))
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())
        if ends is None:
            return
        self._draw_values(painter, table, theme)
        lines = table.lines()
        present = self.present
        for order, line in enumerate(lines):
            is_present = present is not None and line.first <= present.limit <= line.last
            pen = QPen(theme.color("series_2" if is_present else "series_1"), 2.4 if is_present else 1.3)
            if _DASHES[order % len(_DASHES)] and not is_present:
                pen.setDashPattern(_DASHES[order % len(_DASHES)])
            self._draw_line(painter, table, line, pen)
        self._draw_labels(painter, table, lines, theme)
        self._draw_marked(painter, table, theme)

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

    def _draw_values(self, painter: QPainter, table: SweepTable, theme: Theme) -> None:
        """Draw three axis numbers with their grid lines."""
        plot, ends = self._area(), table.ends
        assert ends is not None, "only called where there are values"
        painter.setFont(font(Text.TICK))
        inner, height = plot.adjusted(0, 6, 0, -6), scaled(13)
        for share in (0.0, 0.5, 1.0) if ends[0] < ends[1] else (0.5,):
            y = round(inner.bottom() - share * inner.height()) + 0.5
            painter.setPen(QPen(theme.color("grid"), 1))
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
            painter.setPen(theme.color("text_3"))
            value = ends[0] + share * (ends[1] - ends[0]) if ends[0] < ends[1] else ends[0]
            row = QRectF(scaled(_NAME), y - height / 2, scaled(_VALUES) - 5, height)
            painter.drawText(row, int(_Align.AlignRight | _Align.AlignVCenter), table.value_text(value))

    def _draw_line(self, painter: QPainter, table: SweepTable, line: Line, pen: QPen) -> None:
        points = [
            self._point(table, int(i), line.first)
            for i in np.flatnonzero(np.isfinite(table.values[:, line.first]))
        ]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen)
        painter.drawPolyline(QPolygonF(points))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(pen.color())
        for point in points:
            painter.drawEllipse(point, 2.2, 2.2)

    def _draw_labels(self, painter: QPainter, table: SweepTable, lines: list[Line], theme: Theme) -> None:
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
            painter.setFont(font(Text.TICK, SEMI_BOLD if is_present else None))
            painter.setPen(theme.color("accent_text" if is_present else "text_2"))
            text = table.limit_texts[line.first]
            if line.last > line.first:
                text = self.tr("{text} to {limit_text}").format(
                    text=text, limit_text=table.limit_texts[line.last]
                )
            row = QRectF(plot.right() + 6, top - over, self.width() - plot.right() - 8, height)
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(row.width()))
            painter.drawText(row, int(_Align.AlignLeft | _Align.AlignVCenter), shown)

    def _draw_marked(self, painter: QPainter, table: SweepTable, theme: Theme) -> None:
        """Draw the marks of the current settings, the current cell, and the hovered cell."""
        if self.present is not None and table.has_node(self.present):
            at = self._point(table, *self.present)
            draw_mark(painter, QRectF(at.x() - 7, at.y() - 7, 14, 14), theme, Mark.SELECTED)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.hasFocus() and self.cursor_cell is not None:
            painter.setPen(QPen(theme.color("accent"), 2))
            painter.drawEllipse(self._point(table, *self.cursor_cell), 10, 10)
        if self._hovered is not None:
            painter.setPen(QPen(theme.color("text"), 1.3))
            painter.drawEllipse(self._point(table, *self._hovered), 5, 5)
