"""What a requirement leaves of scored nodes: the figures that metrics are made of, and who supplies them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

from engine.kernels.arrays import Counts, IntArray, Reals
from engine.lattice import Lattice
from engine.privacy import Requirement
from engine.privacy.whole_persons import suppresses_whole
from engine.scoring.acceleration import kernels
from engine.scoring.cells.snapshot import CellSnapshot
from engine.scoring.lookups.by_cell import CellLookup
from engine.scoring.lookups.by_node import NodeLookup
from engine.scoring.lookups.by_size import SizeLookup
from engine.scoring.lookups.compiled import MOST_RECORDS, CompiledLookup, PlainCells, plain_cells
from engine.scoring.lookups.level_sums import LevelSums
from engine.scoring.lookups.size_tables import SizeTables, size_tables

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes


class Lookup(Protocol):
    """Figures of all nodes by number (0 where not scored), or of chosen scored nodes."""

    @property
    def suppressed(self) -> Counts:
        """Records of classes that miss the requirement."""

    @property
    def kept_classes(self) -> Counts:
        """Classes that meet the requirement."""

    @property
    def kept_squares(self) -> Counts:
        """Sum of their squared numbers of records."""

    @property
    def kept_sizes(self) -> Counts:
        """Sum of their sizes: records, or persons of each where these have several."""

    @property
    def kept_k(self) -> Counts:
        """Size of the smallest of them; 0 where none is kept."""

    def kept_leaves(self, attribute: int) -> Counts:
        """Sum over kept records of the leaves that their label covers."""

    def kept_spans(self, attribute: int) -> Reals:
        """Sum over kept records of the numeric width of their label."""

    def at(self, nodes: IntArray) -> Self:
        """The figures of some scored nodes, in the order given."""


def level_sums(profile: ScoredNodes) -> LevelSums:
    """Depend on the problem alone, so that parts of one lattice share them."""
    return profile.of_problem.get("levels", None, lambda: LevelSums(profile))


def is_whole(profile: ScoredNodes, cells: CellSnapshot) -> bool:
    """Whether every node of a whole lattice is in the snapshot, so that nothing is added any more."""
    return isinstance(profile.lattice, Lattice) and len(cells.nodes) == profile.lattice.n_nodes


def plain_cells_of(profile: ScoredNodes, cells: CellSnapshot) -> PlainCells:
    """A snapshot as kernels read it; kept once it does not change any more."""
    if not is_whole(profile, cells):
        return plain_cells(cells)
    return profile.own.get("cells", None, lambda: plain_cells(cells))


def _tables(profile: ScoredNodes, cells: CellSnapshot) -> SizeTables | None:
    """The tables by class size of a complete profile; None where they would take too much memory."""
    plain, levels = plain_cells_of(profile, cells), level_sums(profile)
    return profile.own.get("tables", None, lambda: size_tables(plain, cells.label_sums, profile, levels))


def look_up(profile: ScoredNodes, cells: CellSnapshot, requirement: Requirement) -> Lookup:
    """Choose how a requirement is judged: by tables, by compiled sums over cells, or by numpy."""
    levels, problem = level_sums(profile), profile.problem
    if suppresses_whole(problem, requirement):
        return NodeLookup(profile, requirement, cells.nodes)
    suits_kernels = problem.repeated is None and problem.n_records <= MOST_RECORDS
    if kernels() is None or not suits_kernels or not len(cells.nodes):
        return CellLookup(profile, levels, cells, requirement)
    if is_whole(profile, cells) and requirement.is_by_size:
        tables = _tables(profile, cells)
        if tables is not None:
            return SizeLookup(tables, requirement.k or 1, lambda: _by_cells(profile, cells, requirement))
    return _by_cells(profile, cells, requirement)


def _by_cells(profile: ScoredNodes, cells: CellSnapshot, requirement: Requirement) -> CompiledLookup:
    arrays = plain_cells_of(profile, cells)
    return CompiledLookup(profile, level_sums(profile), cells, requirement, arrays)
