"""Tables for any required class size: cells of a node sorted by size, with running sums.

A node with m different class sizes has m + 1 states: in state j the classes of its j smallest sizes are
suppressed and the others kept. Every value that depends only on a required class size is a number per state.
Common to all functions: `firsts` (n_nodes + 1) is the first state of each node; `state_sizes` (n_states) the
size of the smallest kept classes, 0 in the last state of a node; other names as in `cell_evaluation`, with
`rows` naming the row of `bounds` for every node by number. `by_size` is working space, one entry per size
from 0 to the largest, all 0 before and after `fill_states`. Nothing is allocated here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, IntArray
from engine.kernels.compiled.jit import compiled

Numbers = NDArray[np.int32]
ABREAST = 16  # nodes whose entries are written together, so that each cache line is written once


@compiled
def sort_run(values: Numbers, first: int, last: int) -> None:
    """Sort a run in place with Shellsort, since runs are short."""
    gap = 1
    while gap < (last - first) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(first + gap, last):
            value, j = values[i], i
            while j >= first + gap and values[j - gap] > value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value
        gap //= 3


@compiled
def count_states(
    bounds: IntArray, rows: IntArray, kinds: Numbers, sizes: Numbers, seen: IntArray, firsts: IntArray
) -> None:
    """Fill `firsts`, with the number of all states as last entry; `seen` is working space like `by_size`."""
    for size in range(len(seen)):
        seen[size] = -1
    firsts[0] = 0
    for node in range(len(rows)):
        found = 0
        for cell in range(bounds[rows[node]], bounds[rows[node] + 1]):
            size = sizes[kinds[cell]]
            if seen[size] != node:
                seen[size] = node
                found += 1
        firsts[node + 1] = firsts[node] + found + 1


@compiled
def fill_states(
    bounds: IntArray,
    rows: IntArray,
    kinds: Numbers,
    sizes: Numbers,
    records: Numbers,
    firsts: IntArray,
    state_sizes: Numbers,
    suppressed: Numbers,
    by_size: Counts,
) -> None:
    """Fill `state_sizes` and the `suppressed` records of every state."""
    for node in range(len(rows)):
        first, last = firsts[node], firsts[node + 1] - 1
        state, rising = first, True
        for cell in range(bounds[rows[node]], bounds[rows[node] + 1]):
            size = sizes[kinds[cell]]
            if by_size[size] == 0:
                state_sizes[state] = size
                rising = rising and (state == first or state_sizes[state - 1] < size)
                state += 1
            by_size[size] += records[cell]
        state_sizes[last] = 0
        if not rising:
            sort_run(state_sizes, first, last)
        gone = np.int64(0)
        for state in range(first, last):
            suppressed[state] = gone
            gone += by_size[state_sizes[state]]
            by_size[state_sizes[state]] = 0
        suppressed[last] = gone


@compiled
def class_states(
    firsts: IntArray, state_sizes: Numbers, suppressed: Numbers, classes: NDArray[np.int64]
) -> None:
    """Fill the number of kept `classes` and the sum of their squared sizes per state, a row each."""
    for node in range(len(firsts) - 1):
        last = firsts[node + 1] - 1
        kept, squared = np.int64(0), np.int64(0)
        classes[last, 0], classes[last, 1] = 0, 0
        for state in range(last - 1, firsts[node] - 1, -1):
            records = np.int64(suppressed[state + 1] - suppressed[state])
            kept += records // np.int64(state_sizes[state])
            squared += records * np.int64(state_sizes[state])
            classes[state, 0], classes[state, 1] = kept, squared


@compiled
def cell_states(
    bounds: IntArray,
    rows: IntArray,
    kinds: Numbers,
    sizes: Numbers,
    firsts: IntArray,
    state_sizes: Numbers,
    by_size: Counts,
    states: Numbers,
) -> None:
    """Fill the last of the `states` (n_cells) that keeps each cell."""
    for node in range(len(rows)):
        for state in range(firsts[node], firsts[node + 1] - 1):
            by_size[state_sizes[state]] = state
        for cell in range(bounds[rows[node]], bounds[rows[node] + 1]):
            states[cell] = by_size[sizes[kinds[cell]]]


@compiled
def sum_states(
    firsts: IntArray,
    suppressed: Numbers,
    states: Numbers,
    values: NDArray[Any],
    constants: NDArray[Any],
    place: int,
    sums: NDArray[Any],
) -> None:
    """Fill a column of the `sums` (n_states, n_columns) over kept records.

    A record adds the value of its cell in `values` (n_cells, sums over the records of the cell) and that of
    its node in `constants` (n_nodes); for `states` see `cell_states`.
    """
    for state in range(len(sums)):
        sums[state, place] = 0
    for cell in range(len(values)):
        sums[states[cell], place] += values[cell]
    for node in range(len(firsts) - 1):
        last = firsts[node + 1] - 1
        kept = constants[node] * 0
        for state in range(last - 1, firsts[node] - 1, -1):
            kept += sums[state, place]
            sums[state, place] = kept + constants[node] * (suppressed[last] - suppressed[state])


@compiled
def state_rows(
    firsts: IntArray,
    state_sizes: Numbers,
    suppressed: Numbers,
    current: IntArray,
    states: Numbers,
    gone: Numbers,
) -> None:
    """Fill the state of every node and its suppressed records, for class sizes from 0 on.

    `states` and `gone` have shape (n_sizes, n_nodes): a required class size is one row of memory. `current`
    is working space, with as many entries as nodes are written together.
    """
    n_sizes, n_nodes = states.shape
    for begin in range(0, n_nodes, len(current)):
        end = min(begin + len(current), n_nodes)
        for node in range(begin, end):
            current[node - begin] = firsts[node]
        for k in range(n_sizes):
            for node in range(begin, end):
                state = current[node - begin]
                while state_sizes[state] != 0 and state_sizes[state] < k:
                    state += 1
                current[node - begin] = state
                states[k, node] = state
                gone[k, node] = suppressed[state]


@compiled
def find_states(firsts: IntArray, state_sizes: Numbers, k: int, states: IntArray) -> None:
    """Fill the state of every node for a required class size of `k`."""
    for node in range(len(states)):
        low, high = firsts[node], firsts[node + 1] - 1
        while low < high:
            middle = (low + high) // 2
            if state_sizes[middle] < k:
                low = middle + 1
            else:
                high = middle
        states[node] = low


def warm_up() -> None:
    """Compile every function here."""
    bounds, rows = np.array([0, 1], dtype=np.int64), np.zeros(1, dtype=np.int64)
    kinds, numbers = np.zeros(1, dtype=np.int32), np.ones(1, dtype=np.int32)
    firsts, by_size = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
    count_states(bounds, rows, kinds, numbers, by_size.copy(), firsts)
    state_sizes, suppressed = np.empty(2, dtype=np.int32), np.empty(2, dtype=np.int32)
    fill_states(bounds, rows, kinds, numbers, numbers, firsts, state_sizes, suppressed, by_size)
    class_states(firsts, state_sizes, suppressed, np.empty((2, 2), dtype=np.int64))
    cell_states(bounds, rows, kinds, numbers, firsts, state_sizes, by_size, kinds.copy())
    for kind, kept_as in ((np.int64, np.int32), (np.int64, np.int64), (np.float64, np.float64)):
        values, sums = np.zeros(1, dtype=kind), np.zeros((2, 1), dtype=kept_as)
        sum_states(firsts, suppressed, kinds, values, values, 0, sums)
    table = np.empty((2, 1), dtype=np.int32)
    state_rows(firsts, state_sizes, suppressed, by_size, table, table.copy())
    find_states(firsts, state_sizes, 1, rows)
