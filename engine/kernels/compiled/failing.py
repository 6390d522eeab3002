"""Compiled look-up of the classes that a requirement suppresses, while the nodes are walked again."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import index
from engine.kernels.compiled.contents import HIGH, find, slot_of
from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.pairs import get


class Failing(NamedTuple):
    """Which classes fail.

    Attributes
    ----------
    met : ndarray of uint8, shape (n_records + 1,)
        Whether a class of a size may be kept; its content decides if contents are known.
    table : ndarray of uint64, shape (n_slots, 2), or None
        Table of failing contents of sizes that may be kept, as in `Contents`; None if sizes decide.
    sink : ndarray of int64, shape (1,)
        Unused result of early reads.
    rows : ndarray of int64, shape (n_base,)
        Working space.
    """

    met: NDArray[np.uint8]
    table: NDArray[np.uint64] | None
    sink: NDArray[np.int64]
    rows: NDArray[np.int64]


@compiled
def fails(arena: Any, table: Any, met: Any, row: Any) -> Any:
    """Return 1 for a failing class, 0 for a kept one, once `flag_classes` has looked it up."""
    if table is not None:
        return np.int64(arena.contents[row])
    return np.int64(1) - np.int64(met[index(arena.counts[row])])


@compiled
def flag_classes(arena: Any, table: Any, failing: Any, begin: Any, length: Any) -> None:
    """Write into `arena.contents` whether the classes of a node fail: as its only part, or looked up."""
    if table is not None:
        counts, heads, links, flags = arena.counts, arena.heads, arena.links, arena.contents
        first_prints, second_prints = arena.prints[0], arena.prints[1]
        met, rows = failing.met, failing.rows
        n_merged = index(0)
        for row in range(index(begin), index(begin + length)):
            head = index(heads[row])
            is_merged = links[head] >= 0
            is_small = met[index(counts[row])] == 0
            flags[row] = np.int32(is_small) if is_merged else flags[head]
            rows[n_merged] = row
            n_merged += index(is_merged and not is_small)
        look_up_contents(table, failing.sink, rows[:n_merged], first_prints, second_prints, flags)


@compiled
def look_up_contents(
    table: Any, sink: Any, rows: Any, first_prints: Any, second_prints: Any, flags: Any
) -> None:
    """Write whether the contents of some classes fail."""
    mask, early = np.uint64(len(table) - 1), np.uint64(0)
    for row in rows:  # independent reads overlap, as in `contents.touch`
        early += table[slot_of(first_prints[index(row)], mask), 1]
    sink[0] = np.int64(early)
    for row in rows:
        found = find(table, first_prints[index(row)], second_prints[index(row)])
        flags[index(row)] = np.int32(found >= 0)


@compiled
def enter_failing(
    starts: Any, pairs: Any, sizes: Any, is_failing: Any, met: Any, numbers: Any, table: Any
) -> Any:
    """Enter failing contents of sizes that may be kept; return how many, or -1 if the table is too small.

    Parameters
    ----------
    starts, pairs, sizes : ndarray
        As in `Contents`.
    is_failing : ndarray of uint8, shape (n_contents,)
    met : ndarray of uint8
        As in `Failing`.
    numbers : ndarray of uint64, shape (2, n_values)
        Random numbers whose sums over the records are fingerprints.
    table : ndarray of uint64, shape (n_slots, 2)
        All 0 at first.
    """
    entered = 0
    for content in range(len(is_failing)):
        if is_failing[content] == 0 or met[sizes[content]] == 0:
            continue
        first, second = np.uint64(0), np.uint64(0)
        at, end, value = index(starts[content]), index(starts[content + 1]), index(0)
        while at < end:
            step, at = get(pairs, at)
            count, at = get(pairs, at)
            value += step
            first += numbers[0, value] * count
            second += numbers[1, value] * count
        found = find(table, first, second)
        if found < 0:
            entered += 1
            if 2 * entered > len(table):
                return -1
            slot = -1 - found
            table[slot, 0] = first
            table[slot, 1] = (second & np.uint64(HIGH)) | np.uint64(1)
    return entered
