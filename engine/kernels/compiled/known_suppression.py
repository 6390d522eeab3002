"""Suppression repeated until no group of any set of columns fails, for attackers who know only some columns.

Groups are numbered by their labels in the columns of a set. If a model looks at sensitive values, rows are
the values in a class, and the last attribute of the walk, which is never raised, has them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import index
from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.traversal import RAISED, advance, find_levels

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class Values(NamedTuple):
    """What models demand of the sensitive values of a group.

    Attributes
    ----------
    slot : int
        Slot with the combination of sensitive values; -1 if no model looks at values, and then rows are
        classes.
    bits : int
        Low bits of the key with that combination.
    codes : ndarray of int32, shape (n_models, n_combinations)
        Value of the column of each model.
    n_values : ndarray of int64, shape (n_models,)
        Values of its column; 0 if it looks at none.
    ls : ndarray of int64, shape (n_models,)
        Fewest different values.
    shares : ndarray of float64, shape (n_models,)
        Largest share of a limited value.
    limited : ndarray of uint8, shape (n_models, most_values)
    """

    slot: int
    bits: int
    codes: NDArray[np.int32]
    n_values: NDArray[np.int64]
    ls: NDArray[np.int64]
    shares: NDArray[np.float64]
    limited: NDArray[np.uint8]


class KnownSets(NamedTuple):
    """The sets of columns; a slot is a raised attribute, or after these a fixed one.

    Attributes
    ----------
    drops, masks, firsts, radices, offsets : ndarray of int64, shape (n_raised, most_levels)
        Low bits of the key below the label at a level, bits of that label, its first entry in `numbers`, the
        number of labels, and the first of them in `leaves` and `spans`.
    totals : ndarray of float64, shape (n_raised, most_levels)
        Sum over all records of the leaves that their label covers.
    numbers : ndarray of int32
        Number of the label on its level, by path code, of all levels of raised attributes.
    number_bits : int
        Low bits of the key below the number of the fixed levels.
    fixed : ndarray of int32, shape (n_fixed, n_base)
        Label of fixed attributes by that number.
    fixed_radices, fixed_offsets : ndarray of int64, shape (n_fixed,)
    fixed_totals : ndarray of float64, shape (n_fixed,)
    slots : ndarray of int64, shape (n_sets, n_slots)
        Slots of each set; the largest sets come first, since they have the smallest groups.
    lengths, models, ks : ndarray of int64, shape (n_sets,)
        Number of slots, model, and the class size it asks for.
    leaves, spans : ndarray of float64
        Weights of all labels of all levels.
    has_spans : ndarray of bool, shape (n_slots,)
    relevant : ndarray of uint8, shape (n_patterns, n_sets)
        Sets that are looked at, by the slots whose labels differ, a bit each; one row for each pattern.
    """

    drops: NDArray[np.int64]
    masks: NDArray[np.int64]
    firsts: NDArray[np.int64]
    radices: NDArray[np.int64]
    offsets: NDArray[np.int64]
    totals: NDArray[np.float64]
    numbers: NDArray[np.int32]
    number_bits: int
    fixed: NDArray[np.int32]
    fixed_radices: NDArray[np.int64]
    fixed_offsets: NDArray[np.int64]
    fixed_totals: NDArray[np.float64]
    slots: NDArray[np.int64]
    lengths: NDArray[np.int64]
    models: NDArray[np.int64]
    ks: NDArray[np.int64]
    leaves: NDArray[np.float64]
    spans: NDArray[np.float64]
    has_spans: NDArray[np.bool_]
    values: Values
    relevant: NDArray[np.uint8]


class Demands(NamedTuple):
    """The part of `KnownSets` that says which groups are asked for, for rows with given labels."""

    slots: NDArray[np.int64]
    lengths: NDArray[np.int64]
    models: NDArray[np.int64]
    ks: NDArray[np.int64]
    values: Values
    relevant: NDArray[np.uint8]


class Space(NamedTuple):
    """Working space of one thread.

    Attributes
    ----------
    raised : ndarray of int64, shape (n_raised,)
    radices, offsets : ndarray of int64, shape (n_slots,)
    totals : ndarray of float64, shape (n_slots,)
        Those of the node.
    codes : ndarray of int32, shape (n_slots, n_base)
        Labels of the rows of the node.
    classes : ndarray of int32, shape (n_base,)
        Their class, if rows are values in classes.
    keys : ndarray of int64, shape (n_base,)
    table : ndarray of int32, shape (n_table,)
        Groups by key, -1 if empty; a power of two, at least twice as many as rows.
    places, owners : ndarray of int64, shape (n_base,)
        Place of each group in the table, and its key.
    labels, sizes : ndarray of int32, shape (n_sets, n_base)
        Group of each row, and records per group.
    pairs, pair_sizes, pair_groups, pair_values : ndarray of int32, shape (n_sets, n_base)
        Pair of group and value of each row, and records, group and value of every pair; without rows if no
        model looks at values.
    different : ndarray of int32, shape (n_base,)
        Different values per group.
    bad : ndarray of uint8, shape (n_sets, n_base)
        Groups whose values are not as required.
    n_groups, n_pairs : ndarray of int64, shape (n_sets,)
        Their numbers of each set at the node, if its model looks at values.
    chosen : ndarray of int64, shape (n_sets,)
        Sets that are looked at.
    gone : ndarray of uint8, shape (n_base,)
    failing : ndarray of int64, shape (2, n_base)
    """

    raised: NDArray[np.int64]
    radices: NDArray[np.int64]
    offsets: NDArray[np.int64]
    totals: NDArray[np.float64]
    codes: NDArray[np.int32]
    classes: NDArray[np.int32]
    keys: NDArray[np.int64]
    table: NDArray[np.int32]
    places: NDArray[np.int64]
    owners: NDArray[np.int64]
    labels: NDArray[np.int32]
    sizes: NDArray[np.int32]
    pairs: NDArray[np.int32]
    pair_sizes: NDArray[np.int32]
    pair_groups: NDArray[np.int32]
    pair_values: NDArray[np.int32]
    different: NDArray[np.int32]
    bad: NDArray[np.uint8]
    n_groups: NDArray[np.int64]
    n_pairs: NDArray[np.int64]
    chosen: NDArray[np.int64]
    gone: NDArray[np.uint8]
    failing: NDArray[np.int64]


def make_space(n_base: int, n_raised: int, n_slots: int, n_sets: int, *, of_values: bool = False) -> Space:
    """Allocate working space for nodes of at most `n_base` rows."""
    n_table = 1 << 16
    while n_table < 2 * n_base:
        n_table *= 2
    held = n_sets if of_values else 0
    pairs, pair_sizes, pair_groups, pair_values = np.zeros((4, held, n_base), dtype=np.int32)
    return Space(
        np.zeros(n_raised, dtype=np.int64),
        np.ones(n_slots, dtype=np.int64),
        np.zeros(n_slots, dtype=np.int64),
        np.zeros(n_slots),
        np.zeros((n_slots, n_base), dtype=np.int32),
        np.zeros(n_base if of_values else 0, dtype=np.int32),
        np.zeros(n_base, dtype=np.int64),
        np.full(n_table, -1, dtype=np.int32),
        np.zeros(n_base, dtype=np.int64),
        np.zeros(n_base, dtype=np.int64),
        np.zeros((n_sets, n_base), dtype=np.int32),
        np.zeros((n_sets, n_base), dtype=np.int32),
        pairs,
        pair_sizes,
        pair_groups,
        pair_values,
        np.zeros(n_base, dtype=np.int32),
        np.zeros((held, n_base), dtype=np.uint8),
        np.zeros(n_sets, dtype=np.int64),
        np.zeros(n_sets, dtype=np.int64),
        np.zeros(n_sets, dtype=np.int64),
        np.zeros(n_base, dtype=np.uint8),
        np.zeros((2, n_base), dtype=np.int64),
    )


@compiled
def _find_codes(arena: Any, stack: Any, known: Any, space: Any) -> None:
    """Write the labels of the rows of the node, and their classes if these have several rows."""
    depth = stack.state[0]
    begin, length = index(stack.begins[depth]), index(stack.lengths[depth])
    keys, numbers = arena.keys, known.numbers
    find_levels(stack, space.raised)
    n_raised = len(space.raised)
    for slot in range(n_raised):
        level = space.raised[slot]
        first, drop, mask = known.firsts[slot, level], known.drops[slot, level], known.masks[slot, level]
        codes = space.codes[slot]
        for row in range(length):
            codes[row] = numbers[index(first + ((keys[begin + row] >> drop) & mask))]
        space.radices[slot] = known.radices[slot, level]
        space.offsets[slot] = known.offsets[slot, level]
        space.totals[slot] = known.totals[slot, level]
    for f in range(len(known.fixed)):
        fixed, codes = known.fixed[f], space.codes[n_raised + f]
        for row in range(length):
            codes[row] = fixed[index(keys[begin + row] >> known.number_bits)]
        space.radices[n_raised + f] = known.fixed_radices[f]
        space.offsets[n_raised + f] = known.fixed_offsets[f]
        space.totals[n_raised + f] = known.fixed_totals[f]
    if known.values.slot >= 0:
        bits, number, previous = known.values.bits, np.int32(-1), np.int64(-1)
        for row in range(length):
            own = keys[begin + row] >> bits
            number += np.int32(own != previous)
            previous = own
            space.classes[row] = number


@compiled
def _find_pattern(known: Any, space: Any) -> Any:
    """Return the row of the relevant sets at the levels of the node."""
    pattern = np.int64(0)
    for slot in range(len(space.radices)):
        pattern |= np.int64(space.radices[slot] > 1) << np.int64(slot)
    return index(pattern & np.int64(len(known.relevant) - 1))


@compiled
def _choose_sets(known: Any, space: Any) -> Any:
    """Write the relevant sets of the node; return their number."""
    relevant, n_chosen = known.relevant[_find_pattern(known, space)], 0
    for number in range(len(known.lengths)):
        if relevant[number]:
            space.chosen[n_chosen] = np.int64(number)
            n_chosen += 1
    return n_chosen


@compiled
def _number_groups(
    space: Any, n_rows: Any, span: Any, counts: Any, begin: Any, labels: Any, sizes: Any
) -> Any:
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
def _is_full(known: Any, space: Any, number: Any) -> Any:
    """Return whether a set has all quasi-identifying columns, so that its groups are the classes."""
    return known.lengths[number] + np.int64(known.values.slot >= 0) == len(space.radices)


@compiled
def _group_by_class(
    known: Any, space: Any, n_rows: Any, counts: Any, begin: Any, labels: Any, sizes: Any
) -> Any:
    if known.values.slot < 0:
        for row in range(index(n_rows)):
            labels[row] = row
            sizes[row] = counts[begin + row]
        return np.int32(n_rows)
    n_groups = np.int32(0)
    for row in range(index(n_rows)):
        label = space.classes[row]
        if label == n_groups:
            sizes[index(label)] = 0
            n_groups += np.int32(1)
        labels[row] = label
        sizes[index(label)] += counts[begin + row]
    return n_groups


@compiled
def _group_by_set(
    known: Any, space: Any, number: Any, n_rows: Any, counts: Any, begin: Any, labels: Any, sizes: Any
) -> Any:
    """Find the groups of a set; return their number."""
    n_slots = known.lengths[number]
    if _is_full(known, space, number):
        return _group_by_class(known, space, n_rows, counts, begin, labels, sizes)
    keys, span = space.keys, np.int64(1)
    for row in range(index(n_rows)):
        keys[row] = 0
    for i in range(n_slots):
        slot = known.slots[number, i]
        codes, radix = space.codes[slot], space.radices[slot]
        span *= radix
        for row in range(index(n_rows)):
            keys[row] = keys[row] * radix + np.int64(codes[row])
    return _number_groups(space, n_rows, span, counts, begin, labels, sizes)


@compiled
def _pair_up(
    values: Any, space: Any, held: Any, model: Any, n_groups: Any, n_rows: Any, counts: Any, begin: Any
) -> Any:
    """Find the pairs of group and value of the rows, given their groups; return the number of pairs."""
    keys, labels, combinations = space.keys, space.labels[held], space.codes[values.slot]
    codes, n_values = values.codes[model], values.n_values[model]
    for row in range(index(n_rows)):
        keys[row] = np.int64(labels[row]) * n_values + np.int64(codes[index(combinations[row])])
    pairs = space.pairs[held]
    span = np.int64(n_groups) * n_values
    n_pairs = _number_groups(space, n_rows, span, counts, begin, pairs, space.pair_sizes[held])
    groups, own_values = space.pair_groups[held], space.pair_values[held]
    for row in range(index(n_rows)):
        pair = index(pairs[row])
        groups[pair], own_values[pair] = labels[row], codes[index(combinations[row])]
    return n_pairs


@compiled
def _find_bad(values: Any, space: Any, held: Any, model: Any, n_groups: Any, n_pairs: Any) -> None:
    """Mark the groups whose values are not as required."""
    sizes, bad, different = space.sizes[held], space.bad[held], space.different
    pair_sizes, groups, own_values = space.pair_sizes[held], space.pair_groups[held], space.pair_values[held]
    limited, share, least = values.limited[model], values.shares[model], values.ls[model]
    for number in range(n_groups):
        bad[number], different[number] = 0, 0
    for pair in range(n_pairs):
        size, own = pair_sizes[pair], index(groups[pair])
        if size > 0:
            different[own] += 1
            if limited[index(own_values[pair])] and np.float64(size) / np.float64(sizes[own]) > share:
                bad[own] = 1
    for number in range(n_groups):
        if different[number] < least:
            bad[number] = 1


N_COUNTS = 5  # suppressed records, kept classes, squares, sizes and k
_NEVER = np.int64(1) << np.int64(62)


class Repeated(NamedTuple):
    """What remains at nodes after repeated suppression.

    Attributes
    ----------
    wanted : ndarray of bool, shape (n_nodes,)
        Nodes to evaluate; afterwards false where more records are suppressed than `most`.
    most : int
        Suppressed records of a node beyond which it is given up: `counts` has at least how many.
    counts : ndarray of int64, shape (n_nodes, N_COUNTS)
    leaves, spans : ndarray of float64, shape (n_nodes, n_slots)
        Sums over kept records.
    """

    wanted: NDArray[np.bool_]
    most: int
    counts: NDArray[np.int64]
    leaves: NDArray[np.float64]
    spans: NDArray[np.float64]
    n_records: int


@compiled
def _suppress(known: Any, space: Any, counts: Any, begin: Any, n_rows: Any, most: Any) -> Any:
    """Mark in `gone` the rows that fail until none fails, or more than `most` records have.

    Returns
    -------
    int, int
        Repetitions, and records gone.
    """
    gone, values = space.gone, known.values
    n_chosen = _choose_sets(known, space)
    for row in range(n_rows):
        gone[row] = 0
    failing, following = space.failing[0], space.failing[1]
    n_failing, total = 0, np.int64(0)
    for c in range(n_chosen):
        s = space.chosen[c]
        labels, sizes, k, model = space.labels[s], space.sizes[s], known.ks[s], known.models[s]
        n_groups = _group_by_set(known, space, s, n_rows, counts, begin, labels, sizes)
        looks_at_values, bad = values.n_values[model] > 0, gone
        if looks_at_values:
            n_pairs, bad = _pair_up(values, space, s, model, n_groups, n_rows, counts, begin), space.bad[s]
            space.n_groups[s], space.n_pairs[s] = n_groups, n_pairs
            _find_bad(values, space, s, model, n_groups, n_pairs)
        for row in range(index(n_rows)):
            group = index(labels[row])
            if gone[row] == 0 and (sizes[group] < k or (looks_at_values and bad[group])):
                gone[row] = 1
                failing[n_failing] = row
                n_failing += 1
                total += np.int64(counts[begin + row])
        if total > most:
            return 0, total
    rounds = 0
    while n_failing > 0 and total <= most:
        rounds += 1
        n_following = 0
        for c in range(n_chosen):
            s = space.chosen[c]
            labels, sizes, k, model = space.labels[s], space.sizes[s], known.ks[s], known.models[s]
            for i in range(n_failing):
                fallen = index(failing[i])
                sizes[index(labels[fallen])] -= counts[begin + fallen]
            fails = False
            for i in range(n_failing):
                size = sizes[index(labels[index(failing[i])])]
                fails |= 0 < size < k
            looks_at_values, bad = values.n_values[model] > 0, gone
            if looks_at_values:
                pairs, pair_sizes, bad = space.pairs[s], space.pair_sizes[s], space.bad[s]
                for i in range(n_failing):
                    fallen = index(failing[i])
                    pair_sizes[index(pairs[fallen])] -= counts[begin + fallen]
                _find_bad(values, space, s, model, space.n_groups[s], space.n_pairs[s])
            if fails or looks_at_values:
                for row in range(index(n_rows)):
                    group = index(labels[row])
                    if gone[row] == 0 and (sizes[group] < k or (looks_at_values and bad[group])):
                        gone[row] = 1
                        following[n_following] = row
                        n_following += 1
                        total += np.int64(counts[begin + row])
        for i in range(n_following):
            failing[i] = following[i]
        n_failing = n_following
    return rounds, total


@compiled
def suppress_classes(known: Any, space: Any, counts: Any) -> Any:
    """Mark in `gone` which rows of a node are suppressed; its labels and classes are given in the space."""
    return _suppress(known, space, counts, index(0), len(counts), _NEVER)[0]


@compiled
def _repeat(arena: Any, stack: Any, known: Any, space: Any, repeated: Any) -> None:
    """Suppress the rows of the node until none fails, and sum up what remains."""
    depth = stack.state[0]
    begin, n_rows, number = index(stack.begins[depth]), stack.lengths[depth], stack.numbers[depth]
    _find_codes(arena, stack, known, space)
    _rounds, total = _suppress(known, space, arena.counts, begin, n_rows, repeated.most)
    if total > repeated.most:
        repeated.wanted[number] = False
        repeated.counts[number, 0] = total
        return
    _sum_kept(arena, begin, n_rows, known, space, repeated, number)


@compiled
def _sum_kept(
    arena: Any, begin: Any, n_rows: Any, known: Any, space: Any, repeated: Any, number: Any
) -> None:
    counts, gone, found = arena.counts, space.gone, repeated.counts[number]
    _sum_classes(known, space, counts, begin, n_rows, found)
    loses_little = 2 * found[0] < repeated.n_records
    for slot in range(len(space.radices)):
        codes, offset = space.codes[slot], space.offsets[slot]
        leaves, spans = 0.0, 0.0
        if loses_little:  # whole numbers, so the difference is exact
            leaves = space.totals[slot]
            for row in range(index(n_rows)):
                if gone[row]:
                    leaves -= known.leaves[offset + np.int64(codes[row])] * counts[begin + row]
        else:
            for row in range(index(n_rows)):
                if gone[row] == 0:
                    leaves += known.leaves[offset + np.int64(codes[row])] * counts[begin + row]
        if known.has_spans[slot]:
            for row in range(index(n_rows)):
                if gone[row] == 0:
                    spans += known.spans[offset + np.int64(codes[row])] * counts[begin + row]
        repeated.leaves[number, slot] = leaves
        repeated.spans[number, slot] = spans


@compiled
def _sum_classes(known: Any, space: Any, counts: Any, begin: Any, n_rows: Any, found: Any) -> None:
    """Fill suppressed records, kept classes, squares, sizes and k of the node."""
    gone, has_values = space.gone, known.values.slot >= 0
    suppressed, n_classes, squares, kept = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    smallest = np.int64(0)
    row = np.int64(0)
    while row < n_rows:
        first = row
        count = np.int64(counts[begin + index(row)])
        row += 1
        if has_values:
            own = space.classes[index(first)]
            while row < n_rows and space.classes[index(row)] == own:
                count += np.int64(counts[begin + index(row)])
                row += 1
        if gone[index(first)]:
            suppressed += count
        elif count > 0:
            n_classes += 1
            squares += count * count
            kept += count
            smallest = count if smallest == 0 else min(smallest, count)
    found[0], found[1], found[2], found[3], found[4] = suppressed, n_classes, squares, kept, smallest


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
