"""Compiled counting of equal keys of many records, so that far fewer remain to be sorted."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.kernels.arrays import Counts, Keys
from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.rollup import index

FIRST_SLOTS = 1 << 16
FULLEST = 0.5  # largest share of used slots in the table
_SPREAD = 0x9E3779B97F4A7C15
_NONE = -1


def count_distinct(keys: Keys) -> tuple[Keys, Counts]:
    """Return the distinct keys, in no particular order, and how often each occurs.

    Parameters
    ----------
    keys : ndarray of int64, shape (n_rows,)
        Keys of at least 0.
    """
    table, counts = _table(FIRST_SLOTS)
    n_distinct = done = 0
    while done < len(keys):
        most = int(FULLEST * len(table))
        done, n_distinct = _count(keys, done, table, counts, n_distinct, most)
        if done < len(keys):
            old, old_counts = table, counts
            table, counts = _table(4 * len(old))
            _move(old, old_counts, table, counts)
    found = np.flatnonzero(table != _NONE)
    return table[found], counts[found]


def _table(n_slots: int) -> tuple[Keys, Counts]:
    return np.full(n_slots, _NONE, dtype=np.int64), np.zeros(n_slots, dtype=np.int64)


@compiled
def _count(keys: Any, done: Any, table: Any, counts: Any, n_distinct: Any, most: Any) -> Any:
    """Count keys from `done` on until the table is full; return the numbers counted and distinct."""
    mask = index(len(table) - 1)
    for row in range(index(done), index(len(keys))):
        key = keys[row]
        slot = ((index(key) * index(_SPREAD)) >> index(32)) & mask
        while table[slot] != key:
            if table[slot] == _NONE:
                if n_distinct == most:
                    return np.int64(row), n_distinct
                n_distinct += 1
                table[slot] = key
                break
            slot = (slot + index(1)) & mask
        counts[slot] += 1
    return np.int64(len(keys)), n_distinct


@compiled
def _move(old: Any, old_counts: Any, table: Any, counts: Any) -> None:
    mask = index(len(table) - 1)
    for entry in range(index(len(old))):
        key = old[entry]
        if key == _NONE:
            continue
        slot = ((index(key) * index(_SPREAD)) >> index(32)) & mask
        while table[slot] != _NONE:
            slot = (slot + index(1)) & mask
        table[slot] = key
        counts[slot] = old_counts[entry]


def warm_up() -> None:
    """Compile, or load machine code, on three keys."""
    table, counts = _table(4)
    _count(np.array([1, 0, 1]), 0, table, counts, 0, 2)
    _move(table, counts, *_table(8))
