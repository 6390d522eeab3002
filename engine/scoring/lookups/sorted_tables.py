"""Tables over cells sorted by class size, computed once for a complete profile."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.scoring.acceleration import required
from engine.scoring.cells.label_sums import PackedSums
from engine.scoring.cells.snapshot import CellSnapshot
from engine.scoring.lookups.compiled import MOST_RECORDS, PlainCells, plain
from engine.scoring.lookups.level_sums import LevelSums
from engine.scoring.lookups.size_tables import MEMORY, STATE_BYTES, SizeTables, count_states

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes

CELL_BYTES = 4  # bytes of the first cell of a state


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

    def states(self, k: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the state of every node for a required class size, and the records before it."""
        states = plain(self.sizes.states(k), np.int32)
        gone = self.sizes.gone[k] if k < len(self.sizes.gone) else self.sizes.suppressed[states]
        return states, gone

    @cached_property
    def failing_sums(self) -> NDArray[Any]:
        """Sums of every field over the cells before each state, shape (n_states, n_fields)."""
        sums = np.empty((len(self.state_cells), len(self.fields)), dtype=np.int64 if self._wide else np.int32)
        self.kernels.sum_failing(
            self.sizes.firsts, self.sizes.smallest, self.state_cells, *self._words, self._places, sums
        )
        return sums

    def bounded(
        self,
        nodes: IntArray,
        states: Any,
        gone: Any,
        failing: NDArray[np.uint8],
        most: int,
        *,
        sums_fields: bool = True,
    ) -> tuple[Counts, BoolArray, Counts]:
        """Return the failing records of nodes, whether they are exact, and the sums of every field.

        The fields, shape (n_fields, n_nodes), are those of failing cells from the state on, of nodes within
        `most` records; see `bounded_records`.
        """
        sums, is_exact = np.empty(len(nodes), dtype=np.int64), np.empty(len(nodes), dtype=np.bool_)
        places = self._places if sums_fields else self._places[:0]
        fields = np.empty((len(places), len(nodes)), dtype=np.int64)
        self.kernels.bounded_records(
            nodes,
            self.sizes.firsts,
            states,
            gone,
            self.state_cells,
            self.cells.kinds,
            self.cells.sizes,
            self.cells.records,
            failing,
            most,
            *self._words,
            places,
            sums,
            is_exact,
            fields,
        )
        return sums, is_exact, fields

    def sums_before(self, nodes: IntArray, states: Any) -> Counts:
        """Return the sums of every field over the cells before the state, shape (n_fields, n_nodes)."""
        before: Counts = self.failing_sums.take(states[nodes], axis=0).T.astype(np.int64)
        return before

    def sums_after(self, nodes: IntArray, states: Any, failing: NDArray[np.uint8]) -> Counts:
        """Return the sums of every field over failing cells from the state on, in the same shape."""
        sums = np.empty((len(self.fields), len(nodes)), dtype=np.int64)
        places = self.sizes.firsts, states, self.state_cells, self.cells.kinds, self.cells.sizes
        self.kernels.failing_fields(nodes, *places, failing, *self._words, self._places, sums)
        return sums

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
