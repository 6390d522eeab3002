"""Suppression repeated for all class sizes of one model at once, in a walk over the nodes.

The rows that remain for a class size remain for every smaller one. So groups are taken away in the order of
what is left of them: a row that falls with a group of `n` records remains for class sizes up to `n`. A cell
is what remains of a node for the class sizes from one on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.known_groups import choose_sets, find_codes, find_lowest, find_places, is_full
from engine.kernels.compiled.rollup import index
from engine.kernels.compiled.traversal import NEEDS_CELLS, RAISED, advance

N_SUMS = 5  # suppressed records, kept classes, squares, sizes and k
APART = np.int64(1) << np.int64(30)  # added to groups whose class size is fixed, so that no order has them
_NEVER = np.int64(2**31 - 1)
_KEPT = np.int32(2**31 - 1)


class Cores(NamedTuple):
    """What remains of nodes for all class sizes of one model.

    Attributes
    ----------
    is_free : ndarray of uint8, shape (n_sets,)
        Whether the class size of a set varies; others have that of their model.
    most, top, n_records : int
        Suppressed records after which a node is left, the largest class size, and all records.
    is_hopeless : ndarray of bool, shape (n_nodes,)
        Whether a node is left at the least class size that demands anything.
    ends : ndarray of int64, shape (n_nodes,)
        The class size from which more records are suppressed, or which is beyond the largest one.
    keys : ndarray of int64, shape (room,)
        The class size from which a cell holds, and from `top` + 2 on the number of its node.
    sums : ndarray of int64, shape (room, N_SUMS)
    leaves, spans : ndarray of float64, shape (room, n_slots)
        Sums over kept records; spans without slots if no attribute has any.
    state : ndarray of int64, shape (7,)
        Number of cells; of groups, of groups that fail, of sets not grouped yet, of records lost, of kept
        classes, and their squares.
    widths : ndarray of float64, shape (n_slots,)
        Spans of kept records.
    cores : ndarray of int32, shape (n_base,)
        The largest class size for which a row remains.
    links, groups : ndarray of int32, shape (n_sets * n_base,)
        The next row of the group of a row, and its group; one set after the other.
    sizes, heads, places, failing : ndarray of int32, shape (n_sets * n_base,)
        Records of each group, its first row, and where the links of its set begin; a stack of groups.
    waiting : ndarray of int64, shape (n_sets,)
        Sets whose smallest group is large enough so far.
    limits : ndarray of int64, shape (n_sets,)
        Least size of groups, of grouped sets in their order.
    """

    is_free: NDArray[np.uint8]
    most: int
    top: int
    n_records: int
    is_hopeless: NDArray[np.bool_]
    ends: NDArray[np.int64]
    keys: NDArray[np.int64]
    sums: NDArray[np.int64]
    leaves: NDArray[np.float64]
    spans: NDArray[np.float64]
    state: NDArray[np.int64]
    widths: NDArray[np.float64]
    cores: NDArray[np.int32]
    links: NDArray[np.int32]
    groups: NDArray[np.int32]
    sizes: NDArray[np.int32]
    heads: NDArray[np.int32]
    places: NDArray[np.int32]
    failing: NDArray[np.int32]
    waiting: NDArray[np.int64]
    limits: NDArray[np.int64]


@compiled
def _group(
    known: Any, space: Any, cores: Any, number: Any, n_grouped: Any, n_rows: Any, counts: Any, begin: Any
) -> None:
    """Group the rows that remain by a set, the next of the grouped ones, and note too small groups."""
    state, links, groups = cores.state, cores.links, cores.groups
    sizes, heads, places, table = cores.sizes, cores.heads, cores.places, space.lost
    first, n_groups = index(n_grouped) * index(n_rows), state[1]
    before = n_groups
    apart = np.int32(0) if cores.is_free[number] else np.int32(APART)
    if is_full(known, space, number):
        for row in range(index(n_rows)):
            if cores.cores[row] == _KEPT:
                groups[first + row], links[first + row] = n_groups, -1
                heads[n_groups], sizes[n_groups] = row, counts[begin + row] + apart
                n_groups += 1
    else:
        own = links[first : first + index(n_rows)]
        find_places(known, space, number, n_rows, own)
        for row in range(index(n_rows)):
            if cores.cores[row] == _KEPT:
                place = index(own[row])
                group = table[place] - np.int32(1)
                if group < 0:
                    group = np.int32(n_groups)
                    n_groups += 1
                    table[place] = group + np.int32(1)
                    places[group], heads[group], sizes[group] = place, -1, apart
                sizes[index(group)] += counts[begin + row]
                groups[first + row] = group
                own[row] = heads[index(group)]
                heads[index(group)] = row
        for group in range(before, n_groups):
            table[index(places[group])] = 0
    for group in range(before, n_groups):
        places[group] = first
    state[1] = n_groups
    limit, n_failing = cores.limits[n_grouped], state[2]
    for group in range(before, n_groups):
        if np.int64(sizes[group]) < limit:
            cores.failing[n_failing] = group
            n_failing += 1
            sizes[group] = _NEVER
    state[2] = n_failing


@compiled
def _lose(
    known: Any, space: Any, cores: Any, n_grouped: Any, core: Any, n_rows: Any, counts: Any, begin: Any
) -> None:
    """Take away the failing groups, and those that fail without their rows, among the grouped sets."""
    state, links, groups, sizes, failing = cores.state, cores.links, cores.groups, cores.sizes, cores.failing
    rows_of_set, n_slots = index(n_rows), len(space.radices)
    while state[2] > 0:
        state[2] -= 1
        group = failing[state[2]]
        row = cores.heads[index(group)]
        first = index(cores.places[index(group)])
        while row >= 0:
            own = index(row)
            row = links[first + own]
            if cores.cores[own] != _KEPT:
                continue
            cores.cores[own] = core
            count = counts[begin + own]
            state[4] += np.int64(count)
            state[5] -= 1
            state[6] -= np.int64(count) * np.int64(count)
            for slot in range(n_slots):
                label = space.offsets[slot] + np.int64(space.codes[slot, own])
                space.totals[slot] -= known.leaves[label] * count
                if known.has_spans[slot]:
                    cores.widths[slot] -= known.spans[label] * count
            place = own
            for grouped in range(n_grouped):
                other = index(groups[place])
                place += rows_of_set
                left = sizes[other] - count
                sizes[other] = left
                if np.int64(left) < cores.limits[grouped]:
                    failing[state[2]] = np.int32(other)
                    state[2] += 1
                    sizes[other] = _NEVER
        if state[4] > cores.most:
            state[2] = 0
            return


@compiled
def _group_more(
    known: Any, space: Any, cores: Any, n_grouped: Any, size: Any, n_rows: Any, counts: Any, begin: Any
) -> Any:
    """Group the waiting sets that may have a group of at most a size, or below their fixed class size.

    Returns
    -------
    int
        The number of grouped sets.
    """
    state, waiting = cores.state, cores.waiting
    i = np.int64(0)
    while i < state[3]:
        number = waiting[i]
        is_free = cores.is_free[number]
        least = size + np.int64(1) if is_free else known.ks[number]
        if space.lows[number] - state[4] < least:
            cores.limits[n_grouped] = least if is_free else known.ks[number] + APART
            _group(known, space, cores, number, n_grouped, n_rows, counts, begin)
            n_grouped += 1
            state[3] -= 1
            waiting[i] = waiting[state[3]]
        else:
            i += 1
    return n_grouped


@compiled
def _least_size(cores: Any, n_groups: Any) -> Any:
    """Return the size of the smallest group whose class size varies."""
    least = _KEPT
    for group in range(index(n_groups)):
        least = min(least, cores.sizes[group])
    return np.int64(least)


@compiled
def _add_cell(cores: Any, space: Any, node: Any, size: Any, n_rows: Any, counts: Any, begin: Any) -> None:
    """Add what remains for class sizes from one on."""
    number = index(cores.state[0])
    least = _KEPT
    for row in range(index(n_rows)):
        own = counts[begin + row] if cores.cores[row] == _KEPT else _KEPT
        least = min(least, own)
    cores.keys[number] = node * (cores.top + 2) + size
    sums = cores.sums[number]
    sums[0], sums[1], sums[2] = cores.state[4], cores.state[5], cores.state[6]
    sums[3] = np.int64(cores.n_records) - cores.state[4]
    sums[4] = 0 if least == _KEPT else np.int64(least)
    leaves, spans = cores.leaves[number], cores.spans[number]
    for slot in range(len(leaves)):
        leaves[slot] = space.totals[slot]
    for slot in range(len(spans)):
        spans[slot] = cores.widths[slot]
    cores.state[0] += 1


@compiled
def _add_cores(arena: Any, stack: Any, known: Any, space: Any, cores: Any) -> None:
    """Add the cells of the node."""
    depth = stack.state[0]
    begin, n_rows, node = index(stack.begins[depth]), stack.lengths[depth], stack.numbers[depth]
    state, counts = cores.state, arena.counts
    find_codes(arena, stack, known, space)
    n_sets = choose_sets(known, space)
    state[1], state[2], state[3], state[4] = 0, 0, n_sets, 0
    for i in range(n_sets):
        own = space.chosen[i]
        cores.waiting[i] = own
        if is_full(known, space, own):
            space.lows[own] = 0
        else:
            find_lowest(known, space, own)
    squares = np.int64(0)
    for row in range(index(n_rows)):
        cores.cores[row] = _KEPT
        squares += np.int64(counts[begin + row]) * np.int64(counts[begin + row])
    state[5], state[6] = n_rows, squares
    for slot in range(len(space.radices)):
        widths = 0.0
        if known.has_spans[slot]:
            codes, offset = space.codes[slot], space.offsets[slot]
            for row in range(index(n_rows)):
                widths += known.spans[offset + np.int64(codes[row])] * counts[begin + row]
        cores.widths[slot] = widths
    size, n_grouped, before = np.int64(0), np.int64(0), np.int64(-1)
    while True:
        for grouped in range(n_grouped):
            if cores.limits[grouped] < APART:
                cores.limits[grouped] = size + 1
        if size > 0:
            for group in range(state[1]):
                if np.int64(cores.sizes[group]) == size:
                    cores.failing[state[2]] = np.int32(group)
                    state[2] += 1
                    cores.sizes[group] = _NEVER
        while True:
            n_grouped = _group_more(known, space, cores, n_grouped, size, n_rows, counts, begin)
            if state[2] == 0:
                break
            _lose(known, space, cores, n_grouped, np.int32(size), n_rows, counts, begin)
            if state[4] > cores.most:
                break
        if state[4] > cores.most:
            cores.ends[node] = size + 1 if size > 0 else 0
            break
        if state[4] > before:
            _add_cell(cores, space, node, size + 1 if size > 0 else 0, n_rows, counts, begin)
            before = state[4]
        if cores.is_hopeless[node]:
            cores.ends[node] = 2
            break
        size = _least_size(cores, state[1])
        for i in range(state[3]):
            number = cores.waiting[i]
            if cores.is_free[number]:
                size = min(size, space.lows[number] - state[4])
        if size >= cores.top:
            cores.ends[node] = cores.top + 1
            break


@compiled
def walk_cores(
    plan: Any,
    stack: Any,
    arena: Any,
    scratch: Any,
    weights: Any,
    known: Any,
    space: Any,
    cores: Any,
    wanted: Any,
) -> Any:
    """Add the cells of the wanted nodes of a subtree.

    Returns
    -------
    int
        DONE; NEEDS_CELLS or NEEDS_ARENA to be called again with more room.
    """
    state = stack.state
    while True:
        if state[1] and wanted[stack.numbers[state[0]]]:
            n_most = min(stack.lengths[state[0]], np.int64(cores.top)) + np.int64(2)
            if cores.state[0] + n_most > len(cores.keys):
                return NEEDS_CELLS
            _add_cores(arena, stack, known, space, cores)
        reached = advance(plan, stack, arena, scratch, weights)
        if reached != RAISED:
            return reached
