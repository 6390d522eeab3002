"""What a requirement leaves of scored nodes: the figures that metrics are made of, and who supplies them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Protocol, Self
from weakref import WeakKeyDictionary

from engine.frequency import Problem
from engine.kernels.arrays import Counts, IntArray, Reals
from engine.lattice import Lattice
from engine.privacy import Requirement
from engine.privacy.whole_persons import suppresses_whole
from engine.scoring.acceleration import kernels
from engine.scoring.cells import CellSnapshot
from engine.scoring.level_sums import LevelSums
from engine.scoring.lookups_by_cell import CellLookup
from engine.scoring.lookups_by_node import NodeLookup
from engine.scoring.lookups_by_size import SizeLookup
from engine.scoring.lookups_compiled import MOST_RECORDS, CompiledLookup, PlainCells, plain_cells
from engine.scoring.size_tables import SizeTables, size_tables
from engine.utility import UtilityMetric

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes


MOST_FLOORS = 16  # metrics and weights whose least losses are kept; the oldest go first


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


class Kept:
    """What is worked out once for scored nodes and serves every requirement."""

    def __init__(self, profile: ScoredNodes) -> None:
        self.levels = _level_sums(profile)
        self.lock = threading.Lock()
        self.floors: dict[tuple[UtilityMetric, bytes], Reals] = {}
        self._cells: PlainCells | None = None
        self._tables: SizeTables | None = None
        self._has_tables = False

    def keep_floors(self, index: tuple[UtilityMetric, bytes], floors: Reals) -> None:
        """Keep what nodes lose by a metric (as it is set, and weights) with nothing suppressed."""
        with self.lock:
            while len(self.floors) >= MOST_FLOORS:
                del self.floors[next(iter(self.floors))]
            self.floors[index] = floors

    def plain(self, cells: CellSnapshot, *, is_complete: bool) -> PlainCells:
        """The cells as kernels read them; kept once they do not change any more."""
        if not is_complete:
            return plain_cells(cells)
        with self.lock:
            if self._cells is None:
                self._cells = plain_cells(cells)
            return self._cells

    def tables(self, profile: ScoredNodes, cells: CellSnapshot) -> SizeTables | None:
        """The tables by class size of a complete profile; None where they would take too much memory."""
        plain = self.plain(cells, is_complete=True)
        with self.lock:
            if not self._has_tables:
                self._tables = size_tables(plain, cells.label_sums, profile, self.levels)
                self._has_tables = True
            return self._tables


_levels: WeakKeyDictionary[Problem, LevelSums] = WeakKeyDictionary()
_kept: WeakKeyDictionary[ScoredNodes, Kept] = WeakKeyDictionary()
_lock = threading.RLock()


def _level_sums(profile: ScoredNodes) -> LevelSums:
    """Depend on the problem alone, so that parts of one lattice share them."""
    with _lock:
        if profile.problem not in _levels:
            _levels[profile.problem] = LevelSums(profile)
        return _levels[profile.problem]


def kept_for(profile: ScoredNodes) -> Kept:
    """What is kept for scored nodes, as long as they live."""
    with _lock:
        if profile not in _kept:
            _kept[profile] = Kept(profile)
        return _kept[profile]


def is_whole(profile: ScoredNodes, cells: CellSnapshot) -> bool:
    """Whether every node of a whole lattice is in the snapshot, so that nothing is added any more."""
    return isinstance(profile.lattice, Lattice) and len(cells.nodes) == profile.lattice.n_nodes


def plain_cells_of(profile: ScoredNodes, cells: CellSnapshot) -> PlainCells:
    """A snapshot as kernels read it."""
    return kept_for(profile).plain(cells, is_complete=is_whole(profile, cells))


def look_up(profile: ScoredNodes, cells: CellSnapshot, requirement: Requirement) -> Lookup:
    """Choose how a requirement is judged: by tables, by compiled sums over cells, or by numpy."""
    kept, problem = kept_for(profile), profile.problem
    if suppresses_whole(problem, requirement):
        return NodeLookup(profile, requirement, cells.nodes)
    suits_kernels = problem.repeated is None and problem.n_records <= MOST_RECORDS
    if kernels() is None or not suits_kernels or not len(cells.nodes):
        return CellLookup(profile, kept.levels, cells, requirement)
    if is_whole(profile, cells) and requirement.is_by_size:
        tables = kept.tables(profile, cells)
        if tables is not None:
            return SizeLookup(
                tables, requirement.k or 1, lambda: _by_cells(profile, kept.levels, cells, requirement)
            )
    return _by_cells(profile, kept.levels, cells, requirement)


def _by_cells(
    profile: ScoredNodes, levels: LevelSums, cells: CellSnapshot, requirement: Requirement
) -> CompiledLookup:
    return CompiledLookup(profile, levels, cells, requirement, plain_cells_of(profile, cells))
