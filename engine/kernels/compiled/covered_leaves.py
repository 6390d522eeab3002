"""Compiled walks that sum over the kept classes of a node what the leaf combinations they cover decide.

Both kinds of sum are made of the same source: numba drops the branches of an argument that is None.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import index
from engine.kernels.compiled.failing import fails, flag_classes
from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.traversal import RAISED, advance, find_levels

LOG2E = np.log2(np.e)


class Covered(NamedTuple):
    """What the walk reads and fills besides the classes.

    Leaves are the number of leaves that a label covers, or its binary logarithm if logarithms are summed.

    Attributes
    ----------
    drops, masks : ndarray of int64, shape (n_raised, most_levels)
        Low bits of the key below the label at a level, and the bits of that label.
    firsts : ndarray of int64, shape (n_raised, most_levels)
        First label of a level in `leaves`, or -1 if all labels cover the same.
    constants : ndarray of float64, shape (n_raised, most_levels)
        Leaves of all labels of a level if they cover the same.
    leaves : ndarray of float64, shape (n_labels,)
        Leaves of the labels of all levels, by path code.
    number_bits : int
        Low bits of the key below the number of the fixed levels.
    fixed : ndarray of float64, shape (n_base,)
        Leaves of all fixed attributes together, by number.
    values : ndarray of float64, shape (n_base,)
        Working space.
    levels : ndarray of int64, shape (n_raised,)
        Working space.
    shares : ndarray of float64, shape (n_records + 1,), or None
        Binary logarithms of the share of a number of records in the table; None to sum combinations.
    all_bits : float
        Logarithm of all combinations; inf to leave out the suppressed records.
    sums : ndarray of float64, shape (n_nodes,)
        Filled with the combinations summed over kept records, or the bits of the release's cross entropy;
        those of the labels of kept records, if shares are 0 and suppressed records left out.
    """

    drops: NDArray[np.int64]
    masks: NDArray[np.int64]
    firsts: NDArray[np.int64]
    constants: NDArray[np.float64]
    leaves: NDArray[np.float64]
    number_bits: int
    fixed: NDArray[np.float64]
    values: NDArray[np.float64]
    levels: NDArray[np.int64]
    shares: NDArray[np.float64] | None
    all_bits: float
    sums: NDArray[np.float64]


@compiled
def _sum_covered(arena: Any, stack: Any, covered: Any, failing: Any, table: Any, shares: Any) -> None:
    """Fill the sum of the node."""
    depth = stack.state[0]
    begin, length, number = stack.begins[depth], stack.lengths[depth], stack.numbers[depth]
    flag_classes(arena, table, failing, begin, length)
    keys, sizes, rows = arena.keys, arena.counts, failing.rows
    n_rows, n_records, n_kept = index(0), np.int64(0), np.int64(0)
    for row in range(index(begin), index(begin + length)):
        is_kept = np.int64(1) - fails(arena, table, failing.met, row)
        rows[n_rows] = row
        n_rows += index(is_kept)
        n_kept += is_kept * sizes[row]
        n_records += sizes[row]
    common = _cover(keys, stack, covered, rows[:n_rows], shares)
    values, total = covered.values, 0.0
    if shares is None:
        for i in range(n_rows):
            total += sizes[index(rows[i])] * (values[i] * common)
    else:
        everywhere = -np.inf
        n_suppressed = n_records - n_kept
        if n_suppressed > 0 and covered.all_bits < np.inf:
            everywhere = shares[n_suppressed] - covered.all_bits
            total = n_suppressed * everywhere
        for i in range(n_rows):
            size = sizes[index(rows[i])]
            total += size * _log_of_sum(shares[size] - (values[i] + common), everywhere)
        total = -total
    covered.sums[number] = total


@compiled
def _cover(keys: Any, stack: Any, covered: Any, rows: Any, shares: Any) -> Any:
    """Write the leaves of some classes; return those that all have in common."""
    values, fixed, leaves = covered.values, covered.fixed, covered.leaves
    n_rows = index(len(rows))
    for i in range(n_rows):
        values[i] = fixed[index(keys[index(rows[i])] >> covered.number_bits)]
    find_levels(stack, covered.levels)
    common = 1.0 if shares is None else 0.0
    for position in range(len(covered.levels)):
        level = covered.levels[position]
        first, drop = covered.firsts[position, level], covered.drops[position, level]
        mask = covered.masks[position, level]
        if first < 0:
            if shares is None:
                common *= covered.constants[position, level]
            else:
                common += covered.constants[position, level]
        else:
            for i in range(n_rows):
                label = leaves[index(first + ((keys[index(rows[i])] >> drop) & mask))]
                if shares is None:
                    values[i] *= label
                else:
                    values[i] += label
    return common


@compiled
def _log_of_sum(first: Any, second: Any) -> Any:
    """Return the binary logarithm of a sum from those of its terms, of which the second may be -inf."""
    difference = second - first
    if difference <= 0:
        return first + LOG2E * np.log1p(2.0**difference)
    return second + LOG2E * np.log1p(2.0**-difference)


@compiled
def walk_covered(
    plan: Any, stack: Any, arena: Any, scratch: Any, weights: Any, failing: Any, covered: Any
) -> Any:
    """Fill the sums of the nodes of a subtree; return DONE, or NEEDS_ARENA to be called again."""
    while True:
        if stack.state[1]:
            _sum_covered(arena, stack, covered, failing, failing.table, covered.shares)
        found = advance(plan, stack, arena, scratch, weights)
        if found != RAISED:
            return found
