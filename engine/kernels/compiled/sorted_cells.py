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
def failing_records(
    nodes: IntArray,
    firsts: IntArray,
    states: Numbers,
    gone: Numbers,
    state_cells: Numbers,
    kinds: Numbers,
    records: Numbers,
    failing: Bits,
    sums: Counts,
) -> None:
    """Sum the records of failing cells; `gone` (n_nodes) are those before the state of each node."""
    for i in range(len(nodes)):
        node = nodes[i]
        total = np.int64(gone[node])
        for cell in range(state_cells[states[node]], state_cells[firsts[node + 1] - 1]):
            if _fails(failing, kinds[cell]):
                total += records[cell]
        sums[i] = total


@compiled
def follow_limit(
    firsts: IntArray,
    states: Numbers,
    gone: Numbers,
    state_cells: Numbers,
    kinds: Numbers,
    sizes: Numbers,
    records: Numbers,
    failing: Bits,
    changes: Bits,
    most: int,
    words: Words,
    numbers: Numbers,
    places: Words,
    read: Numbers,
    after: Counts,
    fields: Counts,
    listed: Numbers,
    at_least: Counts,
    is_exact: BoolArray,
) -> None:
    """Update the failing cells of all nodes to other states, another limit, or other kinds that fail.

    Nodes with more than `most` records before their state are not visited; others are read until they exceed
    this limit. Cells that were read keep their sums, from which only those are added or subtracted whose kind
    has changed, or that a moved state reaches or leaves. Label fields, which are far apart in memory, are
    read of nodes within the limit only.

    Parameters
    ----------
    changes : ndarray of uint8
        Kinds that failed before and do not fail now, or the reverse; empty if there are none.
    read : ndarray of int32, shape (n_nodes, 3)
        First cell that was read, one past the last, and one past the last whose fields were summed, -1 if
        their sums are unknown; updated.
    after : ndarray of int64, shape (n_nodes,)
        Records of the failing cells read; updated.
    fields : ndarray of int64, shape (n_nodes, n_fields)
        Bit fields times the class size, summed over them; updated for nodes within the limit.
    listed : ndarray of int32
        Room for the cells of a node.
    at_least, is_exact : ndarray, shape (n_nodes,)
        Filled with the records of failing cells, or a lower bound above the limit.
    """
    is_same = len(changes) == 0
    for node in range(len(states)):
        before, own = np.int64(gone[node]), fields[node]
        first, end = np.int64(state_cells[states[node]]), np.int64(state_cells[firsts[node + 1] - 1])
        low, high, summed = np.int64(read[node, 0]), np.int64(read[node, 1]), np.int64(read[node, 2])
        total = after[node]
        if before > most:
            at_least[node], is_exact[node] = before, False
            if not is_same:
                read[node, 0], read[node, 1], read[node, 2], after[node] = first, first, -1, 0
            continue
        if not is_same:
            n = _list_failing(low, high, kinds, changes, listed, np.int64(0))
            total += _sign_changed(listed, n, kinds, failing, records)
            if summed == high and before + total <= most:
                _add_fields(listed, n, 1, kinds, sizes, words, numbers, places, own)
            elif n:
                summed = np.int64(-1)
        moved = first - low if first > low else low - first
        if first >= high or moved > high - first:  # starting again reads fewer cells
            high, total, summed = first, np.int64(0), np.int64(-1)
        elif moved:
            sign, start, stop = (-1, low, first) if first > low else (1, first, low)
            n = _list_failing(start, stop, kinds, failing, listed, np.int64(0))
            total += sign * _records_of(listed, n, records)
            if summed >= first:
                _add_fields(listed, n, sign, kinds, sizes, words, numbers, places, own)
            else:
                summed = np.int64(-1)
        if summed != high:
            summed = np.int64(-1)
        n = np.int64(0)
        while high < end and before + total <= most:
            if _fails(failing, kinds[high]):
                total += records[high]
                listed[n] = high
                n += 1
            high += 1
        if high == end and before + total <= most:
            if summed < 0:
                n = _list_failing(first, end, kinds, failing, listed, np.int64(0))
                for field in range(len(places)):
                    own[field] = 0
            _add_fields(listed, n, 1, kinds, sizes, words, numbers, places, own)
            summed = high
        read[node, 0], read[node, 1], read[node, 2], after[node] = first, high, summed, total
        at_least[node], is_exact[node] = before + total, high == end


@compiled
def _fails(failing: Bits, kind: Any) -> Any:
    place = np.uint32(kind)  # an unsigned index is not checked for counting from the end
    return (np.uint32(failing[np.uint64(place >> np.uint32(3))]) >> (place & np.uint32(7))) & np.uint32(1)


@compiled
def _list_failing(first: Any, end: Any, kinds: Numbers, failing: Bits, found: Numbers, n: Any) -> Any:
    """Append failing cells; return their number."""
    for cell in range(first, end):
        found[n] = cell  # written over if it does not fail: without a branch, which would be mispredicted
        n += np.int64(_fails(failing, kinds[cell]))
    return n


@compiled
def _sign_changed(found: Numbers, n: Any, kinds: Numbers, failing: Bits, records: Numbers) -> Any:
    """Invert cells that do not fail any longer; return the records that fail in addition."""
    total = np.int64(0)
    for i in range(n):
        cell = found[i]
        if _fails(failing, kinds[cell]):
            total += records[cell]
        else:
            total -= records[cell]
            found[i] = ~cell
    return total


@compiled
def _records_of(found: Numbers, n: Any, records: Numbers) -> Any:
    total = np.int64(0)
    for i in range(n):
        total += records[found[i]]
    return total


@compiled
def _add_fields(
    found: Numbers,
    n: Any,
    sign: Any,
    kinds: Numbers,
    sizes: Numbers,
    words: Words,
    numbers: Numbers,
    places: Words,
    sums: Any,
) -> None:
    """Add bit fields of cells times the class size, or subtract them; of cells below zero the opposite."""
    for i in range(n):
        cell, factor = np.int64(found[i]), np.int64(sign)
        if cell < 0:
            cell, factor = ~cell, -factor
        factor *= np.int64(sizes[kinds[cell]])
        entry = entry_of(numbers, cell)
        for field in range(len(places)):
            word = words[entry, np.int64(places[field, 0])]
            sums[field] += np.int64((word >> places[field, 1]) & places[field, 2]) * factor


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
    room: Numbers,
    sums: Counts,
) -> None:
    """Sum bit fields times the class size over failing cells from the state on, shape (n_nodes, n_fields)."""
    for i in range(len(nodes)):
        first = np.int64(state_cells[states[nodes[i]]])
        end = np.int64(state_cells[firsts[nodes[i] + 1] - 1])
        n = _list_failing(first, end, kinds, failing, room, np.int64(0))
        for field in range(len(places)):
            sums[i, field] = 0
        _add_fields(room, n, 1, kinds, sizes, words, numbers, places, sums[i])


@compiled
def sum_by_rank(
    nodes: IntArray,
    firsts: IntArray,
    states: Numbers,
    state_cells: Numbers,
    kinds: Numbers,
    sizes: Numbers,
    records: Numbers,
    failing: Bits,
    ranks: NDArray[np.int16],
    words: Words,
    numbers: Numbers,
    places: Words,
    only_others: bool,
    room: Counts,
    sums: Any,
) -> None:
    """Fill sums over cells from the state on by the rank of their kind, 0 for kinds that fail.

    Parameters
    ----------
    ranks : ndarray of int16, shape (n_kinds,)
        From 1 to n_ranks - 1.
    only_others : bool
        Whether kinds that fail are left out.
    room : ndarray of int64, shape (n_ranks, 1 + n_fields)
        Zeros, also afterwards.
    sums : ndarray of int32 or int64, shape (n_ranks, 1 + n_fields, len(nodes))
        Zeros at first; records, and bit fields times the class size.
    """
    for i in range(len(nodes)):
        node, most = nodes[i], np.int64(0)
        for cell in range(state_cells[states[node]], state_cells[firsts[node + 1] - 1]):
            kind, rank = kinds[cell], np.int64(0)
            if not _fails(failing, kind):
                rank = np.int64(ranks[kind])
            elif only_others:
                continue
            room[rank, 0] += records[cell]
            entry, size = entry_of(numbers, cell), np.int64(sizes[kind])
            for field in range(len(places)):
                word = words[entry, np.int64(places[field, 0])]
                room[rank, 1 + field] += np.int64((word >> places[field, 1]) & places[field, 2]) * size
            most = max(most, rank)
        for used in range(most + 1):
            if room[used, 0]:
                for value in range(room.shape[1]):
                    sums[used, value, i] = room[used, value]
                    room[used, value] = 0


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
            if _fails(failing, kind):
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
            if not _fails(failing, kind):
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
    sums, exact = np.zeros((2, 1), dtype=np.int64), np.zeros(1, dtype=np.bool_)
    failing_records(nodes, firsts, kinds, kinds, cells, kinds, numbers, failing, sums[0])
    given = firsts, kinds, kinds, cells, kinds, numbers, numbers, failing, failing[:0]
    read, fields = np.zeros((1, 3), dtype=np.int32), np.zeros((1, 1), dtype=np.int64)
    follow_limit(*given, 1, words, kinds, places, read, sums[0], fields, kinds.copy(), sums[1], exact)
    more = failing, words, kinds, places, kinds.copy(), fields
    failing_fields(nodes, firsts, kinds, cells, kinds, numbers, *more)
    failing_classes(nodes, firsts, kinds, cells, kinds, numbers, numbers, failing, sums)
    ranked = failing, np.ones(1, dtype=np.int16), words, kinds, places, True
    for kept_as in (np.int32, np.int64):
        by_rank = np.zeros((2, 2, 1), dtype=kept_as)
        sum_by_rank(
            nodes,
            firsts,
            kinds,
            cells,
            kinds,
            numbers,
            numbers,
            *ranked,
            np.zeros((2, 2), dtype=np.int64),
            by_rank,
        )
    smallest_kept(nodes, firsts, kinds, cells, kinds, numbers, failing, sums[0])
