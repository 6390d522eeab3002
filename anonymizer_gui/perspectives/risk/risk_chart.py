"""Records by risk before and after, with the accepted risk as a line that can be dragged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QToolTip, QWidget

from anonymizer_gui.perspectives.risk.painted_chart import (
    Labels,
    PaintedChart,
    note_rect,
    percent_labels,
    thinned,
)
from anonymizer_gui.theming import current_theme
from anonymizer_gui.widgets.marks import draw_focus
from anonymizer_gui.widgets.numbers import as_percent
from engine.frequency.counted import RECORDS, Noun
from engine.kernels.arrays import Reals

_NICE = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02)
_TYPED = 1000  # the threshold is typed in tenths of a percent


@dataclass(frozen=True, eq=False)
class Steps:
    """The share of records that have at least a risk.

    Attributes
    ----------
    risks : ndarray of float64, shape (n_risks,)
        Distinct risks, decreasing.
    shares : ndarray of float64, shape (n_risks,)
        Share of records with that risk or a higher one, increasing to 1.
    """

    risks: Reals
    shares: Reals

    def at(self, risk: float) -> float:
        """Share of records with at least this risk."""
        n = int(np.searchsorted(-self.risks, -risk * (1 - 1e-12), side="right"))
        return float(self.shares[n - 1]) if n else 0.0


@dataclass(frozen=True)
class RiskAxis:
    """Risks from the lowest to certainty, by powers of ten."""

    lowest: float

    @classmethod
    def over(cls, curves: Sequence[Steps]) -> RiskAxis:
        """An axis with room for all risks of some curves."""
        least = min((float(curve.risks[-1]) for curve in curves if len(curve.risks)), default=0.1)
        return cls(min(least, 0.5) * 0.8)

    def place(self, risk: float) -> float:
        """Where a risk lies, 0 at the lowest and 1 at certainty."""
        return 1.0 - log10(min(max(risk, self.lowest), 1.0)) / log10(self.lowest)

    def risk(self, place: float) -> float:
        """The risk at a place."""
        return float(self.lowest ** (1.0 - min(max(place, 0.0), 1.0)))

    def ticks(self) -> list[float]:
        """Risks worth printing, increasing; powers of ten and what is usual between the last two."""
        tens = [10.0**power for power in range(floor(log10(self.lowest)), -1)]
        return sorted(risk for risk in {*tens, *_NICE} if risk >= self.lowest)


def typed(risk: float) -> float:
    """The nearest threshold a person could have typed."""
    return min(max(round(risk * _TYPED), 1), _TYPED) / _TYPED


_REACH = 5.0  # pixels beside the line that still take hold of it
_KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Down: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: 1}
_STEP, _FINE = 0.01, 0.001
_GAP = 6
_SEEN = 0.5  # pixels


class RiskChart(PaintedChart):
    """Steps on a logarithmic axis; arrow keys move the line by 1 %, with Shift by 0.1 %."""

    threshold_changing = Signal(float)  # while the line is dragged
    threshold_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("riskChart", parent)
        self._before: Steps | None = None
        self._after: Steps | None = None
        self._threshold = 0.2
        self._counted = RECORDS
        self._axis = RiskAxis(0.001)
        self._is_held = False
        self.setProperty("focus_ring", "none")  # drawn within the chart
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._describe()

    def show_curves(self, before: Steps | None, after: Steps | None) -> None:
        """Show other records; None draws no line."""
        self._before, self._after = before, after
        self._axis = RiskAxis.over([curve for curve in (before, after) if curve is not None])
        self._describe()
        self.update()

    def show_counted(self, counted: Noun) -> None:
        """Say whether records are counted, or the people they are about."""
        self._counted = counted
        self._describe()
        self.update()

    def show_threshold(self, threshold: float) -> None:
        """Move the line, unless it is held."""
        if not self._is_held:
            self._move(threshold)

    @property
    def threshold(self) -> float:
        """Where the line is."""
        return self._threshold

    def line_rect(self) -> QRectF:
        """Where the line can be taken hold of."""
        plot = self._plot()
        x = self._x_of(plot, self._threshold)
        return QRectF(x - _REACH, plot.top(), 2 * _REACH, plot.height())

    def point_of(self, risk: float) -> QPointF:
        """The place of a risk, in the middle of the plot's height."""
        plot = self._plot()
        return QPointF(self._x_of(plot, risk), plot.center().y())

    # -- painting ------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, plot = current_theme(), self._plot()
        painter = QPainter(self)
        if self._before is None and self._after is None:
            return
        x = self._x_of(plot, self._threshold)
        beyond = QRectF(x, plot.top(), plot.right() - x, plot.height())
        painter.fillRect(beyond, theme.color("danger_soft"))
        self.draw_axes(painter, plot, self._x_labels(plot), self._y_labels(plot), self.axis_name())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        lines = [self._line(plot, curve) for curve in (self._before, self._after)]
        for line, token, is_dashed in zip(lines, ("series_1", "series_2"), (True, False), strict=True):
            if line is not None:
                pen = QPen(theme.color(token), 2 if not is_dashed else 1.6)
                if is_dashed:
                    pen.setDashPattern([3, 2])
                painter.setPen(pen)
                painter.drawPolyline(line)
        self.draw_dashed(painter, plot, x, "danger")
        taken = self._draw_threshold(painter, plot, x, lines)
        words = ((lines[0], self.tr("input"), "text_2"), (lines[1], self.tr("release"), "accent_text"))
        for line, text, token in words:
            if line is not None:
                taken.append(self._draw_name(painter, plot, line, text, token, lines, taken))
        if self.hasFocus():
            draw_focus(painter, QRectF(self.rect()), theme)

    def axis_name(self) -> str:
        """What the horizontal axis shows."""
        words = self.tr("re-identification risk of a record, 1 / class size (log scale)")
        return self._counted.worded(words)

    def _draw_threshold(
        self, painter: QPainter, plot: QRectF, x: float, lines: list[QPolygonF | None]
    ) -> list[QRectF]:
        """Write the threshold beside its line, within what lies above it where there is room."""
        text = self.tr("above {0}").format(as_percent(self._threshold))
        drawn = _boxes(lines)
        width = note_rect(QPointF(), text).width()
        lefts = [x + _GAP] if x + _GAP + width <= self.width() - 2 else []
        lefts.append(x - _GAP - width)
        places = [
            QPointF(left, plot.top() + share * plot.height())
            for left in lefts
            for share in (0.62, 0.75, 0.5, 0.85, 0.4, 0.3, 0.2, 0.1)
        ]
        clear = (at for at in places if _is_clear(note_rect(at, text), drawn))
        at = next(clear, places[0])
        self.draw_note(painter, at, text, "danger")
        return [note_rect(at, text)]

    def _draw_name(
        self,
        painter: QPainter,
        plot: QRectF,
        line: QPolygonF,
        text: str,
        token: str,
        lines: list[QPolygonF | None],
        taken: list[QRectF],
    ) -> QRectF:
        """Write a curve's name beside it, where it touches neither curve nor other words."""
        drawn = [*_boxes(lines), *taken]
        size = note_rect(QPointF(), text).size()
        best: QRectF | None = None
        for share in (0.75, 0.6, 0.85, 0.45, 0.3, 0.15, 0.95, 0.05):
            middle = line.at(min(int(share * line.size()), line.size() - 1))
            for dx, dy in ((-1, 0.9), (0.1, -0.9), (-1, -0.9), (0.1, 0.9), (-0.5, 1.2), (-0.5, -1.2)):
                corner = QPointF(
                    middle.x() + dx * size.width() + (_GAP if dx >= 0 else -_GAP),
                    middle.y() + dy * size.height() - size.height() / 2,
                )
                place = QRectF(corner, size)
                if best is None:
                    best = place
                if plot.contains(place) and _is_clear(place, drawn):
                    self.draw_note(painter, QPointF(place.left(), place.center().y()), text, token)
                    return place
        assert best is not None
        return best

    # -- mouse and keys ------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.line_rect().contains(event.position()):
            self._is_held = True

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        is_over = self._is_held or self.line_rect().contains(event.position())
        self.setCursor(Qt.CursorShape.SplitHCursor if is_over else Qt.CursorShape.ArrowCursor)
        if self._is_held and self._move(typed(self._risk_at(event.position().x()))):
            self.threshold_changing.emit(self._threshold)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._is_held and event.button() == Qt.MouseButton.LeftButton:
            self._is_held = False
            self.threshold_changed.emit(self._threshold)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        direction = _KEYS.get(Qt.Key(event.key()))
        if direction is None:
            super().keyPressEvent(event)
            return
        step = _FINE if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else _STEP
        if self._move(typed(self._threshold + direction * step)):
            self.threshold_changed.emit(self._threshold)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = self._told_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    # -- places --------------------------------------------------------------------------------

    def _plot(self) -> QRectF:
        return self.plot_rect(["100\u202f%"])

    def _x_of(self, plot: QRectF, risk: float) -> float:
        return plot.left() + plot.width() * self._axis.place(risk)

    def _risk_at(self, x: float) -> float:
        plot = self._plot()
        return self._axis.risk((x - plot.left()) / plot.width())

    def _y_labels(self, plot: QRectF) -> Labels:
        return percent_labels(plot, 1.0)[1]

    def _x_labels(self, plot: QRectF) -> Labels:
        ticks = self._axis.ticks()
        return thinned([(self._x_of(plot, risk), as_percent(risk, _decimals(risk))) for risk in ticks])

    def _line(self, plot: QRectF, curve: Steps | None) -> QPolygonF | None:
        if curve is None or not len(curve.risks):
            return None
        points = [QPointF(plot.right(), plot.bottom())]
        for risk, share in zip(curve.risks.tolist(), curve.shares.tolist(), strict=True):
            x, y = self._x_of(plot, risk), plot.bottom() - plot.height() * share
            last = points[-1]
            # A million records have a thousand class sizes: steps that nobody sees are not drawn.
            if last.x() - x >= _SEEN or last.y() - y >= _SEEN or share == 1.0:
                points += [QPointF(x, last.y()), QPointF(x, y)]
        points.append(QPointF(plot.left(), points[-1].y()))
        return QPolygonF(points)

    def _move(self, threshold: float) -> bool:
        if threshold == self._threshold:
            return False
        self._threshold = threshold
        self._describe()
        self.update()
        return True

    def _told_at(self, at: QPointF) -> str:
        if not self._plot().contains(at):
            return ""
        return self._told(self._risk_at(at.x()))

    def _told(self, risk: float) -> str:
        parts = []
        for curve, name in (
            (self._before, self.tr("of the input")),
            (self._after, self.tr("of the release")),
        ):
            if curve is not None:
                parts.append(f"{as_percent(curve.at(risk))} {name}")
        shares = self.tr(" and ").join(parts)
        return self.tr("Risk of at least {0}: {1}").format(as_percent(risk, _decimals(risk)), shares)

    def _describe(self) -> None:
        self.setAccessibleName(self._counted.worded(self.tr("Records by risk, before and after")))
        at = as_percent(self._threshold)
        told = self._told(self._threshold) if self._after is not None or self._before is not None else ""
        self.setAccessibleDescription(self.tr("Accepted risk {0}. {1}").format(at, told))
        self.setToolTip(self.tr("Drag the dashed line to another accepted risk"))


def _decimals(risk: float) -> int:
    return 2 if risk >= 0.0001 else 6


def _boxes(lines: list[QPolygonF | None]) -> list[QRectF]:
    """The room that each piece of some lines takes."""
    return [
        QRectF(line.at(i), line.at(i + 1)).normalized()
        for line in lines
        if line is not None
        for i in range(line.size() - 1)
    ]


def _is_clear(place: QRectF, others: list[QRectF]) -> bool:
    roomy = place.adjusted(-3, -1, 3, 1)
    return not any(roomy.intersects(other.adjusted(-0.5, -0.5, 0.5, 0.5)) for other in others)
