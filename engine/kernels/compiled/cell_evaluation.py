"""Evaluation of cells: sums over the failing or the kept cells of each node, in one pass.

Common to all functions here: `bounds` (n_nodes + 1) are the first cells of each node and one past the last;
`rows` lists the nodes to evaluate, in order; `kinds` (n_cells) is the kind of a cell; `failing` (n_kinds, 1
or 0 as uint8) whether the classes of a kind fail the requirement; `sizes` (n_kinds) their records per class;
`records` (n_cells) all records of the cell. All three are int32. Results are written to `sums`, one entry per
row. Nothing is allocated here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, IntArray
from engine.kernels.compiled.cell_words import entry_of
from engine.kernels.compiled.jit import compiled

Numbers = NDArray[np.int32]
Flags = NDArray[np.uint8]


@compiled
def failing_records(bounds: IntArray, kinds: Numbers, records: Numbers, failing: Flags, sums: Counts) -> None:
    """Fill the records of the failing cells, per row."""
    for row in range(len(bounds) - 1):
        total = np.int64(0)
        for cell in range(bounds[row], bounds[row + 1]):
            total += np.int64(records[cell]) * failing[kinds[cell]]  # no branch to mispredict
        sums[row] = total


@compiled
def chosen_classes(
    bounds: IntArray,
    rows: IntArray,
    kinds: Numbers,
    records: Numbers,
    failing: Flags,
    chosen: int,
    sizes: Numbers,
    sums: NDArray[np.int64],
) -> None:
    """Fill the number of classes and the sum of their squared sizes, shape (2, n_rows).

    Of failing classes if `chosen` is 1, of the others if it is 0.
    """
    for i in range(len(rows)):
        classes, squares = np.int64(0), np.int64(0)
        for cell in range(bounds[rows[i]], bounds[rows[i] + 1]):
            if failing[kinds[cell]] == chosen:
                size = sizes[kinds[cell]]
                # Floating-point division is faster than integer division, and exact without a remainder.
                classes += np.int64(np.float64(records[cell]) / np.float64(size))
                squares += np.int64(records[cell]) * np.int64(size)
        sums[0, i], sums[1, i] = classes, squares


@compiled
def smallest_kept(
    bounds: IntArray, rows: IntArray, kinds: Numbers, failing: Flags, sizes: Numbers, smallest: Counts
) -> None:
    """Fill the size of the `smallest` class that does not fail, 0 if all fail, shape (n_rows,)."""
    for i in range(len(rows)):
        least = np.int64(0)
        for cell in range(bounds[rows[i]], bounds[rows[i] + 1]):
            kind = kinds[cell]
            if not failing[kind] and (least == 0 or sizes[kind] < least):
                least = np.int64(sizes[kind])
        smallest[i] = least


@compiled
def worst_values(
    bounds: IntArray, kinds: Numbers, values: NDArray[Any], is_lowest: bool, worst: NDArray[Any]
) -> None:
    """Fill the `worst` value of all cells per row, the smallest or the largest; nan if any is nan."""
    for row in range(len(bounds) - 1):
        found = values[kinds[bounds[row]]]
        for cell in range(bounds[row] + 1, bounds[row + 1]):
            value = values[kinds[cell]]
            is_worse = value < found if is_lowest else value > found
            if is_worse or value != value:
                found = value
        worst[row] = found


@compiled
def chosen_fields(
    bounds: IntArray,
    rows: IntArray,
    kinds: Numbers,
    failing: Flags,
    chosen: int,
    sizes: Numbers,
    words: NDArray[np.uint64],
    numbers: Numbers,
    places: NDArray[np.uint64],
    sums: NDArray[np.int64],
) -> None:
    """Sum bit fields of words times the class size, shape (n_fields, n_rows).

    `words` and `numbers` are the table and the numbers of `cell_words`; `places` has word, shift and mask of
    every field; for `chosen` see `chosen_classes`.
    """
    n_fields = len(places)
    for i in range(len(rows)):
        for field in range(n_fields):
            sums[field, i] = 0
        for cell in range(bounds[rows[i]], bounds[rows[i] + 1]):
            kind = kinds[cell]
            if failing[kind] == chosen:
                size, entry = np.int64(sizes[kind]), entry_of(numbers, cell)
                for field in range(n_fields):
                    word = words[entry, np.int64(places[field, 0])]
                    sums[field, i] += np.int64((word >> places[field, 1]) & places[field, 2]) * size


@compiled
def fields_by_cell(
    kinds: Numbers,
    sizes: Numbers,
    words: NDArray[np.uint64],
    numbers: Numbers,
    place: int,
    shift: int,
    mask: int,
    sums: Counts,
) -> None:
    """Fill a bit field of the word at `place` times the class size, shape (n_cells,)."""
    right, ones = np.uint64(shift), np.uint64(mask)
    for cell in range(len(sums)):
        word = words[entry_of(numbers, cell), place]
        sums[cell] = np.int64((word >> right) & ones) * np.int64(sizes[kinds[cell]])


@compiled
def threshold_counts(
    bounds: IntArray,
    kinds: Numbers,
    records: Numbers,
    bins: NDArray[np.int32],
    at_least: bool,
    allowed: int,
    by_bin: Counts,
    counts: Counts,
) -> None:
    """For a grid of thresholds, count the nodes that suppress at most `allowed` records.

    Parameters
    ----------
    bins : ndarray of int32, shape (n_kinds,)
        With `at_least`, a kind fails from the threshold with this number on; otherwise at all thresholds
        before it. -1 for kinds that fail at any threshold.
    by_bin : ndarray of int64, shape (n_thresholds + 2,)
        Working space.
    counts : ndarray of int64, shape (n_thresholds,)
        Counts, to which the nodes are added.
    """
    n_thresholds = len(counts)
    for row in range(len(bounds) - 1):
        for place in range(n_thresholds + 2):
            by_bin[place] = 0
        for cell in range(bounds[row], bounds[row + 1]):
            by_bin[bins[kinds[cell]] + 1] += records[cell]
        suppressed = by_bin[0]
        if at_least:
            for threshold in range(n_thresholds):
                suppressed += by_bin[threshold + 1]
                if suppressed <= allowed:
                    counts[threshold] += 1
        else:
            for threshold in range(n_thresholds - 1, -1, -1):
                suppressed += by_bin[threshold + 2]
                if suppressed <= allowed:
                    counts[threshold] += 1


def warm_up() -> None:
    """Compile every function here."""
    bounds, rows = np.array([0, 1], dtype=np.int64), np.zeros(1, dtype=np.int64)
    failing, words = np.ones(1, dtype=np.uint8), np.ones((1, 1), dtype=np.uint64)
    kinds, numbers = np.zeros(1, dtype=np.int32), np.ones(1, dtype=np.int32)
    sums = np.zeros((3, 3), dtype=np.int64)
    failing_records(bounds, kinds, numbers, failing, sums[0])
    chosen_classes(bounds, rows, kinds, numbers, failing, 1, numbers, sums)
    smallest_kept(bounds, rows, kinds, failing, numbers, sums[0])
    places = np.array([[0, 0, 1]], dtype=np.uint64)
    chosen_fields(bounds, rows, kinds, failing, 1, numbers, words, kinds, places, sums)
    fields_by_cell(kinds, numbers, words, kinds, 0, 0, 1, sums[0, :1])
    for dtype in (np.int64, np.float64):
        worst_values(bounds, kinds, np.ones(1, dtype=dtype), True, np.zeros(1, dtype=dtype))
    threshold_counts(bounds, kinds, numbers, kinds, True, 1, sums[0], sums[1, :1])
