"""Unique people of the population over sampling fractions, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QToolTip, QWidget

from anonymizer_gui.perspectives.risk.painted_chart import (
    Labels,
    PaintedChart,
    note_rect,
    percent_labels,
    thinned,
)
from anonymizer_gui.theming import current_theme, scaled
from anonymizer_gui.widgets.numbers import as_percent

_TICKS = (1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5, 1.0)
_GAP = 6


@dataclass(frozen=True)
class FractionCurves:
    """What an estimator says.

    Attributes
    ----------
    fractions : tuple of float
        Records by people, increasing.
    before, after : tuple of float or None
        Share of the population that is alone; None where there is no estimate.
    own : float or None
        The project's own fraction, where its population is known.
    """

    fractions: tuple[float, ...]
    before: tuple[float | None, ...]
    after: tuple[float | None, ...]
    own: float | None


class FractionsChart(PaintedChart):
    """Lines with a point per fraction: dashed before, solid after; the project's own is marked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("fractionsChart", parent)
        self._curves: FractionCurves | None = None
        self.setAccessibleName(self.tr("Unique people of the population by sampling fraction"))

    @property
    def curves(self) -> FractionCurves | None:
        """What is drawn."""
        return self._curves

    def show_curves(self, curves: FractionCurves) -> None:
        """Show another estimator."""
        self._curves = curves
        self.setAccessibleDescription("; ".join(self._told(i) for i in range(len(curves.fractions))))
        self.update()

    def place_of(self, place: int) -> QPointF:
        """Where the point of the input stands, of a fraction by its place."""
        assert self._curves is not None
        plot = self._plot()
        end, _ = percent_labels(plot, self._highest())
        share = self._curves.before[place] or 0.0
        x = self._x_of(plot, self._curves.fractions[place])
        return QPointF(x, plot.bottom() - plot.height() * share / end)

    def paintEvent(self, event: QPaintEvent) -> None:
        curves, theme = self._curves, current_theme()
        if curves is None:
            return
        painter, plot = QPainter(self), self._plot()
        end, y_labels = percent_labels(plot, self._highest())
        ticks = [f for f in _TICKS if curves.fractions[0] <= f]
        x_labels: Labels = thinned([(self._x_of(plot, f), as_percent(f, _decimals(f))) for f in ticks])
        name = self.tr("records / people of the population (log scale)")
        self.draw_axes(painter, plot, x_labels, y_labels, name)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        sides = ((curves.before, "series_1", True), (curves.after, "series_2", False))
        for shares, token, is_dashed in sides:
            pen = QPen(theme.color(token), 1.6 if is_dashed else 2)
            for run in _runs(curves.fractions, shares):
                points = [
                    QPointF(self._x_of(plot, f), plot.bottom() - plot.height() * s / end) for f, s in run
                ]
                pen.setStyle(Qt.PenStyle.SolidLine)
                if is_dashed:
                    pen.setDashPattern([3, 2])
                painter.setPen(pen)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawPolyline(QPolygonF(points))
                painter.setPen(QPen(theme.color(token), 1.4))
                painter.setBrush(theme.color("surface" if is_dashed else token))
                for point in points:
                    painter.drawEllipse(point, 3, 3)
        if curves.own is not None:
            self._draw_own(painter, plot, curves.own)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._told_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def _draw_own(self, painter: QPainter, plot: QRectF, fraction: float) -> None:
        x = self._x_of(plot, fraction)
        self.draw_dashed(painter, plot, x, "accent")
        text = self.tr("this project: {0}").format(as_percent(fraction))
        width = note_rect(QPointF(), text).width()
        left = x + _GAP if x + _GAP + width <= self.width() - 2 else x - _GAP - width
        self.draw_note(painter, QPointF(left, plot.top() + scaled(8)), text, "accent_text")

    def _plot(self) -> QRectF:
        return self.plot_rect(
            [text for _, text in percent_labels(QRectF(0, 0, 100, 200), self._highest())[1]]
        )

    def _highest(self) -> float:
        assert self._curves is not None
        return max([*(s for s in (*self._curves.before, *self._curves.after) if s is not None), 0.0]) or 0.01

    def _x_of(self, plot: QRectF, fraction: float) -> float:
        assert self._curves is not None
        lowest = log10(min(self._curves.fractions[0], self._curves.own or 1.0, 0.5))
        return plot.left() + plot.width() * (1 - log10(fraction) / lowest)

    def _told_at(self, at: QPointF) -> str:
        curves = self._curves
        if curves is None:
            return ""
        plot = self._plot()
        distances = [abs(self._x_of(plot, fraction) - at.x()) for fraction in curves.fractions]
        return self._told(distances.index(min(distances)))

    def _told(self, place: int) -> str:
        assert self._curves is not None
        curves, fraction = self._curves, self._curves.fractions[place]
        shares = [
            self.tr("no estimate") if share is None else as_percent(share, _decimals(share))
            for share in (curves.before[place], curves.after[place])
        ]
        return self.tr("Fraction {0}: {1} of the population unique by the input, {2} by the release").format(
            as_percent(fraction, _decimals(fraction)), *shares
        )


def _runs(fractions: tuple[float, ...], shares: tuple[float | None, ...]) -> list[list[tuple[float, float]]]:
    """Points that follow one another without a gap."""
    runs: list[list[tuple[float, float]]] = [[]]
    for fraction, share in zip(fractions, shares, strict=True):
        if share is None:
            runs.append([])
        else:
            runs[-1].append((fraction, share))
    return [run for run in runs if run]


def _decimals(share: float) -> int:
    return 2 if share >= 0.0001 or not share else 6
