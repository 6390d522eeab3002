"""Tables for any required class size: cells of a node sorted by size, with running sums.

A node with m different class sizes has m + 1 states: in state j the classes of its j smallest sizes are
suppressed and the others kept. Every value that depends only on a required class size is a number per state.
Common to all functions: `cells` are `PlainCells` and `states` are `States`, all but the first of them int32;
`rows` names the row of `cells.bounds` for every node by number. Nothing is allocated here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import IntArray
from engine.kernels.compiled.cell_words import entry_of
from engine.kernels.compiled.jit import compiled

Numbers = NDArray[np.int32]
ABREAST = 16  # nodes whose entries are written together, so that each cache line is written once


@compiled
def count_states(cells: Any, rows: IntArray, firsts: IntArray) -> None:
    """Fill the first state of each node, with the number of all states as last entry."""
    bounds, kinds, sizes = cells.bounds, cells.kinds, cells.sizes
    firsts[0] = 0
    for node in range(len(rows)):
        found, before = 0, np.int32(-1)
        for cell in range(bounds[rows[node]], bounds[rows[node] + 1]):
            size = sizes[kinds[cell]]
            if size != before:
                found += 1
                before = size
        firsts[node + 1] = firsts[node] + found + 1


@compiled
def fill_states(cells: Any, rows: IntArray, states: Any) -> None:
    """Fill the sizes, cells and suppressed records of all states."""
    bounds, kinds, sizes, records = cells.bounds, cells.kinds, cells.sizes, cells.records
    firsts, state_sizes, state_cells, suppressed = states
    for node in range(len(rows)):
        state, before, gone = firsts[node] - 1, np.int32(-1), np.int64(0)
        for cell in range(bounds[rows[node]], bounds[rows[node] + 1]):
            size = sizes[kinds[cell]]
            if size != before:
                state += 1
                state_sizes[state], state_cells[state], suppressed[state] = size, cell, gone
                before = size
            gone += records[cell]
        last = firsts[node + 1] - 1
        state_sizes[last], state_cells[last], suppressed[last] = 0, bounds[rows[node] + 1], gone


@compiled
def class_states(states: Any, classes: NDArray[np.int64]) -> None:
    """Fill the number of kept `classes` and the sum of their squared sizes per state, a row each."""
    firsts, state_sizes, _cells, suppressed = states
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
def sum_failing(states: Any, fields: Any, sums: Any) -> None:
    """Fill the `sums` (n_states, n_fields) of bit fields over the cells before each state.

    A field is multiplied by the class size.
    """
    firsts, state_sizes, state_cells, _suppressed = states
    words, numbers, places = fields
    for node in range(len(firsts) - 1):
        last = firsts[node + 1] - 1
        for field in range(len(places)):
            word, shift, mask = np.int64(places[field, 0]), places[field, 1], places[field, 2]
            total = np.int64(0)
            for state in range(firsts[node], last):
                sums[state, field] = total
                by_class = np.uint64(0)
                for cell in range(state_cells[state], state_cells[state + 1]):
                    by_class += (words[entry_of(numbers, cell), word] >> shift) & mask
                total += np.int64(by_class) * np.int64(state_sizes[state])
            sums[last, field] = total


@compiled
def state_rows(states: Any, current: IntArray, chosen: Numbers, gone: Numbers) -> None:
    """Fill the `chosen` state of every node and its suppressed records, for class sizes from 0 on.

    Both have shape (n_sizes, n_nodes): a required class size is one row of memory. `current` is working
    space, with as many entries as nodes are written together.
    """
    firsts, state_sizes, _cells, suppressed = states
    n_sizes, n_nodes = chosen.shape
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
                chosen[k, node] = state
                gone[k, node] = suppressed[state]


@compiled
def find_states(states: Any, k: int, chosen: IntArray) -> None:
    """Fill the `chosen` state of every node for a required class size of `k`."""
    firsts, state_sizes, _cells, _suppressed = states
    for node in range(len(chosen)):
        low, high = firsts[node], firsts[node + 1] - 1
        while low < high:
            middle = (low + high) // 2
            if state_sizes[middle] < k:
                low = middle + 1
            else:
                high = middle
        chosen[node] = low
