"""Compiled walk that counts the kept records without the most frequent target value of their class.

The target is a last attribute that is never raised: the classes of a node are its tuples with equal bits
above those of the target.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiled.failing import look_up_contents, tiny_failing
from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.rollup import index
from engine.kernels.compiled.traversal import DONE, RAISED, advance, tiny_walk


class Targets(NamedTuple):
    """What the walk reads and fills besides the tuples.

    Attributes
    ----------
    n_bits : int
        Lowest bits of the key, with the target value.
    sizes, most : ndarray of int64, shape (n_base,)
        Working space: records of each class, and those with its most frequent value.
    prints : ndarray of uint64, shape (2, n_base), or (2, 0) if sizes decide
        Working space: fingerprints of the classes.
    flags : ndarray of int32, shape (n_base,), or (0,) if sizes decide
        Working space.
    misses : ndarray of int64, shape (n_nodes,)
        Filled with the records.
    """

    n_bits: int
    sizes: NDArray[np.int64]
    most: NDArray[np.int64]
    prints: NDArray[np.uint64]
    flags: NDArray[np.int32]
    misses: NDArray[np.int64]


@compiled
def _count_misses(arena: Any, stack: Any, targets: Any, failing: Any, table: Any) -> None:
    """Fill the misses of the node."""
    depth = stack.state[0]
    begin, length, number = stack.begins[depth], stack.lengths[depth], stack.numbers[depth]
    keys, counts, met, n_bits = arena.keys, arena.counts, failing.met, targets.n_bits
    sizes, most = targets.sizes, targets.most
    out, previous = index(0) - index(1), np.int64(-1)
    size, largest = np.int64(0), np.int64(0)
    for row in range(index(begin), index(begin + length)):
        key = keys[row] >> n_bits
        is_new = key != previous
        previous = key
        out += index(is_new)
        # a mask, since a branch on new keys would be unpredictable
        going_on = np.int64(is_new) - np.int64(1)
        count = np.int64(counts[row])
        size = count + (size & going_on)
        largest = max(count, largest & going_on)
        sizes[out] = size
        most[out] = largest
    n_classes = out + index(1)
    _flag(arena, targets, failing, table, begin, length, n_classes)
    misses = np.int64(0)
    for row in range(n_classes):
        is_kept = np.int64(met[index(sizes[row])])
        if table is not None:
            is_kept &= np.int64(1) - np.int64(targets.flags[row])
        misses += is_kept * (sizes[row] - most[row])
    targets.misses[number] = misses


@compiled
def _flag(
    arena: Any, targets: Any, failing: Any, table: Any, begin: Any, length: Any, n_classes: Any
) -> None:
    """Look up which classes of sizes that may be kept fail by their contents."""
    if table is not None:
        keys, n_bits, met, rows = arena.keys, targets.n_bits, failing.met, failing.rows
        first_parts, second_parts = arena.prints[0], arena.prints[1]
        first_prints, second_prints = targets.prints[0], targets.prints[1]
        out, previous = index(0) - index(1), np.int64(-1)
        first, second = index(0), index(0)
        for row in range(index(begin), index(begin + length)):
            key = keys[row] >> n_bits
            is_new = key != previous
            previous = key
            out += index(is_new)
            going_on = index(np.int64(is_new) - np.int64(1))
            first = first_parts[row] + (first & going_on)
            second = second_parts[row] + (second & going_on)
            first_prints[out] = first
            second_prints[out] = second
        n_rows = index(0)
        for row in range(n_classes):
            rows[n_rows] = row
            n_rows += index(met[index(targets.sizes[row])])
        look_up_contents(table, failing.sink, rows[:n_rows], first_prints, second_prints, targets.flags)


@compiled
def walk_targets(
    plan: Any, stack: Any, arena: Any, scratch: Any, weights: Any, failing: Any, targets: Any
) -> Any:
    """Fill the misses of the nodes of a subtree; return DONE, or NEEDS_ARENA to be called again."""
    while True:
        if stack.state[1]:
            _count_misses(arena, stack, targets, failing, failing.table)
        found = advance(plan, stack, arena, scratch, weights)
        if found != RAISED:
            return found


def warm_up() -> None:
    """Compile both kinds of the walk, or load their machine code."""
    for failing in tiny_failing():
        n_flags = 0 if failing.table is None else 2
        targets = Targets(
            0,
            np.zeros(2, dtype=np.int64),
            np.zeros(2, dtype=np.int64),
            np.zeros((2, n_flags), dtype=np.uint64),
            np.zeros(n_flags, dtype=np.int32),
            np.zeros(4, dtype=np.int64),
        )
        found = walk_targets(*tiny_walk(is_plain=failing.table is None), failing, targets)
        assert found == DONE, "two records were not walked over"
