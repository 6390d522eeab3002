"""Sums over failing cells for every threshold that a knob may be turned to next, made while it rests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import FloatArray, IntArray
from engine.monitor import SILENT, Monitor
from engine.params import Integer, Real
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.base import Relation
from engine.scoring.lookups.failing_kinds import (
    apart_from_threshold,
    by_content,
    failing_any,
    ordered_kinds,
)

if TYPE_CHECKING:
    from collections.abc import Hashable

    from engine.scoring.cells.content_classes import ContentClasses
    from engine.scoring.lookups.sorted_tables import SortedTables
    from engine.scoring.scored import ScoredNodes

MOST_TABLES = 8  # thresholds with sums, the oldest of which are dropped
MOST_STEPS = 64  # thresholds below and above the present one
MEMORY = 32 << 20  # bytes of the sums by one threshold; those by t of Adult take 11 MB
NODES_AT_ONCE = 512  # nodes between two looks at the monitor
FAMILY = "turned thresholds"


class FailingSums(NamedTuple):
    """Sums over the failing cells of some nodes from the present state on.

    Attributes
    ----------
    nodes : ndarray of int64
    records : ndarray of int, shape (len(nodes),)
    fields : ndarray of int, shape (n_fields, len(nodes))
    """

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
        Records and fields of cells by rank; 0 is that of cells that fail by each threshold. Added up here.
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
        return FailingSums(self._nodes, found[0], found[1:])


def find_turned(profile: ScoredNodes, requirement: Requirement, most: int) -> FailingSums | None:
    """Return the sums over failing cells of a requirement if they were made while a knob rested."""
    turns: list[tuple[PrivacyModel | None, float]] = [
        (model, model.limit) for model in by_content(requirement)
    ]
    for model, threshold in [*turns, (None, requirement.k or 1)]:
        table: TurnedThreshold | None = profile.own.find(FAMILY, _key(requirement, model, most))
        found = None if table is None else table.failing(threshold)
        if found is not None:
            return found
    return None


def are_prepared(profile: ScoredNodes, classes: ContentClasses, requirement: Requirement, most: int) -> bool:
    """Return whether the sums of every threshold were made, or cannot be made."""
    models = by_content(requirement)
    turned = [model for model in models if ordered_kinds(profile, classes, model) is not None]
    keys = (_key(requirement, model, most) for model in (*turned, None))
    return not models or all(profile.own.has(FAMILY, key) for key in keys)


def prepare_turns(
    profile: ScoredNodes,
    classes: ContentClasses,
    tables: SortedTables,
    requirement: Requirement,
    most: int,
    monitor: Monitor = SILENT,
) -> None:
    """Make the sums for other thresholds of every model, of nodes that may be within a limit.

    Raises
    ------
    CancelledError
        If the monitor cancels; then the sums of the present model are not kept.
    """
    models, k = by_content(requirement), requirement.k or 1
    for model in (*models, None):
        key = _key(requirement, model, most)
        if profile.own.has(FAMILY, key):
            continue
        if model is None:
            sizes = np.arange(max(k - MOST_STEPS, 1), k + MOST_STEPS + 1)
            ranks = (1 + np.searchsorted(sizes, classes.sizes, side="right")).astype(np.int16)
            least, thresholds = int(sizes[0]), sizes.astype(np.float64)
            failing = ~failing_any(profile, classes, models)
        else:
            ordered = ordered_kinds(profile, classes, model)
            if ordered is None:
                continue
            least, thresholds = k, _around(model)
            ranks = ordered.ranks(thresholds)
            failing = failing_any(profile, classes, [other for other in models if other is not model])
        fails_below = model is not None and model.relation is Relation.AT_LEAST
        states, gone = tables.states(least)
        nodes = np.flatnonzero(gone <= most)
        shape = len(thresholds) + 2, 1 + len(tables.fields)
        if shape[0] * shape[1] * len(nodes) * np.dtype(tables.sum_type).itemsize > MEMORY:
            thresholds, nodes = thresholds[:0], nodes[:0]  # noted, so that it is not tried again
            shape = 2, shape[1]
        sums = np.empty((*shape, len(nodes)), dtype=tables.sum_type)
        for first in range(0, len(nodes), NODES_AT_ONCE):
            monitor.step(first, len(nodes))
            part = nodes[first : first + NODES_AT_ONCE]
            own = np.zeros((*shape, len(part)), dtype=sums.dtype)
            tables.sums_by_rank(part, states, failing, ranks, own, only_others=model is None)
            sums[:, :, first : first + NODES_AT_ONCE] = own
        made = TurnedThreshold(thresholds, nodes, sums, fails_below=fails_below)
        profile.own.put(FAMILY, key, made, MOST_TABLES)


def _around(model: PrivacyModel) -> FloatArray:
    """Return the thresholds around that of a model which can be typed, ascending."""
    parameter = model.threshold_parameter()
    assert isinstance(parameter, (Integer, Real)), "a threshold is a number"
    scale = 10 ** (parameter.decimals if isinstance(parameter, Real) else 0)
    middle = round(model.limit * scale)
    typed = (place / scale for place in range(middle - MOST_STEPS, middle + MOST_STEPS + 1))
    return np.array([value for value in typed if parameter.minimum <= value <= parameter.maximum])


def _key(requirement: Requirement, model: PrivacyModel | None, most: int) -> Hashable:
    """Return what the sums by the threshold of a model depend on, by the class size if there is none."""
    if model is None:
        return None, by_content(requirement), most
    others = tuple(other for other in by_content(requirement) if other is not model)
    return apart_from_threshold(model), others, requirement.k, most
