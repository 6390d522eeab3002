"""Tables over cells sorted by class size, computed once for a complete profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.cached import cached_property
from engine.kernels.arrays import Counts, IntArray
from engine.scoring.acceleration import required
from engine.scoring.cells.label_sums import PackedSums
from engine.scoring.cells.snapshot import CellSnapshot
from engine.scoring.lookups.bounded import BoundedRecords
from engine.scoring.lookups.compiled import MOST_RECORDS, PlainCells, plain
from engine.scoring.lookups.level_sums import LevelSums
from engine.scoring.lookups.size_tables import MEMORY, STATE_BYTES, SizeTables, count_states

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes

CELL_BYTES = 4  # bytes of the first cell of a state


class FailingCells(NamedTuple):
    """Cells that were read of every node, and sums over the failing ones; see the kernel `follow_limit`."""

    failing: NDArray[np.uint8]  # a bit per kind of cell
    read: NDArray[np.int32]
    records: Counts
    fields: Counts


class SortedTables:
    """Where the cells of a required class size begin in every node, and the sums of the cells before.

    Parameters
    ----------
    plain_cells : PlainCells
        Cells of every node of a lattice, those of each node sorted by class size.
    packed : PackedSums
        Label sums of the same cells.
    sizes : SizeTables
        The states of the same cells.
    wide : bool
        Whether sums need more than 32 bits.
    """

    def __init__(self, cells: PlainCells, packed: PackedSums, sizes: SizeTables, *, wide: bool) -> None:
        self.cells, self.sizes = cells, sizes
        self.kernels = required("sorted_cells")
        self.state_cells = np.empty(int(sizes.firsts[-1]), dtype=np.int32)
        self.kernels.find_cells(
            cells.bounds, sizes.rows, cells.kinds, cells.sizes, sizes.firsts, self.state_cells
        )
        self.fields = tuple(packed.fields)
        self._places = _places(packed)
        self._words = packed.words.table, packed.words.numbers
        self._wide = wide
        self._most_cells = int(np.diff(cells.bounds).max(initial=0))
        self._same = np.zeros(0, dtype=np.uint8)

    def states(self, k: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the state of every node for a required class size, and the records before it."""
        states = plain(self.sizes.states(k), np.int32)
        gone = self.sizes.gone[k] if k < len(self.sizes.gone) else self.sizes.suppressed[states]
        return states, gone

    @cached_property
    def failing_sums(self) -> NDArray[Any]:
        """Sums of every field over the cells before each state, shape (n_states, n_fields)."""
        sums = np.empty((len(self.state_cells), len(self.fields)), dtype=self.sum_type)
        self.kernels.sum_failing(
            self.sizes.firsts, self.sizes.smallest, self.state_cells, *self._words, self._places, sums
        )
        return sums

    def failing_records(self, nodes: IntArray, states: Any, gone: Any, failing: NDArray[np.uint8]) -> Counts:
        """Return the failing records of nodes."""
        sums = np.empty(len(nodes), dtype=np.int64)
        places = self.sizes.firsts, states, gone, self.state_cells, self.cells.kinds, self.cells.records
        self.kernels.failing_records(nodes, *places, failing, sums)
        return sums

    def follow_limit(
        self, known: FailingCells | None, states: Any, gone: Any, failing: NDArray[np.uint8], most: int
    ) -> tuple[FailingCells, BoundedRecords]:
        """Return the failing cells of all nodes, from those for other states, another limit or other kinds.

        Their records are exact for nodes that do not exceed the limit.
        """
        n_nodes = len(gone)
        if known is None:
            read = np.full((n_nodes, 3), -1, dtype=np.int32)
            sums = np.zeros(n_nodes, dtype=np.int64), np.zeros((n_nodes, len(self.fields)), dtype=np.int64)
            found, former = FailingCells(failing, read, *sums), failing
        else:
            copies = known.read.copy(), known.records.copy(), known.fields.copy()
            found, former = FailingCells(failing, *copies), known.failing
        changes = former ^ failing
        at_least, is_exact = np.empty(n_nodes, dtype=np.int64), np.empty(n_nodes, dtype=np.bool_)
        self.kernels.follow_limit(
            self.sizes.firsts,
            states,
            gone,
            self.state_cells,
            self.cells.kinds,
            self.cells.sizes,
            self.cells.records,
            failing,
            changes if changes.any() else self._same,
            most,
            *self._words,
            self._places,
            *found[1:],
            self._room(),
            at_least,
            is_exact,
        )
        return found, BoundedRecords(at_least, is_exact)

    def _room(self) -> NDArray[np.int32]:
        return np.empty(self._most_cells, dtype=np.int32)

    def sums_by_rank(
        self,
        nodes: IntArray,
        states: Any,
        failing: NDArray[np.uint8],
        ranks: NDArray[np.int16],
        sums: Any,
        *,
        only_others: bool,
    ) -> None:
        """Fill sums over cells from the state on by the rank of their kind; see the kernel."""
        places = self.sizes.firsts, states, self.state_cells, self.cells.kinds, self.cells.sizes
        room = np.zeros(sums.shape[:2], dtype=np.int64)
        given = self.cells.records, failing, ranks, *self._words, self._places, only_others, room
        self.kernels.sum_by_rank(nodes, *places, *given, sums)

    @property
    def sum_type(self) -> DTypeLike:
        """The type that sums of label fields fit."""
        return np.int64 if self._wide else np.int32

    def sums_before(self, nodes: IntArray, states: Any) -> Counts:
        """Return the sums of every field over the cells before the state, shape (n_fields, n_nodes)."""
        before: Counts = self.failing_sums.take(states[nodes], axis=0).T.astype(np.int64)
        return before

    def sums_after(self, nodes: IntArray, states: Any, failing: NDArray[np.uint8]) -> Counts:
        """Return the sums of every field over failing cells from the state on, in the same shape."""
        sums = np.empty((len(nodes), len(self.fields)), dtype=np.int64)
        places = self.sizes.firsts, states, self.state_cells, self.cells.kinds, self.cells.sizes
        self.kernels.failing_fields(nodes, *places, failing, *self._words, self._places, self._room(), sums)
        return sums.T

    def class_sums(self, nodes: IntArray, states: Any, failing: NDArray[np.uint8] | None) -> Counts:
        """Return the kept classes of nodes and the sum of their squared sizes, shape (2, n_nodes)."""
        kept: Counts = self.sizes.classes.take(states[nodes], axis=0).T
        if failing is None:
            return kept
        sums = np.empty((2, len(nodes)), dtype=np.int64)
        places = self.sizes.firsts, states, self.state_cells, self.cells.kinds, self.cells.sizes
        self.kernels.failing_classes(nodes, *places, self.cells.records, failing, sums)
        return np.asarray(kept - sums)

    def smallest(self, nodes: IntArray, states: Any, failing: NDArray[np.uint8] | None) -> Counts:
        """Return the size of the smallest kept class of nodes; 0 if none is kept."""
        if failing is None:
            found: Counts = self.sizes.smallest[states[nodes]].astype(np.int64)
            return found
        sums = np.empty(len(nodes), dtype=np.int64)
        places = self.sizes.firsts, states, self.state_cells, self.cells.kinds, self.cells.sizes
        self.kernels.smallest_kept(nodes, *places, failing, sums)
        return sums


def _places(packed: PackedSums) -> NDArray[np.uint64]:
    places = [(field.word, field.shift, field.mask) for field in packed.fields.values()]
    return np.array(places, dtype=np.uint64).reshape(-1, 3)


def sorted_tables(
    cells: PlainCells, snapshot: CellSnapshot, profile: ScoredNodes, levels: LevelSums
) -> SortedTables | None:
    """Make the tables of a complete profile; None if they would take too much memory."""
    packed = snapshot.label_sums
    assert isinstance(packed, PackedSums), "kernels, which sort cells, pack label sums"
    firsts = count_states(cells)
    wide = _largest(packed, levels) > MOST_RECORDS
    width = (8 if wide else 4) * len(packed.fields)
    if (STATE_BYTES + CELL_BYTES + width) * int(firsts[-1]) > MEMORY // 2:
        return None
    sizes = SizeTables(cells, packed, profile, levels, firsts)
    return SortedTables(cells, packed, sizes, wide=wide)


def _largest(packed: PackedSums, levels: LevelSums) -> float:
    """Return the largest sum of a field over all records of a node."""
    found = 0.0
    for by_level in (*levels.leaves, *levels.spans):
        if by_level is not None and by_level.name in packed.fields:
            scale = packed.fields[by_level.name].scale or 1.0
            found = max(found, float(by_level.totals.max()) / scale)
    return found
