"""The horizontal axis that icicle and histogram share: the room of every place, from 0 to 1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from engine.hierarchies.outline import Outline
from engine.kernels.arrays import FloatArray

_GAP = 0.012  # between the number line and what is no number
_OTHER_ROOM, _OTHER_MOST = 0.04, 0.3
_INSET = 0.1  # of its room: names stand apart, so do their bars
_CLOSED_ROOM = 0.07  # of all values side by side: room for the words of a closed group
_SLIVER = 0.02  # of the mean: room for places without records where width means records


class WidthMeaning(Enum):
    """What the width of a group says."""

    VALUE = "value"
    RECORDS = "records"


@dataclass(frozen=True, eq=False)
class IcicleAxis:
    """Where places lie between 0 and 1.

    Attributes
    ----------
    edges : ndarray of float64, shape (n_places + 1,)
        The room of place i reaches from `edges[i]` to `edges[i + 1]`.
    lefts, rights : ndarray of float64, shape (n_places,)
        The bar of each place within its room.
    centers : ndarray of float64, shape (n_places,)
        Where the number of a place lies on a number line; the middle of the room otherwise.
    numbers : tuple of two floats, optional
        The numbers at 0 and at `numbers_end`, where there is a number line.
    numbers_end : float
        Where the number line ends; what is no number stands behind.
    """

    edges: FloatArray
    lefts: FloatArray
    rights: FloatArray
    centers: FloatArray
    numbers: tuple[float, float] | None = None
    numbers_end: float = 1.0

    def unit_of(self, number: float) -> float:
        """Where a number lies."""
        assert self.numbers is not None, "the axis is no number line"
        low, high = self.numbers
        return (number - low) / (high - low) * self.numbers_end

    def number_at(self, unit: float) -> float:
        """Which number lies somewhere."""
        assert self.numbers is not None, "the axis is no number line"
        low, high = self.numbers
        return low + unit / self.numbers_end * (high - low)


def axis_of(shown: Outline, meaning: WidthMeaning) -> IcicleAxis:
    """The axis of an outline: a number line where its places are numbers, equal widths or records else."""
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
    """Rooms end half way to the next number; a bar is no wider than the usual step between numbers."""
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
