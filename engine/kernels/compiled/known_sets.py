"""Compiled walks over the groups by sets of columns, for attackers who know only some columns.

One walk finds the smallest group of every class over all sets, which gives the records that fail at first for
any class size; the other repeats suppression at some nodes until nothing fails. Groups of sets without the
raised attribute stay as they are, so a class inherits their smallest group from a class of its parent.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.rollup import index
from engine.kernels.compiled.traversal import DONE, NEEDS_CELLS, RAISED, advance, find_levels, tiny_walk

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
N_COUNTS = 6  # suppressed records, kept classes, squares, sizes, k, and rounds


class KnownSets(NamedTuple):
    """The sets of columns; a slot is a raised attribute, or after these a fixed one.

    Attributes
    ----------
    drops, masks, firsts, radices, offsets : ndarray of int64, shape (n_raised, most_levels)
        Low bits of the key below the label at a level, bits of that label, its first entry in `numbers`, the
        number of labels, and the first of them in `leaves` and `spans`.
    numbers : ndarray of int32
        Number of the label on its level, by path code, of all levels of raised attributes.
    number_bits : int
        Low bits of the key below the number of the fixed levels.
    fixed : ndarray of int32, shape (n_fixed, n_base)
        Label of fixed attributes by that number.
    fixed_radices, fixed_offsets : ndarray of int64, shape (n_fixed,)
    slots : ndarray of int64, shape (n_sets, n_slots)
        Slots of each set, in the order of the highest raised attribute in it.
    lengths, models, ks : ndarray of int64, shape (n_sets,)
        Number of slots, model, and the class size it asks for.
    bounds : ndarray of int64, shape (n_raised + 1,)
        The first set with no raised attribute before a position, or one from it on.
    leaves, spans : ndarray of float64
        Weights of all labels of all levels.
    """

    drops: NDArray[np.int64]
    masks: NDArray[np.int64]
    firsts: NDArray[np.int64]
    radices: NDArray[np.int64]
    offsets: NDArray[np.int64]
    numbers: NDArray[np.int32]
    number_bits: int
    fixed: NDArray[np.int32]
    fixed_radices: NDArray[np.int64]
    fixed_offsets: NDArray[np.int64]
    slots: NDArray[np.int64]
    lengths: NDArray[np.int64]
    models: NDArray[np.int64]
    ks: NDArray[np.int64]
    bounds: NDArray[np.int64]
    leaves: NDArray[np.float64]
    spans: NDArray[np.float64]


class Demands(NamedTuple):
    """The part of `KnownSets` that says which groups are asked for, for classes with given labels."""

    slots: NDArray[np.int64]
    lengths: NDArray[np.int64]
    ks: NDArray[np.int64]


class Space(NamedTuple):
    """Working space of one thread.

    Attributes
    ----------
    levels : ndarray of int64, shape (n_raised,)
    radices, offsets : ndarray of int64, shape (n_slots,)
        Those of the node.
    codes : ndarray of int32, shape (n_slots, n_base)
        Labels of the classes of the node.
    keys : ndarray of int64, shape (n_base,)
    table : ndarray of int32, shape (n_table,)
        Groups by key, -1 if empty; a power of two, at least twice as many as classes.
    places, owners : ndarray of int64, shape (n_base,)
        Place of each group in the table, and its key.
    labels, sizes : ndarray of int32, shape (n_sets, n_base)
        Group of each class, and records per group; with one row in the walk that needs one set at a time.
    gone : ndarray of uint8, shape (n_base,)
    failing : ndarray of int64, shape (2, n_base)
    """

    levels: NDArray[np.int64]
    radices: NDArray[np.int64]
    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    keys: NDArray[np.int64]
    table: NDArray[np.int32]
    places: NDArray[np.int64]
    owners: NDArray[np.int64]
    labels: NDArray[np.int32]
    sizes: NDArray[np.int32]
    gone: NDArray[np.uint8]
    failing: NDArray[np.int64]


def make_space(n_base: int, n_raised: int, n_slots: int, n_sets: int) -> Space:
    """Allocate working space for nodes of at most `n_base` classes."""
    n_table = 1 << 16
    while n_table < 2 * n_base:
        n_table *= 2
    return Space(
        np.zeros(n_raised, dtype=np.int64),
        np.ones(n_slots, dtype=np.int64),
        np.zeros(n_slots, dtype=np.int64),
        np.zeros((n_slots, n_base), dtype=np.int32),
        np.zeros(n_base, dtype=np.int64),
        np.full(n_table, -1, dtype=np.int32),
        np.zeros(n_base, dtype=np.int64),
        np.zeros(n_base, dtype=np.int64),
        np.zeros((n_sets, n_base), dtype=np.int32),
        np.zeros((n_sets, n_base), dtype=np.int32),
        np.zeros(n_base, dtype=np.uint8),
        np.zeros((2, n_base), dtype=np.int64),
    )


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


class Repeated(NamedTuple):
    """What remains at nodes after repeated suppression.

    Attributes
    ----------
    wanted : ndarray of bool, shape (n_nodes,)
    counts : ndarray of int64, shape (n_nodes, N_COUNTS)
    leaves, spans : ndarray of float64, shape (n_nodes, n_slots)
        Sums over kept records.
    """

    wanted: NDArray[np.bool_]
    counts: NDArray[np.int64]
    leaves: NDArray[np.float64]
    spans: NDArray[np.float64]


@compiled
def _find_codes(arena: Any, stack: Any, known: Any, space: Any) -> None:
    """Write the labels of the classes of the node."""
    depth = stack.state[0]
    begin, length = index(stack.begins[depth]), index(stack.lengths[depth])
    keys, numbers = arena.keys, known.numbers
    find_levels(stack, space.levels)
    n_raised = len(space.levels)
    for slot in range(n_raised):
        level = space.levels[slot]
        first, drop, mask = known.firsts[slot, level], known.drops[slot, level], known.masks[slot, level]
        codes = space.codes[slot]
        for row in range(length):
            codes[row] = numbers[index(first + ((keys[begin + row] >> drop) & mask))]
        space.radices[slot] = known.radices[slot, level]
        space.offsets[slot] = known.offsets[slot, level]
    for f in range(len(known.fixed)):
        fixed, codes = known.fixed[f], space.codes[n_raised + f]
        for row in range(length):
            codes[row] = fixed[index(keys[begin + row] >> known.number_bits)]
        space.radices[n_raised + f] = known.fixed_radices[f]
        space.offsets[n_raised + f] = known.fixed_offsets[f]


@compiled
def _group(space: Any, n_rows: Any, span: Any, counts: Any, begin: Any, labels: Any, sizes: Any) -> Any:
    """Number rows by their keys below a span, and sum their counts; return the number of groups."""
    keys, table, places, owners = space.keys, space.table, space.places, space.owners
    n_groups = np.int32(0)
    if span <= len(table):
        for row in range(index(n_rows)):
            place = index(keys[row])
            group = table[place]
            if group < 0:
                group = n_groups
                n_groups += np.int32(1)
                table[place] = group
                sizes[group] = 0
            labels[row] = group
            sizes[index(group)] += counts[begin + row]
        for row in range(index(n_rows)):
            table[index(keys[row])] = -1
        return n_groups
    last = index(len(table) - 1)
    for row in range(index(n_rows)):
        key = keys[row]
        place = ((index(key) * _MULTIPLIER) >> index(32)) & last
        while True:
            group = table[place]
            if group < 0:
                group = n_groups
                n_groups += np.int32(1)
                table[place] = group
                places[group], owners[group] = np.int64(place), key
                sizes[group] = 0
                break
            if owners[index(group)] == key:
                break
            place = (place + index(1)) & last
        labels[row] = group
        sizes[index(group)] += counts[begin + row]
    for group in range(n_groups):
        table[index(places[group])] = -1
    return n_groups


@compiled
def _group_by_set(
    known: Any, space: Any, number: Any, n_rows: Any, counts: Any, begin: Any, labels: Any, sizes: Any
) -> None:
    """Find the groups of a set."""
    n_slots = known.lengths[number]
    if n_slots == len(space.radices):  # classes are groups
        for row in range(index(n_rows)):
            labels[row] = row
            sizes[row] = counts[begin + row]
        return
    keys, span = space.keys, np.int64(1)
    for row in range(index(n_rows)):
        keys[row] = 0
    for i in range(n_slots):
        slot = known.slots[number, i]
        codes, radix = space.codes[slot], space.radices[slot]
        span *= radix
        for row in range(index(n_rows)):
            keys[row] = keys[row] * radix + np.int64(codes[row])
    _group(space, n_rows, span, counts, begin, labels, sizes)


@compiled
def _lower(
    known: Any, space: Any, first: Any, stop: Any, n_rows: Any, arena: Any, begin: Any, cells: Any, place: Any
) -> None:
    """Lower the smallest groups at a place of the order by some sets."""
    counts, labels, sizes = arena.counts, space.labels[0], space.sizes[0]
    for number in range(first, stop):
        _group_by_set(known, space, number, n_rows, counts, begin, labels, sizes)
        least = cells.least[known.models[number], place]
        for row in range(index(n_rows)):
            least[begin + row] = min(least[begin + row], sizes[index(labels[row])])


@compiled
def _add_first_cells(arena: Any, stack: Any, known: Any, space: Any, cells: Any) -> None:
    """Add the cells of the node; there is room for one per class."""
    depth = stack.state[0]
    begin, n_rows = index(stack.begins[depth]), stack.lengths[depth]
    counts, heads, least = arena.counts, arena.heads, cells.least
    n_models, n_places = least.shape[0], least.shape[1]
    _find_codes(arena, stack, known, space)
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
    n_groups = _group(space, n_rows, span, counts, begin, labels, sizes)
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
def _repeat(arena: Any, stack: Any, known: Any, space: Any, repeated: Any) -> None:
    """Suppress the classes of the node until none fails, and sum up what remains."""
    depth = stack.state[0]
    begin, n_rows, number = index(stack.begins[depth]), stack.lengths[depth], stack.numbers[depth]
    _find_codes(arena, stack, known, space)
    rounds = _suppress(known, space, arena.counts, begin, n_rows)
    _sum_kept(arena, begin, n_rows, known, space, repeated, number, rounds)


@compiled
def _suppress(known: Any, space: Any, counts: Any, begin: Any, n_rows: Any) -> Any:
    """Mark in `gone` the classes that fail until none fails; return the number of repetitions."""
    gone = space.gone
    n_sets = len(known.lengths)
    for row in range(n_rows):
        gone[row] = 0
    failing, following = space.failing[0], space.failing[1]
    n_failing = 0
    for s in range(n_sets):
        labels, sizes, k = space.labels[s], space.sizes[s], known.ks[s]
        _group_by_set(known, space, s, n_rows, counts, begin, labels, sizes)
        for row in range(index(n_rows)):
            if sizes[index(labels[row])] < k and gone[row] == 0:
                gone[row] = 1
                failing[n_failing] = row
                n_failing += 1
    rounds = 0
    while n_failing > 0:
        rounds += 1
        n_following = 0
        for s in range(n_sets):
            labels, sizes, k = space.labels[s], space.sizes[s], known.ks[s]
            for i in range(n_failing):
                fallen = index(failing[i])
                sizes[index(labels[fallen])] -= counts[begin + fallen]
            fails = False
            for i in range(n_failing):
                size = sizes[index(labels[index(failing[i])])]
                fails |= 0 < size < k
            if fails:
                for row in range(index(n_rows)):
                    if gone[row] == 0 and sizes[index(labels[row])] < k:
                        gone[row] = 1
                        following[n_following] = row
                        n_following += 1
        for i in range(n_following):
            failing[i] = following[i]
        n_failing = n_following
    return rounds


@compiled
def suppress_classes(known: Any, space: Any, counts: Any) -> Any:
    """Mark in `gone` which classes of a node are suppressed; `codes` and `radices` of the space are given."""
    return _suppress(known, space, counts, index(0), len(counts))


@compiled
def _sum_kept(
    arena: Any, begin: Any, n_rows: Any, known: Any, space: Any, repeated: Any, number: Any, rounds: Any
) -> None:
    counts, gone = arena.counts, space.gone
    suppressed, n_classes, squares, kept = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    smallest = np.int64(0)
    for row in range(n_rows):
        count = np.int64(counts[begin + index(row)])
        if gone[row]:
            suppressed += count
        elif count > 0:
            n_classes += 1
            squares += count * count
            kept += count
            smallest = count if smallest == 0 else min(smallest, count)
    found = repeated.counts[number]
    found[0], found[1], found[2], found[3], found[4], found[5] = (
        suppressed,
        n_classes,
        squares,
        kept,
        smallest,
        np.int64(rounds),
    )
    for slot in range(len(space.radices)):
        codes, offset = space.codes[slot], space.offsets[slot]
        leaves, spans = 0.0, 0.0
        for row in range(n_rows):
            if gone[row] == 0:
                label = offset + np.int64(codes[row])
                leaves += known.leaves[label] * counts[begin + index(row)]
                spans += known.spans[label] * counts[begin + index(row)]
        repeated.leaves[number, slot] = leaves
        repeated.spans[number, slot] = spans


@compiled
def walk_repeated(
    plan: Any, stack: Any, arena: Any, scratch: Any, weights: Any, known: Any, space: Any, repeated: Any
) -> Any:
    """Evaluate the wanted nodes of a subtree; return DONE, or NEEDS_ARENA to be called again."""
    state = stack.state
    while True:
        if state[1] and repeated.wanted[stack.numbers[state[0]]]:
            _repeat(arena, stack, known, space, repeated)
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
    for walk in (walk_first, walk_repeated):
        tiny = tiny_walk(is_plain=True)
        zeros, two = np.zeros((2, 2), dtype=np.int64), np.full((2, 2), 2, dtype=np.int64)
        known = KnownSets(
            np.array([[1, 2], [0, 1]]),
            np.array([[1, 0], [1, 0]]),
            zeros,
            two,
            zeros,
            np.array([0, 1], dtype=np.int32),
            2,
            np.zeros((1, 2), dtype=np.int32),
            np.ones(1, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
            np.array([[0, 0, 0], [1, 0, 0]]),
            np.ones(2, dtype=np.int64),
            np.zeros(2, dtype=np.int64),
            np.ones(2, dtype=np.int64),
            np.array([0, 1, 2]),
            np.ones(2),
            np.zeros(2),
        )
        space = make_space(2, 2, 3, 2)
        if walk is walk_first:
            least = np.zeros((1, 3, len(tiny.arena.keys)), dtype=np.int32)
            cells = FirstCells(
                least,
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
        else:
            sums = np.zeros((4, 3)), np.zeros((4, 3))
            repeated = Repeated(np.ones(4, dtype=np.bool_), np.zeros((4, N_COUNTS), dtype=np.int64), *sums)
            assert walk_repeated(*tiny, known, space, repeated) == DONE, "two records were not walked over"
            demands = Demands(known.slots, known.lengths, known.ks)
            suppress_classes(demands, space, np.ones(2, dtype=np.int32))
