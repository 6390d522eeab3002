"""Judging cells: sums over the failing or the kept cells of each node, in one pass over memory.

Common to all functions here: `bounds` (n_nodes + 1) are the first cells of each node and one past the
last; `rows` says which of them are looked at, in which order; `kinds` (n_cells) is the kind of a cell;
`failing` (n_kinds, 1 or 0 as uint8) whether the classes of a kind miss the requirement; `sizes` (n_kinds)
their records per class; `records` (n_cells) all records of the cell. All three are int32.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, IntArray
from engine.kernels.compiled.jit import compiled

Numbers = NDArray[np.int32]
Flags = NDArray[np.uint8]


@compiled
def failing_records(bounds: IntArray, kinds: Numbers, records: Numbers, failing: Flags) -> Counts:
    """Records of the failing cells of every node, shape (n_nodes,)."""
    sums = np.empty(len(bounds) - 1, dtype=np.int64)
    for row in range(len(sums)):
        total = np.int64(0)
        for cell in range(bounds[row], bounds[row + 1]):
            total += np.int64(records[cell]) * failing[kinds[cell]]  # no branch to guess wrong
        sums[row] = total
    return sums


@compiled
def failing_classes(
    bounds: IntArray, rows: IntArray, kinds: Numbers, records: Numbers, failing: Flags, sizes: Numbers
) -> NDArray[np.int64]:
    """Number of failing classes, and the sum of their squared sizes, shape (2, n_rows)."""
    sums = np.zeros((2, len(rows)), dtype=np.int64)
    for i in range(len(rows)):
        for cell in range(bounds[rows[i]], bounds[rows[i] + 1]):
            if failing[kinds[cell]]:
                size = sizes[kinds[cell]]
                # Real division is faster than integer division, and exact where nothing remains.
                sums[0, i] += np.int64(np.float64(records[cell]) / np.float64(size))
                sums[1, i] += np.int64(records[cell]) * np.int64(size)
    return sums


@compiled
def smallest_kept(bounds: IntArray, rows: IntArray, kinds: Numbers, failing: Flags, sizes: Numbers) -> Counts:
    """Size of the smallest class that does not fail, 0 where all fail, shape (n_rows,)."""
    smallest = np.zeros(len(rows), dtype=np.int64)
    for i in range(len(rows)):
        for cell in range(bounds[rows[i]], bounds[rows[i] + 1]):
            kind = kinds[cell]
            if not failing[kind] and (smallest[i] == 0 or sizes[kind] < smallest[i]):
                smallest[i] = sizes[kind]
    return smallest


@compiled
def failing_fields(
    bounds: IntArray,
    rows: IntArray,
    kinds: Numbers,
    failing: Flags,
    sizes: Numbers,
    word: NDArray[np.uint64],
    shift: int,
    mask: int,
) -> Counts:
    """Sum over failing cells of a bit field of `word` (n_cells) times the class size, shape (n_rows,)."""
    sums = np.zeros(len(rows), dtype=np.int64)
    right, ones = np.uint64(shift), np.uint64(mask)
    for i in range(len(rows)):
        total = np.int64(0)
        for cell in range(bounds[rows[i]], bounds[rows[i] + 1]):
            kind = kinds[cell]
            if failing[kind]:
                total += np.int64((word[cell] >> right) & ones) * np.int64(sizes[kind])
        sums[i] = total
    return sums


@compiled
def fields_by_cell(kinds: Numbers, sizes: Numbers, word: NDArray[np.uint64], shift: int, mask: int) -> Counts:
    """A bit field of `word` times the class size, shape (n_cells,)."""
    sums = np.empty(len(word), dtype=np.int64)
    right, ones = np.uint64(shift), np.uint64(mask)
    for cell in range(len(word)):
        sums[cell] = np.int64((word[cell] >> right) & ones) * np.int64(sizes[kinds[cell]])
    return sums


@compiled
def threshold_counts(
    bounds: IntArray,
    kinds: Numbers,
    records: Numbers,
    bins: NDArray[np.int32],
    n_thresholds: int,
    at_least: bool,
    allowed: int,
) -> Counts:
    """For a grid of thresholds, how many nodes suppress at most `allowed` records.

    Parameters
    ----------
    bins : ndarray of int32, shape (n_kinds,)
        With `at_least`, a kind fails from the threshold of this number on; else at all thresholds
        before it. -1 for kinds that fail at any threshold.

    Returns
    -------
    ndarray of int64, shape (n_thresholds,)
    """
    counts = np.zeros(n_thresholds, dtype=np.int64)
    by_bin = np.empty(n_thresholds + 2, dtype=np.int64)  # the first for kinds that always fail
    for row in range(len(bounds) - 1):
        by_bin[:] = 0
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
    return counts


def warm_up() -> None:
    """Compile every function here."""
    bounds, rows = np.array([0, 1], dtype=np.int64), np.zeros(1, dtype=np.int64)
    failing, word, kinds = (
        np.ones(1, dtype=np.uint8),
        np.ones(1, dtype=np.uint64),
        np.zeros(1, dtype=np.int32),
    )
    numbers = np.ones(1, dtype=np.int32)
    failing_records(bounds, kinds, numbers, failing)
    failing_classes(bounds, rows, kinds, numbers, failing, numbers)
    smallest_kept(bounds, rows, kinds, failing, numbers)
    failing_fields(bounds, rows, kinds, failing, numbers, word, 0, 1)
    fields_by_cell(kinds, numbers, word, 0, 1)
    threshold_counts(bounds, kinds, numbers, kinds, 1, True, 1)
