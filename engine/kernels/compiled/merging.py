"""Compiled generalization of an attribute above the lowest field, by merging sorted parts of runs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import index
from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.rollup import inherit, lowest_bit

DIRECT_BITS = 16  # keys below the raised field are merged by direct addressing up to this many bits


class Scratch(NamedTuple):
    """Working space of merges.

    Attributes
    ----------
    marks, summary : ndarray of uint64
        One bit per suffix that occurs; one bit per word of `marks` that is not 0. Empty between merges.
    sums, first, last : ndarray of int32, shape (2**DIRECT_BITS,)
        Records of a suffix, and the first and last rows it came from.
    suffixes : ndarray of int64, shape (2, room)
    rows : ndarray of int32, shape (2, room)
    bounds : ndarray of int64, shape (2, room + 1)
    """

    marks: NDArray[np.uint64]
    summary: NDArray[np.uint64]
    sums: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    suffixes: NDArray[np.int64]
    rows: NDArray[np.int32]
    bounds: NDArray[np.int64]


def make_scratch(room: int) -> Scratch:
    """Allocate working space for frequency sets of a number of classes."""
    span = 1 << DIRECT_BITS
    return Scratch(
        np.zeros(span >> 6, dtype=np.uint64),
        np.zeros(span >> 12, dtype=np.uint64),
        np.empty(span, dtype=np.int32),
        np.empty(span, dtype=np.int32),
        np.empty(span, dtype=np.int32),
        np.empty((2, room), dtype=np.int64),
        np.empty((2, room), dtype=np.int32),
        np.empty((2, room + 1), dtype=np.int64),
    )


@compiled
def merge_runs(arena: Any, scratch: Any, weights: Any, begin: Any, length: Any, step: Any) -> Any:
    """Raise an attribute above the lowest field by merging the sorted parts of each run.

    The classes of a run are equal down to the raised level, those of a part down to the level before.
    """
    keys, links, shift, drop = arena.keys, arena.links, step.shift, step.drop
    end = begin + length
    out = end
    copied = begin
    n_paths = index((np.int64(1) << (drop - shift)) - 1)
    before = keys[begin]
    for row in range(index(begin + 1), index(end)):
        key = keys[row]
        changed = key ^ before
        before = key
        # True if a run continues with another part: rare, so that the branch is predicted.
        if index((changed >> shift) - 1) >= n_paths or np.int64(row) < copied:
            continue
        run = key >> drop
        start, stop, n_parts = np.int64(row) - 1, np.int64(row) + 1, 2
        while start > begin and keys[index(start - 1)] >> drop == run:
            start -= 1
        while stop < end and keys[index(stop)] >> drop == run:
            n_parts += keys[index(stop)] >> shift != keys[index(stop - 1)] >> shift
            stop += 1
        out = _copy_rows(arena, links, copied, start, out, step)
        copied = stop
        if n_parts == 2:
            out = _merge_two(arena, links, start, np.int64(row), stop, out, shift, run << drop)
        elif shift <= DIRECT_BITS:
            out = _merge_directly(arena, links, scratch, start, stop, out, shift, run << drop)
        else:
            out = _merge_sorted_parts(arena, links, scratch, start, stop, out, shift, run << drop)
    children = _copy_rows(arena, links, copied, end, out, step) - end
    inherit(arena, weights, end, children, step)
    _add_prints(arena, links, end, children)
    return children


@compiled
def _copy_rows(arena: Any, links: Any, start: Any, stop: Any, out: Any, step: Any) -> Any:
    """Copy rows whose run has a single part; return the next free row."""
    keys, counts, heads = arena.keys, arena.counts, arena.heads
    kept = ~(((np.int64(1) << (step.drop - step.shift)) - 1) << step.shift)
    offset = index(out - start)
    for i in range(index(start), index(stop)):
        keys[i + offset] = keys[i] & kept
        counts[i + offset] = counts[i]
        heads[i + offset] = i
    if links is not None and len(links):
        links[start:stop] = -1
    return out + stop - start


@compiled
def _merge_two(
    arena: Any, links: Any, start: Any, middle: Any, stop: Any, out: Any, shift: Any, prefix: Any
) -> Any:
    """Merge two sorted parts without branching on the smaller one; return the next free row."""
    keys, counts, heads = arena.keys, arena.counts, arena.heads
    suffix_mask = (np.int64(1) << shift) - 1
    if links is not None and len(links):
        links[start:stop] = -1
    a, b, o = index(start), index(middle), index(out)
    a_end, b_end = index(middle), index(stop)
    while a < a_end and b < b_end:
        first, second = keys[a] & suffix_mask, keys[b] & suffix_mask
        difference = second - first
        only_b, only_a = difference >> 63, -difference >> 63  # -1 if true, else 0
        keys[o] = prefix | (first + (difference & only_b))
        counts[o] = (counts[a] & ~only_b) + (counts[b] & ~only_a)
        heads[o] = a + ((b - a) & index(only_b))
        if links is not None and len(links):
            links[a] = np.int64(b) | only_a | only_b
        a += index(1 + only_b)
        b += index(1 + only_a)
        o += index(1)
    rest, rest_end = (a, a_end) if a < a_end else (b, b_end)
    for i in range(rest, rest_end):
        keys[o] = prefix | (keys[i] & suffix_mask)
        counts[o] = counts[i]
        heads[o] = i
        o += index(1)
    return np.int64(o)


@compiled
def _merge_directly(
    arena: Any, links: Any, scratch: Any, start: Any, stop: Any, out: Any, shift: Any, prefix: Any
) -> Any:
    """Merge parts by adding at the address of the suffix; return the next free row."""
    keys, counts, heads = arena.keys, arena.counts, arena.heads
    marks, summary = scratch.marks, scratch.summary
    sums, first, last = scratch.sums, scratch.first, scratch.last
    suffix_mask = index((np.int64(1) << shift) - 1)
    six, low, one = index(6), index(63), index(1)
    for i in range(index(start), index(stop)):
        suffix = index(keys[i]) & suffix_mask
        place, bit = suffix >> six, one << (suffix & low)
        is_new = (marks[place] & bit) == index(0)
        if is_new:
            marks[place] |= bit
            summary[place >> six] |= one << (place & low)
            sums[suffix] = counts[i]
            first[suffix] = i
        else:
            sums[suffix] += counts[i]
        if links is not None and len(links):
            links[i] = -1
            if not is_new:
                links[last[suffix]] = i
            last[suffix] = i
    o = index(out)
    for s in range((suffix_mask >> index(12)) + one):
        places = summary[s]
        summary[s] = 0
        while places:
            place = (s << six) | lowest_bit(places)
            places &= places - one
            bits = marks[place]
            marks[place] = 0
            while bits:
                suffix = (place << six) | lowest_bit(bits)
                bits &= bits - one
                keys[o] = prefix | np.int64(suffix)
                counts[o] = sums[suffix]
                heads[o] = first[suffix]
                o += one
    return np.int64(o)


@compiled
def _merge_sorted_parts(
    arena: Any, links: Any, scratch: Any, start: Any, stop: Any, out: Any, shift: Any, prefix: Any
) -> Any:
    """Merge the parts of one run pair by pair, then join equal suffixes; return the next free row."""
    keys, counts, heads = arena.keys, arena.counts, arena.heads
    source = _sort_parts(keys, scratch, start, stop, shift)
    suffixes, rows = scratch.suffixes[source], scratch.rows[source]
    previous = np.int64(-1)
    before = np.int64(0)
    o = index(out - 1)
    for i in range(index(stop - start)):
        suffix, row = suffixes[i], index(rows[i])
        if links is not None and len(links):
            links[row] = -1
        if suffix != previous:
            o += index(1)
            previous = suffix
            keys[o] = prefix | suffix
            counts[o] = counts[row]
            heads[o] = row
        else:
            counts[o] += counts[row]
            if links is not None and len(links):
                links[before] = row
        before = np.int64(row)
    return np.int64(o) + 1


@compiled
def _sort_parts(keys: Any, scratch: Any, start: Any, stop: Any, shift: Any) -> Any:
    """Sort the rows of a run by suffix from its sorted parts; return which half has them."""
    suffixes, rows, bounds = scratch.suffixes, scratch.rows, scratch.bounds
    suffix_mask = (np.int64(1) << shift) - 1
    n = stop - start
    n_parts = 0
    part = -1
    for i in range(n):
        key = keys[index(start + i)]
        suffixes[0, i] = key & suffix_mask
        rows[0, i] = start + i
        if key >> shift != part:
            bounds[0, n_parts] = i
            n_parts += 1
            part = key >> shift
    bounds[0, n_parts] = n
    source = 0
    while n_parts > 1:
        target = 1 - source
        kept = 0
        for p in range(0, n_parts, 2):
            low, middle = bounds[source, p], bounds[source, p + 1]
            high = bounds[source, p + 2] if p + 1 < n_parts else middle
            bounds[target, kept] = low
            kept += 1
            _merge_parts(suffixes[source], rows[source], suffixes[target], rows[target], low, middle, high)
        bounds[target, kept] = n
        n_parts = kept
        source = target
    return source


@compiled
def _merge_parts(
    suffixes: Any, rows: Any, new_suffixes: Any, new_rows: Any, low: Any, middle: Any, high: Any
) -> None:
    a, b, o = index(low), index(middle), index(low)
    a_end, b_end = index(middle), index(high)
    while a < a_end and b < b_end:
        # the earlier part comes first at equal suffixes; a mask, since a branch would be unpredictable
        takes_b = index((suffixes[b] - suffixes[a]) >> 63)
        i = a + ((b - a) & takes_b)
        new_suffixes[o], new_rows[o] = suffixes[i], rows[i]
        a += index(1) + takes_b
        b -= takes_b
        o += index(1)
    rest, rest_end = (a, a_end) if a < a_end else (b, b_end)
    for left in range(rest, rest_end):
        new_suffixes[o], new_rows[o] = suffixes[left], rows[left]
        o += index(1)


@compiled
def _add_prints(arena: Any, links: Any, begin: Any, length: Any) -> None:
    if links is not None:
        if not len(links):
            return
        heads, first_prints, second_prints = arena.heads, arena.prints[0], arena.prints[1]
        for row in range(index(begin), index(begin + length)):
            part = heads[row]
            first, second = first_prints[part], second_prints[part]
            part = links[part]
            while part >= 0:
                first += first_prints[part]
                second += second_prints[part]
                part = links[part]
            first_prints[row], second_prints[row] = first, second
