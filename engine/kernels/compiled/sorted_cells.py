"""Evaluation of cells sorted by class size: a required size is a start, other models are a bit per kind.

Common to all functions: `firsts` (n_nodes + 1) is the first state of each node as in `by_size`, whose names
apply; `state_cells` (n_states) the first cell of a state, in the last state of a node one past its last cell.
`states` (n_nodes, int32) is the state of every node for the required class size: earlier cells fail. Of later
ones those fail whose kind has its bit set in `failing` (uint8, eight kinds each). `nodes` are the nodes to
evaluate; results have an entry for each, in this order. `words` and `numbers` are the table and the numbers
of `cell_words`. Nothing is allocated here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.kernels.compiled.cell_words import entry_of
from engine.kernels.compiled.jit import compiled

Numbers = NDArray[np.int32]
Bits = NDArray[np.uint8]
Words = NDArray[np.uint64]
AT_ONCE = 32  # cells added between two comparisons with the limit


@compiled
def find_cells(
    bounds: IntArray, rows: IntArray, kinds: Numbers, sizes: Numbers, firsts: IntArray, state_cells: Numbers
) -> None:
    """Fill the first cell of every state."""
    for node in range(len(rows)):
        state, before = firsts[node] - 1, np.int32(-1)
        for cell in range(bounds[rows[node]], bounds[rows[node] + 1]):
            size = sizes[kinds[cell]]
            if size != before:
                state += 1
                state_cells[state] = cell
                before = size
        state_cells[firsts[node + 1] - 1] = bounds[rows[node] + 1]


@compiled
def sum_failing(
    firsts: IntArray,
    state_sizes: Numbers,
    state_cells: Numbers,
    words: Words,
    numbers: Numbers,
    places: Words,
    sums: Any,
) -> None:
    """Fill the `sums` (n_states, n_fields) of bit fields over the cells before each state.

    `places` has word, shift and mask of every field; a field is multiplied by the class size.
    """
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
def mark_failing(
    values: NDArray[Any], limit: Any, at_least: bool, first: int, step: int, failing: Bits
) -> None:
    """Set the bits of kinds whose value misses a limit; the kind of entry c is `first` + c * `step`.

    A value must be at least the limit, or at most; nan fails.
    """
    kind, place, bits = first, first >> 3, np.uint8(0)
    for c in range(len(values)):
        fails = not (values[c] >= limit) if at_least else not (values[c] <= limit)
        if kind >> 3 != place:
            failing[place] |= bits
            place, bits = kind >> 3, np.uint8(0)
        bits |= np.uint8(fails) << np.uint8(kind & 7)
        kind += step
    if len(values):
        failing[place] |= bits


@compiled
def bounded_records(
    nodes: IntArray,
    firsts: IntArray,
    states: Numbers,
    gone: Numbers,
    state_cells: Numbers,
    kinds: Numbers,
    sizes: Numbers,
    records: Numbers,
    failing: Bits,
    most: int,
    words: Words,
    numbers: Numbers,
    places: Words,
    sums: Counts,
    is_exact: BoolArray,
    fields: Counts,
) -> None:
    """Fill the records of failing cells, giving up a node once they exceed `most`.

    `gone` (n_nodes) are the records before the state of each node. `is_exact` is false for nodes that were
    given up, of which more records than in `sums` may fail. `fields` are filled as by `failing_fields`, for
    nodes that do not exceed the limit, whose cells were just read.
    """
    for i in range(len(nodes)):
        node = nodes[i]
        total = np.int64(gone[node])
        first, end = np.int64(state_cells[states[node]]), np.int64(state_cells[firsts[node + 1] - 1])
        cell = first
        while cell < end and total <= most:
            stop = min(cell + AT_ONCE, end)
            for c in range(cell, stop):
                kind = kinds[c]
                total += np.int64(records[c]) * np.int64((failing[kind >> 3] >> (kind & 7)) & 1)
            cell = stop
        sums[i], is_exact[i] = total, cell == end
        if total <= most:
            _sum_fields(first, end, kinds, sizes, failing, words, numbers, places, fields[:, i])


@compiled
def failing_fields(
    nodes: IntArray,
    firsts: IntArray,
    states: Numbers,
    state_cells: Numbers,
    kinds: Numbers,
    sizes: Numbers,
    failing: Bits,
    words: Words,
    numbers: Numbers,
    places: Words,
    sums: Counts,
) -> None:
    """Sum bit fields times the class size over failing cells from the state on, shape (n_fields, n_nodes)."""
    for i in range(len(nodes)):
        first = np.int64(state_cells[states[nodes[i]]])
        end = np.int64(state_cells[firsts[nodes[i] + 1] - 1])
        _sum_fields(first, end, kinds, sizes, failing, words, numbers, places, sums[:, i])


@compiled
def _sum_fields(
    first: Any,
    end: Any,
    kinds: Numbers,
    sizes: Numbers,
    failing: Bits,
    words: Words,
    numbers: Numbers,
    places: Words,
    sums: Any,
) -> None:
    n_fields = len(places)
    for field in range(n_fields):
        sums[field] = 0
    for cell in range(first, end):
        kind = kinds[cell]
        if (failing[kind >> 3] >> (kind & 7)) & 1:
            size, entry = np.int64(sizes[kind]), entry_of(numbers, cell)
            for field in range(n_fields):
                word = words[entry, np.int64(places[field, 0])]
                sums[field] += np.int64((word >> places[field, 1]) & places[field, 2]) * size


@compiled
def failing_classes(
    nodes: IntArray,
    firsts: IntArray,
    states: Numbers,
    state_cells: Numbers,
    kinds: Numbers,
    sizes: Numbers,
    records: Numbers,
    failing: Bits,
    sums: Counts,
) -> None:
    """Fill failing classes from the state on and the sum of their squared sizes, shape (2, n_nodes)."""
    for i in range(len(nodes)):
        node = nodes[i]
        classes, squares = np.int64(0), np.int64(0)
        for cell in range(state_cells[states[node]], state_cells[firsts[node + 1] - 1]):
            kind = kinds[cell]
            if (failing[kind >> 3] >> (kind & 7)) & 1:
                size = sizes[kind]
                classes += np.int64(np.float64(records[cell]) / np.float64(size))  # see `chosen_classes`
                squares += np.int64(records[cell]) * np.int64(size)
        sums[0, i], sums[1, i] = classes, squares


@compiled
def smallest_kept(
    nodes: IntArray,
    firsts: IntArray,
    states: Numbers,
    state_cells: Numbers,
    kinds: Numbers,
    sizes: Numbers,
    failing: Bits,
    smallest: Counts,
) -> None:
    """Fill the size of the `smallest` kept class, 0 if none is kept."""
    for i in range(len(nodes)):
        node = nodes[i]
        smallest[i] = 0
        for cell in range(state_cells[states[node]], state_cells[firsts[node + 1] - 1]):
            kind = kinds[cell]
            if not (failing[kind >> 3] >> (kind & 7)) & 1:
                smallest[i] = sizes[kind]
                break


def warm_up() -> None:
    """Compile every function here."""
    bounds, nodes = np.array([0, 1], dtype=np.int64), np.zeros(1, dtype=np.int64)
    kinds, numbers = np.zeros(1, dtype=np.int32), np.ones(1, dtype=np.int32)
    firsts, sizes = np.array([0, 2], dtype=np.int64), np.array([1, 0], dtype=np.int32)
    cells, failing = np.zeros(2, dtype=np.int32), np.zeros(1, dtype=np.uint8)
    find_cells(bounds, nodes, kinds, numbers, firsts, cells)
    words, places = np.zeros((1, 1), dtype=np.uint64), np.array([[0, 0, 1]], dtype=np.uint64)
    for kept_as in (np.int32, np.int64):
        sum_failing(firsts, sizes, cells, words, kinds, places, np.zeros((2, 1), dtype=kept_as))
    mark_failing(np.zeros(1, dtype=np.int64), 1, True, 0, 1, failing)
    mark_failing(np.zeros(1), 1.0, True, 0, 1, failing)
    sums, exact = np.zeros((2, 1), dtype=np.int64), np.zeros(1, dtype=np.bool_)
    given = kinds, kinds, cells, kinds, numbers, numbers
    bounded_records(nodes, firsts, *given, failing, 1, words, kinds, places, sums[0], exact, sums)
    failing_fields(nodes, firsts, kinds, cells, kinds, numbers, failing, words, kinds, places, sums)
    failing_classes(nodes, firsts, kinds, cells, kinds, numbers, numbers, failing, sums)
    smallest_kept(nodes, firsts, kinds, cells, kinds, numbers, failing, sums[0])
