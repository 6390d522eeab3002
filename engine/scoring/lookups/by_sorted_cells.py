"""Look-ups over sorted cells: class sizes by tables, other models by a bit per kind of class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.monitor import SILENT, Monitor
from engine.params import Integer, Real
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.base import Relation
from engine.scoring.cells.label_sums import PackedSums
from engine.scoring.cells.snapshot import Array, CellSnapshot
from engine.scoring.lookups.bounded import BoundedRecords
from engine.scoring.lookups.by_cell import CellLookup
from engine.scoring.lookups.failing_kinds import (
    Bits,
    apart_from_threshold,
    by_content,
    failing_any,
    failing_kinds,
    ordered_kinds,
)
from engine.scoring.lookups.level_sums import LevelSums
from engine.scoring.lookups.sorted_tables import FailingCells, SortedTables

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


class Scan:
    """The failing cells that a look-up read last, from which the next one continues."""

    def __init__(self) -> None:
        self.known: FailingCells | None = None  # replaced as a whole, as any thread may continue


class _Found(NamedTuple):
    """Failing cells of one look-up.

    Attributes
    ----------
    cells : FailingCells or None
        None if sums by threshold gave the others.
    records : BoundedRecords
    fields : ndarray of int64, shape (n_nodes, n_fields)
        Sums over failing cells from the state on, of nodes within the limit.
    up_to : int
        The limit in records.
    """

    cells: FailingCells | None
    records: BoundedRecords
    fields: Counts
    up_to: int


class SortedLookup(CellLookup):
    """A `CellLookup` of a complete profile that can stop at a limit; see `bounded`.

    Parameters
    ----------
    profile : ScoredNodes
    levels : LevelSums
    cells : CellSnapshot
        All nodes, with cells sorted by class size.
    requirement : Requirement
    tables : SortedTables
        Tables of the same cells.
    scan : Scan
        Shared by all look-ups of the profile.
    """

    _shared: ClassVar[tuple[str, ...]] = (
        *CellLookup._shared,
        "_requirement",
        "_tables",
        "_states",
        "_gone",
        "_failing",
        "_found",
    )

    def __init__(
        self,
        profile: ScoredNodes,
        levels: LevelSums,
        cells: CellSnapshot,
        requirement: Requirement,
        tables: SortedTables,
        scan: Scan,
    ) -> None:
        self._profile, self._levels, self._cells = profile, levels, cells
        self._requirement, self._tables = requirement, tables
        self._nodes: IntArray | None = None
        self._states, self._gone = tables.states(requirement.k or 1)
        self._scan = scan
        self._found: _Found | None = None

    def at(self, nodes: IntArray) -> Self:
        if self._found is None or self._found.cells is not None:
            _ = self._failing  # marked once for all parts
        return super().at(nodes)

    def bounded(self, most: int) -> BoundedRecords:
        """Return suppressed records, exact for nodes that suppress at most a number of records.

        Nodes with too many records in too small classes are not visited; others are given up once they exceed
        the number. Only cells are read that an earlier look-up did not read, and none if the sums by this
        threshold were made, see `prepare_turns`.
        """
        if not by_content(self._requirement):
            return BoundedRecords.exact(self._gone.astype(np.int64))
        found = self._found
        if found is None:
            self._found = found = self._find_turned(most)
        if found is None or found.up_to < most:
            known = self._scan.known if found is None or found.cells is None else found.cells
            assert self._failing is not None, "some model selects kinds"
            cells, records = self._tables.follow_limit(known, self._states, self._gone, self._failing, most)
            self._scan.known = cells
            self._found = found = _Found(cells, records, cells.fields, most)
        return found.records

    def _find_turned(self, most: int) -> _Found | None:
        """Return the failing cells by the sums that were made for this threshold; None if there are none."""
        sums = find_turned(self._profile, self._requirement, most)
        if sums is None:
            return None
        at_least, is_exact = self._gone.astype(np.int64), np.zeros(len(self._gone), dtype=np.bool_)
        at_least[sums.nodes] += sums.records
        is_exact[sums.nodes] = self._gone[sums.nodes] <= most  # others as if they had not been visited
        fields = np.zeros((len(at_least), len(sums.fields)), dtype=np.int64)
        fields[sums.nodes] = sums.fields.T
        return _Found(None, BoundedRecords(at_least, is_exact), fields, most)

    def has_turns(self, most: int) -> bool:
        """Return whether `prepare_turns` has nothing left to make."""
        return are_prepared(self._profile, self._classes, self._requirement, most)

    def prepare_turns(self, most: int, monitor: Monitor = SILENT) -> None:
        """Make the sums for other thresholds of every model; see `prepare_turns`."""
        if by_content(self._requirement):
            prepare_turns(self._profile, self._classes, self._tables, self._requirement, most, monitor)

    @cached_property
    def suppressed(self) -> Counts:
        found, nodes = self._found, self._wanted
        if found is not None and found.records.is_exact[nodes].all():
            return found.records.at_least[nodes]
        if self._failing is None:
            return self._gone[nodes].astype(np.int64)
        return self._tables.failing_records(nodes, self._states, self._gone, self._failing)

    @property
    def kept_classes(self) -> Counts:
        return np.asarray(self._class_sums[0])

    @property
    def kept_squares(self) -> Counts:
        return np.asarray(self._class_sums[1])

    @cached_property
    def kept_k(self) -> Counts:
        return self._tables.smallest(self._wanted, self._states, self._failing)

    def _kept_label_sums(self, name: str, totals: Array) -> Array:
        packed = self._cells.label_sums
        if not isinstance(packed, PackedSums) or name not in packed.fields:
            return super()._kept_label_sums(name, totals)
        sums, scale = self._field_sums[self._tables.fields.index(name)], packed.fields[name].scale
        return np.asarray(totals - (sums if scale is None else sums * scale))

    @property
    def _wanted(self) -> IntArray:
        return np.arange(len(self._gone)) if self._nodes is None else self._nodes

    @cached_property
    def _failing(self) -> Bits | None:
        return failing_kinds(self._profile, self._classes, self._requirement)

    @property
    def _classes(self) -> ContentClasses:
        from engine.scoring.cells.content_classes import ContentClasses  # imports the compiler

        classes = self._cells.classes
        assert isinstance(classes, ContentClasses), "cells are sorted if they are made by content"
        return classes

    @cached_property
    def _met(self) -> BoolArray:  # type: ignore[override]  # an attribute there
        return self._requirement.fulfilled(self._cells.classes)

    @cached_property
    def _field_sums(self) -> Counts:
        """Sums of every field over failing cells, shape (n_fields, n_nodes)."""
        nodes, found = self._wanted, self._found
        sums = self._tables.sums_before(nodes, self._states)
        if by_content(self._requirement) and len(sums):
            if found is not None and (found.records.at_least[nodes] <= found.up_to).all():
                sums += found.fields[nodes].T
            else:
                assert self._failing is not None, "some model selects kinds"
                sums += self._tables.sums_after(nodes, self._states, self._failing)
        return sums

    @cached_property
    def _class_sums(self) -> Counts:
        return self._tables.class_sums(self._wanted, self._states, self._failing)
