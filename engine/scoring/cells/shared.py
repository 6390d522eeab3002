"""Cells that several workers add to while other threads read them."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import FloatArray, IntArray
from engine.kernels.compiled.cell_words import FREE, number_words
from engine.scoring.cells.label_sums import CellWords

FIRST_ENTRIES = 1 << 12
MOST_ENTRIES = 1 << 22  # with more different words, numbers save little and slots take much


class WordStore:
    """The words of cells, written by one thread at a time; parts returned to readers do not change.

    Parameters
    ----------
    n_words : int
        Words per cell.
    room : int
        Number of cells.
    numbered : bool
        Whether to number the words, until there are more than `MOST_ENTRIES` different ones.
    """

    def __init__(self, n_words: int, room: int, *, numbered: bool) -> None:
        self._is_numbered = numbered and n_words > 0
        self._used = np.zeros(1, dtype=np.int64)
        self._slots = np.full(2 * FIRST_ENTRIES, FREE, dtype=np.int32)
        self._table = np.empty((FIRST_ENTRIES if self._is_numbered else room, n_words), dtype=np.uint64)
        self._numbers = np.empty(room if self._is_numbered else 0, dtype=np.int32)

    @property
    def n_bytes(self) -> int:
        """Memory of the arrays."""
        return self._table.nbytes + self._numbers.nbytes + self._slots.nbytes

    def grow(self, n_cells: int, room: int) -> None:
        """Make room for a number of cells, of which `n_cells` are there."""
        if self._is_numbered:
            self._numbers = _grown(self._numbers, n_cells, room)
        else:
            self._table = _grown(self._table, n_cells, room)

    def add(self, words: NDArray[np.uint64], start: int, n: int) -> None:
        """Append the words of cells, for which there is room, behind the first `start` cells.

        Parameters
        ----------
        words : ndarray of uint64, shape (n_words, at least n)
        """
        done = 0
        while self._is_numbered:
            numbers = self._numbers[start : start + n]
            done = number_words(words, done, n, self._slots, self._table, self._used, numbers)
            if done == n:
                return
            if len(self._table) < MOST_ENTRIES:
                self._double()
            else:
                self._stop_numbering(start)
        self._table[start : start + n] = words[:, :n].T

    def snapshot(self, n_cells: int) -> CellWords:
        """Return the words of the first cells."""
        if self._is_numbered:
            return CellWords(self._table[: self._used[0]], self._numbers[:n_cells])
        return CellWords(self._table[:n_cells], self._numbers)

    def close(self) -> None:
        """Free what only adding needs."""
        self._slots = self._slots[:0].copy()

    def _double(self) -> None:
        n = int(self._used[0])
        table = _grown(self._table, n, 2 * n)
        slots = np.full(2 * len(self._slots), FREE, dtype=np.int32)
        again, count = np.empty(n, dtype=np.int32), np.zeros(1, dtype=np.int64)
        number_words(np.ascontiguousarray(table[:n].T), 0, n, slots, table, count, again)
        self._table, self._slots = table, slots

    def _stop_numbering(self, n_cells: int) -> None:
        table = np.empty((len(self._numbers), self._table.shape[1]), dtype=np.uint64)
        np.take(self._table, self._numbers[:n_cells], axis=0, out=table[:n_cells])
        self._table, self._numbers, self._is_numbered = table, self._numbers[:0].copy(), False
        self.close()


def _grown(array: NDArray[Any], n: int, room: int) -> NDArray[Any]:
    """Return a copy of the first `n` rows with room for more."""
    larger = np.empty((room, *array.shape[1:]), dtype=array.dtype)
    larger[:n] = array[:n]
    return larger


FIRST_ROOM = 1 << 21  # cells; unwritten ones use no memory on most systems


class CellArrays(NamedTuple):
    """Nodes in the order they were added, and their cells without words; see `CellSnapshot`."""

    nodes: IntArray
    starts: IntArray
    kinds: NDArray[np.int32]
    records: NDArray[np.int32]
    reals: FloatArray


class CellBlock(NamedTuple):
    """Nodes that were scored together.

    Attributes
    ----------
    words : ndarray of uint64, shape (n_words, at least n_cells)
    """

    cells: CellArrays
    words: NDArray[np.uint64]


class SharedCells:
    """Growing arrays; parts returned to readers do not change.

    Parameters
    ----------
    by_content : bool
        Whether cells are contents, whose words are mostly alike.
    """

    def __init__(self, n_nodes: int, n_words: int, n_reals: int, *, by_content: bool) -> None:
        self._adding = threading.Lock()
        self.n_nodes = self._n_cells = 0  # number of nodes whose cells are stored
        self._arrays = CellArrays(
            np.empty(n_nodes, dtype=np.int64),
            np.empty(n_nodes, dtype=np.int64),
            np.empty(FIRST_ROOM, dtype=np.int32),
            np.empty(FIRST_ROOM, dtype=np.int32),
            np.empty((n_reals, FIRST_ROOM)),
        )
        self._words = WordStore(n_words, FIRST_ROOM, numbered=by_content)

    @property
    def n_bytes(self) -> int:
        """Memory of the arrays."""
        return sum(array.nbytes for array in self._arrays) + self._words.n_bytes

    def reserve(self, n_cells: int) -> None:
        """Make room for a number of further cells; copies all of them now and then."""
        with self._adding:
            self._make_room(self._n_cells + n_cells)

    def add(self, block: CellBlock) -> None:
        """Append the nodes and cells of a block."""
        added = block.cells
        with self._adding:
            stop = self._n_cells + len(added.kinds)
            self._make_room(stop)
            arrays, last = self._arrays, self.n_nodes + len(added.nodes)
            arrays.nodes[self.n_nodes : last] = added.nodes
            arrays.starts[self.n_nodes : last] = added.starts + self._n_cells
            arrays.kinds[self._n_cells : stop] = added.kinds
            arrays.records[self._n_cells : stop] = added.records
            arrays.reals[:, self._n_cells : stop] = added.reals
            self._words.add(block.words, self._n_cells, len(added.kinds))
            self._n_cells, self.n_nodes = stop, last

    def snapshot(self) -> tuple[CellArrays, CellWords]:
        """Return the stored nodes and cells."""
        with self._adding:
            nodes, cells = slice(self.n_nodes), slice(self._n_cells)
            arrays, words = self._arrays, self._words.snapshot(self._n_cells)
        found = CellArrays(
            arrays.nodes[nodes],
            arrays.starts[nodes],
            arrays.kinds[cells],
            arrays.records[cells],
            arrays.reals[:, cells],
        )
        return found, words

    def close(self) -> None:
        """Free what only adding needs."""
        with self._adding:
            self._words.close()

    def _make_room(self, n_cells: int) -> None:
        if n_cells <= len(self._arrays.kinds):
            return
        room = max(n_cells, 2 * len(self._arrays.kinds))
        # New arrays, so that those of readers do not change; one by one, so that each old one is freed before
        # the next is copied. The one that defines the room comes last, in case memory runs out.
        self._words.grow(self._n_cells, room)
        for name in ("records", "reals", "kinds"):
            old: NDArray[Any] = getattr(self._arrays, name)
            new = np.empty((*old.shape[:-1], room), dtype=old.dtype)
            new[..., : self._n_cells] = old[..., : self._n_cells]
            self._arrays = self._arrays._replace(**{name: new})
            del old
