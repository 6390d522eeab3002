"""Suppression repeated until no group of any set of columns fails, at one node or in a walk over many."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.known_groups import (
    choose_sets,
    find_bad,
    find_codes,
    find_lowest,
    find_places,
    group_by_set,
    is_full,
    pair_up,
)
from engine.kernels.compiled.rollup import index
from engine.kernels.compiled.traversal import RAISED, advance

N_COUNTS = 5  # suppressed records, kept classes, squares, sizes and k
_NEVER = np.int64(1) << np.int64(62)


class Repeated(NamedTuple):
    """What remains at nodes after repeated suppression.

    Attributes
    ----------
    wanted : ndarray of bool, shape (n_nodes,)
    counts : ndarray of int64, shape (n_nodes, N_COUNTS)
    leaves, spans : ndarray of float64, shape (n_nodes, n_slots)
        Sums over kept records.
    fallen : ndarray of uint8, shape (room,)
        Whether a row of the arena may be suppressed: one whose part was kept at a lower node is not.
    n_records : int
    """

    wanted: NDArray[np.bool_]
    counts: NDArray[np.int64]
    leaves: NDArray[np.float64]
    spans: NDArray[np.float64]
    fallen: NDArray[np.uint8]
    n_records: int


@compiled
def _suppress(known: Any, space: Any, counts: Any, begin: Any, n_rows: Any) -> Any:
    """Mark in `gone` the rows that fail until none fails; return the number of repetitions."""
    gone, values = space.gone, known.values
    n_chosen = choose_sets(known, space)
    for row in range(n_rows):
        gone[row] = 0
    failing, following = space.failing[0], space.failing[1]
    n_failing = 0
    for c in range(n_chosen):
        s = space.chosen[c]
        labels, sizes, k, model = space.labels[s], space.sizes[s], known.ks[s], known.models[s]
        n_groups = group_by_set(known, space, s, n_rows, counts, begin, labels, sizes)
        if values.n_values[model] > 0:
            n_pairs = pair_up(values, space, s, model, n_groups, n_rows, counts, begin)
            space.starts[s], space.lows[s] = n_groups, n_pairs
            find_bad(values, space, s, model, n_groups, n_pairs)
            bad = space.bad[s]
            for row in range(index(n_rows)):
                if bad[index(labels[row])] and gone[row] == 0:
                    gone[row] = 1
                    failing[n_failing] = row
                    n_failing += 1
        for row in range(index(n_rows)):
            if sizes[index(labels[row])] < k and gone[row] == 0:
                gone[row] = 1
                failing[n_failing] = row
                n_failing += 1
    rounds = 0
    while n_failing > 0:
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
            if values.n_values[model] > 0:
                pairs, pair_sizes, bad = space.pairs[s], space.pair_sizes[s], space.bad[s]
                for i in range(n_failing):
                    fallen = index(failing[i])
                    pair_sizes[index(pairs[fallen])] -= counts[begin + fallen]
                find_bad(values, space, s, model, space.starts[s], space.lows[s])
                for row in range(index(n_rows)):
                    if gone[row] == 0 and bad[index(labels[row])]:
                        gone[row] = 1
                        following[n_following] = row
                        n_following += 1
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
    """Mark in `gone` which rows of a node are suppressed; its labels and classes are given in the space."""
    return _suppress(known, space, counts, index(0), len(counts))


@compiled
def _find_candidates(known: Any, space: Any, number: Any, n_candidates: Any) -> None:
    """Write the places of the groups of a few candidates in the tabulated sizes."""
    labels, candidates, n_slots = space.labels[number], space.candidates, known.lengths[number]
    start, stride = np.int32(space.starts[number]), np.int32(1)
    for i in range(n_candidates):
        labels[index(candidates[i])] = start
    for back in range(n_slots):
        slot = known.slots[number, n_slots - 1 - back]
        codes = space.codes[slot]
        for i in range(n_candidates):
            chosen = index(candidates[i])
            labels[chosen] += stride * codes[chosen]
        stride = np.int32(stride * space.radices[slot])


@compiled
def _fails_alone(
    known: Any,
    space: Any,
    counts: Any,
    begin: Any,
    n_rows: Any,
    number: Any,
    n_candidates: Any,
    n_gone: Any,
) -> Any:
    """Add the candidates that fail under one set to those gone; return their number."""
    k, gone, gone_rows, candidates = known.ks[number], space.gone, space.failing[0], space.candidates
    whole = is_full(known, space, number)
    if whole:
        space.lows[number] = _NEVER  # classes lose no records
    else:
        find_lowest(known, space, number)
        if 4 * n_candidates < n_rows:
            _find_candidates(known, space, number, n_candidates)
        else:
            find_places(known, space, number, n_rows, space.labels[number])
        if space.lows[number] >= k:
            return n_gone
    labels, sizes = space.labels[number], known.group_sizes.sizes
    for i in range(n_candidates):
        row = index(candidates[i])
        if gone[row] == 0:
            if whole:
                size = np.int64(counts[begin + row])
            else:
                size = np.int64(sizes[index(labels[row])])
            if size < k:
                gone[row] = 1
                gone_rows[n_gone] = np.int64(row)
                n_gone += 1
    return n_gone


@compiled
def _suppress_tabulated(
    known: Any, space: Any, counts: Any, begin: Any, n_rows: Any, n_candidates: Any
) -> Any:
    """Mark in `gone` the candidates that fail until none fails, by tabulated sizes.

    A set is passed over while its smallest group would be large enough without all records lost so far.

    Returns
    -------
    int
        Number of rows gone, listed in `failing`.
    """
    gone, gone_rows, candidates, lost = space.gone, space.failing[0], space.candidates, space.lost
    sizes, n_chosen = known.group_sizes.sizes, choose_sets(known, space)
    n_gone, done, total = 0, 0, np.int64(0)
    for c in range(n_chosen):
        s = space.chosen[c]
        space.applied[s] = 0
        n_gone = _fails_alone(known, space, counts, begin, n_rows, s, n_candidates, n_gone)
    while done < n_gone:
        for i in range(done, n_gone):
            total += np.int64(counts[begin + index(gone_rows[i])])
        done = n_gone
        for c in range(n_chosen):
            s = space.chosen[c]
            k = known.ks[s]
            if space.lows[s] >= k + total:
                continue
            fails, labels = False, space.labels[s]
            for i in range(space.applied[s], done):
                row = index(gone_rows[i])
                place = index(labels[row])
                lost[place] += counts[begin + row]
                fails |= 0 < sizes[place] - lost[place] < k
            space.applied[s] = done
            if fails:
                for i in range(n_candidates):
                    row = index(candidates[i])
                    if gone[row] == 0:
                        place = index(labels[row])
                        if sizes[place] - lost[place] < k:
                            gone[row] = 1
                            gone_rows[n_gone] = np.int64(row)
                            n_gone += 1
    for c in range(n_chosen):
        s = space.chosen[c]
        labels = space.labels[s]
        for i in range(space.applied[s]):
            lost[index(labels[index(gone_rows[i])])] = 0
    return n_gone


@compiled
def _repeat(arena: Any, stack: Any, known: Any, space: Any, repeated: Any) -> None:
    """Suppress the rows of the node until none fails, and sum up what remains."""
    depth = stack.state[0]
    begin, n_rows, number = index(stack.begins[depth]), stack.lengths[depth], stack.numbers[depth]
    fallen, gone = repeated.fallen, space.gone
    find_codes(arena, stack, known, space)
    if len(space.lost) > 0:
        n_candidates = 0
        for row in range(index(n_rows)):
            gone[row] = 0
            space.candidates[n_candidates] = np.int64(row)
            n_candidates += int(fallen[begin + row])
        n_gone = _suppress_tabulated(known, space, arena.counts, begin, n_rows, n_candidates)
        for row in range(index(n_rows)):
            fallen[begin + row] = gone[row]
    else:
        _suppress(known, space, arena.counts, begin, n_rows)
        n_gone = 0
        for row in range(index(n_rows)):
            space.failing[0, n_gone] = np.int64(row)
            n_gone += int(gone[row])
    _sum_kept(arena, begin, n_rows, known, space, repeated, number, n_gone)


@compiled
def _sum_kept(
    arena: Any,
    begin: Any,
    n_rows: Any,
    known: Any,
    space: Any,
    repeated: Any,
    number: Any,
    n_gone: Any,
) -> None:
    counts, gone, found = arena.counts, space.gone, repeated.counts[number]
    _sum_classes(known, space, counts, begin, n_rows, found)
    loses_little = 2 * found[0] < repeated.n_records
    for slot in range(len(space.radices)):
        codes, offset = space.codes[slot], space.offsets[slot]
        leaves, spans = 0.0, 0.0
        if loses_little:  # whole numbers, so the difference is exact
            leaves = space.totals[slot]
            for i in range(n_gone):
                lost = index(space.failing[0, i])
                leaves -= known.leaves[offset + np.int64(codes[lost])] * counts[begin + lost]
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
    state, fallen, heads = stack.state, repeated.fallen, arena.heads
    while True:
        if state[1]:
            depth = state[0]
            first = index(stack.begins[depth])
            for row in range(first, first + index(stack.lengths[depth])):
                fallen[row] = fallen[index(heads[row])] if depth > 0 else np.uint8(1)
            if repeated.wanted[stack.numbers[depth]]:
                _repeat(arena, stack, known, space, repeated)
        found = advance(plan, stack, arena, scratch, weights)
        if found != RAISED:
            return found
