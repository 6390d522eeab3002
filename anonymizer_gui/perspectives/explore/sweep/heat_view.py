"""Sweep as a heat map: thresholds to the right, limits upwards, the optimum's metric as shade."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QLinearGradient, QPainter, QPen

from anonymizer_gui.perspectives.explore.sweep.table import Cell, SweepTable
from anonymizer_gui.perspectives.explore.sweep.view import SweepView
from anonymizer_gui.theming import Text, Theme, font, loss_at, ramp_color, scaled
from anonymizer_gui.theming.type_scale import SEMI_BOLD

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

    def draw(self, painter: QPainter, table: SweepTable, theme: Theme) -> None:
        area = self._area()
        self._draw_name_below(painter, area, table.threshold_name, theme)
        self._draw_name_beside(painter, area, table.limit_name, theme)
        n_thresholds, n_limits = table.values.shape
        xs = [self.place(Cell(i, 0)).center().x() for i in range(n_thresholds)]
        self._draw_texts_below(painter, area, list(zip(xs, table.threshold_texts, strict=True)), theme)
        self._draw_limits(painter, table, area)
        for i in range(n_thresholds):
            for j in range(n_limits):
                self._draw_cell(painter, table, Cell(i, j), theme)
        self._draw_legend(painter, table, area, theme)
        self._draw_frames(painter, theme)

    def _area(self) -> QRectF:
        return self._plot(scaled(_NAME) + scaled(_LIMITS), scaled(_LEGEND))

    def _draw_limits(self, painter: QPainter, table: SweepTable, area: QRectF) -> None:
        height, free = painter.fontMetrics().height() - 2, area.bottom() + 1
        for j, text in enumerate(table.limit_texts):
            y = self.place(Cell(0, j)).center().y()
            if y + height / 2 <= free:
                row = QRectF(scaled(_NAME), y - height / 2, area.left() - scaled(_NAME) - 5, height)
                painter.drawText(row, int(_Align.AlignRight | _Align.AlignVCenter), text)
                free = y - height / 2

    def _draw_cell(self, painter: QPainter, table: SweepTable, cell: Cell, theme: Theme) -> None:
        rect, ends = self.place(cell), table.ends
        if ends is None or not table.has_node(cell):
            painter.fillRect(rect, QBrush(theme.color("fail_line"), Qt.BrushStyle.BDiagPattern))
            return
        value = float(table.values[cell])
        shade = ramp_color(theme, value, *ends)
        painter.fillRect(rect, shade)
        text = table.value_text(value)
        use: QFont = font(Text.TICK, SEMI_BOLD if cell == self.present else None)
        painter.setFont(use)
        metrics = painter.fontMetrics()
        if metrics.horizontalAdvance(text) + 4 <= rect.width() and metrics.capHeight() + 4 <= rect.height():
            painter.setPen(_on_shade(shade, theme))
            painter.drawText(rect, int(_Align.AlignCenter), text)

    def _draw_frames(self, painter: QPainter, theme: Theme) -> None:
        """Draw the frames of the hovered cell, the current settings, and the current cell."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._hovered is not None:
            painter.setPen(QPen(theme.color("text"), 1))
            painter.drawRect(self.place(self._hovered).adjusted(0.5, 0.5, -0.5, -0.5))
        if self.present is not None:
            rect = self.place(self.present)
            for token, width in (("halo", 5), ("ink", 2)):
                pen = QPen(theme.color(token), width)
                pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
                painter.setPen(pen)
                painter.drawRect(rect.adjusted(-1, -1, 1, 1))
        if self.hasFocus() and self.cursor_cell is not None:
            rect = self.place(self.cursor_cell)
            for token, grown in (("halo", 1), ("accent", 3)):
                painter.setPen(QPen(theme.color(token), 2))
                painter.drawRect(rect.adjusted(-grown, -grown, grown, grown))

    def _draw_legend(self, painter: QPainter, table: SweepTable, area: QRectF, theme: Theme) -> None:
        """Draw the shades with the values at their ends and middle, and the hatching."""
        line = scaled(13)
        left = area.right() + 10
        painter.setFont(font(Text.TICK))
        painter.setPen(theme.color("text_3"))
        room = self.width() - left - 2
        name = painter.fontMetrics().elidedText(table.value_name, Qt.TextElideMode.ElideRight, int(room))
        painter.drawText(QRectF(left, area.top() - 2, room, line), int(_Align.AlignLeft), name)
        bar = QRectF(left, area.top() + line + 2, 8, max(area.height() - 2 * line - 10, 8))
        ends = table.ends
        if ends is not None:
            gradient = QLinearGradient(bar.topLeft(), bar.bottomLeft())
            for step in range(9):
                gradient.setColorAt(step / 8, ramp_color(theme, loss_at(step / 8, *ends), *ends))
            painter.fillRect(bar, gradient)
            places = ((0.0, bar.top() - 2), (1.0, bar.bottom() - line + 2))
            both = ends[0] < ends[1] and bar.height() >= 2 * line
            for position, y in places if both else places[:1]:
                text = table.value_text(loss_at(position, *ends))
                painter.drawText(QRectF(left + 12, y, room - 12, line), int(_Align.AlignLeft), text)
        swatch = QRectF(left, area.bottom() - 9, 8, 9)
        painter.fillRect(swatch, QBrush(theme.color("fail_line"), Qt.BrushStyle.BDiagPattern))
        none = painter.fontMetrics().elidedText(
            self.tr("no node"), Qt.TextElideMode.ElideRight, int(room - 12)
        )
        painter.drawText(
            QRectF(left + 12, area.bottom() - line + 2, room - 12, line), int(_Align.AlignLeft), none
        )


def _on_shade(shade: QColor, theme: Theme) -> QColor:
    """Return ink or halo, whichever is more legible."""
    light, dark = ("ink", "halo") if theme.is_dark else ("halo", "ink")
    return theme.color(dark if shade.greenF() * 0.6 + shade.redF() * 0.3 > _BRIGHT else light)
