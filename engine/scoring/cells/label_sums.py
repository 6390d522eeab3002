"""Label sums of cells packed into words: several narrow counts side by side in 64 bits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import IntArray
from engine.scoring.cells.snapshot import Array


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
        """Return words of shape (n_cells, n_words) unchanged."""
        return cls(words, np.empty(0, dtype=np.int32))

    def word(self, number: int, cells: IntArray) -> NDArray[np.uint64]:
        """Return one word of some cells."""
        return np.asarray(self.table[self.numbers[cells] if len(self.numbers) else cells, number])

    def chosen(self, cells: IntArray) -> CellWords:
        """Return the words of some cells, numbered in the given order."""
        if len(self.numbers):
            return CellWords(self.table, self.numbers[cells])
        return CellWords.by_cell(self.table[cells])


class Field(NamedTuple):
    """Position of a label sum within the words of a cell.

    Attributes
    ----------
    word : int
        Row of the words.
    shift, width : int
        Lowest bit and number of bits, at most 63.
    scale : float or None
        Real weights are multiples of it; None for integer weights.
    """

    word: int
    shift: int
    width: int
    scale: float | None = None

    @property
    def mask(self) -> int:
        """Ones as wide as the field, unshifted."""
        return (1 << self.width) - 1


@dataclass(frozen=True, eq=False)
class PackedSums:
    """Label sums over the classes of every cell; implements `engine.scoring.cells.snapshot.LabelSums`.

    Attributes
    ----------
    fields : mapping of str to Field
        Fields by the names of `LabelSums.of`; each has the sum of the label's weight over the classes of the
        cell, 0 at levels at which all labels have the same weight.
    sizes : ndarray of int, shape (n_cells,) or (n_kinds,)
        Records per class of each cell, or of each kind.
    kinds : ndarray of int32, shape (n_cells,), or None
        Index of the size of a cell; None if the sizes are in the order of cells.
    columns : mapping of str to ndarray
        Sums over records that do not fit into fields, by cell.
    """

    words: CellWords
    fields: Mapping[str, Field]
    sizes: NDArray[np.integer[Any]]
    kinds: NDArray[np.int32] | None = None
    columns: Mapping[str, Array] = field(default_factory=dict)

    def of(self, name: str, cells: IntArray) -> Array:
        if name in self.columns:
            values = self.columns[name][cells]
            return values if values.dtype.kind == "f" else values.astype(np.int64)
        place = self.fields[name]
        sums = (self.words.word(place.word, cells) >> np.uint64(place.shift)) & np.uint64(place.mask)
        sizes = self.sizes[cells if self.kinds is None else self.kinds[cells]]
        records = sums.astype(np.int64) * sizes
        return np.asarray(records if place.scale is None else records * place.scale)
