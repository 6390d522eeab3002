"""Neighbours of the selected node: one line per column, finer left of an axis and coarser right of it.

Where the finer neighbour fails, its half has the price of that level with the other columns free instead, and
leads to the node of this price: a level that fails in one step is not out of reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.explore.inspector.line_grid import LineGrid
from anonymizer_gui.perspectives.explore.inspector.parts import StepButton
from anonymizer_gui.perspectives.explore.inspector.section import LazyContent
from anonymizer_gui.perspectives.explore.inspector.values import Step, StepLine
from anonymizer_gui.theming import Text, current_theme, font, paint_text, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.drawn import Drawn, FitsRoom
from anonymizer_gui.widgets.layouts import vbox
from anonymizer_gui.widgets.marks import draw_optimum

_HEIGHT = 20
_SHARE = 35  # percent of the width right of the axis, unless numbers need more
# px of the longest bar, two numbers at least, and between them
_BAR, _CHANGE, _SUPPRESSED, _GAP = 34, 46, 40, 4
_Align = Qt.AlignmentFlag
_LEFT = int(_Align.AlignLeft | _Align.AlignVCenter)
_RIGHT = int(_Align.AlignRight | _Align.AlignVCenter)


class _Columns(NamedTuple):
    """Pixels of the longest bar and of the two numbers next to it, the same in all lines and both halves."""

    bar: int = _BAR
    change: int = _CHANGE
    suppressed: int = _SUPPRESSED


class HalfStep(StepButton):
    """Half of a line: a click selects the neighbour; without one it says why there is none."""

    def __init__(self, *, is_up: bool) -> None:
        super().__init__()
        self._is_up = is_up
        self._line = StepLine("")
        self._largest = 0.0
        self._columns = _Columns()

    def sizeHint(self) -> QSize:
        return QSize(100, scaled(_HEIGHT))

    def set_columns(self, columns: _Columns) -> None:
        """Set the room of bar and numbers."""
        self._columns = columns
        self.update()

    def show_item(self, item: Any) -> None:
        """Show a column, and the largest change of all lines, to which bars are relative."""
        line, self._largest = item
        self._line = line
        row = line.coarser if self._is_up else line.finer
        self.setEnabled(row is not None)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus if row is None else Qt.FocusPolicy.StrongFocus)
        if row is None:
            self.row = None
            self.setObjectName("")
            self.setToolTip("")
            self.setAccessibleName(f"{line.name}: {self._end()}")
            self.update()
        else:
            super().show_item(row)
            if self._kept:
                words = self.tr("{name} kept finer: {price}. {step}")
                spoken = words.format(name=line.name, price=self._kept, step=self.text())
                self.setAccessibleName(spoken)
                self.setToolTip(spoken)

    @property
    def _kept(self) -> str:
        """The price of the finer level, where the step to it alone fails."""
        return "" if self._is_up else self._line.kept

    def _on_clicked(self) -> None:
        if self._kept and self._line.kept_at is not None:
            self.node_requested.emit(self._line.kept_at)
        else:
            super()._on_clicked()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:
            self.setCursor(
                Qt.CursorShape.PointingHandCursor if self.isEnabled() else Qt.CursorShape.ArrowCursor
            )

    def draw(self, painter: ThemedPainter) -> None:
        theme, row, height = painter.theme, self.row, float(self.height())
        if row is not None:
            self.draw_ground(painter)
        axis = 0.0 if self._is_up else float(self.width()) - 1
        if self._is_up:
            painter.setPen(QPen(theme.color("border_strong"), 1))
            painter.drawLine(0, 0, 0, round(height))
        if self._kept:
            metrics = QFontMetrics(font(Text.CAPTION))
            room = axis - 2 * scaled(_GAP) - metrics.horizontalAdvance(self._kept)
            paint_text(painter, QRectF(0, 0, room - scaled(_GAP), height), self._line.name, Text.CELL)
            place = QRectF(max(room, 0), 0, axis - scaled(_GAP) - max(room, 0), height)
            paint_text(painter, place, self._kept, Text.CAPTION, "text_2", is_right=True)
            return
        if not self._is_up:
            room = axis - scaled(_GAP) - (0 if row is None else sum(self._columns))
            paint_text(painter, QRectF(0, 0, room, height), self._line.name, Text.CELL)
        if row is None:
            place = self._beside(axis, _GAP, self.width(), height)
            paint_text(painter, place, self._end(), Text.CELL, "text_3", is_right=not self._is_up)
            return
        self._draw_change(painter, row, axis)
        painter.setFont(font(Text.CELL_STRONG if row.satisfies else Text.CELL))
        painter.setPen(theme.color("text"))
        bar, change, suppressed = self._columns
        painter.drawText(self._numbers(axis, bar, change, height), _RIGHT, row.change)
        painter.setFont(font(Text.CAPTION))
        painter.setPen(theme.color("text_3"))
        place = self._numbers(axis, bar + change, suppressed, height)
        painter.drawText(place, _RIGHT, row.suppressed if row.is_scored else "–")

    def _end(self) -> str:
        return self._line.coarsest if self._is_up else self._line.finest

    def _draw_change(self, painter: QPainter, row: Step, axis: float) -> None:
        theme, height = current_theme(), float(self.height())
        if row.is_optimum:
            side = scaled(14)
            draw_optimum(painter, self._beside(axis, _GAP, side, height), theme)
            return
        if self._largest <= 0 or row.difference != row.difference:  # not scored
            return
        length = max(abs(row.difference) / self._largest * (self._columns.bar - scaled(_GAP)), 2.0)
        inset = round(height * 0.2)
        bar = self._beside(axis, 1, length, height).adjusted(0, inset, 0, -inset)
        painter.setPen(Qt.PenStyle.NoPen if row.satisfies else QPen(theme.color("fail_line"), 1))
        token = ("series_4" if row.difference > 0 else "series_2") if row.satisfies else "fail"
        painter.setBrush(theme.color(token))
        painter.drawRect(bar)

    def _beside(self, axis: float, gap: float, width: float, height: float) -> QRectF:
        """Return a box next to the axis."""
        left = axis + gap if self._is_up else axis - gap - width
        return QRectF(left, 0, width, height)

    def _numbers(self, axis: float, before: int, width: int, height: float) -> QRectF:
        """Return the column of a number, `before` px from the axis."""
        if not self._is_up:
            return QRectF(axis - before - width, 0, width - scaled(_GAP), height)
        right = min(before + width, self.width() - 2.0)
        return QRectF(before, 0, right - before, height)


class StepsHeading(Drawn, QWidget):
    """Heads of the columns, next to the title of the section and at the right edge of the lines."""

    def __init__(self) -> None:
        super().__init__()
        self._finer, self._coarser = self.tr("finer"), self.tr("coarser")
        self._suppressed = self.tr("suppr.")
        self._right = 0  # px right of the axis
        self.setToolTip(self.tr("Change of the metric, and suppressed records, one level down or up"))

    def fit(self, right: int) -> None:
        """Place the heads over lines with a number of pixels right of the axis."""
        self._right = right
        self.setMinimumWidth(right)  # the head left of the axis yields to the title of the section
        self.setMaximumWidth(right + self.fontMetrics().horizontalAdvance(self._finer) + scaled(2 * _GAP))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self.maximumWidth(), scaled(16))

    def draw(self, painter: ThemedPainter) -> None:
        height, axis = float(self.height()), float(self.width() - self._right)
        place = QRectF(0, 0, axis - scaled(_GAP), height)
        paint_text(painter, place, self._finer, Text.CAPTION, "text_3", is_right=True)
        metrics = painter.fontMetrics()
        painter.drawText(
            QRectF(axis + scaled(_GAP), 0, self._right - scaled(_GAP), height), _LEFT, self._coarser
        )
        used = metrics.horizontalAdvance(self._coarser) + metrics.horizontalAdvance(self._suppressed)
        if used + scaled(3 * _GAP) <= self._right:
            painter.drawText(QRectF(axis, 0, self._right - 2.0, height), _RIGHT, self._suppressed)


class StepsPart(FitsRoom, LazyContent):
    """One line per column; `heading` labels the halves, next to the title of the section."""

    node_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # finer is left of coarser in every language
        halves = (partial(self._half, is_up=is_up) for is_up in (False, True))
        self._grid = LineGrid(*halves, stretched=0, spacing=(0, 0))
        self._grid.lines_added.connect(self.controls_added)
        vbox(self._grid, spacing=0, margins=0, of=self)
        self._shown: Sequence[StepLine] = ()
        self.heading = StepsHeading()

    def show_steps(self, lines: Sequence[StepLine]) -> None:
        """Show the neighbours of another node."""
        known = [
            abs(row.difference)
            for line in lines
            for row in (line.finer, line.coarser)
            if row is not None and row.difference == row.difference
        ]
        largest = max(known, default=0.0)
        self._shown = lines
        self._grid.show_lines([((line, largest),) * 2 for line in lines])
        self._fit()

    def controls(self) -> list[HalfStep]:
        return self._grid.widgets()

    def buttons(self) -> list[HalfStep]:
        """Return the listed neighbours."""
        return [half for half in self._grid.widgets(hidden=False) if half.row is not None]

    def _fit(self) -> None:
        """Give the numbers room for their digits; bars and the share left of the axis yield to them."""
        rows = [row for line in self._shown for row in (line.finer, line.coarser) if row is not None]
        strong, small = QFontMetrics(font(Text.CELL_STRONG)), QFontMetrics(font(Text.CAPTION))
        gap = scaled(_GAP)
        change = max((strong.horizontalAdvance(row.change) + gap for row in rows), default=0)
        suppressed = max((small.horizontalAdvance(row.suppressed) + gap for row in rows), default=0)
        change, suppressed = max(change, scaled(_CHANGE)), max(suppressed, scaled(_SUPPRESSED))
        right = max(self.width() * _SHARE // 100, 2 * gap + change + suppressed + 2)
        bar = max(min(scaled(_BAR), right - change - suppressed - 2), 2 * gap)
        self.heading.fit(right)
        for half in self.controls():
            half.set_columns(_Columns(bar, change, suppressed))
        for coarser in self._grid.column(1):
            coarser.setFixedWidth(right)
        for layout in filter(None, (self.layout(), self._grid.grid)):
            layout.activate()  # else the halves would keep their previous widths until the next event

    def _half(self, *, is_up: bool) -> HalfStep:
        half = HalfStep(is_up=is_up)
        half.node_requested.connect(self.node_requested)
        return half
