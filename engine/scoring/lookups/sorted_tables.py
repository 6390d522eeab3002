"""Tables over cells sorted by class size, made once for a complete profile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.cached import cached_property
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.scoring.acceleration import required
from engine.scoring.cells.label_sums import PackedSums
from engine.scoring.cells.snapshot import Array, CellSnapshot
from engine.scoring.cells.weights import LabelWeights
from engine.scoring.lookups.by_cell import BoundedRecords

MEMORY = 768 << 20  # bytes for the tables of one profile; a million records with l and t take 320 MB
MOST_ROWS = 257  # class sizes from 0 on with a row each; larger ones are searched
MOST_RECORDS = np.iinfo(np.int32).max  # snapshots whose counts fit the kernels
STATE_BYTES = 12 + 16  # bytes of a state in the tables made at once, and in those of classes


class PlainCells(NamedTuple):
    """Cells as kernels read them."""

    nodes: IntArray
    bounds: IntArray
    kinds: NDArray[np.int32]
    records: NDArray[np.int32]
    sizes: NDArray[np.int32]


def plain_cells(cells: CellSnapshot) -> PlainCells:
    """Return a snapshot's arrays in the types of kernels; copies only arrays of other types."""
    assert cells.kinds is not None, "kernels, which sort cells, number the kinds"
    return PlainCells(
        cells.nodes,
        np.append(cells.starts, cells.n_cells).astype(np.int64, copy=False),
        plain(cells.kinds, np.int32),
        plain(cells.records, np.int32),
        plain(cells.classes.sizes, np.int32),
    )


def plain(values: Array, dtype: DTypeLike) -> NDArray[Any]:
    """Return values in the form that a kernel was compiled for: this type, contiguous, writable."""
    return np.require(values, dtype, ["C", "W"])


class States(NamedTuple):
    """States of all nodes of a lattice, one after the other.

    Attributes
    ----------
    firsts : ndarray of int64, shape (n_nodes + 1,)
        First state of each node by number, and the number of all states; see `count_states`.
    sizes : ndarray of int32, shape (n_states,)
        Size of the smallest kept classes; 0 in the last state of a node, where none is kept.
    cells : ndarray of int32, shape (n_states,)
        First cell of a state; in the last state of a node one past its last cell.
    suppressed : ndarray of int32, shape (n_states,)
        Records of the cells before.
    """

    firsts: IntArray
    sizes: NDArray[np.int32]
    cells: NDArray[np.int32]
    suppressed: NDArray[np.int32]


class CellFields(NamedTuple):
    """Table and numbers of the words of cells; word, shift and mask of every bit field of them."""

    words: NDArray[np.uint64]
    numbers: NDArray[np.int32]
    places: NDArray[np.uint64]


class FailingCells(NamedTuple):
    """Cells that were read of every node, and sums over the failing ones; see the kernel `follow_limit`."""

    failing: NDArray[np.uint8]  # a bit per kind of cell
    read: NDArray[np.int32]
    records: Counts
    fields: Counts


class SortedTables:
    """Start of the cells of a required class size in every node, and the sums of the cells before.

    A node with m different class sizes has m + 1 states: in state j the classes of its j smallest sizes are
    suppressed. The tables have a number per state; a class size selects one state of each node.

    Parameters
    ----------
    cells : PlainCells
        Cells of every node of a lattice, those of each node sorted by class size.
    packed : PackedSums
        Label sums of the same cells.
    firsts : ndarray of int64, shape (n_nodes + 1,)
        First state of each node by number, and the number of all states; see `count_states`.
    wide : bool
        Whether sums need more than 32 bits.

    Attributes
    ----------
    known : FailingCells or None
        The failing cells that a look-up read last, from which the next one continues. Replaced as a whole, as
        any thread may continue.
    """

    def __init__(self, cells: PlainCells, packed: PackedSums, firsts: IntArray, *, wide: bool) -> None:
        self.cells = cells
        self.known: FailingCells | None = None
        self._by_size, self._kernels = required("by_size"), required("sorted_cells")
        self._all = States(firsts, *(np.empty(firsts[-1], dtype=np.int32) for _unused in range(3)))
        rows = _rows(cells)
        self._by_size.fill_states(cells, rows, self._all)
        n_rows = min(MOST_ROWS, MEMORY // 4 // (8 * len(rows)))
        self._states = np.empty((n_rows, len(rows)), dtype=np.int32)
        self._gone = np.empty_like(self._states)
        current = np.empty(self._by_size.ABREAST, dtype=np.int64)
        self._by_size.state_rows(self._all, current, self._states, self._gone)
        self._reals, self._real_sums = packed.columns, dict[str, FloatArray]()
        self.fields = tuple(packed.fields)
        self._fields = CellFields(packed.words.table, packed.words.numbers, _places(packed))
        self._wide = wide
        self._most_cells = int(np.diff(cells.bounds).max(initial=0))
        self._same = np.zeros(0, dtype=np.uint8)

    def states(self, k: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the state of every node for a required class size, and the records before it."""
        if k < len(self._states):
            return self._states[k], self._gone[k]
        most = np.iinfo(np.int32).max
        states = np.empty(len(self._all.firsts) - 1, dtype=np.int64)
        self._by_size.find_states(self._all, min(k, most), states)
        return plain(states, np.int32), self._all.suppressed[states]

    @cached_property
    def _classes(self) -> Counts:
        """Number of kept classes and sum of their squared sizes per state, shape (n_states, 2)."""
        classes = np.empty((len(self._all.sizes), 2), dtype=np.int64)
        self._by_size.class_states(self._all, classes)
        return classes

    @cached_property
    def failing_sums(self) -> NDArray[Any]:
        """Sums of every field over the cells before each state, shape (n_states, n_fields)."""
        sums = np.empty((len(self._all.cells), len(self.fields)), dtype=self.sum_type)
        self._by_size.sum_failing(self._all, self._fields, sums)
        return sums

    def kept_reals(self, name: str, states: Any) -> FloatArray:
        """Return the sums of a column of reals over the cells from the state on."""
        if name not in self._real_sums:
            firsts, first = self._all.firsts, self._all.cells
            ends = np.repeat(first[firsts[1:] - 1], np.diff(firsts))
            order = np.argsort(first, kind="stable")  # or what lies between two states could be long
            bounds = np.column_stack((first, ends))[order].ravel()
            kept = np.empty(len(first))
            kept[order] = np.add.reduceat(np.append(self._reals[name], 0.0), bounds)[::2]
            kept[first == ends] = 0.0
            self._real_sums[name] = kept
        found: FloatArray = self._real_sums[name][states]
        return found

    def failing_records(self, nodes: IntArray, states: Any, gone: Any, failing: NDArray[np.uint8]) -> Counts:
        """Return the failing records of nodes."""
        sums = np.empty(len(nodes), dtype=np.int64)
        self._kernels.failing_records(nodes, self.cells, self._all, states, gone, failing, sums)
        return sums

    def follow_limit(
        self, found: FailingCells | None, states: Any, gone: Any, failing: NDArray[np.uint8], most: int
    ) -> tuple[FailingCells, BoundedRecords]:
        """Return the failing cells of all nodes, from those found before, or else those that are known.

        These may be for other states, another limit or other kinds. The records are exact for nodes that do
        not exceed the limit.
        """
        n_nodes, known = len(gone), self.known if found is None else found
        if known is None:
            read = np.full((n_nodes, 3), -1, dtype=np.int32)
            sums = np.zeros(n_nodes, dtype=np.int64), np.zeros((n_nodes, len(self.fields)), dtype=np.int64)
            found, former = FailingCells(failing, read, *sums), failing
        else:
            copies = known.read.copy(), known.records.copy(), known.fields.copy()
            found, former = FailingCells(failing, *copies), known.failing
        changes = former ^ failing
        if not changes.any():
            changes = self._same
        bounded = BoundedRecords(np.empty(n_nodes, dtype=np.int64), np.empty(n_nodes, dtype=np.bool_))
        given = self.cells, self._all, states, gone, found
        self._kernels.follow_limit(*given, changes, most, self._fields, self._room(), bounded)
        self.known = found
        return found, bounded

    def _room(self) -> NDArray[np.int32]:
        return np.empty(self._most_cells, dtype=np.int32)

    def sums_by_rank(
        self,
        nodes: IntArray,
        states: Any,
        failing: NDArray[np.uint8],
        ranks: NDArray[np.int16],
        n_ranks: int,
        *,
        only_failing: bool,
    ) -> NDArray[Any]:
        """Return sums over cells from the state on by the rank of their kind; see the kernel."""
        shape = n_ranks, 1 + len(self.fields)
        room, sums = np.zeros(shape, dtype=np.int64), np.zeros((*shape, len(nodes)), dtype=self.sum_type)
        given = nodes, self.cells, self._all, states, failing, ranks, only_failing, self._fields
        self._kernels.sum_by_rank(*given, room, sums)
        return sums

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
        given = nodes, self.cells, self._all, states, failing
        self._kernels.failing_fields(*given, self._fields, self._room(), sums)
        return sums.T

    def class_sums(self, nodes: IntArray, states: Any, failing: NDArray[np.uint8] | None) -> Counts:
        """Return the kept classes of nodes and the sum of their squared sizes, shape (2, n_nodes)."""
        kept: Counts = self._classes.take(states[nodes], axis=0).T
        if failing is None:
            return kept
        sums = np.empty((2, len(nodes)), dtype=np.int64)
        self._kernels.failing_classes(nodes, self.cells, self._all, states, failing, sums)
        return np.asarray(kept - sums)

    def smallest(self, nodes: IntArray, states: Any, failing: NDArray[np.uint8] | None) -> Counts:
        """Return the size of the smallest kept class of nodes; 0 if none is kept."""
        if failing is None:
            found: Counts = self._all.sizes[states[nodes]].astype(np.int64)
            return found
        sums = np.empty(len(nodes), dtype=np.int64)
        self._kernels.smallest_kept(nodes, self.cells, self._all, states, failing, sums)
        return sums


def _places(packed: PackedSums) -> NDArray[np.uint64]:
    places = [(field.word, field.shift, field.mask) for field in packed.fields.values()]
    return np.array(places, dtype=np.uint64).reshape(-1, 3)


def _rows(cells: PlainCells) -> IntArray:
    """Return the position of every node among the nodes of the cells, by number."""
    rows = np.empty(len(cells.nodes), dtype=np.int64)
    rows[cells.nodes] = np.arange(len(cells.nodes))
    return rows


def count_states(cells: PlainCells) -> IntArray:
    """Return the first state of each node of a lattice, and the number of all states."""
    firsts = np.empty(len(cells.nodes) + 1, dtype=np.int64)
    required("by_size").count_states(cells, _rows(cells), firsts)
    return firsts


def sorted_tables(
    cells: PlainCells, packed: PackedSums, weights: Sequence[LabelWeights]
) -> SortedTables | None:
    """Make the tables of a complete profile; None if they would take too much memory."""
    firsts = count_states(cells)
    wide = _largest(packed, weights) > MOST_RECORDS
    width = (8 if wide else 4) * len(packed.fields) + 8 * len(packed.columns)
    if (STATE_BYTES + width) * int(firsts[-1]) > MEMORY * 3 // 4:
        return None
    return SortedTables(cells, packed, firsts, wide=wide)


def _largest(packed: PackedSums, weights: Sequence[LabelWeights]) -> float:
    """Return the largest sum of a field over all records of a node."""
    summed = [own for own in weights if own.name in packed.fields]
    return max((own.totals.max() / (packed.fields[own.name].scale or 1.0) for own in summed), default=0.0)
