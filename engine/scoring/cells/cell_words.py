"""Words of cells as readers see them, each different combination stored once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import IntArray


@dataclass(frozen=True, eq=False)
class CellWords:
    """The words of all cells; see `engine.kernels.compiled.cell_words`.

    Attributes
    ----------
    table : ndarray of uint64, shape (n_entries, n_words)
    numbers : ndarray of int32, shape (n_cells,) or (0,)
        Entry of every cell; empty if the table has an entry per cell.
    """

    table: NDArray[np.uint64]
    numbers: NDArray[np.int32]

    @classmethod
    def by_cell(cls, words: NDArray[np.uint64]) -> CellWords:
        """Return words of shape (n_cells, n_words) as they are."""
        return cls(words, np.empty(0, dtype=np.int32))

    def word(self, number: int, cells: IntArray) -> NDArray[np.uint64]:
        """Return one word of some cells."""
        return np.asarray(self.table[self.numbers[cells] if len(self.numbers) else cells, number])

    def chosen(self, cells: IntArray) -> CellWords:
        """Return the words of some cells, numbered in the given order."""
        if len(self.numbers):
            return CellWords(self.table, self.numbers[cells])
        return CellWords.by_cell(self.table[cells])
