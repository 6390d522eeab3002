"""Charts of a report as lines, bars and labels, for PDF and HTML."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal, Protocol

from engine.findings.blocks import Chart
from engine.findings.format_value import format_value
from engine.report import palette
from engine.report.fonts import BOLD, REGULAR

WIDTH = 480.0  # points; the width of the text on a page
_HEIGHT = 200.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 10.0, 26.0, 40.0
LABEL_SIZE = 7.5  # font size, in points
_ROW = 12.0  # height of a horizontal bar with its gap
_NAMES = 120.0  # width left of horizontal bars
_FEW_LABELS, _WIDEST_LABEL = 8, 70.0  # all of these are written, shortened to this width
_MOST_ROWS = 34  # horizontal bars per drawing


@dataclass(frozen=True)
class Path:
    """Line through points; `dash` has the lengths of its dashes and gaps."""

    points: tuple[tuple[float, float], ...]
    colour: str
    width: float
    dash: tuple[int, ...] = ()


@dataclass(frozen=True)
class Bar:
    """Filled rectangle with an outline."""

    x: float
    y: float
    width: float
    height: float
    filling: str
    colour: str


@dataclass(frozen=True)
class Label:
    """Text whose start, middle or end is at a point of its baseline."""

    x: float
    y: float
    text: str
    anchor: Literal["start", "middle", "end"]
    colour: str
    font: str


@dataclass
class Drawing:
    """Shapes on a sheet `WIDTH` points wide; coordinates are points from its lower left corner."""

    height: float
    shapes: list[Path | Bar | Label] = field(default_factory=list)


class ChartText(Protocol):
    """Texts in the fonts of a format; methods as those of `Typesetter`."""

    def readable(self, text: str) -> str: ...
    def width(self, text: str, font: str, size: float) -> float: ...


def drawings_of(chart: Chart, texts: ChartText) -> list[Drawing]:
    """Return a chart as drawings; several if one exceeds a page."""
    largest = _largest(chart)
    return [_drawing(part, largest, texts) for part in _parts(chart)]


def _parts(chart: Chart) -> Iterator[Chart]:
    """Return parts of horizontal bars that fit one page each."""
    most = max(1, _MOST_ROWS // max(len(chart.series), 1))
    if chart.kind != "rows" or len(chart.labels) <= most:
        yield chart
        return
    for first in range(0, len(chart.labels), most):
        part = slice(first, first + most)
        series = tuple(replace(series, values=series.values[part]) for series in chart.series)
        yield replace(chart, labels=chart.labels[part], series=series)


def _drawing(chart: Chart, largest: float, texts: ChartText) -> Drawing:
    height = _HEIGHT
    if chart.kind == "rows":
        height = _TOP + _BOTTOM + _ROW * len(chart.labels) * max(len(chart.series), 1) + 6 * len(chart.labels)
    pen = _Pen(Drawing(height), texts)
    pen.legend(chart)
    {"rows": _rows, "bars": _bars, "steps": _steps}[chart.kind](pen, chart, ticks_for(largest))
    return pen.drawing


class _Pen:
    """Pen that adds shapes to a drawing."""

    def __init__(self, drawing: Drawing, texts: ChartText) -> None:
        self.drawing, self._texts = drawing, texts

    @property
    def height(self) -> float:
        return self.drawing.height

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: str) -> None:
        self.drawing.shapes.append(Path(((x1, y1), (x2, y2)), colour, 0.5))

    def series(self, points: Sequence[tuple[float, float]], side: str) -> None:
        """Draw a line, dashed for the input, so that both differ without color too."""
        dash = (3, 2) if side == "input" else ()
        self.drawing.shapes.append(Path(tuple(points), palette.SERIES[side], 1.2, dash))

    def bar(self, x: float, y: float, width: float, height: float, side: str) -> None:
        """Draw a bar, outlined for the input and filled otherwise, so that they differ without color too."""
        colour = palette.SERIES[side]
        filling = palette.SURFACE if side == "input" else colour
        self.drawing.shapes.append(Bar(x, y, width, height, filling, colour))

    def text(
        self,
        x: float,
        y: float,
        text: str,
        anchor: Literal["start", "middle", "end"] = "start",
        colour: str = palette.TEXT_2,
        font: str = REGULAR,
    ) -> float:
        """Write a text; return its width."""
        words = self._texts.readable(text)
        self.drawing.shapes.append(Label(x, y, words, anchor, colour, font))
        return self._texts.width(words, font, LABEL_SIZE)

    def width(self, text: str) -> float:
        """Return the width of a label."""
        return self._texts.width(self._texts.readable(text), REGULAR, LABEL_SIZE)

    def fitted(self, text: str, room: float) -> str:
        """Return a label shortened to a width."""
        words = text.replace("\n", " ")[:200]
        if self.width(words) <= room:
            return words
        while words and self.width(words + "…") > room:
            words = words[:-1]
        return words + "…" if words else ""

    def legend(self, chart: Chart) -> None:
        """Draw the names of the series, and the title of the vertical axis."""
        y = self.height - 9
        self.text(0, self.height - 21, chart.y_title, colour=palette.TEXT_3)
        x = 0.0
        for series in chart.series:
            if chart.kind == "steps":
                self.series([(x, y + 2.5), (x + 14, y + 2.5)], series.side)
                x += 18
            else:
                self.bar(x, y, 7, 6, series.side)
                x += 11
            x += self.text(x, y, series.title, font=BOLD, colour=palette.TEXT) + 14

    def value_axis(self, chart: Chart, x: float, top: float, ticks: list[float]) -> None:
        """Draw the vertical axis with its grid."""
        for tick in ticks:
            y = _BOTTOM + (top - _BOTTOM) * tick / ticks[-1]
            self.line(x, y, WIDTH - _RIGHT, y, palette.GRID if tick else palette.AXIS)
            self.text(
                x - 4, y - 2.5, format_value(_whole(tick), is_share=chart.is_share), "end", palette.TEXT_3
            )
        self.text(WIDTH - _RIGHT, 4, chart.x_title, "end", palette.TEXT_3)


def _bars(pen: _Pen, chart: Chart, values: list[float]) -> None:
    top, most = pen.height - _TOP - 6, values[-1]
    pen.value_axis(chart, _LEFT, top, values)
    place = (WIDTH - _RIGHT - _LEFT) / max(len(chart.labels), 1)
    gap = min(place * 0.2, 6.0)
    width = (place - gap) / max(len(chart.series), 1)
    for number, series in enumerate(chart.series):
        for i, value in enumerate(series.values):
            height = (top - _BOTTOM) * value / most
            if height > 0:
                pen.bar(_LEFT + place * i + gap / 2 + width * number, _BOTTOM, width, height, series.side)
    every = _every(pen, chart.labels, place)
    room = place * every
    for i, label in enumerate(chart.labels):
        if i % every == 0:
            pen.text(
                _LEFT + place * (i + 0.5), _BOTTOM - 10, pen.fitted(label, room), "middle", palette.TEXT_3
            )


def _every(pen: _Pen, labels: Sequence[str], place: float) -> int:
    """Return the step between written labels: every one, second, third, ... that fits."""
    if len(labels) <= _FEW_LABELS:
        return 1
    widest = max(pen.width(label[:40]) for label in labels)
    return max(1, math.ceil((min(widest, _WIDEST_LABEL) + 4) / place))


def _steps(pen: _Pen, chart: Chart, values: list[float]) -> None:
    top, most = pen.height - _TOP - 6, values[-1]
    pen.value_axis(chart, _LEFT, top, values)
    last = max(chart.positions, default=1.0) or 1.0
    ticks = ticks_for(last)
    scale = (WIDTH - _RIGHT - _LEFT) / max(ticks[-1], last)
    for tick in ticks:
        x = _LEFT + tick * scale
        pen.line(x, _BOTTOM, x, _BOTTOM - 3, palette.AXIS)
        pen.text(
            x, _BOTTOM - 11, format_value(_whole(tick), is_share=chart.is_share), "middle", palette.TEXT_3
        )
    for series in chart.series:
        corners = [
            (_LEFT + x * scale, _BOTTOM + (top - _BOTTOM) * y / most)
            for x, y in zip(chart.positions, series.values, strict=True)
        ]
        line = corners[:1]
        for (_, before), (x, y) in pairwise(corners):
            line += [(x, before), (x, y)]
        if len(line) > 1:
            pen.series(line, series.side)


def _rows(pen: _Pen, chart: Chart, ticks: list[float]) -> None:
    scale = (WIDTH - _RIGHT - 40 - _NAMES) / ticks[-1]
    top = pen.height - _TOP
    for tick in ticks:
        x = _NAMES + tick * scale
        pen.line(x, _BOTTOM - 4, x, top, palette.GRID if tick else palette.AXIS)
        pen.text(
            x, _BOTTOM - 14, format_value(_whole(tick), is_share=chart.is_share), "middle", palette.TEXT_3
        )
    pen.text(WIDTH - _RIGHT, 4, chart.x_title, "end", palette.TEXT_3)
    y = top - 4
    for i, label in enumerate(chart.labels):
        first = y
        for series in chart.series:
            y -= _ROW
            value = series.values[i]
            if value > 0:
                pen.bar(_NAMES, y + 2, value * scale, _ROW - 4, series.side)
            text = format_value(_whole(value), is_share=chart.is_share)
            pen.text(_NAMES + value * scale + 3, y + 3, text, colour=palette.TEXT)
        pen.text(_NAMES - 6, (first + y) / 2 - 3, pen.fitted(label, _NAMES - 8), "end")
        y -= 6


def ticks_for(largest: float) -> list[float]:
    """Return three to six round numbers from 0 to slightly above the largest value."""
    if largest <= 0:
        return [0.0, 1.0]
    raw = largest / 4
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if factor * power >= raw * (1 - 1e-9))
    return [i * step for i in range(math.ceil(largest / step * (1 - 1e-9)) + 1)]


def _whole(value: float) -> float | int:
    """Return a tick without rounding errors, as an int if it is an integer."""
    rounded = float(f"{value:.12g}")
    return int(rounded) if rounded.is_integer() else rounded


def _largest(chart: Chart) -> float:
    return max((value for series in chart.series for value in series.values), default=0.0)
