"""Sums over failing cells for the thresholds around that of a model: a turn from there reads no cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import FloatArray, IntArray
from engine.monitor import Monitor
from engine.params import Integer, Real
from engine.privacy import PrivacyModel
from engine.privacy.base import Relation

if TYPE_CHECKING:
    from engine.scoring.lookups.sorted_tables import SortedTables

MOST_STEPS = 64  # thresholds below and above the present one
MEMORY = 32 << 20  # bytes of the sums; those by t of Adult take 11 MB
NODES_AT_ONCE = 512  # nodes between two looks at the monitor


class FailingSums(NamedTuple):
    """Sums over the failing cells of some nodes from their state on: records, and fields by node."""

    nodes: IntArray
    records: NDArray[Any]
    fields: NDArray[Any]


class TurnedThreshold:
    """Failing cells of nodes by one threshold, all else unchanged.

    Parameters
    ----------
    thresholds : ndarray of float64
        Ascending.
    nodes : ndarray of int64
        The nodes with sums.
    sums : ndarray of int, shape (len(thresholds) + 2, 1 + n_fields, len(nodes))
        Records and fields of cells by rank; 0 is that of cells that fail whatever it is. Added up here.
    fails_below : bool
        Whether cells fail up to the rank of the threshold, or after it.
    """

    def __init__(
        self, thresholds: FloatArray, nodes: IntArray, sums: NDArray[Any], *, fails_below: bool
    ) -> None:
        self._thresholds, self._nodes, self._fails_below = thresholds, nodes, fails_below
        self._always = sums[0].copy()
        sums[0] = 0
        self._sums = np.cumsum(sums, axis=0, dtype=sums.dtype, out=sums)

    def failing(self, threshold: float) -> FailingSums | None:
        """Return the sums over failing cells; None for a threshold without sums."""
        place = int(np.searchsorted(self._thresholds, threshold))
        if place == len(self._thresholds) or self._thresholds[place] != threshold:
            return None
        below = self._sums[place + 1]
        found = self._always + (below if self._fails_below else self._sums[-1] - below)
        return FailingSums(self._nodes, found[0], found[1:].T)


class Turn(NamedTuple):
    """Thresholds that a knob may be turned to, and the rank of every kind among them.

    Attributes
    ----------
    thresholds : ndarray of float64
        Ascending; that of the required class size, or of another model.
    ranks : ndarray of int16, shape (n_kinds,)
        From 1: one more than the thresholds that a kind meets, or that it exceeds if they are upper bounds.
    fails_below : bool
        Whether kinds fail up to the rank of the threshold, or after it.
    is_of_size : bool
        Whether the required class size is turned.
    """

    thresholds: FloatArray
    ranks: NDArray[np.int16]
    fails_below: bool
    is_of_size: bool


def turn_of_size(k: int, sizes: IntArray) -> Turn:
    """Return the turn of the required class size; `sizes` are those of the kinds."""
    wanted = np.arange(max(k - MOST_STEPS, 1), k + MOST_STEPS + 1)
    ranks = (1 + np.searchsorted(wanted, sizes, side="right")).astype(np.int16)
    return Turn(wanted.astype(np.float64), ranks, fails_below=False, is_of_size=True)


def turn_of(model: PrivacyModel, critical: NDArray[Any]) -> Turn:
    """Return the turn of a model; no kind meets it whose value in `critical` is nan."""
    parameter = model.threshold_parameter()
    assert isinstance(parameter, (Integer, Real)), "a threshold is a number"
    scale = 10 ** (parameter.decimals if isinstance(parameter, Real) else 0)
    middle = round(model.limit * scale)
    typed = (place / scale for place in range(middle - MOST_STEPS, middle + MOST_STEPS + 1))
    thresholds = np.array([value for value in typed if parameter.minimum <= value <= parameter.maximum])
    fails_below = model.relation is Relation.AT_LEAST
    met_last = np.where(np.isnan(critical), -np.inf if fails_below else np.inf, critical)
    side: Literal["left", "right"] = "right" if fails_below else "left"
    ranks = (1 + np.searchsorted(thresholds, met_last, side=side)).astype(np.int16)
    return Turn(thresholds, ranks, fails_below=fails_below, is_of_size=False)


def turned_threshold(
    tables: SortedTables, k: int, turn: Turn, failing: NDArray[np.uint8], most: int, monitor: Monitor
) -> TurnedThreshold:
    """Make the sums for the thresholds of a turn, of nodes that may be within a limit.

    Parameters
    ----------
    k : int
        The required class size, or the smallest one if this is turned.
    failing : ndarray of uint8
        A bit per kind, set if it fails another model than the one that is turned.
    most : int
        The limit in records.
    """
    thresholds, (states, gone) = turn.thresholds, tables.states(k)
    nodes = np.flatnonzero(gone <= most)
    n_ranks, n_sums = len(thresholds) + 2, 1 + len(tables.fields)
    if n_ranks * n_sums * len(nodes) * np.dtype(tables.sum_type).itemsize > MEMORY:
        thresholds, nodes, n_ranks = thresholds[:0], nodes[:0], 2  # so that it is known that there are none
    sums = np.empty((n_ranks, n_sums, len(nodes)), dtype=tables.sum_type)
    for first in range(0, len(nodes), NODES_AT_ONCE):
        monitor.step(first, len(nodes))
        part = slice(first, first + NODES_AT_ONCE)
        sums[:, :, part] = tables.sums_by_rank(
            nodes[part], states, failing, turn.ranks, n_ranks, only_failing=turn.is_of_size
        )
    return TurnedThreshold(thresholds, nodes, sums, fails_below=turn.fails_below)
