"""Conversion of groups and places to pixels: rows, histogram, zoom, pan and hit tests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from PySide6.QtCore import QRectF

from engine.cached import cached_property
from engine.hierarchies.outline import Outline
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray

_GAP = 0.012  # between the number line and places without a number
_OTHER_ROOM, _OTHER_MOST = 0.04, 0.3
_INSET = 0.1  # share of the interval left free: bars of categories do not touch
_CLOSED_ROOM = 0.07  # share of all places: width for the text of a closed group
_SLIVER = 0.02  # share of the mean: width of places without records if width means records


class WidthMeaning(Enum):
    """Quantity shown by the width of a group."""

    VALUE = "value"
    RECORDS = "records"


@dataclass(frozen=True, eq=False)
class IcicleAxis:
    """Position of every place between 0 and 1.

    Attributes
    ----------
    edges : ndarray of float64, shape (n_places + 1,)
        Place i occupies the interval from `edges[i]` to `edges[i + 1]`.
    lefts, rights : ndarray of float64, shape (n_places,)
        The bar of each place within its interval.
    centers : ndarray of float64, shape (n_places,)
        Position of the number of a place on a number line, otherwise the middle of its interval.
    numbers : tuple of two floats, optional
        The numbers at 0 and at `numbers_end`, if there is a number line.
    numbers_end : float
        End of the number line; places without a number follow.
    """

    edges: FloatArray
    lefts: FloatArray
    rights: FloatArray
    centers: FloatArray
    numbers: tuple[float, float] | None = None
    numbers_end: float = 1.0

    def unit_of(self, number: float) -> float:
        """Return the position of a number."""
        assert self.numbers is not None, "the axis is not a number line"
        low, high = self.numbers
        return (number - low) / (high - low) * self.numbers_end

    def number_at(self, unit: float) -> float:
        """Return the number at a position."""
        assert self.numbers is not None, "the axis is not a number line"
        low, high = self.numbers
        return low + unit / self.numbers_end * (high - low)


def axis_of(shown: Outline, meaning: WidthMeaning) -> IcicleAxis:
    """Return the axis of an outline: a number line if places are numbers, else equal widths or records."""
    if meaning is WidthMeaning.RECORDS:
        return _by_weight(_record_weights(shown))
    if shown.has_number_line:
        return _number_line(shown)
    axis = _by_weight(np.where(shown.closed > 0, max(_CLOSED_ROOM * shown.n_places, 1.0), 1.0))
    inset = _INSET * np.diff(axis.edges)
    return replace(axis, lefts=axis.lefts + inset, rights=axis.rights - inset)


def _record_weights(shown: Outline) -> FloatArray:
    records = shown.records.astype(np.float64)
    return np.maximum(records, max(records.mean() * _SLIVER, 1e-9))


def _by_weight(weights: FloatArray) -> IcicleAxis:
    edges = np.concatenate([[0.0], np.cumsum(weights)])
    edges /= edges[-1]
    return IcicleAxis(edges, edges[:-1], edges[1:], (edges[:-1] + edges[1:]) / 2)


def _number_line(shown: Outline) -> IcicleAxis:
    """Return intervals that end half way to the next number, with bars no wider than the usual step."""
    known = shown.numbers[np.isfinite(shown.numbers)]
    n_known, n_other = len(known), shown.n_places - len(known)
    steps = np.diff(known)
    step = float(np.median(steps))
    inner = known[:-1] + steps / 2
    low, high = float(known[0] - step / 2), float(known[-1] + step / 2)
    tail = min(n_other * max(_OTHER_ROOM, 1 / shown.n_places), _OTHER_MOST)
    end = 1 - tail - _GAP if n_other else 1.0
    scale = end / (high - low)
    edges = np.empty(shown.n_places + 1)
    edges[: n_known + 1] = (np.concatenate([[low], inner, [high]]) - low) * scale
    each = tail / max(n_other, 1)
    begins = 1 - tail + each * np.arange(n_other + 1)
    edges[n_known + 1 :] = begins[1:]
    edges[-1] = 1.0
    half = step / 2 * scale
    middle = (known - low) * scale
    lefts = np.concatenate([np.maximum(edges[:n_known], middle - half), begins[:-1] + each * 0.15])
    rights = np.concatenate([np.minimum(edges[1 : n_known + 1], middle + half), begins[1:] - each * 0.15])
    centers = np.concatenate([middle, (begins[:-1] + begins[1:]) / 2])
    return IcicleAxis(edges, lefts, rights, centers, (low, high), end)


NARROW = 3.0  # px: narrower groups are drawn as one block
_BARS_SHARE = 0.28  # of the height, before rows grow beyond two lines
_WIDEST_PLACE = 120.0  # px of the usual place at the largest zoom
_LEAST_ZOOM_RANGE, _MOST_ZOOM = 8.0, 1e6
_GROUP_REACH = 2.0  # px around the pointer within which narrow groups count as one hit


@dataclass(frozen=True)
class IcicleFrame:
    """Position of rows and histogram in the widget.

    Attributes
    ----------
    left, right : float
        Limits of the plot; level names and the axis of records are left of it.
    top : float
        Upper edge of the highest level.
    row, gap : float
        Height of a row, and the gap between two.
    bars_top, bars_bottom : float
        Limits of the histogram.
    """

    left: float
    right: float
    top: float
    row: float
    gap: float
    bars_top: float
    bars_bottom: float

    @property
    def width(self) -> float:
        """Width of the plot."""
        return max(self.right - self.left, 1.0)


@dataclass(frozen=True)
class FrameSizes:
    """Lengths in px, scaled with the font."""

    gutter: float
    margin: float
    tall_row: float
    low_row: float  # least height for two lines of text
    title: float  # height of the name of the axis of records
    bars: float  # least height of the histogram
    below: float  # ticks and the name of the axis of values


def frame_for(width: float, height: float, n_levels: int, sizes: FrameSizes) -> IcicleFrame:
    """Divide a height between rows and histogram: rows are tall if enough remains for the bars."""
    top, n_rows = sizes.margin, max(n_levels, 1)
    room = height - top - sizes.title - sizes.below
    comfortable = (room - max(sizes.bars, height * _BARS_SHARE)) / n_rows
    row_pitch = min(max(comfortable, sizes.low_row), sizes.tall_row)
    row_pitch = max(min(row_pitch, (room - sizes.bars) / n_rows), 3.0)
    gap = 4.0 if row_pitch >= 24 else 2.0 if row_pitch >= 10 else 1.0
    bars_top = top + n_levels * row_pitch + sizes.title
    bars_bottom = max(height - sizes.below, bars_top + 4)
    return IcicleFrame(sizes.gutter, width - sizes.margin, top, row_pitch - gap, gap, bars_top, bars_bottom)


@dataclass(frozen=True, eq=False)
class IcicleGeometry:
    """Immutable view of an outline; each change returns a new one.

    Attributes
    ----------
    zoom : float
        1 shows everything.
    start : float
        Position of the axis, from 0 to 1, at the left edge of the plot.
    """

    outline: Outline
    axis: IcicleAxis
    frame: IcicleFrame
    zoom: float = 1.0
    start: float = 0.0

    # Places -------------------------------------------------------------------------------------

    @property
    def height(self) -> int:
        """Highest level."""
        return self.outline.hierarchy.height

    @property
    def end(self) -> float:
        """Position of the axis at the right edge."""
        return self.start + 1 / self.zoom

    @cached_property
    def bars(self) -> Bars:
        """Visible bars."""
        return bars_of(self.axis, self.frame.left, self.frame.width, self.start, self.end)

    @cached_property
    def largest(self) -> tuple[int, ...]:
        """Records of the largest group of each level, at least 1."""
        return tuple(int(spans.records.max(initial=1)) for spans in self.outline.levels)

    def x_of(self, unit: float) -> float:
        """Return the pixel of a position of the axis."""
        return self.frame.left + (unit - self.start) * self.zoom * self.frame.width

    def xs_of(self, units: FloatArray) -> FloatArray:
        """Return the pixels of positions of the axis."""
        found: FloatArray = self.frame.left + (units - self.start) * (self.zoom * self.frame.width)
        return found

    def unit_at(self, x: float) -> float:
        """Return the position of the axis at a pixel."""
        return self.start + (x - self.frame.left) / (self.zoom * self.frame.width)

    def place_at(self, x: float) -> int:
        """Return the place whose interval contains a pixel, or the closest one."""
        place = int(np.searchsorted(self.axis.edges, self.unit_at(x), side="right")) - 1
        return min(max(place, 0), self.outline.n_places - 1)

    def edge_x(self, place: int) -> float:
        """Return the pixel of the left edge of a place."""
        return self.x_of(float(self.axis.edges[place]))

    # Rows ---------------------------------------------------------------------------------------

    def row_top(self, level: int) -> float:
        """Return the upper edge of the row of a level, at least 1."""
        return self.frame.top + (self.height - level) * (self.frame.row + self.frame.gap)

    def row_rect(self, level: int) -> QRectF:
        """Return the row of a level; the histogram for level 0."""
        frame = self.frame
        if level == 0:
            return QRectF(frame.left, frame.bars_top, frame.width, frame.bars_bottom - frame.bars_top)
        return QRectF(frame.left, self.row_top(level), frame.width, frame.row)

    def level_at(self, y: float) -> int | None:
        """Return the level whose row or histogram contains a height; None between them."""
        frame = self.frame
        if frame.bars_top <= y <= frame.bars_bottom:
            return 0
        row, within = divmod(y - frame.top, frame.row + frame.gap)
        level = self.height - int(row)
        return level if 1 <= level <= self.height and within < frame.row else None

    def level_near(self, y: float) -> int:
        """Return the level whose row or histogram is closest to a height."""
        if y >= (self.row_top(1) + self.frame.row + self.frame.bars_top) / 2:
            return 0
        row = round((y - self.frame.top - self.frame.row / 2) / (self.frame.row + self.frame.gap))
        return min(max(self.height - row, min(self.height, 1)), self.height)

    # Groups -------------------------------------------------------------------------------------

    def group_edges(self, level: int) -> FloatArray:
        """Return the pixels of the edges of the groups of a level, shape (n_groups + 1,)."""
        return self.xs_of(self.axis.edges[self.outline.levels[level].starts])

    def visible(self, level: int) -> tuple[int, int]:
        """Return the first visible group and the one after the last."""
        starts = self.outline.levels[level].starts
        first = int(np.searchsorted(self.axis.edges, self.start, side="right")) - 1
        last = int(np.searchsorted(self.axis.edges, self.end, side="left"))
        first_group = int(np.searchsorted(starts, max(first, 0), side="right")) - 1
        last_group = int(np.searchsorted(starts, min(last, self.outline.n_places), side="left"))
        return max(first_group, 0), min(max(last_group, first_group + 1), len(starts) - 1)

    def group_of_place(self, level: int, place: int) -> int:
        """Return the index of the group of a level that contains a place."""
        return int(np.searchsorted(self.outline.levels[level].starts, place, side="right")) - 1

    def groups_at(self, level: int, x: float) -> tuple[int, int]:
        """Return the group at a pixel and the one after it, or a range if they are very narrow."""
        if level == 0 and self.bars.is_shared and (found := self.bars.places_at(x)) is not None:
            return found
        group = self.group_of_place(level, self.place_at(x))
        starts = self.outline.levels[level].starts
        if self.edge_x(int(starts[group + 1])) - self.edge_x(int(starts[group])) >= NARROW:
            return group, group + 1
        first = self.group_of_place(level, self.place_at(x - _GROUP_REACH))
        last = self.group_of_place(level, self.place_at(x + _GROUP_REACH))
        widths = np.diff(self.xs_of(self.axis.edges[starts[first : last + 2]]))
        near = first + np.flatnonzero(widths < NARROW)
        return int(near[0]), int(near[-1]) + 1

    def groups_between(self, level: int, left: float, right: float) -> tuple[int, int]:
        """Return the range of groups that overlap two pixels: the first, and the one after the last."""
        first = self.group_of_place(level, self.place_at(left))
        return first, self.group_of_place(level, self.place_at(right)) + 1

    def group_rect(self, level: int, first: int, last: int | None = None) -> QRectF:
        """Return the rectangle of groups of a level, clipped to the plot."""
        starts = self.outline.levels[level].starts
        last = first + 1 if last is None else last
        left = max(self.edge_x(int(starts[first])), self.frame.left)
        right = min(self.edge_x(int(starts[last])), self.frame.right)
        row = self.row_rect(level)
        return QRectF(left, row.top(), max(right - left, 0.0), row.height())

    def runs_of_narrow(self, edges: FloatArray) -> tuple[BoolArray, IntArray, IntArray]:
        """Return which groups are narrow, and the start and end of each run of narrow ones."""
        narrow = np.diff(edges) < NARROW
        change = np.diff(np.concatenate([[False], narrow, [False]]).astype(np.int8))
        return ~narrow, np.flatnonzero(change == 1), np.flatnonzero(change == -1)

    # Cuts ---------------------------------------------------------------------------------------

    def can_cut(self, level: int, boundary: int) -> bool:
        """Return whether a boundary can move: both groups belong to the level and none is closed above."""
        if not 1 <= level <= self.height:
            return False
        spans = self.outline.levels[level]
        if not 0 < boundary < len(spans.codes):
            return False
        here = int(spans.starts[boundary])
        return bool((self.outline.closed[here - 1 : here + 1] <= level).all())

    def boundaries(self, level: int) -> list[int]:
        """Return the visible boundaries of a level, left to right; none if they are too dense."""
        first, last = self.visible(level)
        if level < 1 or last - first > self.frame.width / (4 * NARROW):
            return []
        return [boundary for boundary in range(max(first, 1), last) if self.can_cut(level, boundary)]

    def cut_range(self, level: int, boundary: int) -> tuple[int, int]:
        """Return the first and the last place of a boundary that leave both groups at least one value."""
        starts = self.outline.levels[level].starts
        return int(starts[boundary - 1]) + 1, int(starts[boundary + 1]) - 1

    # Zoom ---------------------------------------------------------------------------------------

    @property
    def largest_zoom(self) -> float:
        """Zoom at which the usual place is as wide as its name needs."""
        usual = float(np.median(self.axis.rights - self.axis.lefts))
        wanted = _WIDEST_PLACE / max(usual * self.frame.width, 1e-12)
        return min(max(wanted, _LEAST_ZOOM_RANGE), _MOST_ZOOM)

    def zoomed(self, zoom: float, x: float) -> IcicleGeometry:
        """Return another zoom that keeps the position under a pixel."""
        unit = self.unit_at(x)
        zoom = min(max(zoom, 1.0), self.largest_zoom)
        start = unit - (x - self.frame.left) / (zoom * self.frame.width)
        return replace(self, zoom=zoom, start=start).clamped()

    def panned(self, pixels: float) -> IcicleGeometry:
        """Return the view panned by pixels; the content moves to the right."""
        return replace(self, start=self.start - pixels / (self.zoom * self.frame.width)).clamped()

    def fitted(self) -> IcicleGeometry:
        """Return the view of the complete outline."""
        return replace(self, zoom=1.0, start=0.0)

    def showing(self, level: int, group: int) -> IcicleGeometry:
        """Return the view panned just enough to show a group, or its start if it is wider than the plot."""
        starts = self.outline.levels[level].starts
        left, right = (float(self.axis.edges[starts[group + step]]) for step in (0, 1))
        start = min(max(self.start, right - 1 / self.zoom), left)
        if (left <= self.start and right >= self.end) or start == self.start:
            return self
        return replace(self, start=start).clamped()

    def clamped(self) -> IcicleGeometry:
        """Return the view limited to the ends of the axis."""
        return replace(self, start=min(max(self.start, 0.0), 1 - 1 / self.zoom))


SHARED_WIDTH = 3.0  # px of a bar shared by several values, with its gap
_GAP_FROM = 4.0  # px: wider bars have gaps


@dataclass(frozen=True, eq=False)
class Bars:
    """Visible bars, from left to right.

    Attributes
    ----------
    lefts, rights : ndarray of float64, shape (n_bars,)
        Pixels.
    firsts, lasts : ndarray of int64, shape (n_bars,)
        Bar i covers the places from `firsts[i]` to before `lasts[i]`.
    is_shared : bool
        Whether each bar combines all values within its width.
    """

    lefts: FloatArray
    rights: FloatArray
    firsts: IntArray
    lasts: IntArray
    is_shared: bool

    def sums(self, running: Counts) -> Counts:
        """Return the sum per bar; `running` is the cumulative sum from 0, shape (n_places + 1,)."""
        found: Counts = running[self.lasts] - running[self.firsts]
        return found

    def places_at(self, x: float) -> tuple[int, int] | None:
        """Return the places of the bar near a pixel; None without shared bars, or if none is near."""
        if not len(self.lefts):
            return None
        middles = (self.lefts + self.rights) / 2
        bar = int(np.argmin(np.abs(middles - x)))
        if abs(middles[bar] - x) > SHARED_WIDTH:
            return None
        return int(self.firsts[bar]), int(self.lasts[bar])


def bars_of(axis: IcicleAxis, left: float, width: float, first_unit: float, last_unit: float) -> Bars:
    """Return the bars between two positions of the axis, drawn from pixel `left` on `width` pixels."""
    scale = width / (last_unit - first_unit)
    first = int(np.searchsorted(axis.edges, first_unit, side="right")) - 1
    last = int(np.searchsorted(axis.edges, last_unit, side="left"))
    first, last = max(first, 0), min(max(last, first + 1), len(axis.centers))
    if last - first > width / SHARED_WIDTH:
        return _shared(axis, left, width, first_unit, scale, first, last)
    lefts: FloatArray = left + (axis.lefts[first:last] - first_unit) * scale
    rights: FloatArray = left + (axis.rights[first:last] - first_unit) * scale
    wide = rights - lefts >= _GAP_FROM
    lefts[wide] += 0.5
    rights[wide] -= 0.5
    thin = rights - lefts < 1
    middles = (lefts[thin] + rights[thin]) / 2
    lefts[thin], rights[thin] = middles - 0.5, middles + 0.5
    places = np.arange(first, last)
    return Bars(lefts, rights, places, places + 1, False)


def _shared(
    axis: IcicleAxis, left: float, width: float, first_unit: float, scale: float, first: int, last: int
) -> Bars:
    n_bars = int(np.ceil(width / SHARED_WIDTH))
    begins: FloatArray = left + np.arange(n_bars + 1, dtype=np.float64) * SHARED_WIDTH
    units = first_unit + (begins - left) / scale
    places = np.clip(np.searchsorted(axis.centers, units), first, last)
    kept = np.diff(places) > 0
    lefts = begins[:-1][kept]
    return Bars(lefts, lefts + SHARED_WIDTH - 1, places[:-1][kept], places[1:][kept], True)
