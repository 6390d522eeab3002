"""Charts of a report as lines, bars and labels, for PDF and HTML."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal, Protocol, TypeAlias

from engine.findings.blocks import Chart, Series
from engine.findings.format_value import format_value
from engine.numbers import as_change, as_decimal, as_percent
from engine.report import palette
from engine.report.fonts import BOLD, REGULAR
from engine.words import _

_HEIGHT, _MAP_HEIGHT, _HIGHEST = 170.0, 250.0, 0.48  # points, and a share of the width
_LEFT, _RIGHT, _TOP, _BOTTOM = 40.0, 10.0, 26.0, 36.0
LABEL_SIZE = 8.0  # font size, in points
_ROW = 11.0  # height of a horizontal bar with its gap
_NAMES = 0.32  # share of the width left of horizontal bars
_FEW_LABELS, _WIDEST_LABEL = 8, 70.0  # all of these are written, shortened to this width
_FEW_BARS = 24  # groups of bars that are next to each other
_MOST_ROWS = 34  # horizontal bars per drawing


@dataclass(frozen=True)
class Path:
    """Line through points, or the edge of an area; `dash` has the lengths of its dashes and gaps."""

    points: tuple[tuple[float, float], ...]
    colour: str
    width: float
    dash: tuple[int, ...] = ()
    filling: str = ""


@dataclass(frozen=True)
class Dots:
    """Squares of one colour around points."""

    points: tuple[tuple[float, float], ...]
    colour: str
    size: float


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


Shape: TypeAlias = Path | Dots | Bar | Label


@dataclass
class Drawing:
    """Shapes on a sheet; coordinates are points from its lower left corner."""

    width: float
    height: float
    shapes: list[Shape] = field(default_factory=list)


class ChartText(Protocol):
    """Texts in the fonts of a format; methods as those of `Typesetter`."""

    def readable(self, text: str) -> str: ...
    def width(self, text: str, font: str, size: float) -> float: ...


def drawings_of(chart: Chart, texts: ChartText, width: float, by: float = 1.0) -> list[Drawing]:
    """Return a chart as drawings of a width, several if one exceeds a page; `by` is a factor of heights."""
    largest = _largest(chart)
    return [_drawing(part, largest, texts, width, by) for part in _parts(chart)]


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


def _drawing(chart: Chart, largest: float, texts: ChartText, width: float, by: float) -> Drawing:
    height = _MAP_HEIGHT if chart.kind == "dots" else min(_HEIGHT, width * _HIGHEST)
    height *= by
    is_price = all(series.side == "price" for series in chart.series)
    if chart.kind == "rows" and is_price:
        height = 24 + (_ROW + 6) * len(chart.labels)
    elif chart.kind == "rows":
        height = _TOP + _BOTTOM + _ROW * len(chart.labels) * max(len(chart.series), 1) + 6 * len(chart.labels)
    pen = _Pen(Drawing(width, height), texts)
    if chart.kind == "dots":
        _dots(pen, chart)
    elif is_price:
        _prices(pen, chart, largest)
    else:
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

    @property
    def right(self) -> float:
        return self.drawing.width - _RIGHT

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

    def add(self, *shapes: Shape) -> None:
        self.drawing.shapes.extend(shapes)

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
            self.line(x, y, self.right, y, palette.GRID if tick else palette.AXIS)
            self.text(
                x - 4, y - 2.5, format_value(_whole(tick), is_share=chart.is_share), "end", palette.TEXT_3
            )
        self.text(self.right, 4, chart.x_title, "end", palette.TEXT_3)


def _bars(pen: _Pen, chart: Chart, values: list[float]) -> None:
    top, most = pen.height - _TOP - 12, values[-1]
    pen.value_axis(chart, _LEFT, top, values)
    place = (pen.right - _LEFT) / max(len(chart.labels), 1)
    gap = min(place * 0.2, 12.0)
    width = (place - gap) / max(len(chart.series), 1)
    is_written = chart.is_share and width > pen.width(as_percent(0.888, 0)) + 2
    is_dense = len(chart.series) > 1 and len(chart.labels) > _FEW_BARS  # bars behind, others as lines
    if is_dense:
        gap, width = 0.0, place
    for number, series in enumerate(chart.series):
        if is_dense and number:
            highs = [
                (_LEFT + place * i, _BOTTOM + (top - _BOTTOM) * v / most) for i, v in enumerate(series.values)
            ]
            pen.series(_stairs([*highs, (pen.right, highs[-1][1])]), series.side)
        for i, value in enumerate(series.values):
            height = (top - _BOTTOM) * value / most
            x = _LEFT + place * i + gap / 2 + width * number
            if height > 0 and not (is_dense and number):
                pen.bar(x, _BOTTOM, width, height, series.side)
            if is_written:
                pen.text(x + width / 2, _BOTTOM + height + 3, as_percent(value, 0), "middle", palette.TEXT)
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
    scale = (pen.right - _LEFT) / max(ticks[-1], last)
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
        if len(corners) > 1:
            pen.series(_stairs(corners), series.side)


def _stairs(corners: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return a line that is constant up to the next corner."""
    line = corners[:1]
    for (_unused, before), (x, y) in pairwise(corners):
        line += [(x, before), (x, y)]
    return line


def _rows(pen: _Pen, chart: Chart, ticks: list[float]) -> None:
    names = pen.drawing.width * _NAMES
    scale = (pen.right - 40 - names) / ticks[-1]
    top = pen.height - _TOP
    for tick in ticks:
        x = names + tick * scale
        pen.line(x, _BOTTOM - 4, x, top, palette.GRID if tick else palette.AXIS)
        pen.text(
            x, _BOTTOM - 14, format_value(_whole(tick), is_share=chart.is_share), "middle", palette.TEXT_3
        )
    pen.text(pen.right, 4, chart.x_title, "end", palette.TEXT_3)
    y = top - 4
    for i, label in enumerate(chart.labels):
        first = y
        for series in chart.series:
            y -= _ROW
            value = series.values[i]
            if value > 0:
                pen.bar(names, y + 2, value * scale, _ROW - 4, series.side)
            text = format_value(_whole(value), is_share=chart.is_share)
            pen.text(names + value * scale + 3, y + 3, text, colour=palette.TEXT)
        pen.text(names - 6, (first + y) / 2 - 3, pen.fitted(label, names - 8), "end")
        y -= 6


def _prices(pen: _Pen, chart: Chart, largest: float) -> None:
    """Draw one bar per row with its label before and its price behind it, and nothing else."""
    names, y = pen.drawing.width * _NAMES, pen.height - 4
    pen.text(0, y - LABEL_SIZE, pen.fitted(chart.x_title, pen.right), colour=palette.TEXT_2)
    y -= 20
    scale = (pen.right - 52 - names) / (largest or 1)
    for series in chart.series:
        for label, value in zip(chart.labels, series.values, strict=True):
            pen.text(0, y - 8, pen.fitted(label, names - 8), colour=palette.TEXT)
            if value > 0:
                pen.bar(names, y - 9, max(value * scale, 1.0), 6, series.side)
            price = as_change(value) if largest < 1 else f"+{format_value(value)}"
            pen.text(pen.right, y - 8, price, "end", palette.TEXT, BOLD)
            y -= _ROW + 6


_SHARES = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0)  # ticks of the square-root axis


def _dots(pen: _Pen, chart: Chart) -> None:
    """Draw a point for each node, the front as stairs, the limit, and the release as a star."""
    by_side = {series.side: series for series in chart.series}
    values = [value for series in chart.series for value in series.values]
    ticks = ticks_for(max(values))
    ticks = ticks[max(sum(tick < min(values) * 0.9 for tick in ticks) - 1, 0) :]
    low, high, top = ticks[0], max(ticks[-1], *values), pen.height - 14

    def at(share: float, value: float) -> tuple[float, float]:
        y = _BOTTOM + (top - _BOTTOM) * (value - low) / ((high - low) or 1)
        return _LEFT + (pen.right - _LEFT) * math.sqrt(share), y

    for limit, words in chart.marks:
        x = at(limit, low)[0]
        pen.add(Bar(x, _BOTTOM, pen.right - x, top - _BOTTOM, palette.SURFACE_2, palette.SURFACE_2))
        pen.add(Path(((x, _BOTTOM), (x, top)), palette.ACCENT, 1.0, (3, 2)))
        pen.text(x + 4, top - LABEL_SIZE, words, colour=palette.ACCENT, font=BOLD)
    for tick in ticks:
        y = at(0, tick)[1]
        pen.line(_LEFT, y, pen.right, y, palette.GRID)
        pen.text(_LEFT - 4, y - 2.5, format_value(_whole(tick)), "end", palette.TEXT_3)
    for share in _SHARES:
        pen.text(at(share, low)[0], _BOTTOM - 11, as_percent(share, 0), "middle", palette.TEXT_3)
    pen.text(0, pen.height - LABEL_SIZE, chart.y_title, colour=palette.TEXT_3)
    pen.text(pen.right, 4, chart.x_title, "end", palette.TEXT_3)
    for side in ("fails", "satisfies"):
        pen.add(*_points(by_side[side], at))
    front = [at(*node) for node in zip(by_side["front"].positions, by_side["front"].values, strict=True)]
    if front:
        pen.add(Path(tuple(_stairs(front)), palette.TEXT, 1.1))
    release = by_side["release"]
    x, y = at(release.positions[0], release.values[0])
    pen.add(Path(tuple(_star(x, y, 7.0)), palette.TEXT, 0.9, filling=palette.OPTIMUM))
    value = as_decimal(release.values[0]) if high <= 1 else format_value(release.values[0])
    words = _("{title}, {value}").format(title=release.title, value=value)
    if x - _LEFT > pen.width(words) + 20:  # at the lower left, where no node that satisfies can be
        pen.text(x - 10, y - 6, words, "end", palette.TEXT, BOLD)
    else:
        pen.text(x + 10, y - 3, words, colour=palette.TEXT, font=BOLD)


def _points(nodes: Series, at: Callable[[float, float], tuple[float, float]]) -> Iterator[Dots]:
    """Yield nodes in the colours of their values; those that fail in one."""
    found: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    least, most = min(nodes.values, default=0.0), max(nodes.values, default=0.0)
    for share, value in zip(nodes.positions, nodes.values, strict=True):
        colour = shade(value, least, most) if nodes.side == "satisfies" else palette.FAILS
        found[colour].append(at(share, value))
    size = 1.3 if nodes.side == "satisfies" else 0.8
    yield from (Dots(tuple(points), colour, size) for colour, points in found.items())


def shade(value: float, least: float, most: float) -> str:
    """Return the colour of a node that satisfies, by its metric among those of the others."""
    place = math.sqrt((value - least) / (most - least)) if least <= value <= most > least else 0.0
    return palette.RAMP[round(place * (len(palette.RAMP) - 1))]


def _star(x: float, y: float, radius: float) -> Iterator[tuple[float, float]]:
    for corner in range(11):
        length = radius * (0.42 if corner % 2 else 1.0)
        angle = math.pi / 2 + corner * math.pi / 5
        yield x + length * math.cos(angle), y + length * math.sin(angle)


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
