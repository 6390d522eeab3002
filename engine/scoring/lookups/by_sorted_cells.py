"""Look-ups over sorted cells: class sizes by tables, other models by a bit per kind of class."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

import numpy as np

from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.privacy import Requirement
from engine.scoring.cells.label_sums import PackedSums
from engine.scoring.cells.snapshot import Array, CellSnapshot
from engine.scoring.lookups.bounded import BoundedRecords
from engine.scoring.lookups.by_cell import CellLookup
from engine.scoring.lookups.failing_kinds import Bits, failing_kinds
from engine.scoring.lookups.level_sums import LevelSums
from engine.scoring.lookups.sorted_tables import SortedTables

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes


class _Known(NamedTuple):
    """What was scanned so far.

    Attributes
    ----------
    records : BoundedRecords
    fields : ndarray of int64, shape (n_fields, n_nodes)
        Sums of every field over failing cells from the state on, of nodes within the limit.
    up_to : int
        The limit in records.
    """

    records: BoundedRecords
    fields: Counts
    up_to: int


class Scan:
    """The last scan for some models, which look-ups under other suppression limits continue."""

    def __init__(self) -> None:
        self.known: _Known | None = None


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
        Shared by look-ups of the same models.
    """

    _shared: ClassVar[tuple[str, ...]] = (
        *CellLookup._shared,
        "_requirement",
        "_tables",
        "_states",
        "_gone",
        "_failing",
        "_scan",
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

    def at(self, nodes: IntArray) -> Self:
        _ = self._failing  # marked once for all parts
        return super().at(nodes)

    def bounded(self, most: int) -> BoundedRecords:
        """Return suppressed records, exact for nodes that suppress at most a number of records.

        Nodes with too many records in too small classes are not visited; others are given up once they exceed
        the number. A smaller number than before costs nothing.
        """
        if self._failing is None:
            return BoundedRecords.exact(self._gone.astype(np.int64))
        known = self._scan.known
        if known is None or known.up_to < most:
            self._scan.known = known = self._scanned(most, self._failing, known)
        return known.records

    def _scanned(self, most: int, failing: Bits, known: _Known | None) -> _Known:
        """Scan the nodes that may be within a limit, except those known to be within a smaller one."""
        nodes = self._cells.nodes  # in the order of their cells
        if known is None:
            n_fields = len(self._tables.fields)
            at_least, fields = self._gone.astype(np.int64), np.zeros((n_fields, len(nodes)), dtype=np.int64)
            is_exact = np.zeros(len(nodes), dtype=np.bool_)
            nodes = nodes[self._gone[nodes] <= most]
        else:
            at_least, is_exact = known.records.at_least.copy(), known.records.is_exact.copy()
            fields = known.fields.copy()
            nodes = nodes[(at_least[nodes] <= most) & (at_least[nodes] > known.up_to)]
        found = self._tables.bounded(nodes, self._states, self._gone, failing, most)
        at_least[nodes], is_exact[nodes], fields[:, nodes] = found
        return _Known(BoundedRecords(at_least, is_exact), fields, most)

    @cached_property
    def suppressed(self) -> Counts:
        known, nodes = self._scan.known, self._wanted
        if known is not None and known.records.is_exact[nodes].all():
            return known.records.at_least[nodes]
        if self._failing is None:
            return self._gone[nodes].astype(np.int64)
        everything = self._profile.problem.n_records
        found = nodes, self._states, self._gone, self._failing, everything
        return self._tables.bounded(*found, sums_fields=False)[0]

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
        from engine.scoring.cells.content_classes import ContentClasses  # imports the compiler

        classes = self._cells.classes
        assert isinstance(classes, ContentClasses), "cells are sorted if they are made by content"
        return failing_kinds(self._profile, classes, self._requirement)

    @cached_property
    def _met(self) -> BoolArray:  # type: ignore[override]  # an attribute there
        return self._requirement.fulfilled(self._cells.classes)

    @cached_property
    def _field_sums(self) -> Counts:
        """Sums of every field over failing cells, shape (n_fields, n_nodes)."""
        nodes, known = self._wanted, self._scan.known
        sums = self._tables.sums_before(nodes, self._states)
        if self._failing is not None and len(sums):
            if known is not None and (known.records.at_least[nodes] <= known.up_to).all():
                sums += known.fields[:, nodes]
            else:
                sums += self._tables.sums_after(nodes, self._states, self._failing)
        return sums

    @cached_property
    def _class_sums(self) -> Counts:
        return self._tables.class_sums(self._wanted, self._states, self._failing)
