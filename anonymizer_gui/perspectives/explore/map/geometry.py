"""Axes of the map, the values shown on them, and pixels: zoom, pan, the node under a pixel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import ceil, floor, log10

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF

from engine.cached import cached_property
from engine.numbers import as_count, as_decimal, with_unit

FloatArray = NDArray[np.float64]
_STEPS = 4  # approximate number of integer steps between the ends of an axis
_LEAST_SPAN = 20.0  # ratio of the ends below which a logarithmic scale has no use
_MILLION = 1_000_000
_MOST_TICKS = 20
_NEARLY_LINEAR = 4.0  # ratio of the ends below which every scale is nearly linear
_MULTIPLES = ((1.0,), (5.0, 2.0), (2.5,))
_SHARES = (0.1, 0.5, 0.25, 0.01, 0.05)


class Scale(Enum):
    """Scale of a score on its axis."""

    LINEAR = "linear"
    ROOT = "square-root"
    LOG = "logarithmic"


@dataclass(frozen=True)
class Axis:
    """Range of one score; positions run from 0 at `low` to 1 at `high`."""

    low: float
    high: float
    scale: Scale = Scale.LINEAR

    def places(self, values: FloatArray) -> FloatArray:
        """Return the positions of values; nan for values outside the scale."""
        with np.errstate(invalid="ignore", divide="ignore"):
            at = self._spread(np.asarray(values, dtype=np.float64))
            first, last = self._ends()
            places = (at - first) / (last - first)
        places[~np.isfinite(places)] = np.nan
        return places

    def place(self, value: float) -> float:
        """Return the position of one value."""
        return float(self.places(np.array([value]))[0])

    def value_at(self, place: float) -> float:
        """Return the value at a position of the axis, the inverse of `place`."""
        first, last = self._ends()
        at = first + place * (last - first)
        if self.scale is Scale.LOG:
            return float(10.0**at)
        return float(max(at, 0.0) ** 2) if self.scale is Scale.ROOT else float(at)

    def extended_by(self, other: Axis) -> Axis:
        """Return the axis extended to the other's values if they fit, so that points do not move."""
        if self.scale is not other.scale:
            return other
        return replace(self, low=min(self.low, other.low), high=max(self.high, other.high))

    def ticks(self, first: float, last: float, apart: float) -> list[float]:
        """Return ascending values to print between two positions, at least `apart` positions from each other.

        They are evenly spaced on a linear axis and on nearly linear parts of another one. Elsewhere round
        values are preferred, the ends of the axis and powers of ten most of all.
        """
        low, high = self.value_at(first), self.value_at(last)
        if self.scale is Scale.LINEAR or (low > 0 and high / low < _NEARLY_LINEAR):
            return self._even_ticks(low, high, apart)
        kept: list[tuple[float, float]] = []
        # Rounding may move the end of an axis outside.
        slack = (last - first) * 1e-9
        for value in self._candidates(low, high):
            at = self.place(value)
            if not first - slack <= at <= last + slack:
                continue
            if all(abs(at - other) >= apart for other, _ in kept):
                kept.append((at, value))
        return [value for _, value in sorted(kept)]

    def _even_ticks(self, low: float, high: float, apart: float) -> list[float]:
        """Return multiples of the smallest round step that keeps their least distance."""
        step = _round_step(max((high - low) / _MOST_TICKS, abs(high) * 1e-9))
        while step < high - low and self.place(high) - self.place(high - step) < apart * (1 - 1e-9):
            step = _round_step(step * 1.01)
        return [_tidy(i * step) for i in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]

    def _candidates(self, low: float, high: float) -> Iterator[float]:
        """Yield round values between two, the most informative first."""
        yield from (self.low, self.high)
        if self.scale is Scale.ROOT and self.high == 1:
            yield from _SHARES
        top = ceil(log10(max(high, 1e-12)))
        bottom = floor(log10(max(low, self.high * 1e-5, 1e-12)))
        for multiples in _MULTIPLES:
            for power in range(top, bottom - 1, -1):
                yield from (multiple * 10.0**power for multiple in multiples)

    def _spread(self, values: FloatArray) -> FloatArray:
        if self.scale is Scale.LOG:
            return np.asarray(np.log10(values))
        return np.asarray(np.sqrt(values)) if self.scale is Scale.ROOT else values

    def _ends(self) -> tuple[float, float]:
        first, last = self._spread(np.array([self.low, self.high], dtype=np.float64)).tolist()
        return first, last


def axis_of(values: FloatArray, scale: Scale, bounds: tuple[float, float] | None = None) -> Axis | None:
    """Return an axis that contains all finite values; None if there are none.

    Parameters
    ----------
    scale : Scale
        Requested scale; linear is used if a logarithm is undefined for a value or has no use.
    bounds : (float, float), optional
        Ends that are included regardless of the values.
    """
    known = values[np.isfinite(values)]
    if not len(known):
        return None
    if bounds is not None:
        return Axis(*bounds, scale)
    low, high = float(known.min()), float(known.max())
    if scale is Scale.LOG and low > 0 and high / low >= _LEAST_SPAN:
        return Axis(low, high, scale)
    if not high > low:
        reach = abs(low) / 2 or 0.5
        return Axis(low - reach, high + reach)
    step = _round_step((high - low) / _STEPS)
    return Axis(_tidy(floor(low / step + 1e-9) * step), _tidy(ceil(high / step - 1e-9) * step))


def tick_texts(values: list[float], scale: Scale, *, is_share: bool) -> list[str]:
    """Return tick labels as short as they can be distinguished; the last share has a percent sign."""
    shown = [value * 100 for value in values] if is_share else values
    digits = [_decimals(value) for value in shown]
    if scale is Scale.LINEAR:
        digits = [max(digits, default=0)] * len(shown)
    texts = [
        as_count(value) if abs(value) >= _MILLION else as_decimal(value, n)
        for value, n in zip(shown, digits, strict=True)
    ]
    if is_share and texts:
        texts[-1] = with_unit(texts[-1], "%")
    return texts


def _decimals(value: float) -> int:
    text = f"{value:.6f}".rstrip("0")
    return len(text.partition(".")[2])


def _round_step(least: float) -> float:
    """Return the smallest of 1, 2, 2.5, 5, 10 times a power of ten that is not below `least`."""
    power = 10.0 ** floor(log10(least))
    return next(m * power for m in (1.0, 2.0, 2.5, 5.0, 10.0) if m * power >= least * (1 - 1e-9))


def _tidy(value: float) -> float:
    """Return a value without floating-point residue: 0.30000000000000004 is 0.3."""
    return float(f"{value:.12g}")


@dataclass(frozen=True)
class MapAxis:
    """Axis with its name, unit and scale, in full and in short."""

    axis: Axis
    name: str
    short_name: str
    is_share: bool = False


@dataclass(frozen=True, eq=False)
class MapPoints:
    """Positions of the nodes.

    Attributes
    ----------
    across, up : ndarray of float64, shape (n_nodes,)
        Positions on the axes; nan for nodes without one.
    """

    x: MapAxis
    y: MapAxis
    across: FloatArray
    up: FloatArray


@dataclass(frozen=True)
class MapLegend:
    """Meaning of the third scores; empty names show nothing.

    `shade_ends` are the labels of the best and the worst colour.
    """

    shade: str = ""
    shade_ends: tuple[str, str] = ("", "")
    size: str = ""


@dataclass(frozen=True, eq=False)
class MapLook:
    """Appearance of the nodes for a requirement.

    Attributes
    ----------
    classes : ndarray of uint8, shape (n_nodes,)
        0 to 63 on the ramp, or `FAILS`, `NOT_SCORED`, `DIMMED`.
    rank : callable
        Returns the priority of each node among nodes on one pixel: from 1, 0 for those that come last.
    passing : ndarray of bool, shape (n_nodes,)
        Nodes that pass the filters.
    sizes : ndarray of float64, shape (n_nodes,), or None
        From 0 to 1; None if size shows only whether a node satisfies.
    """

    classes: NDArray[np.uint8]
    rank: Callable[[], NDArray[np.int64]]
    passing: NDArray[np.bool_]
    sizes: FloatArray | None = None
    legend: MapLegend = MapLegend()


@dataclass(frozen=True)
class MapLimit:
    """Suppression limit, as a value of one axis."""

    value: float
    text: str
    is_across: bool = True


BoolArray = NDArray[np.bool_]
Numbers = NDArray[np.int64]
LARGEST_ZOOM = 400.0
MARGIN = 15.0  # px between the ends of the axes and the frame, so that star and ring at an end cover no label


@dataclass(frozen=True, eq=False)
class MapGeometry:
    """Immutable view of points on two axes; each change returns a new one.

    Attributes
    ----------
    across, up : ndarray of float64, shape (n_nodes,)
        Positions on the axes, 0 to 1; nan for nodes without one.
    area : QRectF
        Area of the positions from 0 to 1 without zoom.
    zoom : float
        1 shows everything.
    left, bottom : float
        Positions at the left and lower edge of the area.
    """

    across: FloatArray
    up: FloatArray
    area: QRectF
    zoom: float = 1.0
    left: float = 0.0
    bottom: float = 0.0

    @cached_property
    def x(self) -> FloatArray:
        """Pixel column of every node; nan without a position."""
        return np.asarray((self.across - self.left) * (self.zoom * self.area.width()) + self.area.left())

    @cached_property
    def y(self) -> FloatArray:
        """Pixel row of every node; nan without a position."""
        return np.asarray(self.area.bottom() - (self.up - self.bottom) * (self.zoom * self.area.height()))

    @property
    def seen(self) -> QRectF:
        """Area in which nodes are drawn: the plot with its margin."""
        return self.area.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)

    @cached_property
    def has_place(self) -> BoolArray:
        return np.asarray(np.isfinite(self.across) & np.isfinite(self.up))

    @property
    def n_nodes(self) -> int:
        return len(self.across)

    @property
    def is_whole(self) -> bool:
        return self.zoom <= 1

    def place(self, node: int) -> QRectF | None:
        """Return the pixel of a node as an empty rectangle; None without a position."""
        point = self.point(node)
        return None if point is None else QRectF(point, point)

    def point(self, node: int) -> QPointF | None:
        """Return the pixel of a node; None without a position."""
        return QPointF(float(self.x[node]), float(self.y[node])) if self.has_place[node] else None

    def pixel(self, across: float, up: float) -> QPointF:
        """Return the pixel of a pair of positions."""
        x = (across - self.left) * self.zoom * self.area.width() + self.area.left()
        return QPointF(x, self.area.bottom() - (up - self.bottom) * self.zoom * self.area.height())

    def places(self, pixel: QPointF) -> tuple[float, float]:
        """Return the pair of positions at a pixel, the inverse of `pixel`."""
        width, height = self.zoom * self.area.width(), self.zoom * self.area.height()
        across = self.left + (pixel.x() - self.area.left()) / width
        return across, self.bottom + (self.area.bottom() - pixel.y()) / height

    # -- another view --------------------------------------------------------------------------

    def of(self, across: FloatArray, up: FloatArray) -> MapGeometry:
        """Return the same view of other points."""
        return replace(self, across=across, up=up)

    def in_area(self, area: QRectF) -> MapGeometry:
        """Return the same positions in another area."""
        return replace(self, area=area)

    def fitted(self) -> MapGeometry:
        """Return the complete view."""
        return replace(self, zoom=1.0, left=0.0, bottom=0.0)

    def zoomed(self, factor: float, point: QPointF) -> MapGeometry:
        """Return a larger or smaller view that keeps the position under a pixel."""
        return self.zoomed_to(self.zoom * factor, point)

    def zoomed_to(self, zoom: float, pixel: QPointF) -> MapGeometry:
        """Return a zoomed view that keeps the position under a pixel."""
        zoom = min(max(zoom, 1.0), LARGEST_ZOOM)
        across, up = self.places(pixel)
        left = across - (pixel.x() - self.area.left()) / (zoom * self.area.width())
        bottom = up - (self.area.bottom() - pixel.y()) / (zoom * self.area.height())
        return replace(self, zoom=zoom, left=left, bottom=bottom)._clamped()

    def panned(self, by: QPointF) -> MapGeometry:
        """Return the view panned by pixels, within the limits of the points."""
        left = self.left - by.x() / (self.zoom * self.area.width())
        bottom = self.bottom + by.y() / (self.zoom * self.area.height())
        return replace(self, left=left, bottom=bottom)._clamped()

    def _clamped(self) -> MapGeometry:
        most = 1.0 - 1.0 / self.zoom
        return replace(self, left=min(max(self.left, 0.0), most), bottom=min(max(self.bottom, 0.0), most))

    # -- nodes ---------------------------------------------------------------------------------

    def node_at(
        self,
        point: QPointF,
        reach: float = 0.0,
        among: BoolArray | None = None,
        ranks: Numbers | None = None,
    ) -> int | None:
        """Return the node drawn closest to a pixel; of several on the same pixel the one of best rank.

        Parameters
        ----------
        reach : float
            Largest distance in pixels.
        among : ndarray of bool, shape (n_nodes,), optional
            Nodes to consider, by default all.
        ranks : ndarray of int64, shape (n_nodes,), optional
            From 1; 0 for none, which comes last.
        """
        among = self.has_place if among is None else among
        ranks = np.zeros(self.n_nodes, dtype=np.int64) if ranks is None else ranks
        with np.errstate(invalid="ignore"):
            near = among & (abs(self.x - point.x()) <= reach) & (abs(self.y - point.y()) <= reach)
        nodes = np.flatnonzero(near)
        if not len(nodes):
            return None
        # In whole pixels: nodes drawn on one pixel are equally close.
        away = np.rint(np.hypot(self.x[nodes] - point.x(), self.y[nodes] - point.y()))
        best = np.lexsort((nodes, np.where(ranks[nodes] > 0, ranks[nodes], len(ranks) + 1), away))[0]
        return int(nodes[best]) if away[best] <= reach else None

    def beside(self, node: int, direction: tuple[int, int], among: BoolArray) -> int | None:
        """Return the nearest node to the right (1, 0), left (-1, 0), above (0, -1) or below (0, 1) of a node.

        Distance to the side counts twice; nodes more to the side than ahead come last.
        """
        if not self.has_place[node]:
            return None
        dx, dy = self.x - self.x[node], self.y - self.y[node]
        ahead = dx * direction[0] + dy * direction[1]
        aside = abs(dx * direction[1]) + abs(dy * direction[0])
        with np.errstate(invalid="ignore"):
            nodes = np.flatnonzero(among & (ahead > 1e-6))
        if not len(nodes):
            return None
        ahead, aside = ahead[nodes], aside[nodes]
        return int(nodes[np.lexsort((nodes, ahead + 2 * aside, aside > ahead))[0]])

    def within(self, shape: Sequence[QPointF]) -> BoolArray:
        """Return which nodes are within a closed shape whose corners are positions, not pixels."""
        corners = [(corner.x(), corner.y()) for corner in shape]
        inside = np.zeros(len(self.across), dtype=np.bool_)
        (left, low), (right, high) = np.min(corners, axis=0), np.max(corners, axis=0)
        with np.errstate(invalid="ignore"):
            near = (self.across >= left) & (self.across <= right)
            near &= (self.up >= low) & (self.up <= high)
        nodes = np.flatnonzero(near)
        x, y = self.across[nodes], self.up[nodes]
        crossings = np.zeros(len(nodes), dtype=np.bool_)
        for (x0, y0), (x1, y1) in zip(corners, [*corners[1:], *corners[:1]], strict=True):
            if y0 != y1:
                spans = (y0 > y) != (y1 > y)
                crossings ^= spans & (x < x0 + (y - y0) * ((x1 - x0) / (y1 - y0)))
        inside[nodes] = crossings
        return inside
