"""Look-ups over sorted cells: class sizes by tables, other models by a bit per kind of class."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

import numpy as np

from engine.cached import cached_property
from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.scoring.cells.label_sums import PackedSums
from engine.scoring.cells.snapshot import Array, CellSnapshot
from engine.scoring.lookups.bounded import BoundedRecords
from engine.scoring.lookups.by_cell import CellLookup
from engine.scoring.lookups.failing_kinds import Bits, by_content, failing_kinds
from engine.scoring.lookups.level_sums import LevelSums
from engine.scoring.lookups.sorted_tables import FailingCells, SortedTables
from engine.scoring.lookups.turned_threshold import are_prepared, find_turned, prepare_turns

if TYPE_CHECKING:
    from engine.scoring.cells.content_classes import ContentClasses
    from engine.scoring.scored import ScoredNodes


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
        """Make the sums for other thresholds of every model; see `turned_threshold.prepare_turns`."""
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
