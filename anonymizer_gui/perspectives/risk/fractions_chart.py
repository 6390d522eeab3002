"""Chart of population uniques by sampling fraction, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10

from PySide6.QtWidgets import QWidget

from anonymizer_gui.charts.axis_titles import AxisTitles
from anonymizer_gui.charts.plot import ThemedPlot, as_percent_tick
from engine.numbers import as_percent

_TICKS = (1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5, 1.0)
_ROOM = 0.03


@dataclass(frozen=True)
class FractionCurves:
    """Estimates of one estimator.

    Attributes
    ----------
    fractions : tuple of float
        Records divided by population size, increasing.
    before, after : tuple of float or None
        Share of the population that is unique; None without an estimate.
    own : float or None
        Sampling fraction of the project, if its population is known.
    """

    fractions: tuple[float, ...]
    before: tuple[float | None, ...]
    after: tuple[float | None, ...]
    own: float | None


class FractionsChart(ThemedPlot):
    """Lines with a point per fraction: dashed before, solid after; the project's own fraction is marked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Unique people of the population by sampling fraction"), parent)
        self.setObjectName("fractionsChart")
        self.curves: FractionCurves | None = None  # curves drawn

    def show_curves(self, curves: FractionCurves) -> None:
        """Show another estimator."""
        self.curves = curves
        if not curves.fractions:
            self.clear()
            self.setAccessibleDescription("")
            return
        text = "; ".join(self._description(i) for i in range(len(curves.fractions)))
        titles = AxisTitles(
            self.tr("records / population size (log scale)"), self.tr("unique in the population")
        )
        self.show_drawing(lambda _plot: self._draw_curves(), titles, text)

    def _draw_curves(self) -> None:
        curves = self.curves
        assert curves is not None
        lowest = self._x_of(min(curves.fractions[0], curves.own or 1.0, 0.5))
        highest = max([*(share for share in (*curves.before, *curves.after) if share is not None), 0.0])
        top, beside = highest or 0.01, -_ROOM * lowest  # so that no point is clipped at an edge
        self.set_range((lowest - beside, beside), (-_ROOM * top, (1 + _ROOM) * top))
        ticks = [fraction for fraction in _TICKS if curves.fractions[0] <= fraction]
        self.set_ticks("bottom", [(self._x_of(f), as_percent(f, _decimals(f))) for f in ticks])
        self.set_tick_text("left", as_percent_tick)
        xs = [self._x_of(fraction) for fraction in curves.fractions]
        for shares, token, is_before in (
            (curves.before, "series_1", True),
            (curves.after, "series_2", False),
        ):
            points = [(x, share) for x, share in zip(xs, shares, strict=True) if share is not None]
            if not points:
                continue
            ys = [float("nan") if share is None else share for share in shares]
            self.add_line(xs, ys, token, dashed=is_before, width=1.6 if is_before else 2)
            self.add_points([x for x, _ in points], [y for _, y in points], token, hollow=is_before)
        if curves.own is not None:
            text = self.tr("this project: {own}").format(own=as_percent(curves.own))
            self.add_limit(self._x_of(curves.own), text=text)
        self.set_tooltip(lambda x, _y: self._description(self._nearest(x)))

    def _x_of(self, fraction: float) -> float:
        return log10(fraction)

    def _nearest(self, x: float) -> int:
        assert self.curves is not None
        distances = [abs(self._x_of(fraction) - x) for fraction in self.curves.fractions]
        return distances.index(min(distances))

    def _description(self, place: int) -> str:
        assert self.curves is not None
        curves, fraction = self.curves, self.curves.fractions[place]
        shares = [
            self.tr("no estimate") if share is None else as_percent(share, _decimals(share))
            for share in (curves.before[place], curves.after[place])
        ]
        return self.tr(
            "Fraction {fraction}: {before} of the population unique by the input, {after} by the release"
        ).format(fraction=as_percent(fraction, _decimals(fraction)), before=shares[0], after=shares[1])


def _decimals(share: float) -> int:
    return 2 if share >= 0.0001 or not share else 6
