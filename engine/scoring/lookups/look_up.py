"""Look-ups: the values under a requirement that metrics read, and the choice of their source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.lattice import Lattice
from engine.privacy import Requirement
from engine.privacy.repetition import repeats
from engine.scoring.acceleration import kernels
from engine.scoring.cells.label_sums import PackedSums
from engine.scoring.cells.snapshot import CellSnapshot
from engine.scoring.lookups.by_cell import BoundedRecords, CellLookup
from engine.scoring.lookups.by_node import NodeLookup
from engine.scoring.lookups.by_sorted_cells import SortedLookup
from engine.scoring.lookups.sorted_tables import MOST_RECORDS, SortedTables, plain_cells, sorted_tables

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes


class Lookup(Protocol):
    """Values of all nodes by number (0 if not scored), or of chosen scored nodes."""

    @property
    def suppressed(self) -> Counts:
        """Records of classes that fail the requirement."""

    def bounded(self, most: int) -> BoundedRecords:
        """Return suppressed records, computed only if a limit needs them.

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


def is_whole(profile: ScoredNodes, cells: CellSnapshot) -> bool:
    """Return whether every node of a complete lattice is in the snapshot, so that nothing will be added."""
    return isinstance(profile.lattice, Lattice) and len(cells.nodes) == profile.lattice.n_nodes


def _sorted_tables(profile: ScoredNodes, cells: CellSnapshot) -> SortedTables | None:
    """Return the tables over sorted cells of a complete profile; None if they would take too much memory."""
    packed, weights = cells.label_sums, profile.scorer.weights
    assert isinstance(packed, PackedSums), "kernels, which sort cells, pack label sums"
    return profile.own.get("tables", None, lambda: sorted_tables(plain_cells(cells), packed, weights))


def look_up(profile: ScoredNodes, cells: CellSnapshot, requirement: Requirement) -> Lookup:
    """Choose how a requirement is evaluated: by tables of a complete profile, or by a pass over the cells.

    Only sorted cells are looked up no further than the suppression limit needs.
    """
    problem = profile.problem
    if repeats(problem, requirement):
        return NodeLookup(profile, requirement, cells.nodes)
    suits_tables = problem.repeated is None and problem.n_records <= MOST_RECORDS and cells.are_sorted
    needed = "by_size" if requirement.is_by_size else "sorted_cells" if problem.has_contents else None
    if suits_tables and is_whole(profile, cells) and needed and kernels(needed) is not None:
        tables = _sorted_tables(profile, cells)
        if tables is not None:
            return SortedLookup(profile, cells, requirement, tables)
    return CellLookup(profile, cells, requirement)
