"""Distribution of a column: the input as a line, the release as areas over the same axis."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QWidget

from anonymizer_gui.charts.axes import date_ticks
from anonymizer_gui.charts.bar_rows import Bar, BarRow, BarRows, BarScale
from anonymizer_gui.charts.legend import Legend, LegendEntry, Sample
from anonymizer_gui.charts.plot import AxisTitles, ThemedPlot
from anonymizer_gui.widgets.layouts import STRETCH, named, stacked, vbox
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.hierarchies.names import is_about_years
from engine.kernels.arrays import FloatArray
from engine.numbers import as_count, as_decimal, as_exact_count, as_significant
from engine.words import _

if TYPE_CHECKING:
    from engine.findings.utility.distribution import Band, DistributionFound


_LETTER, _WIDE = 6.5, 400.0  # px of a letter, and of a plot in the smallest card
_LOW = 0.14  # of the height: lower areas have their name above them

ValuesDrawing = tuple[list[BarRow], BarScale]  # a row per value of a text, below the cell that contains it


class DistributionView(QWidget):
    """Plot, or rows of bars for text columns."""

    def __init__(self) -> None:
        super().__init__()
        self.plot = named(ThemedPlot(self.tr("Distribution")), "distributionPlot")
        self.rows = named(BarRows(self.tr("Distribution")), "distributionRows")
        self.legend = Legend()
        self._stack = stacked(self.plot, ScrollBody(vbox(self.rows, STRETCH, margins=0)))
        vbox(self.legend, (self._stack, 1), spacing=4, margins=(8, 4, 8, 6), of=self)
        self.drawing: AxisDrawing | ValuesDrawing | None = None  # drawing shown

    def show_drawing(self, drawing: AxisDrawing | ValuesDrawing) -> None:
        """Draw another column."""
        self.drawing = drawing
        if isinstance(drawing, tuple):
            self._show_legend(Sample.BLOCK, Sample.BLOCK, self.tr("release, spread evenly over each cell"))
            self.rows.show_rows(*drawing)
            self._stack.setCurrentIndex(1)
            return
        self._show_legend(Sample.LINE, Sample.AREA, self.tr("release, spread evenly over each band"))
        if drawing.hidden is not None:
            words = self.tr("hidden, spread over all values")
            self.legend.add_entry(LegendEntry(Sample.DASHED, "series_2", words))
        spoken = "; ".join(f"{area.label} {round(area.n_records)}" for area in drawing.areas if area.label)
        self.plot.show_drawing(lambda plot: _draw(plot, drawing), drawing.titles, spoken)
        self._stack.setCurrentIndex(0)

    def _show_legend(self, before: Sample, after: Sample, words: str) -> None:
        self.legend.show_entries(
            [LegendEntry(before, "series_1", self.tr("input")), LegendEntry(after, "series_2", words)]
        )


def _draw(plot: ThemedPlot, drawing: AxisDrawing) -> None:
    if drawing.is_date:
        plot.set_ticks("bottom", date_ticks(*drawing.xs, _MOST_DATES))
    plot.set_range(drawing.xs, drawing.ys)
    areas = drawing.areas
    plot.add_bars(
        [area.left for area in areas],
        [area.right for area in areas],
        [area.height for area in areas],
        "series_2",
    )
    if drawing.hidden is not None:
        hidden = drawing.hidden
        plot.add_steps([hidden.left, hidden.right], [hidden.height], "series_2", dashed=True)
    plot.add_steps(drawing.edges, drawing.heights, "series_1")
    tallest, width = drawing.ys[1], drawing.xs[1] - drawing.xs[0]
    for area in areas:
        if (area.right - area.left) / width * _WIDE < len(area.label) * _LETTER or not area.label:
            continue
        if area.height >= _LOW * tallest:
            plot.add_text(
                area.middle, 0.0, area.label, "text", anchor=(0.5, 1.15), strong=True, is_on_area=True
            )
        else:
            plot.add_text(area.middle, area.height, area.label, "text", anchor=(0.5, 1.05), strong=True)
    plot.tooltip = drawing.words_at


MOST_STEPS, MOST_BINS, MOST_ROWS = 400, 100, 300
_MOST_DATES = 6  # ticks
_ROOM_AT_TOP = 1.08


@dataclass(frozen=True)
class DensityArea:
    """Band of the release, whose height is its number of records per step of the axis."""

    left: float
    right: float
    height: float
    label: str
    n_records: float

    @property
    def middle(self) -> float:
        """Centre of its name."""
        return (self.left + self.right) / 2


@dataclass(frozen=True, eq=False)
class AxisDrawing:
    """Drawing of a column of numbers or dates.

    Attributes
    ----------
    edges, heights : ndarray
        Histogram of the input: one edge more than heights, in records per step.
    areas : tuple of DensityArea
        Areas of the release; named if each is one band.
    hidden : DensityArea or None
        Hidden records, spread over the complete axis.
    xs, ys : tuple of float
        Visible ranges of both axes.
    is_date : bool
        Whether numbers of the axis are days, to be formatted as dates.
    """

    edges: FloatArray
    heights: FloatArray
    areas: tuple[DensityArea, ...]
    hidden: DensityArea | None
    xs: tuple[float, float]
    ys: tuple[float, float]
    titles: AxisTitles
    is_date: bool

    def words_at(self, x: float, _y: float) -> str:
        """Return the description of a position of the axis."""
        place = int(np.searchsorted(self.edges, x, side="right")) - 1
        lines = []
        if 0 <= place < len(self.heights):
            words = _("input: {height} {y_name}").format(
                height=as_significant(float(self.heights[place])), y_name=self.titles.left
            )
            lines.append(words)
        lines += [self._words_of(area) for area in self.areas if area.left <= x < area.right]
        if self.hidden is not None:
            lines.append(
                _("hidden: {n_records} records").format(n_records=as_exact_count(self.hidden.n_records))
            )
        return "\n".join(lines)

    def _words_of(self, area: DensityArea) -> str:
        if not area.label:
            return _("release: {height} {y_name}").format(
                height=as_significant(area.height), y_name=self.titles.left
            )
        return _("release: {label}, {n_records} records").format(
            label=area.label, n_records=as_exact_count(area.n_records)
        )


def drawing_of(found: DistributionFound) -> AxisDrawing | ValuesDrawing:
    """Return the drawing of a column."""
    if found.is_numeric and np.isfinite(found.positions).sum() > 1:
        return _axis_drawing(found)
    return _values_drawing(found)


# -- numbers and dates ---------------------------------------------------------------------------


def _axis_drawing(found: DistributionFound) -> AxisDrawing:
    known = np.isfinite(found.positions)
    places, counts, spread = found.positions[known], found.counts[known], found.spread[known]
    step, low, high = found.step, float(places.min()), float(places.max())
    n_steps = round((high - low) / step) + 1
    n_joined = 1 if n_steps <= MOST_STEPS else -(-n_steps // MOST_BINS)  # steps per bin
    width, n_bins = step * n_joined, -(-n_steps // n_joined)
    first = low - step / 2
    edges = np.asarray(first + width * np.arange(n_bins + 1), dtype=np.float64)
    bins = np.clip(((places - first) / width).astype(np.int64), 0, n_bins - 1)
    heights = np.bincount(bins, weights=counts, minlength=n_bins) / n_joined
    areas, hidden = _areas(found, edges, np.bincount(bins, weights=spread, minlength=n_bins) / n_joined)
    tallest = max([float(heights.max(initial=0.0)), *(area.height for area in areas), 1e-9])
    margin = (edges[-1] - edges[0]) * 0.015
    is_date = found.unit == "days"
    return AxisDrawing(
        edges,
        heights,
        areas,
        hidden,
        (float(edges[0] - margin), float(edges[-1] + margin)),
        (0.0, tallest * _ROOM_AT_TOP),
        _axis_titles(found),
        is_date,
    )


def _axis_titles(found: DistributionFound) -> AxisTitles:
    """Return the titles of both axes, with units if they are known."""
    name = found.column
    if found.unit == "days":
        return AxisTitles(_("{name}, date").format(name=name), _("records per day"))
    if is_about_years(name) and found.step == 1:
        return AxisTitles(
            _("{name} in years").format(name=name), _("records per year of {name}").format(name=name)
        )
    each = _("unit") if found.step == 1 else as_significant(found.step)
    return AxisTitles(
        _("value of {name}").format(name=name),
        _("records per {each} of {name}").format(each=each, name=name),
    )


def _areas(
    found: DistributionFound, edges: FloatArray, spread: FloatArray
) -> tuple[tuple[DensityArea, ...], DensityArea | None]:
    """Return the bands if they are side by side; otherwise their sum along the axis."""
    step = found.step
    bands = found.bands[:MOST_STEPS]
    shown = [band for band in bands if band.n_records and not band.is_hidden]
    placed = [
        (b.low - step / 2, b.high + step / 2) for b in shown if b.low is not None and b.high is not None
    ]
    ranges = sorted(placed)
    n_with_place = sum(band.first_leaf != found.missing for band in shown)
    lie_apart = all(one[1] <= other[0] + step * 1e-6 for one, other in pairwise(ranges))
    if len(ranges) < n_with_place or not lie_apart or len(found.bands) > MOST_STEPS:
        pieces = zip(edges[:-1].tolist(), edges[1:].tolist(), spread.tolist(), strict=True)
        return tuple(
            DensityArea(left, right, height, "", height * (right - left) / step)
            for left, right, height in pieces
            if height > 0
        ), None
    areas = tuple(_area(band, step) for band in shown if band.low is not None)
    n_hidden = _n_hidden(found)
    if not n_hidden:
        return areas, None
    width = float(edges[-1] - edges[0])
    height = n_hidden * step / width
    return areas, DensityArea(float(edges[0]), float(edges[-1]), height, _("hidden"), n_hidden)


def _n_hidden(found: DistributionFound) -> int:
    return int(found.bands.n_records[found.bands.is_hidden].sum())


def _area(band: Band, step: float) -> DensityArea:
    assert band.low is not None
    assert band.high is not None
    left, right = band.low - step / 2, band.high + step / 2
    return DensityArea(left, right, band.n_records * step / (right - left), band.label, band.n_records)


# -- texts ---------------------------------------------------------------------------------------


def _values_drawing(found: DistributionFound) -> ValuesDrawing:
    places = np.arange(len(found.values))
    n_left_out = len(places) - MOST_ROWS
    if n_left_out > 0:
        most = np.argsort(-np.maximum(found.counts, found.spread), kind="stable")[:MOST_ROWS]
        places = np.sort(most)
    tallest = float(max(found.counts.max(initial=0), found.spread.max(initial=0.0), 1.0))
    heads = _heads(found) if n_left_out <= 0 else {}
    rows: list[BarRow] = _hidden_rows(found)
    for place in places.tolist():
        if place in heads:
            rows.append(heads[place])
        rows.append(_value_row(found, place, tallest))
    if n_left_out > 0:
        left_out = np.ones(len(found.values), dtype=np.bool_)
        left_out[places] = False
        before, after = int(found.counts[left_out].sum()), float(found.spread[left_out].sum())
        text = f"{as_exact_count(before)} → {_spread_text(after)}"
        rows.append(
            BarRow(_("{n_left_out} rarer values").format(n_left_out=as_exact_count(n_left_out)), text=text)
        )
    return rows, BarScale("0", as_count(tallest), _("records"))


def _value_row(found: DistributionFound, place: int, tallest: float) -> BarRow:
    before, after = int(found.counts[place]), float(found.spread[place])
    name = value_text("") if place == found.missing else found.values[place] or _("(empty)")
    about = _("about ") if found.is_estimated else ""
    tooltip = _("{name}: {before} records of the input, {about}{after} of the release").format(
        name=name, before=as_exact_count(before), about=about, after=_spread_text(after)
    )
    bars = (Bar(before / tallest, "series_1"), Bar(after / tallest, "series_2"))
    return BarRow(name, "", bars, f"{as_exact_count(before)} → {_spread_text(after)}", tooltip)


def _spread_text(records: float) -> str:
    return as_exact_count(records) if records == round(records) else as_decimal(records, 1)


def _heads(found: DistributionFound) -> dict[int, BarRow]:
    """Return a heading before the first value of each cell that contains several neighbours."""
    heads, taken = {}, -1
    for band in sorted(found.bands, key=lambda band: band.first_leaf):
        is_run = band.last_leaf - band.first_leaf + 1 == band.n_leaves
        if band.n_leaves > 1 and is_run and not band.is_hidden and band.first_leaf > taken and band.n_records:
            words = _("{n_records} records").format(n_records=as_exact_count(band.n_records))
            heads[band.first_leaf] = BarRow(band.label, text=words)
            taken = band.last_leaf
    return heads


def _hidden_rows(found: DistributionFound) -> list[BarRow]:
    if not (n_hidden := _n_hidden(found)):
        return []
    words = _("{n_hidden} records").format(n_hidden=as_exact_count(n_hidden))
    return [BarRow(_("hidden, spread over all values"), text=words)]


def value_text(value: str) -> str:
    """Return the value, or the text for a missing one."""
    return value or _("(missing)")
