"""Bars of the records per value; where values are narrower than pixels, several share a bar."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonymizer_gui.perspectives.configure.hierarchy.icicle_axis import IcicleAxis
from engine.kernels.arrays import Counts, IntArray, Reals

SHARED_WIDTH = 3.0  # px of a bar that several values share, its gap included
_GAP_FROM = 4.0  # px: wider bars stand apart


@dataclass(frozen=True, eq=False)
class Bars:
    """The bars in view, from left to right.

    Attributes
    ----------
    lefts, rights : ndarray of float64, shape (n_bars,)
        Pixels.
    firsts, lasts : ndarray of int64, shape (n_bars,)
        The places of a bar are those from `firsts[i]` to before `lasts[i]`.
    is_shared : bool
        Whether a bar stands for all values within its width.
    """

    lefts: Reals
    rights: Reals
    firsts: IntArray
    lasts: IntArray
    is_shared: bool

    def sums(self, running: Counts) -> Counts:
        """Add up per bar; `running` is 0 and then the sum up to each place, shape (n_places + 1,)."""
        found: Counts = running[self.lasts] - running[self.firsts]
        return found

    def places_at(self, x: float) -> tuple[int, int] | None:
        """The places of the bar closest to a pixel, if bars are shared and one is near."""
        if not len(self.lefts):
            return None
        middles = (self.lefts + self.rights) / 2
        bar = int(np.argmin(np.abs(middles - x)))
        if abs(middles[bar] - x) > SHARED_WIDTH:
            return None
        return int(self.firsts[bar]), int(self.lasts[bar])


def bars_of(axis: IcicleAxis, left: float, width: float, first_unit: float, last_unit: float) -> Bars:
    """The bars between two places of the axis, drawn from pixel `left` on `width` pixels."""
    scale = width / (last_unit - first_unit)
    first = int(np.searchsorted(axis.edges, first_unit, side="right")) - 1
    last = int(np.searchsorted(axis.edges, last_unit, side="left"))
    first, last = max(first, 0), min(max(last, first + 1), len(axis.centers))
    if last - first > width / SHARED_WIDTH:
        return _shared(axis, left, width, first_unit, scale, first, last)
    lefts: Reals = left + (axis.lefts[first:last] - first_unit) * scale
    rights: Reals = left + (axis.rights[first:last] - first_unit) * scale
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
    begins: Reals = left + np.arange(n_bars + 1, dtype=np.float64) * SHARED_WIDTH
    units = first_unit + (begins - left) / scale
    places = np.clip(np.searchsorted(axis.centers, units), first, last)
    kept = np.diff(places) > 0
    lefts = begins[:-1][kept]
    return Bars(lefts, lefts + SHARED_WIDTH - 1, places[:-1][kept], places[1:][kept], True)
