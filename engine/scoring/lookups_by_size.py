"""Look-ups where class sizes alone decide: tables made once, so that a required size is one row of memory."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from engine.kernels.arrays import Counts, IntArray, Reals
from engine.scoring.acceleration import required
from engine.scoring.cells import Array, LabelSums
from engine.scoring.label_sums import PackedSums
from engine.scoring.level_sums import ByLevel, LevelSums
from engine.scoring.lookups_compiled import CompiledLookup, PlainCells, plain

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes

MEMORY = 256 << 20  # bytes that the tables of one profile may take
MOST_ROWS = 202  # class sizes from 0 on with a row of their own; larger ones are searched for
STATE_BYTES = 8 + 12  # of a state in the tables made at once, and in those of classes


class SizeTables:
    """What every node keeps for every required class size.

    A node with m different class sizes has m + 1 states: in state j the classes of its j smallest
    sizes are suppressed. A figure is a number per state; a class size means one state of each node.

    Parameters
    ----------
    cells : PlainCells
        Of every node of a lattice.
    label_sums : LabelSums
        Of the same cells.
    profile : ScoredNodes
    levels : LevelSums
    """

    def __init__(
        self, cells: PlainCells, label_sums: LabelSums, profile: ScoredNodes, levels: LevelSums
    ) -> None:
        self.n_records = profile.problem.n_records
        self.levels = levels
        self._level_vectors = profile.lattice.levels
        self._label_sums = label_sums
        self._cells = cells
        self._rows = np.empty(len(cells.nodes), dtype=np.int64)
        self._rows[cells.nodes] = np.arange(len(cells.nodes))
        self._kernels = required("by_size")
        self._lock = threading.Lock()
        self._weights: dict[str, Array | None] = {}
        self._constants: dict[str, Array] = {}
        self._n_sizes = int(cells.sizes.max()) + 1
        self._firsts = np.empty(len(self._rows) + 1, dtype=np.int64)
        self._kernels.count_states(*self._places, np.empty(self._n_sizes, dtype=np.int64), self._firsts)
        self._sizes = np.empty(self._firsts[-1], dtype=np.int32)
        self.suppressed = np.empty_like(self._sizes)
        states = (self._firsts, self._sizes, self.suppressed)
        by_size = np.zeros(self._n_sizes, dtype=np.int64)
        self._kernels.fill_states(*self._places, cells.records, *states, by_size)
        n_rows = min(MOST_ROWS, MEMORY // 4 // (8 * len(self._rows)))
        self._states = np.empty((n_rows, len(self._rows)), dtype=np.int32)
        self.gone = np.empty_like(self._states)
        current = np.empty(self._kernels.ABREAST, dtype=np.int64)
        self._kernels.state_rows(*states, current, self._states, self.gone)
        self._left = MEMORY - STATE_BYTES * len(self._sizes) - 2 * self._states.nbytes

    @property
    def _places(self) -> tuple[Array, ...]:
        return self._cells.bounds, self._rows, self._cells.kinds, self._cells.sizes

    def states(self, k: int) -> IntArray:
        """The state that a required class size means, per node."""
        if k < len(self._states):
            row: IntArray = self._states[k]
            return row
        most = np.iinfo(np.int32).max
        states = np.empty(len(self._rows), dtype=np.int64)
        self._kernels.find_states(self._firsts, self._sizes, min(k, most), states)
        return states

    @property
    def smallest(self) -> Array:
        """Size of the smallest kept classes, 0 where none is kept, per state."""
        return self._sizes

    @cached_property
    def classes(self) -> tuple[Array, Counts]:
        """Kept classes and the sum of their squared sizes, per state."""
        classes, squares = np.empty_like(self._sizes), np.empty(len(self._sizes), dtype=np.int64)
        self._kernels.class_states(self._firsts, self._sizes, self.suppressed, classes, squares)
        return classes, squares

    def constants(self, by_level: ByLevel, attribute: int) -> Array:
        """The weight all labels of an attribute share per node; 0 where it varies."""
        if by_level.name not in self._constants:
            self._constants[by_level.name] = by_level.constant[self._level_vectors[:, attribute]]
        return self._constants[by_level.name]

    def weights(self, by_level: ByLevel, attribute: int) -> Array | None:
        """Sum of label weights over kept records per state; None where there is no memory for it."""
        with self._lock:
            if by_level.name not in self._weights:
                table = self._sum_weights(by_level, attribute) if self._left > 0 else None
                self._left -= 0 if table is None else table.nbytes
                self._weights[by_level.name] = table
            return self._weights[by_level.name]

    def _sum_weights(self, by_level: ByLevel, attribute: int) -> Array:
        sums = np.empty(len(self._sizes), dtype=by_level.totals.dtype)
        values = plain(self._by_cell(by_level.name), by_level.totals.dtype)
        by_size = np.zeros(self._n_sizes, dtype=sums.dtype)
        self._kernels.sum_states(*self._places, self._firsts, self._sizes, values, sums, by_size)
        constants = np.repeat(self.constants(by_level, attribute), np.diff(self._firsts))
        sums += constants * (self.n_records - self.suppressed)  # cells carry nothing at such levels
        is_narrow = sums.dtype == np.int64 and int(sums.max()) <= np.iinfo(np.int32).max
        return sums.astype(np.int32) if is_narrow else sums

    def _by_cell(self, name: str) -> Array:
        packed = self._label_sums
        if not isinstance(packed, PackedSums) or name not in packed.fields:
            return packed.of(name, np.arange(len(self._cells.kinds)))
        place = packed.fields[name]
        word = plain(packed.words[place.word], np.uint64)
        sums = np.empty(len(self._cells.kinds), dtype=np.int64)
        required("judging").fields_by_cell(
            self._cells.kinds, self._cells.sizes, word, place.shift, place.mask, sums
        )
        return sums if place.scale is None else sums * place.scale


def size_tables(
    cells: PlainCells, label_sums: LabelSums, profile: ScoredNodes, levels: LevelSums
) -> SizeTables | None:
    """Make the tables of a complete profile; None where they would take too much memory."""
    most_states = len(cells.kinds) + len(cells.nodes)
    if STATE_BYTES * most_states > MEMORY // 2 or 8 * MOST_ROWS * len(cells.nodes) > MEMORY:
        return None
    return SizeTables(cells, label_sums, profile, levels)


class SizeLookup:
    """Figures under a required class size; implements `engine.scoring.lookups.Lookup`.

    Parameters
    ----------
    tables : SizeTables
    k : int
        Smallest class kept, at least 1.
    otherwise : callable
        Gives the look-up that serves where no table has a figure.
    """

    def __init__(
        self,
        tables: SizeTables,
        k: int,
        otherwise: Callable[[], CompiledLookup],
        nodes: IntArray | None = None,
    ) -> None:
        self._tables, self._k, self._otherwise, self._nodes = tables, k, otherwise, nodes

    def at(self, nodes: IntArray) -> SizeLookup:
        """See `Lookup.at`."""
        return SizeLookup(self._tables, self._k, self._otherwise, nodes)

    @cached_property
    def suppressed(self) -> Counts:
        """See `Lookup.suppressed`."""
        if self._nodes is None and self._k < len(self._tables.gone):
            suppressed: Counts = self._tables.gone[self._k].astype(np.int64)
            return suppressed
        return self._of(self._tables.suppressed)

    @cached_property
    def kept_classes(self) -> Counts:
        """See `Lookup.kept_classes`."""
        return self._of(self._tables.classes[0])

    @cached_property
    def kept_squares(self) -> Counts:
        """See `Lookup.kept_squares`."""
        return self._of(self._tables.classes[1])

    @cached_property
    def kept_k(self) -> Counts:
        """See `Lookup.kept_k`."""
        return self._of(self._tables.smallest)

    def kept_leaves(self, attribute: int) -> Counts:
        """See `Lookup.kept_leaves`."""
        by_level = self._tables.levels.leaves[attribute]
        kept = self._kept_weights(by_level, attribute)
        return self._elsewhere.kept_leaves(attribute) if kept is None else kept

    def kept_spans(self, attribute: int) -> Reals:
        """See `Lookup.kept_spans`."""
        by_level = self._tables.levels.spans[attribute]
        assert by_level is not None, "only numeric attributes have spans"
        kept = self._kept_weights(by_level, attribute)
        return self._elsewhere.kept_spans(attribute) if kept is None else kept

    def _kept_weights(self, by_level: ByLevel, attribute: int) -> Array | None:
        if not by_level.varies.any():
            constants = self._tables.constants(by_level, attribute)
            chosen = constants if self._nodes is None else constants[self._nodes]
            return chosen * (self._tables.n_records - self.suppressed)
        table = self._tables.weights(by_level, attribute)
        return None if table is None else self._of(table)

    @cached_property
    def _states(self) -> IntArray:
        states = self._tables.states(self._k)
        return states if self._nodes is None else states[self._nodes]

    @cached_property
    def _elsewhere(self) -> CompiledLookup:
        whole = self._otherwise()
        return whole if self._nodes is None else whole.at(self._nodes)

    def _of(self, table: Array) -> Array:
        values = table[self._states]
        return values if values.dtype.kind == "f" else values.astype(np.int64)
