"""Words of cells, each different combination stored once.

The cells of an Adult lattice with a sensitive column have 12 million combinations of words, of which 0.2
million differ. Common to all functions: `table` (n_entries, n_words, uint64) are the different combinations,
and `numbers` (n_cells, int32) the entry of every cell. If few cells agree, `numbers` is empty and the table
has an entry per cell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.kernels.arrays import index
from engine.kernels.compiled.jit import compiled

SPREAD = 0x9E3779B97F4A7C15
FREE = -1  # slot without an entry


@compiled
def entry_of(numbers: Any, cell: Any) -> Any:
    """Return the entry of the table that has the words of a cell."""
    return np.int64(numbers[cell]) if len(numbers) else np.int64(cell)


@compiled
def number_words(words: Any, first: Any, last: Any, slots: Any, table: Any, used: Any, numbers: Any) -> Any:
    """Find the entries of cells, adding those that are missing.

    Parameters
    ----------
    words : ndarray of uint64, shape (n_words, at least last)
    first, last : int
        The cells from `first` up to but without `last`.
    slots : ndarray of int32
        Entry by hash of its words, or `FREE`; the length is a power of two, larger than that of the table.
    used : ndarray of int64, shape (1,)
        Number of entries.
    numbers : ndarray of int32, shape (at least last,)
        Filled with the entries.

    Returns
    -------
    int
        `last`, or the first cell for which the table has no room.
    """
    n_words, mask = words.shape[0], index(len(slots) - 1)
    for cell in range(index(first), index(last)):
        mixed = index(0)
        for w in range(n_words):
            mixed = (mixed ^ words[w, cell]) * index(SPREAD)
            mixed ^= mixed >> index(32)
        slot = mixed & mask
        entry = slots[slot]
        while entry >= 0 and not _is_equal(words, cell, table, index(entry)):
            slot = (slot + index(1)) & mask
            entry = slots[slot]
        if entry < 0:
            entry = np.int32(used[0])
            if entry == len(table):
                return np.int64(cell)
            for w in range(n_words):
                table[index(entry), w] = words[w, cell]
            slots[slot] = entry
            used[0] += 1
        numbers[cell] = entry
    return np.int64(last)


@compiled
def _is_equal(words: Any, cell: Any, table: Any, entry: Any) -> Any:
    is_equal = True
    for w in range(words.shape[0]):
        is_equal &= words[w, cell] == table[entry, w]
    return is_equal
