"""Evaluation of cells sorted by class size: a required size is a start, other models are a bit per kind.

Common to all functions: `cells` are `PlainCells`, `states` are `States` and `fields` `CellFields`. `chosen`
(n_nodes, int32) is the state of every node for the required class size: earlier cells fail. Of later ones
those fail whose kind has its bit set in `failing` (uint8, eight kinds each). `nodes` are the nodes to
evaluate; results have an entry for each, in this order. Nothing is allocated here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, IntArray
from engine.kernels.compiled.cell_words import entry_of
from engine.kernels.compiled.jit import compiled

Numbers = NDArray[np.int32]
Bits = NDArray[np.uint8]


@compiled
def _cells_from(states: Any, chosen: Numbers, node: Any) -> Any:
    """Return the cells of a node from its chosen state on."""
    return range(states.cells[chosen[node]], states.cells[states.firsts[node + 1] - 1])


@compiled
def failing_records(
    nodes: IntArray, cells: Any, states: Any, chosen: Numbers, gone: Numbers, failing: Bits, sums: Counts
) -> None:
    """Sum the records of failing cells; `gone` (n_nodes) are those before the state of each node."""
    kinds, records = cells.kinds, cells.records
    for i in range(len(nodes)):
        node = nodes[i]
        total = np.int64(gone[node])
        for cell in _cells_from(states, chosen, node):
            if _fails(failing, kinds[cell]):
                total += records[cell]
        sums[i] = total


@compiled
def follow_limit(
    cells: Any,
    states: Any,
    chosen: Numbers,
    gone: Numbers,
    found: Any,
    changes: Bits,
    most: int,
    fields: Any,
    listed: Numbers,
    bounded: Any,
) -> None:
    """Update the failing cells of all nodes to other states, another limit, or other kinds that fail.

    Nodes with more than `most` records before their state are not visited; others are read until they exceed
    this limit. Cells that were read keep their sums, from which only those are added or subtracted whose kind
    has changed, or that a moved state reaches or leaves. Label fields, which are far apart in memory, are
    read of nodes within the limit only.

    Parameters
    ----------
    found : FailingCells
        The kinds that fail; and of every node, updated: first cell that was read, one past the last, and one
        past the last whose fields were summed, -1 if their sums are unknown; records of the failing cells
        read; bit fields times the class size, summed over them, for nodes within the limit.
    changes : ndarray of uint8
        Kinds that failed before and do not fail now, or the reverse; empty if there are none.
    listed : ndarray of int32
        Room for the cells of a node.
    bounded : BoundedRecords
        Filled with the records of failing cells, or a lower bound above the limit.
    """
    kinds, sizes, records = cells.kinds, cells.sizes, cells.records
    failing, read, after, all_sums = found
    at_least, is_exact = bounded
    is_same = len(changes) == 0
    for node in range(len(chosen)):
        before, own = np.int64(gone[node]), all_sums[node]
        place, last = states.cells[chosen[node]], states.cells[states.firsts[node + 1] - 1]
        first, end = np.int64(place), np.int64(last)
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
                _add_fields(listed, n, np.int64(1), kinds, sizes, fields, own)
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
                _add_fields(listed, n, sign, kinds, sizes, fields, own)
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
                for field in range(len(own)):
                    own[field] = 0
            _add_fields(listed, n, np.int64(1), kinds, sizes, fields, own)
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
    found: Numbers, n: Any, sign: Any, kinds: Numbers, sizes: Numbers, fields: Any, sums: Any
) -> None:
    """Add bit fields of cells times the class size, or subtract them; of cells below zero the opposite."""
    words, numbers, places = fields
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
    cells: Any,
    states: Any,
    chosen: Numbers,
    failing: Bits,
    fields: Any,
    room: Numbers,
    sums: Counts,
) -> None:
    """Sum bit fields times the class size over failing cells from the state on, shape (n_nodes, n_fields)."""
    for i in range(len(nodes)):
        first, end = states.cells[chosen[nodes[i]]], states.cells[states.firsts[nodes[i] + 1] - 1]
        n = _list_failing(np.int64(first), np.int64(end), cells.kinds, failing, room, np.int64(0))
        for field in range(sums.shape[1]):
            sums[i, field] = 0
        _add_fields(room, n, np.int64(1), cells.kinds, cells.sizes, fields, sums[i])


@compiled
def sum_by_rank(
    nodes: IntArray,
    cells: Any,
    states: Any,
    chosen: Numbers,
    failing: Bits,
    ranks: NDArray[np.int16],
    only_failing: bool,
    fields: Any,
    room: Counts,
    sums: Any,
) -> None:
    """Fill sums over cells from the state on by the rank of their kind.

    Parameters
    ----------
    ranks : ndarray of int16, shape (n_kinds,)
        From 1 to n_ranks - 1.
    only_failing : bool
        Whether other kinds are left out. If not, those that fail have rank 0.
    room : ndarray of int64, shape (n_ranks, 1 + n_fields)
        Zeros, also afterwards.
    sums : ndarray of int32 or int64, shape (n_ranks, 1 + n_fields, len(nodes))
        Zeros at first; records, and bit fields times the class size.
    """
    kinds, sizes, records = cells.kinds, cells.sizes, cells.records
    words, numbers, places = fields
    for i in range(len(nodes)):
        most = np.int64(0)
        for cell in _cells_from(states, chosen, nodes[i]):
            kind = kinds[cell]
            rank, fails = np.int64(ranks[kind]), _fails(failing, kind) != 0
            if fails != only_failing:
                if only_failing:
                    continue
                rank = np.int64(0)
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
    nodes: IntArray, cells: Any, states: Any, chosen: Numbers, failing: Bits, sums: Counts
) -> None:
    """Fill failing classes from the state on and the sum of their squared sizes, shape (2, n_nodes)."""
    kinds, sizes, records = cells.kinds, cells.sizes, cells.records
    for i in range(len(nodes)):
        classes, squares = np.int64(0), np.int64(0)
        for cell in _cells_from(states, chosen, nodes[i]):
            kind = kinds[cell]
            if _fails(failing, kind):
                size = sizes[kind]
                classes += np.int64(np.float64(records[cell]) / np.float64(size))  # see `chosen_classes`
                squares += np.int64(records[cell]) * np.int64(size)
        sums[0, i], sums[1, i] = classes, squares


@compiled
def smallest_kept(
    nodes: IntArray, cells: Any, states: Any, chosen: Numbers, failing: Bits, smallest: Counts
) -> None:
    """Fill the size of the `smallest` kept class, 0 if none is kept."""
    for i in range(len(nodes)):
        smallest[i] = 0
        for cell in _cells_from(states, chosen, nodes[i]):
            kind = cells.kinds[cell]
            if not _fails(failing, kind):
                smallest[i] = cells.sizes[kind]
                break
