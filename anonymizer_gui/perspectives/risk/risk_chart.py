"""Chart of records by risk before and after, with the accepted risk as a draggable line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent

from anonymizer_gui.charts.legend import Legend, LegendEntry, Sample
from anonymizer_gui.charts.plot import AxisTitles, ThemedPlot, as_percent_tick
from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.accessible import DECREASE, INCREASE, Accessible, Number, Role, value_changed
from engine.frequency.counted import RECORDS, Noun, either
from engine.kernels.arrays import FloatArray
from engine.numbers import as_percent, as_risk, as_risk_limit

if TYPE_CHECKING:
    import pyqtgraph as pg

    from engine.findings.risk.attacker_risk import RiskDistribution

_KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Down: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: 1}
_STEP, _FINE = 0.01, 0.001
_NICE = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02)
_TYPED = 1000  # spin box in tenths of a percent
_TOP = 1.14  # of the axis of shares, so that the words at the line hide no curve
_LEAST = 206  # px: a plot of 140 with its axis and legend


class RiskChart(ThemedPlot):
    """Steps on a logarithmic axis; arrow keys move the line by 1 %, with Shift by 0.1 %."""

    threshold_changing = Signal(float)  # while the line is dragged
    threshold_changed = Signal(float)
    threshold = 0.2  # position of the line

    def __init__(self) -> None:
        super().__init__("")
        self._before: RiskDistribution | None = None
        self._after: RiskDistribution | None = None
        self._counted = RECORDS
        self._axis = RiskAxis(0.001)
        self._line: pg.InfiniteLine | None = None
        self._beyond: pg.LinearRegionItem | None = None
        self._is_held = False
        self._legend = Legend()
        self._column.insertWidget(0, self._legend)
        self._column.setContentsMargins(12, 8, 8, 4)
        self.setObjectName("riskChart")
        self.setMinimumHeight(scaled(_LEAST))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolTip(self.tr("Drag the dashed line to change the accepted risk"))
        self._describe()

    def show_curves(self, before: RiskDistribution | None, after: RiskDistribution | None) -> None:
        """Show other records; None draws no line."""
        self._before, self._after = before, after
        curves = [curve for curve in (before, after) if curve is not None]
        self._axis = RiskAxis.over(curves)
        entries = []
        if before is not None:
            entries.append(LegendEntry(Sample.DASHED, "series_1", self.tr("input")))
        if after is not None:
            entries.append(LegendEntry(Sample.LINE, "series_2", self.tr("release")))
        self._legend.show_entries(entries)
        if curves:
            self._draw_again()
        else:
            self.clear()
        self._describe()

    def show_counted(self, counted: Noun) -> None:
        """Show whether records or people are counted."""
        self._counted = counted
        if self.titles is not None:
            self._draw_again()
        self._describe()

    def show_threshold(self, threshold: float) -> None:
        """Move the line, unless it is being dragged."""
        if not self._is_held:
            self._move(threshold)

    def point_of(self, risk: float) -> QPointF:
        """Return the point of a risk in the viewport, at half of the plot's height."""
        return self.point_at(self._axis.place(risk), 0.5)

    def axis_name(self) -> str:
        """Return the name of the horizontal axis."""
        return either(
            self._counted,
            self.tr("re-identification risk of a record, 1 / class size (log scale)"),
            self.tr("re-identification risk of a person, 1 / class size (log scale)"),
        )

    def _draw_again(self) -> None:
        shares = either(self._counted, self.tr("share of records"), self.tr("share of people"))
        self.show_drawing(lambda _plot: self._draw_curves(), AxisTitles(self.axis_name(), shares))

    def _draw_curves(self) -> None:
        self.set_range((0.0, 1.0), (0.0, _TOP))
        ticks = [(self._axis.place(risk), as_percent(risk, _decimals(risk))) for risk in self._axis.ticks()]
        self.set_ticks("bottom", ticks)
        self.set_tick_text("left", as_percent_tick)
        self._beyond = self.add_area(self._axis.place(self.threshold), 1.0, "danger")
        for curve, token, dashed in ((self._before, "series_1", True), (self._after, "series_2", False)):
            if curve is not None and len(curve.risks):
                self.add_line(*self._outline(curve), token, dashed=dashed, width=1.6 if dashed else 2)
        self._line = self.add_handle(self._axis.place(self.threshold), self._threshold_text(), "danger")
        self._line.sigDragged.connect(self._on_dragged)
        self._line.sigPositionChangeFinished.connect(self._on_let_go)
        self.tooltip = lambda x, _y: self._description(self._axis.risk(x))

    def _outline(self, curve: RiskDistribution) -> tuple[FloatArray, FloatArray]:
        """Return the corners of the steps, from risk 1 down to the lowest risk."""
        places = np.array([self._axis.place(risk) for risk in curve.risks.tolist()])
        heights = np.concatenate(([0.0], curve.cumulative_shares))
        return np.concatenate(([1.0], np.repeat(places, 2), [0.0])), np.repeat(heights, 2)

    def _threshold_text(self) -> str:
        return self.tr("above {threshold}").format(threshold=as_risk_limit(self.threshold))

    def _on_dragged(self) -> None:
        self._is_held = True
        assert self._line is not None
        if self._move(typed(self._axis.risk(self._line.value())), follows=True):
            self.threshold_changing.emit(self.threshold)

    def _on_let_go(self) -> None:
        if self._is_held:
            self._is_held = False
            self._place_line()
            self.threshold_changed.emit(self.threshold)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        direction = _KEYS.get(Qt.Key(event.key()))
        if direction is None:
            super().keyPressEvent(event)
            return
        step = _FINE if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else _STEP
        self._choose(self.threshold + direction * step)

    def _choose(self, threshold: float) -> None:
        if self._move(typed(threshold)):
            self.threshold_changed.emit(self.threshold)

    def as_accessible(self) -> Accessible:
        """Return the accepted risk as value."""
        actions = {
            INCREASE: lambda: self._choose(self.threshold + _STEP),
            DECREASE: lambda: self._choose(self.threshold - _STEP),
        }
        number = Number(self.threshold, typed(0.0), 1.0, _FINE, self._choose)
        return Accessible(Role.Slider, as_risk_limit(self.threshold), number, actions=actions)

    def _move(self, threshold: float, *, follows: bool = False) -> bool:
        """Set the threshold; during a drag the line is there already."""
        if threshold == self.threshold:
            return False
        self.threshold = threshold
        self._place_line(follows=follows)
        self._describe()
        value_changed(self)
        return True

    def _place_line(self, *, follows: bool = False) -> None:
        if self._line is None or self._beyond is None or self._before is self._after is None:
            return
        place = self._axis.place(self.threshold)
        if not follows:
            self._line.setValue(place)
        self._line.label.setFormat(self._threshold_text())
        self._beyond.setRegion((place, 1.0))

    def _description(self, risk: float) -> str:
        parts = []
        for curve, name in (
            (self._before, self.tr("of the input")),
            (self._after, self.tr("of the release")),
        ):
            if curve is not None:
                parts.append(f"{as_risk(curve.share_from(risk))} {name}")
        shares = self.tr(" and ").join(parts)
        return self.tr("Risk of at least {risk}: {shares}").format(
            risk=as_percent(risk, _decimals(risk)), shares=shares
        )

    def _describe(self) -> None:
        self.setAccessibleName(
            either(
                self._counted,
                self.tr("Records by risk, before and after"),
                self.tr("People by risk, before and after"),
            )
        )
        at = as_risk_limit(self.threshold)
        text = (
            self._description(self.threshold) if self._after is not None or self._before is not None else ""
        )
        self.setAccessibleDescription(self.tr("Accepted risk {at}. {text}").format(at=at, text=text))


@dataclass(frozen=True)
class RiskAxis:
    """Logarithmic axis from the lowest risk to 1."""

    lowest: float

    @classmethod
    def over(cls, curves: Sequence[RiskDistribution]) -> RiskAxis:
        """Return an axis for all risks of some curves."""
        least = min((float(curve.risks[-1]) for curve in curves if len(curve.risks)), default=0.1)
        return cls(min(least, 0.5) * 0.8)

    def place(self, risk: float) -> float:
        """Return the position of a risk: 0 at the lowest, 1 at risk 1."""
        return 1.0 - log10(min(max(risk, self.lowest), 1.0)) / log10(self.lowest)

    def risk(self, place: float) -> float:
        """Return the risk at a position."""
        return float(self.lowest ** (1.0 - min(max(place, 0.0), 1.0)))

    def ticks(self) -> list[float]:
        """Return the risks to print, increasing: powers of ten, and usual values above the last but one."""
        tens = [10.0**power for power in range(floor(log10(self.lowest)), -1)]
        return sorted(risk for risk in {*tens, *_NICE} if risk >= self.lowest)


def typed(risk: float) -> float:
    """Return the nearest threshold that a user can type."""
    return min(max(round(risk * _TYPED), 1), _TYPED) / _TYPED


def _decimals(risk: float) -> int:
    return 2 if risk >= 0.0001 else 6
