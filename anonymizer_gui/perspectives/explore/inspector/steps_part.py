"""Neighbours of the selected node: one line per column, finer left of an axis and coarser right of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.explore.inspector.parts import StepButton
from anonymizer_gui.perspectives.explore.inspector.values import StepLine, StepRow
from anonymizer_gui.theming import Text, current_theme, font, scaled, theme_manager
from anonymizer_gui.widgets.fits_room import FitsRoom
from anonymizer_gui.widgets.layouts import hbox, vbox
from anonymizer_gui.widgets.marks import draw_optimum

_HEIGHT = 20
_SHARE = 35  # percent of the width right of the axis, unless numbers need more
# px of the longest bar, two numbers at least, and between them
_BAR, _CHANGE, _SUPPRESSED, _GAP = 34, 46, 40, 4
_Align = Qt.AlignmentFlag
_LEFT = int(_Align.AlignLeft | _Align.AlignVCenter)
_RIGHT = int(_Align.AlignRight | _Align.AlignVCenter)


class _Columns(NamedTuple):
    """Pixels of the longest bar and of the two numbers beside it, the same in all lines and both halves."""

    bar: int = _BAR
    change: int = _CHANGE
    suppressed: int = _SUPPRESSED


class HalfStep(StepButton):
    """Half of a line: a click selects the neighbour; without one it says why there is none."""

    def __init__(self, *, is_up: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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

    def show_line(self, line: StepLine, largest: float) -> None:
        """Show a column; bars are relative to the `largest` change of all lines."""
        self._line, self._largest = line, largest
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
            self.show_row(row)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:
            self.setCursor(
                Qt.CursorShape.PointingHandCursor if self.isEnabled() else Qt.CursorShape.ArrowCursor
            )

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, row, height = current_theme(), self.row, float(self.height())
        painter = self.painter_over_ground() if row is not None else QPainter(self)
        axis = 0.0 if self._is_up else float(self.width()) - 1
        if self._is_up:
            painter.setPen(QPen(theme.color("border_strong"), 1))
            painter.drawLine(0, 0, 0, round(height))
        painter.setFont(font(Text.CELL))
        if not self._is_up:
            room = axis - scaled(_GAP)
            room -= 0 if row is None else sum(self._columns)
            name = painter.fontMetrics().elidedText(self._line.name, Qt.TextElideMode.ElideRight, int(room))
            painter.setPen(theme.color("text"))
            painter.drawText(QRectF(0, 0, room, height), _LEFT, name)
        if row is None:
            painter.setPen(theme.color("text_3"))
            painter.drawText(self._beside(axis, _GAP, self.width(), height), self._flags, self._end())
            return
        self._draw_change(painter, row, axis)
        painter.setFont(font(Text.CELL_STRONG if row.satisfies else Text.CELL))
        painter.setPen(theme.color("text"))
        bar, change, suppressed = self._columns
        painter.drawText(self._numbers(axis, bar, change, height), _RIGHT, row.change)
        painter.setFont(font(Text.CAPTION))
        is_over = row.is_scored and not row.satisfies
        painter.setPen(theme.color("danger" if is_over else "text_3"))
        place = self._numbers(axis, bar + change, suppressed, height)
        painter.drawText(place, _RIGHT, row.suppressed if row.is_scored else "–")

    @property
    def _flags(self) -> int:
        return _LEFT if self._is_up else _RIGHT

    def _end(self) -> str:
        return self._line.coarsest if self._is_up else self._line.finest

    def _draw_change(self, painter: QPainter, row: StepRow, axis: float) -> None:
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


class StepsHeading(QWidget):
    """Heads of the columns, next to the title of the section and at the right edge of the lines."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, height, axis = QPainter(self), float(self.height()), float(self.width() - self._right)
        painter.setFont(font(Text.CAPTION))
        painter.setPen(current_theme().color("text_3"))
        metrics = painter.fontMetrics()
        finer = metrics.elidedText(self._finer, Qt.TextElideMode.ElideRight, int(axis - scaled(_GAP)))
        painter.drawText(QRectF(0, 0, axis - scaled(_GAP), height), _RIGHT, finer)
        painter.drawText(
            QRectF(axis + scaled(_GAP), 0, self._right - scaled(_GAP), height), _LEFT, self._coarser
        )
        used = metrics.horizontalAdvance(self._coarser) + metrics.horizontalAdvance(self._suppressed)
        if used + scaled(3 * _GAP) <= self._right:
            painter.drawText(QRectF(axis, 0, self._right - 2.0, height), _RIGHT, self._suppressed)


class StepsPart(FitsRoom, QWidget):
    """One line per column; `heading` labels the halves, next to the title of the section."""

    node_requested = Signal(object)
    controls_added = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # finer is left of coarser in every language
        self._column = vbox(spacing=0, margins=0, of=self)
        self._halves: list[tuple[HalfStep, HalfStep]] = []
        self._lines: list[QWidget] = []
        self._shown: Sequence[StepLine] = ()
        self.heading = StepsHeading()
        theme_manager().theme_changed.connect(self._fit)

    def show_steps(self, lines: Sequence[StepLine]) -> None:
        """Show the neighbours of another node."""
        before = len(self._lines)
        while len(self._lines) < len(lines):
            self._add_line()
        known = [
            abs(row.difference)
            for line in lines
            for row in (line.finer, line.coarser)
            if row is not None and row.difference == row.difference
        ]
        largest = max(known, default=0.0)
        self._shown = lines
        self._fit()
        for i, (line, halves) in enumerate(zip(self._lines, self._halves, strict=True)):
            line.setVisible(i < len(lines))
            for half in halves:
                half.show_line(lines[i] if i < len(lines) else StepLine(""), largest)
        if len(self._lines) > before:
            self.controls_added.emit()

    def controls(self) -> list[HalfStep]:
        """Return all buttons, including hidden ones."""
        return [half for halves in self._halves for half in halves]

    def buttons(self) -> list[HalfStep]:
        """Return the listed neighbours."""
        return [half for half in self.controls() if half.row is not None]

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
        for _finer, coarser in self._halves:
            coarser.setFixedWidth(right)

    def _add_line(self) -> None:
        halves = HalfStep(is_up=False), HalfStep(is_up=True)
        line = QWidget()
        hbox((halves[0], 1), halves[1], spacing=0, margins=0, of=line)
        for half in halves:
            half.node_requested.connect(self.node_requested)
        self._column.addWidget(line)
        self._lines.append(line)
        self._halves.append(halves)
