"""Bands of numbers in whole multiples of a smallest unit: their starts, and the band of a number.

A number is known by its key. If bands are closed on the left, the key is the number in units; if they
are closed on the right, it is one less. Either way a number is right of a boundary if its key is
not below the boundary, so that one arithmetic serves both.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple, Protocol

from engine.cached import cached_property

Place = int | Literal["bottom", "top"]
"""A band of level 1 by its number, or the group at an end."""


class Grid(Protocol):
    """The beginnings of the bands of level 1."""

    def index(self, key: int) -> int:
        """The number of the band a key is in."""

    def start(self, index: int) -> int:
        """Return the beginning of a band."""

    @property
    def n_bands(self) -> int | None:
        """The number of bands, numbered from 0; None if they have no end."""


@dataclass(frozen=True)
class EvenGrid:
    """Bands of one width, without end in both directions."""

    origin: int
    width: int
    n_bands: None = None

    def index(self, key: int) -> int:
        """The number of the band a key is in; that which begins at the origin is 0."""
        return (key - self.origin) // self.width

    def start(self, index: int) -> int:
        """Return the beginning of a band."""
        return self.origin + index * self.width


@dataclass(frozen=True)
class CutGrid:
    """Bands between neighbouring cuts."""

    cuts: tuple[int, ...]

    @property
    def n_bands(self) -> int:
        """One less than cuts."""
        return len(self.cuts) - 1

    def index(self, key: int) -> int:
        """The number of the band a key is in; outside the cuts, -1 or the number of bands."""
        return bisect_right(self.cuts, key) - 1

    def start(self, index: int) -> int:
        """Return the beginning of a band; beyond the bands, the last cut."""
        return self.cuts[min(index, len(self.cuts) - 1)]


class Edge(NamedTuple):
    """An end of a group, in units.

    Attributes
    ----------
    is_inside : bool
        Whether the number at the edge belongs to the group.
    """

    units: int
    is_inside: bool


@dataclass(frozen=True)
class Bands:
    """The groups of level 1, and what joins them above.

    Attributes
    ----------
    closed : str
        "left" or "right".
    bottom, top : int or None
        The boundaries of the groups at the ends.
    snap_bottom, snap_top : int or None
        Numbers beyond, up to `bottom` and `top`, join the band at its inside.
    minimum, maximum : int or None
        The smallest and the largest number there may be.
    """

    grid: Grid
    closed: str
    bottom: int | None = None
    top: int | None = None
    snap_bottom: int | None = None
    snap_top: int | None = None
    minimum: int | None = None
    maximum: int | None = None

    def key(self, units: int) -> int:
        """The key of a number."""
        return units - (self.closed == "right")

    @cached_property
    def ends(self) -> tuple[int | None, int | None]:
        """Starts of the groups at the ends: bottom, top, and outside of cuts unless these snap."""
        lows = [] if self.bottom is None else [self.bottom]
        highs = [] if self.top is None else [self.top]
        n_bands = self.grid.n_bands
        if n_bands is not None:
            lows += [self.grid.start(0)] * (self.snap_bottom is None or not n_bands)
            highs += [self.grid.start(n_bands)] * (self.snap_top is None or not n_bands)
        low, high = max(lows, default=None), min(highs, default=None)
        if low is None or high is None or low <= high:
            return low, high
        # Bottom or top lies outside the cuts: everything beyond it is the other end.
        end = low if low == self.bottom else high
        return end, end

    @cached_property
    def snapped(self) -> tuple[int | None, int | None]:
        """The first and the last band, where numbers beyond join them."""
        n_bands = self.grid.n_bands
        if n_bands == 0:
            return None, None
        first = None if self.snap_bottom is None else self.grid.index(self.snap_bottom)
        last = None if self.snap_top is None else self.grid.index(self.snap_top - 1)
        if n_bands is not None:
            first = None if first is None else min(max(first, 0), n_bands - 1)
            last = None if last is None else min(max(last, 0), n_bands - 1)
        return first, last

    def place(self, key: int) -> Place:
        """The group of level 1 a key is in."""
        bottom, top = self.ends
        if bottom is not None and key < bottom:
            return "bottom"
        if top is not None and key >= top:
            return "top"
        return self._band(key)

    def edges(self, index: int, n_joined: int) -> tuple[Edge | None, Edge | None]:
        """Return the two ends of a group of `n_joined` bands; None if it has no end."""
        (bottom, top), (first, last) = self.ends, self.snapped
        is_left = self.closed == "left"
        low, high = self.grid.start(index * n_joined), self.grid.start((index + 1) * n_joined)
        return (
            _outermost(bottom, self.minimum, is_left)
            if first is not None and index == first // n_joined
            else Edge(low if bottom is None else max(low, bottom), is_left),
            _outermost(top, self.maximum, not is_left)
            if last is not None and index == last // n_joined
            else Edge(high if top is None else min(high, top), not is_left),
        )

    def boundaries(self, lowest: int, highest: int, most: int) -> tuple[int, ...]:
        """Boundaries of level 1 that have keys at both sides; none if there are more than `most`.

        Parameters
        ----------
        lowest, highest : int
            The outermost keys.
        """
        low, high = self._within_ends(lowest, highest)
        found = {end for end in self.ends if end is not None and lowest < end <= highest}
        if low <= high:
            first, last = self._band(low), self._band(high)
            if last - first > most:
                return ()
            found.update(self.grid.start(index) for index in range(first + 1, last + 1))
        return tuple(sorted(found))

    def cuts(self, lowest: int, highest: int, n_joined: int, most: int) -> tuple[int, ...]:
        """Cuts that give keys from `lowest` to `highest` the same groups; none if there are more than `most`.

        Bands without end are cut so that up to `n_joined` of them are joined as before.
        """
        if isinstance(self.grid, CutGrid):
            return self.grid.cuts
        keys = [*self._within_ends(lowest, highest)]
        keys += [] if self.snap_bottom is None else [self.snap_bottom]
        keys += [] if self.snap_top is None else [self.snap_top - 1]
        first = self.grid.index(min(keys)) // n_joined * n_joined
        last = (self.grid.index(max(keys)) // n_joined + 1) * n_joined
        if last - first > most:
            return ()
        return tuple(self.grid.start(index) for index in range(first, last + 1))

    def _within_ends(self, lowest: int, highest: int) -> tuple[int, int]:
        bottom, top = self.ends
        return (
            lowest if bottom is None else max(lowest, bottom),
            highest if top is None else min(highest, top - 1),
        )

    def _band(self, key: int) -> int:
        """The band a key is in, those beyond joined to the outermost."""
        index, (first, last) = self.grid.index(key), self.snapped
        if first is not None and index < first:
            return first
        if last is not None and index > last:
            return last
        return index


def _outermost(end: int | None, bound: int | None, is_inside: bool) -> Edge | None:
    """Return how far an outermost band reaches: to the group at the end, to the limit, or without end."""
    if end is not None:
        return Edge(end, is_inside)
    return None if bound is None else Edge(bound, is_inside=True)


def even_width(lowest: int, highest: int, n_bands: int) -> EvenGrid:
    """Return about `n_bands` bands of width 1, 2, 2.5 or 5 times a power of ten, one beginning at 0.

    Parameters
    ----------
    lowest, highest : int
        The first key, and the first one beyond the last.
    """
    best, power = 1, 1
    while power < 2 * (highest - lowest):
        for width in (power, 2 * power, 5 * power // 2, 5 * power):
            if _off(lowest, highest, width, n_bands) <= _off(lowest, highest, best, n_bands):
                best = width
        power *= 10
    return EvenGrid(0, best)


def _off(lowest: int, highest: int, width: int, n_bands: int) -> int:
    return abs(-(-highest // width) - lowest // width - n_bands)


def equal_width(lowest: int, highest: int, n_bands: int) -> tuple[int, ...]:
    """Return cuts into `n_bands` bands of one width, each to the nearest unit; fewer if units are too few."""
    span = highest - lowest
    return tuple(
        dict.fromkeys(lowest + (2 * span * i + n_bands) // (2 * n_bands) for i in range(n_bands + 1))
    )


def equal_records(
    keys: Sequence[int], counts: Sequence[int], closed: str, n_bands: int, *, is_nice: bool
) -> tuple[int, ...]:
    """Return cuts between keys into `n_bands` bands of similar size, fewer if one key has too
    many.

    Parameters
    ----------
    keys : sequence of int
        In increasing order, at least one.
    counts : sequence of int
        Records of each key.
    closed : str
        A cut is at the next number where bands are closed on the left, else at the one before it.
    is_nice : bool
        Take the roundest number that moves at most a quarter of a band's records.
    """
    before = [0, *accumulate(counts)]  # records below each key
    total, cuts, last = before[-1], [], 0
    for i in range(1, n_bands):
        # The cut has `place` keys at its left: the place with the nearest share of the records.
        place = bisect_left(before, -(-total * i // n_bands))
        if place > 1 and total * i - n_bands * before[place - 1] <= n_bands * before[place] - total * i:
            place -= 1
        if not last < place < len(keys):
            continue
        exact = cut = keys[place] if closed == "left" else keys[place - 1] + 1
        if is_nice:
            low = bisect_left(before, -(-total * (4 * i - 1) // (4 * n_bands)))
            high = bisect_right(before, total * (4 * i + 1) // (4 * n_bands)) - 1
            low, high = min(max(low, last + 1), place), max(min(high, len(keys) - 1), place)
            cut = roundest(keys[low - 1] + 1, keys[high], exact)
        cuts.append(cut)
        last = max(place, bisect_left(keys, cut))
    return tuple(cuts)


def roundest(low: int, high: int, near: int) -> int:
    """The number from `low` to `high` with the most zeros at its end, then the fewest fives; the nearest."""
    power = 1
    while power <= max(abs(low), abs(high), 1):
        power *= 10
    while power > 1:
        for step in (power, power // 2, power // 5):
            if -(-low // step) * step <= high:
                nearest = (2 * near + step) // (2 * step) * step
                return min(max(nearest, -(-low // step) * step), high // step * step)
        power //= 10
    return near
