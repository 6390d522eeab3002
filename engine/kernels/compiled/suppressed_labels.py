"""Compiled step of a walk that counts the labels of suppressed records, for their entropy.

Of the failing and the kept classes of a node the fewer are counted; the others are the rest of the table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiled.contents import HIGH, find, slot_of
from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.pairs import get
from engine.kernels.compiled.rollup import index


class Labels(NamedTuple):
    """What a walk that counts labels reads and fills.

    A column is an attribute in the order of the walk, the fixed ones first. The labels of a fixed attribute
    are those of its level in the subtree; those of a raised one are path codes at the level of the node.

    Attributes
    ----------
    met : ndarray of uint8, shape (n_records + 1,)
        Whether a class of a size may be kept; its content decides if contents are known.
    failing : ndarray of uint64, shape (n_slots, 2), or None
        Table of failing contents of sizes that may be kept, as in `Contents`; None if sizes decide.
    sink : ndarray of int64, shape (1,)
        Unused result of early reads.
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
    rows, levels : ndarray of int64
        Working space.
    logs : ndarray of float64, shape (n_records + 1,)
        Binary logarithms, 0 for 0.
    bits : ndarray of float64, shape (n_nodes, n_columns)
        Filled with the entropy of the suppressed labels times their records.
    """

    met: NDArray[np.uint8]
    failing: NDArray[np.uint64] | None
    sink: NDArray[np.int64]
    drops: NDArray[np.int64]
    masks: NDArray[np.int64]
    number_bits: int
    fixed: NDArray[np.int64]
    n_labels: NDArray[np.int64]
    level_totals: NDArray[np.int64]
    fixed_totals: NDArray[np.int64]
    by_number: NDArray[np.int64]
    counts: NDArray[np.int64]
    rows: NDArray[np.int64]
    levels: NDArray[np.int64]
    logs: NDArray[np.float64]
    bits: NDArray[np.float64]


@compiled
def _fails(arena: Any, failing: Any, met: Any, row: Any) -> Any:
    """Return 1 for a failing class, 0 for a kept one."""
    if failing is not None:
        return np.int64(arena.contents[row])
    return np.int64(1) - np.int64(met[index(arena.counts[row])])


@compiled
def flag_classes(arena: Any, failing: Any, met: Any, sink: Any, rows: Any, begin: Any, length: Any) -> None:
    """Write into `arena.contents` whether the classes of a node fail: as its only part, or looked up."""
    if failing is not None:
        counts, heads, links, flags = arena.counts, arena.heads, arena.links, arena.contents
        first_prints, second_prints = arena.prints[0], arena.prints[1]
        n_merged = index(0)
        for row in range(index(begin), index(begin + length)):
            head = index(heads[row])
            is_merged = links[head] >= 0
            is_small = met[index(counts[row])] == 0
            flags[row] = np.int32(is_small) if is_merged else flags[head]
            rows[n_merged] = row
            n_merged += index(is_merged and not is_small)
        look_up_contents(failing, sink, rows[:n_merged], first_prints, second_prints, flags)


@compiled
def look_up_contents(
    failing: Any, sink: Any, rows: Any, first_prints: Any, second_prints: Any, flags: Any
) -> None:
    """Write whether the contents of some classes fail."""
    mask, early = np.uint64(len(failing) - 1), np.uint64(0)
    for row in rows:  # independent reads overlap, as in `contents.touch`
        early += failing[slot_of(first_prints[index(row)], mask), 1]
    sink[0] = np.int64(early)
    for row in rows:
        found = find(failing, first_prints[index(row)], second_prints[index(row)])
        flags[index(row)] = np.int32(found >= 0)


@compiled
def enter_failing(
    starts: Any, pairs: Any, sizes: Any, fails: Any, met: Any, numbers: Any, failing: Any
) -> Any:
    """Enter failing contents of sizes that may be kept; return how many, or -1 if the table is too small.

    Parameters
    ----------
    starts, pairs, sizes : ndarray
        As in `Contents`.
    fails : ndarray of uint8, shape (n_contents,)
    met : ndarray of uint8
        As in `Labels`.
    numbers : ndarray of uint64, shape (2, n_values)
        Random numbers whose sums over the records are fingerprints.
    failing : ndarray of uint64, shape (n_slots, 2)
        The table, all 0 at first.
    """
    entered = 0
    for content in range(len(fails)):
        if fails[content] == 0 or met[sizes[content]] == 0:
            continue
        first, second = np.uint64(0), np.uint64(0)
        at, end, value = index(starts[content]), index(starts[content + 1]), index(0)
        while at < end:
            step, at = get(pairs, at)
            count, at = get(pairs, at)
            value += step
            first += numbers[0, value] * count
            second += numbers[1, value] * count
        found = find(failing, first, second)
        if found < 0:
            entered += 1
            if 2 * entered > len(failing):
                return -1
            slot = -1 - found
            failing[slot, 0] = first
            failing[slot, 1] = (second & np.uint64(HIGH)) | np.uint64(1)
    return entered


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
def count_suppressed(arena: Any, stack: Any, depth: Any, labels: Any, failing: Any) -> None:
    """Fill the bits of the node at a depth."""
    begin, length, number = stack.begins[depth], stack.lengths[depth], stack.numbers[depth]
    met, rows = labels.met, labels.rows
    flag_classes(arena, failing, met, labels.sink, rows, begin, length)
    keys, sizes = arena.keys, arena.counts
    n_failing, n_suppressed = np.int64(0), np.int64(0)
    for row in range(index(begin), index(begin + length)):
        fails = _fails(arena, failing, met, row)
        n_failing += fails
        n_suppressed += fails * sizes[row]
    if n_suppressed == 0:
        return
    chosen = np.int64(2 * n_failing <= length)  # count the failing ones if they are the fewer
    is_rest = chosen == 0
    n_rows = index(0)
    for row in range(index(begin), index(begin + length)):
        rows[n_rows] = row
        n_rows += index(_fails(arena, failing, met, row) == chosen)
    rows = rows[:n_rows]
    counts, logs, bits = labels.counts, labels.logs, labels.bits
    levels = labels.levels
    levels[:] = 0
    for before in range(1, depth + 1):
        levels[stack.positions[before]] = stack.levels[before]
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
