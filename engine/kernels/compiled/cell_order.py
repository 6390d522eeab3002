"""Cells of each node in ascending order of class size, in place."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import FloatArray, IntArray
from engine.kernels.compiled.jit import compiled

Numbers = NDArray[np.int32]
COUNTED_SIZES = 1024  # classes of smaller sizes are sorted by counting


class OrderScratch(NamedTuple):
    """Working space for the cells of one node."""

    counted: Numbers
    places: Numbers
    numbers: Numbers
    words: NDArray[np.uint64]
    reals: FloatArray


def make_order_scratch(n_cells: int) -> OrderScratch:
    """Allocate working space for nodes of at most a number of cells."""
    return OrderScratch(
        np.zeros(COUNTED_SIZES, dtype=np.int32),
        np.zeros(n_cells, dtype=np.int32),
        np.zeros(n_cells, dtype=np.int32),
        np.zeros(n_cells, dtype=np.uint64),
        np.zeros(n_cells),
    )


@compiled
def order_by_size(starts: IntArray, n_cells: int, sizes: Numbers, cells: Any, scratch: Any) -> None:
    """Sort the cells of every node by the size of their classes; equal sizes keep their order.

    Parameters
    ----------
    starts : ndarray of int64, shape (n_nodes,)
        First cell of each node.
    n_cells : int
        Number of cells of all nodes; further ones are not read.
    sizes : ndarray of int32, shape (n_kinds,)
        Records per class of each kind.
    cells : Cells
        Sorted in place.
    """
    kinds, records, words, reals = cells
    counted, places, numbers = scratch.counted, scratch.places, scratch.numbers
    last = len(counted) - 1
    for node in range(len(starts)):
        begin = starts[node]
        length = (starts[node + 1] if node + 1 < len(starts) else n_cells) - begin
        for size in range(last + 1):
            counted[size] = 0
        is_rising, before = True, np.int32(0)
        for i in range(length):
            size = sizes[kinds[begin + i]]
            numbers[i] = size
            is_rising = is_rising and size >= before
            before = size
            counted[min(size, last)] += 1
        if is_rising:
            continue
        total = np.int32(0)
        for size in range(last + 1):
            n = counted[size]
            counted[size] = total
            total += n
        n_small = counted[last]
        for i in range(length):
            size = min(numbers[i], last)
            places[counted[size]] = i
            counted[size] += 1
        for i in range(n_small + 1, length):  # few, sorted by insertion
            place, j = places[i], i
            while j > n_small and numbers[places[j - 1]] > numbers[place]:
                places[j] = places[j - 1]
                j -= 1
            places[j] = place
        _move(kinds, begin, length, places, numbers)
        _move(records, begin, length, places, numbers)
        for w in range(len(words)):
            _move(words[w], begin, length, places, scratch.words)
        for r in range(len(reals)):
            _move(reals[r], begin, length, places, scratch.reals)


@compiled
def _move(values: Any, begin: int, length: int, places: Numbers, room: Any) -> None:
    for i in range(length):
        room[i] = values[begin + places[i]]
    for i in range(length):
        values[begin + i] = room[i]
