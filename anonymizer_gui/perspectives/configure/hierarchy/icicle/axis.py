"""Horizontal axis shared by icicle and histogram: an interval within [0, 1] per place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from engine.hierarchies.outline import Outline
from engine.kernels.arrays import FloatArray

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
        assert self.numbers is not None, "the axis is no number line"
        low, high = self.numbers
        return (number - low) / (high - low) * self.numbers_end

    def number_at(self, unit: float) -> float:
        """Return the number at a position."""
        assert self.numbers is not None, "the axis is no number line"
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
