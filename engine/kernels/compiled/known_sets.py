"""Compiled walks over the groups by sets of columns, for attackers who know only some columns.

This one finds the smallest group of every class over all sets, which gives the records that fail at first
for any class size. Groups of sets without the raised attribute stay as they are, so a class inherits their
smallest group from a class of its parent.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.known_cores import N_SUMS, Cores, walk_cores
from engine.kernels.compiled.known_groups import (
    Demands,
    GroupSizes,
    KnownSets,
    Space,
    Values,
    find_bad,
    find_codes,
    find_pattern,
    group_by_set,
    is_full,
    make_space,
    number_groups,
    pair_up,
)
from engine.kernels.compiled.known_suppression import (
    N_COUNTS,
    Repeated,
    suppress_classes,
    walk_repeated,
)
from engine.kernels.compiled.rollup import index
from engine.kernels.compiled.traversal import DONE, NEEDS_CELLS, RAISED, Tiny, advance, tiny_walk


class FirstCells(NamedTuple):
    """Smallest groups of the classes of every node, equal ones joined.

    Attributes
    ----------
    least : ndarray of int32, shape (n_models, n_raised + 1, room)
        Smallest group of a row of the arena over the sets of a model, of all sets whose raised attributes are
        before a position; at most `cap`.
    cap, bits : int
        Sizes from `cap` on are not distinguished, and the bits of a size in a key.
    keys : ndarray of int64, shape (room,)
        Sizes of all models, the first in the lowest bits.
    records : ndarray of int32, shape (room,)
    starts, lengths : ndarray of int64, shape (n_nodes,)
        Cells of each node.
    state : ndarray of int64, shape (1,)
        Number of cells.
    """

    least: NDArray[np.int32]
    cap: int
    bits: int
    keys: NDArray[np.int64]
    records: NDArray[np.int32]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    state: NDArray[np.int64]


@compiled
def _lower(
    known: Any, space: Any, first: Any, stop: Any, n_rows: Any, arena: Any, begin: Any, cells: Any, place: Any
) -> None:
    """Lower the smallest groups at a place of the order by some sets."""
    counts, labels, sizes, values = arena.counts, space.labels[0], space.sizes[0], known.values
    relevant = known.relevant[find_pattern(known, space)]
    for number in range(first, stop):
        if relevant[number] == 0:
            continue
        model = known.models[number]
        least = cells.least[model, place]
        if known.group_sizes.firsts[number] >= 0 and not is_full(known, space, number):
            _lower_by_sizes(known, space, number, n_rows, begin, least, cells.cap)
            continue
        n_groups = group_by_set(known, space, number, n_rows, counts, begin, labels, sizes)
        if values.n_values[model] > 0:
            n_pairs = pair_up(values, space, 0, model, n_groups, n_rows, counts, begin)
            find_bad(values, space, 0, model, n_groups, n_pairs)
            bad = space.bad[0]
            for own in range(n_groups):
                if bad[own]:
                    sizes[own] = 0
        for row in range(index(n_rows)):
            least[begin + row] = min(least[begin + row], sizes[index(labels[row])])


@compiled
def _lower_by_sizes(
    known: Any, space: Any, number: Any, n_rows: Any, begin: Any, least: Any, cap: Any
) -> None:
    """Lower the smallest groups by one set whose sizes are tabulated."""
    tabulated = known.group_sizes
    place, n_slots = tabulated.firsts[number], known.lengths[number]
    for i in range(n_slots):
        place += space.levels[known.slots[number, i]] * tabulated.strides[number, i]
    if tabulated.lows[place] >= cap:
        return
    sizes, start, keys = tabulated.sizes, tabulated.starts[place], space.keys
    for row in range(index(n_rows)):
        keys[row] = start
    stride = np.int64(1)
    for back in range(n_slots):
        slot = known.slots[number, n_slots - 1 - back]
        codes = space.codes[slot]
        for row in range(index(n_rows)):
            keys[row] += stride * np.int64(codes[row])
        stride *= space.radices[slot]
    for row in range(index(n_rows)):
        least[begin + row] = min(least[begin + row], sizes[index(keys[row])])


@compiled
def _add_first_cells(arena: Any, stack: Any, known: Any, space: Any, cells: Any) -> None:
    """Add the cells of the node; there is room for one per class."""
    depth = stack.state[0]
    begin, n_rows = index(stack.begins[depth]), stack.lengths[depth]
    counts, heads, least = arena.counts, arena.heads, cells.least
    n_models, n_places = least.shape[0], least.shape[1]
    find_codes(arena, stack, known, space)
    place = index(0)
    if depth > 0:
        place = index(stack.positions[depth])
        for model in range(n_models):
            own = least[model, place]
            for row in range(begin, begin + index(n_rows)):
                own[row] = own[index(heads[row])]
    else:
        for model in range(n_models):
            own = least[model, 0]
            for row in range(begin, begin + index(n_rows)):
                own[row] = cells.cap
        _lower(known, space, 0, known.bounds[0], n_rows, arena, begin, cells, 0)
    for position in range(place, index(n_places - 1)):
        for model in range(n_models):
            before, own = least[model, position], least[model, position + index(1)]
            for row in range(begin, begin + index(n_rows)):
                own[row] = before[row]
        first, stop = known.bounds[position], known.bounds[position + index(1)]
        _lower(known, space, first, stop, n_rows, arena, begin, cells, position + index(1))
    keys = space.keys
    for row in range(index(n_rows)):
        keys[row] = 0
    for model in range(n_models):
        own = least[model, n_places - 1]
        for row in range(index(n_rows)):
            keys[row] |= np.int64(own[begin + row]) << np.int64(cells.bits * model)
    span = np.int64(1) << np.int64(cells.bits * n_models)
    labels, sizes = space.labels[0], space.sizes[0]
    n_groups = number_groups(space, n_rows, span, counts, begin, labels, sizes)
    out = cells.state[0]
    for row in range(index(n_rows)):
        cells.keys[out + np.int64(labels[row])] = keys[row]
    for group in range(n_groups):
        cells.records[out + group] = sizes[group]
    number = stack.numbers[depth]
    cells.starts[number], cells.lengths[number] = out, n_groups
    cells.state[0] = out + n_groups


@compiled
def walk_first(
    plan: Any, stack: Any, arena: Any, scratch: Any, weights: Any, known: Any, space: Any, cells: Any
) -> Any:
    """Add the cells of the nodes of a subtree.

    Returns
    -------
    int
        DONE; NEEDS_CELLS or NEEDS_ARENA to be called again with more room.
    """
    state, lengths = stack.state, stack.lengths
    while True:
        if state[1]:
            room = cells.least.shape[2]
            if cells.state[0] + lengths[state[0]] > len(cells.keys) or room < len(arena.keys):
                return NEEDS_CELLS
            _add_first_cells(arena, stack, known, space, cells)
        found = advance(plan, stack, arena, scratch, weights)
        if found != RAISED:
            return found


@compiled
def fails_at_first(
    keys: Any, records: Any, starts: Any, lengths: Any, ks: Any, bits: Any, found: Any
) -> None:
    """Fill the records of the cells of each node that are below the class size of any model."""
    mask = (np.int64(1) << np.int64(bits)) - np.int64(1)
    for node in range(len(starts)):
        total = np.int64(0)
        for cell in range(index(starts[node]), index(starts[node] + lengths[node])):
            key, fails = keys[cell], False
            for model in range(len(ks)):
                fails |= ((key >> np.int64(bits * model)) & mask) < ks[model]
            total += np.int64(fails) * np.int64(records[cell])
        found[node] = total


def warm_up() -> None:
    """Compile, or load machine code, on a lattice of four nodes and two records."""
    zeros, two = np.zeros((2, 2), dtype=np.int64), np.full((2, 2), 2, dtype=np.int64)
    ones = np.ones(2, dtype=np.int64)
    values = Values(
        -1,
        0,
        np.zeros((1, 1), dtype=np.int32),
        np.zeros(1, dtype=np.int64),
        np.ones(1, dtype=np.int64),
        np.ones(1),
        np.zeros((1, 1), dtype=np.uint8),
    )
    sizes = GroupSizes(np.ones(1, dtype=np.int32), ones[:1], ones[:1], np.full(2, -1, dtype=np.int64), zeros)
    known = KnownSets(
        np.array([[1, 2], [0, 1]]),
        np.array([[1, 0], [1, 0]]),
        zeros,
        two,
        zeros,
        np.zeros((2, 2)),
        np.array([0, 1], dtype=np.int32),
        2,
        np.zeros((1, 2), dtype=np.int32),
        np.ones(1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.zeros(1),
        np.array([[0, 0, 0], [1, 0, 0]]),
        ones,
        np.zeros(2, dtype=np.int64),
        ones,
        np.array([0, 1, 2]),
        np.ones(2),
        np.zeros(2),
        np.zeros(3, dtype=np.bool_),
        values,
        sizes,
        np.ones((1, 2), dtype=np.uint8),
    )
    for walk in (walk_first, walk_repeated, walk_cores):
        tiny = tiny_walk(is_plain=True)
        space, room = make_space(2, 2, 3, 2, n_tabulated=2), len(tiny.arena.keys)
        if walk is walk_first:
            cells = FirstCells(
                np.zeros((1, 3, room), dtype=np.int32),
                3,
                2,
                np.zeros(16, dtype=np.int64),
                np.zeros(16, dtype=np.int32),
                np.zeros(4, dtype=np.int64),
                np.zeros(4, dtype=np.int64),
                np.zeros(1, dtype=np.int64),
            )
            assert walk_first(*tiny, known, space, cells) == DONE, "two records were not walked over"
            ks, found = np.ones(1, dtype=np.int64), np.zeros(4, dtype=np.int64)
            fails_at_first(cells.keys, cells.records, cells.starts, cells.lengths, ks, 2, found)
        elif walk is walk_repeated:
            sums = np.zeros((4, 3)), np.zeros((4, 3))
            wanted, counts = np.ones(4, dtype=np.bool_), np.zeros((4, N_COUNTS), dtype=np.int64)
            repeated = Repeated(wanted, counts, *sums, np.ones(room, dtype=np.uint8), 2)
            space = space._replace(lost=space.lost[:0])  # nothing is tabulated
            assert walk_repeated(*tiny, known, space, repeated) == DONE, "two records were not walked over"
            demands = Demands(known.slots, known.lengths, known.models, known.ks, values, known.relevant)
            suppress_classes(demands, space, np.ones(2, dtype=np.int32))
        else:
            pairs = np.array([2, 2], dtype=np.int32)
            tabulated = GroupSizes(pairs, zeros[0, :1], ones[:1], zeros[0], np.zeros((2, 3), dtype=np.int64))
            _walk_tiny_cores(tiny, known._replace(group_sizes=tabulated), space)


def _walk_tiny_cores(tiny: Tiny, known: KnownSets, space: Space) -> None:
    sizes, heads, places, failing = np.zeros((4, 4), dtype=np.int32)
    cores = Cores(
        np.ones(2, dtype=np.uint8),
        1,
        3,
        2,
        np.zeros(4, dtype=np.bool_),
        np.zeros(4, dtype=np.int64),
        np.zeros(32, dtype=np.int64),
        np.zeros((32, N_SUMS), dtype=np.int64),
        np.zeros((32, 3)),
        np.zeros((32, 0)),
        np.zeros(7, dtype=np.int64),
        np.zeros(3),
        np.zeros(2, dtype=np.int32),
        space.labels.reshape(-1),
        space.sizes.reshape(-1),
        sizes,
        heads,
        places,
        failing,
        np.zeros(2, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
    )
    wanted = np.ones(4, dtype=np.bool_)
    assert walk_cores(*tiny, known, space, cores, wanted) == DONE, "two records were not walked over"
