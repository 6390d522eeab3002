"""A chart of findings, drawn from its data: bars, rows or steps, with a legend."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isnan, log10

import numpy as np
from PySide6.QtWidgets import QWidget

from anonymizer_gui.charts.bar_rows import Bar, BarRow, BarRows, BarScale
from anonymizer_gui.charts.legend import Legend, LegendEntry, Sample
from anonymizer_gui.charts.plot import AxisTitles, ThemedPlot, as_percent_tick
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.layouts import STRETCH, named, vbox
from engine.findings.blocks import INPUT, RELEASE, Chart, Series
from engine.numbers import DASH, as_exact_count, as_loss, as_percent, as_significant
from engine.words import _

_TOKENS = {"input": "series_1", "release": "series_2", "other": "series_3"}
_HALF = {"input": 0.44, "release": 0.36, "other": 0.3}  # of the width per label
_MOST_TICKS = 9
_TICKS = (1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5, 1.0)  # of a logarithmic axis
_ROOM = 0.03  # beside the first and the last point, as a share
_ABOVE = 1.08  # height of the axis, as a multiple of the highest value


def drawn(chart: Chart, key: str, *, has_legend: bool = True) -> DrawnChart | DrawnRows:
    """Return a widget that draws a chart; `key` begins its object name.

    With `has_legend` rows of several series have a legend of their own.
    """
    return DrawnRows(chart, key, has_legend=has_legend) if chart.kind == "rows" else DrawnChart(chart, key)


class ChosenChart(QWidget):
    """One of several charts of a kind, chosen by its title; its place stays chosen for other values."""

    def __init__(self, first: Chart, key: str) -> None:
        super().__init__()
        self._charts: Sequence[Chart] = (first,)
        self.box = named(ElidedComboBox(), f"{key}.{first.key}.choice", _("Chart"))
        self.box.setProperty("compact", "true")
        self.box.activated.connect(lambda _place: self._show())
        self._drawn = drawn(first, key)
        vbox(self.box, (self._drawn, 1), spacing=4, margins=0, of=self)

    def show_charts(self, charts: Sequence[Chart]) -> None:
        """Show other values."""
        place = min(max(self.box.currentIndex(), 0), len(charts) - 1)
        self._charts = charts
        self.box.clear()
        self.box.addItems([chart.title for chart in charts])
        self.box.setCurrentIndex(place)
        self._show()

    def _show(self) -> None:
        self._drawn.show_chart(self._charts[self.box.currentIndex()])


class DrawnRows(QWidget):
    """Rows of bars by name, one bar per series."""

    def __init__(self, chart: Chart, key: str, *, has_legend: bool) -> None:
        super().__init__()
        self.rows = named(BarRows(chart.title), f"{key}.{chart.key}")
        self._legend, self._has_legend = Legend(), has_legend
        vbox(vbox(self._legend, margins=(12, 2, 12, 0)), self.rows, STRETCH, spacing=2, margins=0, of=self)
        self.show_chart(chart)

    def show_chart(self, chart: Chart) -> None:
        """Show other values."""
        self.chart = chart
        most = _highest(chart.series) if chart.is_relative else max(1.0, _highest(chart.series))
        rows = []
        for place, label in enumerate(chart.labels):
            bars = tuple(_bar(one, place, most) for one in chart.series)
            values = (_value(one, place, chart) for one in chart.series)
            text = (" → " if [one.side for one in chart.series] == [INPUT, RELEASE] else " / ").join(values)
            caption = chart.captions[place] if chart.captions else ""
            meaning = chart.explanations[place] if chart.explanations else ""
            tooltip = "\n".join(filter(None, (f"{label}: {text}", caption, meaning)))
            rows.append(BarRow(label, caption, bars, text, tooltip))
        ends = (as_percent(0.0), as_percent(most)) if chart.is_share else ("0", as_exact_count(most))
        marks = [(place / most, text) for place, text in chart.marks]
        self.rows.show_rows(rows, BarScale(*ends, chart.x_title), marks[0][0] if marks else None)
        entries = [LegendEntry(Sample.BLOCK, _TOKENS[one.side], one.title) for one in chart.series]
        shown = entries if len(entries) > 1 and self._has_legend else []
        self._legend.show_entries(
            [*shown, *(LegendEntry(Sample.LINE, "danger", text) for _at, text in marks)]
        )


def _bar(one: Series, place: int, most: float) -> Bar:
    value = one.values[place]
    if isnan(value):
        return Bar(0.0, _TOKENS[one.side])
    low, high = one.intervals[place] if one.intervals else (0.0, 0.0)
    return Bar(value / most, _TOKENS[one.side], (low / most, high / most) if one.intervals else None)


def _value(one: Series, place: int, chart: Chart) -> str:
    """Return a value with its interval."""
    text = _text(one.values[place], chart)
    if not one.intervals or isnan(one.values[place]):
        return text
    low, high = (_text(end, chart) for end in one.intervals[place])
    return _("{risk} ({low} to {high})").format(risk=text, low=low, high=high)


class DrawnChart(QWidget):
    """Bars, steps or curves on two axes: of the input as outlines, of the release filled."""

    def __init__(self, chart: Chart, key: str) -> None:
        super().__init__()
        self.plot = named(ThemedPlot(chart.title), f"{key}.{chart.key}")
        self.legend = Legend()
        vbox(vbox(self.legend, margins=(12, 2, 12, 0)), (self.plot, 1), spacing=4, margins=0, of=self)
        self.show_chart(chart)

    def show_chart(self, chart: Chart) -> None:
        """Show other values."""
        self.plot.setAccessibleName(chart.title)
        filled = Sample.AREA if chart.kind == "bars" else Sample.LINE
        hollow = Sample.OUTLINE if chart.kind == "bars" else Sample.DASHED
        self.chart = chart
        self.legend.show_entries(
            [
                LegendEntry(hollow if one.side == "input" else filled, _TOKENS[one.side], one.title)
                for one in chart.series
            ]
        )
        draw = _DRAWINGS[chart.kind]
        places = range(len(chart.labels or chart.positions))
        spoken = "; ".join(_words(chart, place) for place in places) or chart.title
        titles = AxisTitles(chart.x_title, chart.y_title)
        self.plot.show_drawing(lambda plot: draw(plot, chart), titles, spoken)


def _draw_bars(plot: ThemedPlot, chart: Chart) -> None:
    n_labels = len(chart.labels)
    plot.set_range((-0.6, n_labels - 0.4), (0.0, _highest(chart.series) * _ABOVE))
    n_ranges, step = max(len(chart.edges) - 1, 0), 1 if chart.edges else -(-n_labels // _MOST_TICKS)
    edges = [(i - 0.5, text) for i, text in enumerate(chart.edges)]
    named = [(i, chart.labels[i]) for i in range(n_ranges, n_labels, step)]
    plot.set_ticks("bottom", [*edges, *named])
    _name_heights(plot, chart)
    for one in sorted(chart.series, key=lambda one: one.side == "input"):  # outlines above areas
        there, half = [(i, value) for i, value in enumerate(one.values) if value], _HALF[one.side]
        plot.add_bars(
            [i - half for i, _value in there],
            [i + half for i, _value in there],
            [value for _i, value in there],
            _TOKENS[one.side],
            filled=one.side != "input",
        )
    plot.tooltip = lambda x, _y: _words(chart, round(x)) if 0 <= round(x) < n_labels else ""


def _draw_steps(plot: ThemedPlot, chart: Chart) -> None:
    positions = chart.positions
    width = positions[-1] - positions[0] or 1.0
    edges = [*positions, positions[-1] + width / len(positions)]
    plot.set_range((edges[0], edges[-1]), (0.0, _highest(chart.series) * _ABOVE))
    _name_heights(plot, chart)
    for one in chart.series:
        plot.add_steps(edges, one.values, _TOKENS[one.side], dashed=one.side == "input")

    def words_at(x: float, _y: float) -> str:
        found = [i for i, (low, above) in enumerate(pairwise(edges)) if low <= x < above]
        return _words(chart, found[0]) if found else ""

    plot.tooltip = words_at


def _draw_curves(plot: ThemedPlot, chart: Chart) -> None:
    ends = [position for one in chart.series for position in one.positions]
    plot.set_range((min(ends), max(ends)), (0.0, _highest(chart.series) * _ABOVE))
    _name_heights(plot, chart)
    if chart.is_share:
        plot.set_tick_text("bottom", as_percent_tick)
    for one in chart.series:
        plot.add_line(one.positions, one.values, _TOKENS[one.side], dashed=one.side == "input", width=2)

    def words_at(x: float, _y: float) -> str:
        values = [(one.title, float(np.interp(x, one.positions, one.values))) for one in chart.series]
        heights = ", ".join(f"{title} {_text(value, chart)}" for title, value in values)
        return f"{chart.x_title} {_text(x, chart)}: {heights}" if min(ends) <= x <= max(ends) else ""

    plot.tooltip = words_at


def _draw_lines(plot: ThemedPlot, chart: Chart) -> None:
    places = [log10(position) for position in chart.positions]
    least = min([*places, *(log10(position) for position, _text in chart.marks), log10(0.5)])
    beside, top = -_ROOM * least, _highest(chart.series)  # so that no point is clipped at an edge
    plot.set_range((least - beside, beside), (-_ROOM * top, (1 + _ROOM) * top))
    ticks = [position for position in _TICKS if position >= chart.positions[0]]
    plot.set_ticks("bottom", [(log10(tick), as_percent(tick, _decimals(tick))) for tick in ticks])
    _name_heights(plot, chart)
    for one in chart.series:
        is_input, token = one.side == "input", _TOKENS[one.side]
        known = [(x, y) for x, y in zip(places, one.values, strict=True) if not isnan(y)]
        if known:
            plot.add_line(places, one.values, token, dashed=is_input, width=1.6 if is_input else 2)
            plot.add_points([x for x, _y in known], [y for _x, y in known], token, hollow=is_input)
    for position, text in chart.marks:
        plot.add_limit(log10(position), text)

    def words_at(x: float, _y: float) -> str:
        return _words(chart, min(range(len(places)), key=lambda i: abs(places[i] - x)))

    plot.tooltip = words_at


_DRAWINGS = {"bars": _draw_bars, "steps": _draw_steps, "curves": _draw_curves, "lines": _draw_lines}


def _decimals(share: float) -> int:
    return 2 if share >= 1e-4 or not share else 6


def _name_heights(plot: ThemedPlot, chart: Chart) -> None:
    as_text = as_percent_tick if chart.is_share else lambda value, _decimals: as_exact_count(value)
    plot.set_tick_text("left", as_text)


def _highest(series: Sequence[Series]) -> float:
    return max([value for one in series for value in one.values if not isnan(value)], default=0.0) or 1.0


def _words(chart: Chart, place: int) -> str:
    """Return the values at a label or position, for tooltip and screen reader."""
    where = chart.labels[place] if chart.labels else _text(chart.positions[place], chart)
    values = ", ".join(f"{one.title} {_text(one.values[place], chart)}" for one in chart.series)
    return f"{where}: {values}"


def _text(value: float, chart: Chart) -> str:
    if isnan(value):
        return DASH
    if chart.is_share:
        decimals = _decimals(value) if chart.kind == "lines" else chart.decimals
        return as_percent(value, decimals, keep_zeros=chart.kind != "lines")
    if chart.kind == "rows" and value <= 1 and not isinstance(value, int):
        return as_loss(value)
    return as_exact_count(value) if value == round(value) else as_significant(value)
