"""Compiled walk that counts the labels of suppressed records, for their entropy.

Of the failing and the kept classes of a node the fewer are counted; the others are the rest of the table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import index
from engine.kernels.compiled.failing import fails, flag_classes
from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.traversal import RAISED, advance, find_levels


class Labels(NamedTuple):
    """What the walk reads and fills besides the classes.

    A column is an attribute in the order of the walk, the fixed ones first. The labels of a fixed attribute
    are those of its level in the subtree; those of a raised one are path codes at the level of the node.

    Attributes
    ----------
    drops, masks : ndarray of int64, shape (n_raised, most_levels)
        Low bits of the key below the label at a level, and the bits of that label.
    number_bits : int
        Low bits of the key below the number of the fixed levels.
    fixed : ndarray of int64, shape (n_fixed, n_base)
        Labels of the fixed attributes by number.
    n_labels : ndarray of int64, shape (n_fixed,)
        Number of labels of the fixed attributes.
    level_totals : ndarray of int64, shape (n_raised, most_levels, most_labels)
        Records of the table per label of a raised attribute at a level.
    fixed_totals : ndarray of int64, shape (n_fixed, most_labels)
        The same for the fixed attributes.
    by_number : ndarray of int64, shape (n_base,)
        Working space, all 0 between nodes.
    counts : ndarray of int64, shape (most_labels,)
        Working space, all 0 between attributes.
    levels : ndarray of int64, shape (n_raised,)
        Working space.
    logs : ndarray of float64, shape (n_records + 1,)
        Binary logarithms, 0 for 0.
    bits : ndarray of float64, shape (n_nodes, n_columns)
        Filled with the entropy of the suppressed labels times their records.
    """

    drops: NDArray[np.int64]
    masks: NDArray[np.int64]
    number_bits: int
    fixed: NDArray[np.int64]
    n_labels: NDArray[np.int64]
    level_totals: NDArray[np.int64]
    fixed_totals: NDArray[np.int64]
    by_number: NDArray[np.int64]
    counts: NDArray[np.int64]
    levels: NDArray[np.int64]
    logs: NDArray[np.float64]
    bits: NDArray[np.float64]


@compiled
def _entropy(counts: Any, n_labels: Any, totals: Any, is_rest: Any, logs: Any, n_suppressed: Any) -> Any:
    """Return the bits of the counted labels, or of the rest of the table; empty the counts."""
    log, bits = logs[n_suppressed], 0.0
    for label in range(index(n_labels)):
        count = counts[label]
        counts[label] = 0
        if is_rest:
            count = totals[label] - count
        if count > 0:
            bits += count * (log - logs[count])
    return bits


@compiled
def _count_suppressed(arena: Any, stack: Any, labels: Any, failing: Any, table: Any) -> None:
    """Fill the bits of the node."""
    depth = stack.state[0]
    begin, length, number = stack.begins[depth], stack.lengths[depth], stack.numbers[depth]
    met, rows = failing.met, failing.rows
    flag_classes(arena, table, failing, begin, length)
    keys, sizes = arena.keys, arena.counts
    n_failing, n_suppressed = np.int64(0), np.int64(0)
    for row in range(index(begin), index(begin + length)):
        is_failing = fails(arena, table, met, row)
        n_failing += is_failing
        n_suppressed += is_failing * sizes[row]
    if n_suppressed == 0:
        return
    chosen = np.int64(2 * n_failing <= length)  # count the failing ones if they are the fewer
    is_rest = chosen == 0
    n_rows = index(0)
    for row in range(index(begin), index(begin + length)):
        rows[n_rows] = row
        n_rows += index(fails(arena, table, met, row) == chosen)
    rows = rows[:n_rows]
    counts, logs, bits = labels.counts, labels.logs, labels.bits
    levels = labels.levels
    find_levels(stack, levels)
    n_fixed = len(labels.fixed)
    for position in range(len(levels)):
        level = levels[position]
        drop, mask = labels.drops[position, level], labels.masks[position, level]
        if mask > 0:
            for row in rows:
                counts[index((keys[index(row)] >> drop) & mask)] += sizes[index(row)]
            totals = labels.level_totals[position, level]
            bits[number, n_fixed + position] = _entropy(counts, mask + 1, totals, is_rest, logs, n_suppressed)
    if n_fixed == 0:
        return
    by_number = labels.by_number
    last = index(0)
    for row in rows:
        own = index(keys[index(row)] >> labels.number_bits)
        by_number[own] += sizes[index(row)]
        last = max(last, own)
    for column in range(n_fixed):
        if labels.n_labels[column] > 1:
            for fixed in range(last + index(1)):
                counts[index(labels.fixed[column, fixed])] += by_number[fixed]
            totals = labels.fixed_totals[column]
            bits[number, column] = _entropy(
                counts, labels.n_labels[column], totals, is_rest, logs, n_suppressed
            )
    for fixed in range(last + index(1)):
        by_number[fixed] = 0


@compiled
def walk_labels(
    plan: Any, stack: Any, arena: Any, scratch: Any, weights: Any, failing: Any, labels: Any
) -> Any:
    """Fill the bits of the nodes of a subtree; return DONE, or NEEDS_ARENA to be called again."""
    while True:
        if stack.state[1]:
            _count_suppressed(arena, stack, labels, failing, failing.table)
        found = advance(plan, stack, arena, scratch, weights)
        if found != RAISED:
            return found
