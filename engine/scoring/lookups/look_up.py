"""Look-ups: the values under a requirement that metrics read, and the choice of their source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.lattice import Lattice
from engine.privacy import Requirement
from engine.privacy.repetition import repeats
from engine.scoring.acceleration import kernels
from engine.scoring.cells.snapshot import CellSnapshot
from engine.scoring.lookups.bounded import BoundedRecords
from engine.scoring.lookups.by_cell import CellLookup
from engine.scoring.lookups.by_node import NodeLookup
from engine.scoring.lookups.by_sets import set_lookup
from engine.scoring.lookups.by_size import SizeLookup
from engine.scoring.lookups.by_sorted_cells import Scan, SortedLookup
from engine.scoring.lookups.compiled import MOST_RECORDS, CompiledLookup, PlainCells, plain_cells
from engine.scoring.lookups.level_sums import LevelSums
from engine.scoring.lookups.size_tables import SizeTables, size_tables
from engine.scoring.lookups.sorted_tables import SortedTables, sorted_tables

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes


class Lookup(Protocol):
    """Values of all nodes by number (0 if not scored), or of chosen scored nodes."""

    @property
    def suppressed(self) -> Counts:
        """Records of classes that fail the requirement."""

    def bounded(self, most: int) -> BoundedRecords:
        """Return suppressed records as far as a limit needs them.

        Parameters
        ----------
        most : int
            Nodes that suppress at most this number of records are exact; for others a lower bound is enough.
        """

    @property
    def kept_classes(self) -> Counts:
        """Classes that meet the requirement."""

    @property
    def kept_squares(self) -> Counts:
        """Sum of their squared numbers of records."""

    @property
    def kept_sizes(self) -> Counts:
        """Sum of their sizes: records, or persons of each if persons have several."""

    @property
    def kept_k(self) -> Counts:
        """Size of the smallest of them; 0 if none is kept."""

    def kept_leaves(self, attribute: int) -> Counts:
        """Return the sum over kept records of the leaves that their label covers."""

    def kept_spans(self, attribute: int) -> FloatArray:
        """Return the sum over kept records of the numeric width of their label."""

    def at(self, nodes: IntArray) -> Self:
        """Return the values of some scored nodes, in the given order."""


def level_sums(profile: ScoredNodes) -> LevelSums:
    """Sums that depend only on the problem, shared by parts of one lattice."""
    return profile.of_problem.get("levels", None, lambda: LevelSums(profile))


def is_whole(profile: ScoredNodes, cells: CellSnapshot) -> bool:
    """Return whether every node of a complete lattice is in the snapshot, so that nothing will be added."""
    return isinstance(profile.lattice, Lattice) and len(cells.nodes) == profile.lattice.n_nodes


def plain_cells_of(profile: ScoredNodes, cells: CellSnapshot) -> PlainCells:
    """Return a snapshot as kernels read it, cached once it is final."""
    if not is_whole(profile, cells):
        return plain_cells(cells)
    return profile.own.get("cells", None, lambda: plain_cells(cells))


def _tables(profile: ScoredNodes, cells: CellSnapshot) -> SizeTables | None:
    """Return the tables by class size of a complete profile; None if they would take too much memory."""
    plain, levels = plain_cells_of(profile, cells), level_sums(profile)
    return profile.own.get("tables", None, lambda: size_tables(plain, cells.label_sums, profile, levels))


def _sorted_tables(profile: ScoredNodes, cells: CellSnapshot) -> SortedTables | None:
    """Return the tables over sorted cells of a complete profile; None if they would take too much memory."""
    plain, levels = plain_cells_of(profile, cells), level_sums(profile)
    return profile.own.get("sorted", None, lambda: sorted_tables(plain, cells, profile, levels))


def look_up(profile: ScoredNodes, cells: CellSnapshot, requirement: Requirement) -> Lookup:
    """Choose how a requirement is evaluated: by tables, by compiled sums over cells, or by numpy.

    Only sorted cells of a complete profile are looked up no further than the suppression limit needs.
    """
    levels, problem = level_sums(profile), profile.problem
    if repeats(problem, requirement):
        by_kernels = set_lookup(profile, cells, requirement)
        return by_kernels or NodeLookup(profile, requirement, cells.nodes)
    suits_kernels = problem.repeated is None and problem.n_records <= MOST_RECORDS
    if kernels() is None or not suits_kernels or not len(cells.nodes):
        return CellLookup(profile, levels, cells, requirement)
    has_tables = is_whole(profile, cells) and kernels("by_size") is not None
    if has_tables and cells.are_sorted and kernels("sorted_cells") is not None:
        sorted_by_size = _sorted_tables(profile, cells)
        if sorted_by_size is not None:
            scan = profile.own.get("scan", None, Scan)
            return SortedLookup(profile, levels, cells, requirement, sorted_by_size, scan)
    elif has_tables and requirement.is_by_size:
        tables = _tables(profile, cells)
        if tables is not None:
            return SizeLookup(tables, requirement.k or 1, lambda: _by_cells(profile, cells, requirement))
    return _by_cells(profile, cells, requirement)


def _by_cells(profile: ScoredNodes, cells: CellSnapshot, requirement: Requirement) -> CompiledLookup:
    arrays = plain_cells_of(profile, cells)
    return CompiledLookup(profile, level_sums(profile), cells, requirement, arrays)
