"""Tables by class size, computed once for a complete profile, so that a required size is one row."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.cached import cached_property
from engine.kernels.arrays import Counts, IntArray
from engine.scoring.acceleration import required
from engine.scoring.cells.label_sums import PackedSums
from engine.scoring.cells.snapshot import Array, ColumnClasses, LabelSums
from engine.scoring.lookups.compiled import MOST_RECORDS, PlainCells, plain
from engine.scoring.lookups.level_sums import ByLevel, LevelSums

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes

MEMORY = 768 << 20  # bytes for the tables of one profile; a million records with l and t take 320 MB
MOST_ROWS = 257  # class sizes from 0 on with a row each; larger ones are searched
STATE_BYTES = 8 + 16  # bytes of a state in the tables made at once, and in those of classes


class WeightTable(NamedTuple):
    """Sums of label weights over kept records, one row of all attributes per state.

    Attributes
    ----------
    sums : ndarray, shape (n_states, n_columns)
    columns : mapping of int to int
        Column of each attribute; none if labels of every level weigh the same.
    """

    sums: Array
    columns: Mapping[int, int]


class SizeTables:
    """The kept records of every node for every required class size.

    A node with m different class sizes has m + 1 states: in state j the classes of its j smallest sizes are
    suppressed. The tables have a number per state; a class size selects one state of each node.

    Parameters
    ----------
    cells : PlainCells
        Cells of every node of a lattice.
    label_sums : LabelSums
        Label sums of the same cells.
    profile : ScoredNodes
    levels : LevelSums
    firsts : ndarray of int64, shape (n_nodes + 1,)
        First state of each node by number, and the number of all states; see `count_states`.
    """

    def __init__(
        self,
        cells: PlainCells,
        label_sums: LabelSums,
        profile: ScoredNodes,
        levels: LevelSums,
        firsts: IntArray,
    ) -> None:
        self.n_records = profile.problem.n_records
        self.levels = levels
        self._level_vectors = profile.lattice.levels
        self._label_sums = label_sums
        self._cells = cells
        self.firsts, self.rows = firsts, _rows(cells)
        self._kernels = required("by_size")
        self._lock = threading.Lock()
        self._weights: dict[str, WeightTable | None] = {}
        self._constants: dict[str, Array] = {}
        self._n_sizes = int(cells.sizes.max()) + 1
        # Size of the smallest kept classes per state, 0 if none is kept.
        self.smallest = np.empty(self.firsts[-1], dtype=np.int32)
        self.suppressed = np.empty_like(self.smallest)
        states = (self.firsts, self.smallest, self.suppressed)
        by_size = np.zeros(self._n_sizes, dtype=np.int64)
        self._kernels.fill_states(*self._places, cells.records, *states, by_size)
        n_rows = min(MOST_ROWS, MEMORY // 4 // (8 * len(self.rows)))
        self._states = np.empty((n_rows, len(self.rows)), dtype=np.int32)
        self.gone = np.empty_like(self._states)
        current = np.empty(self._kernels.ABREAST, dtype=np.int64)
        self._kernels.state_rows(*states, current, self._states, self.gone)
        self._left = MEMORY - STATE_BYTES * len(self.smallest) - 2 * self._states.nbytes

    @property
    def _places(self) -> tuple[Array, ...]:
        return self._cells.bounds, self.rows, self._cells.kinds, self._cells.sizes

    def states(self, k: int) -> IntArray:
        """Return the state of every node for a required class size."""
        if k < len(self._states):
            row: IntArray = self._states[k]
            return row
        most = np.iinfo(np.int32).max
        states = np.empty(len(self.rows), dtype=np.int64)
        self._kernels.find_states(self.firsts, self.smallest, min(k, most), states)
        return states

    @cached_property
    def classes(self) -> Counts:
        """Number of kept classes and sum of their squared sizes per state, shape (n_states, 2)."""
        classes = np.empty((len(self.smallest), 2), dtype=np.int64)
        self._kernels.class_states(self.firsts, self.smallest, self.suppressed, classes)
        return classes

    def constants(self, by_level: ByLevel, attribute: int) -> Array:
        """Return the weight that all labels of an attribute share per node; 0 if it varies."""
        if by_level.name not in self._constants:
            self._constants[by_level.name] = by_level.constant[self._level_vectors[:, attribute]]
        return self._constants[by_level.name]

    def weights(self, kind: str) -> WeightTable | None:
        """Return the table of "leaves" or "spans"; None if it does not fit into the memory."""
        with self._lock:
            if kind not in self._weights:
                self._weights[kind] = self._sum_weights(getattr(self.levels, kind))
            return self._weights[kind]

    def _sum_weights(self, by_level: Sequence[ByLevel | None]) -> WeightTable | None:
        varying = [(q, entry) for q, entry in enumerate(by_level) if entry and not entry.is_constant]
        most = max(int(entry.totals.max()) for _, entry in varying)
        exact = varying[0][1].totals.dtype
        dtype = np.dtype(np.int32) if exact == np.int64 and most <= MOST_RECORDS else exact
        self._left -= len(self.smallest) * len(varying) * dtype.itemsize
        if self._left < 0:
            return None
        sums = np.empty((len(self.smallest), len(varying)), dtype=dtype)
        states = np.empty(len(self._cells.kinds), dtype=np.int32)
        by_size = np.empty(self._n_sizes, dtype=np.int64)
        self._kernels.cell_states(*self._places, self.firsts, self.smallest, by_size, states)
        for place, (q, entry) in enumerate(varying):
            # cells store nothing at levels at which all labels weigh the same: there the constant counts
            values, constants = plain(self._by_cell(entry.name), exact), self.constants(entry, q)
            self._kernels.sum_states(self.firsts, self.suppressed, states, values, constants, place, sums)
        return WeightTable(sums, {q: place for place, (q, _) in enumerate(varying)})

    def _by_cell(self, name: str) -> Array:
        packed = self._label_sums
        if isinstance(packed, ColumnClasses):
            return packed.columns[name]
        if not isinstance(packed, PackedSums) or name not in packed.fields:
            return packed.of(name, np.arange(len(self._cells.kinds)))
        place = packed.fields[name]
        sums = np.empty(len(self._cells.kinds), dtype=np.int64)
        required("cell_evaluation").fields_by_cell(
            self._cells.kinds,
            self._cells.sizes,
            packed.words.table,
            packed.words.numbers,
            place.word,
            place.shift,
            place.mask,
            sums,
        )
        return sums if place.scale is None else sums * place.scale


def _rows(cells: PlainCells) -> IntArray:
    """Return the position of every node among the nodes of the cells, by number."""
    rows = np.empty(len(cells.nodes), dtype=np.int64)
    rows[cells.nodes] = np.arange(len(cells.nodes))
    return rows


def count_states(cells: PlainCells) -> IntArray:
    """Return the first state of each node of a lattice, and the number of all states."""
    firsts = np.empty(len(cells.nodes) + 1, dtype=np.int64)
    seen = np.empty(int(cells.sizes.max()) + 1, dtype=np.int64)
    required("by_size").count_states(cells.bounds, _rows(cells), cells.kinds, cells.sizes, seen, firsts)
    return firsts


def size_tables(
    cells: PlainCells, label_sums: LabelSums, profile: ScoredNodes, levels: LevelSums
) -> SizeTables | None:
    """Make the tables of a complete profile; None if they would take too much memory."""
    firsts = count_states(cells)
    if STATE_BYTES * int(firsts[-1]) > MEMORY // 2:
        return None
    return SizeTables(cells, label_sums, profile, levels, firsts)
