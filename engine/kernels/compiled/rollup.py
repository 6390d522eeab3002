"""Raising one attribute of a sorted frequency set by one level, compiled.

A frequency set lies in an arena of parallel arrays, one row per class, sorted by key. A key holds one
bit field per attribute, the first attribute of the walk in the highest bits; raising clears low bits
of a field. The raised set is written right behind its parent, so that the arena is the stack of a
depth-first walk.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiled.jit import compiled

index = np.uint64  # a signed index could count from the end, which costs a comparison per access
ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)
DIRECT_BITS = 16  # keys below the raised field up to this many bits are merged by direct addressing

_BRUIJN = 0x03F79D71B4CB0A89
BIT_NUMBERS = np.zeros(64, dtype=np.uint64)
for _bit in range(64):
    BIT_NUMBERS[((_BRUIJN << _bit) & 0xFFFFFFFFFFFFFFFF) >> 58] = _bit


class Arena(NamedTuple):
    """Rows of classes; all arrays have one entry per class.

    Attributes
    ----------
    keys : ndarray of int64, shape (room,)
    counts : ndarray of int32, shape (room,)
        Records per class.
    heads : ndarray of int32, shape (room,)
        A class of the parent that went into the class; with sensitive attributes the first.
    words : ndarray of uint64, shape (n_words, room)
        Weights of the class's labels, several bit fields to a word.
    reals : ndarray of float64, shape (n_reals, room)
        Weights that are no integers.
    links : ndarray of int32, shape (room,), or (0,) without sensitive attributes
        Next class that went into the same class, or -1.
    prints : ndarray of uint64, shape (2, room), or (2, 0)
        Fingerprint of the sensitive values of the class: a sum over its records.
    contents : ndarray of int32, shape (room,), or (0,)
        Number of the class's content, once it is known.
    """

    keys: NDArray[np.int64]
    counts: NDArray[np.int32]
    heads: NDArray[np.int32]
    words: NDArray[np.uint64]
    reals: NDArray[np.float64]
    links: NDArray[np.int32]
    prints: NDArray[np.uint64]
    contents: NDArray[np.int32]


class Scratch(NamedTuple):
    """Working space of merges.

    Attributes
    ----------
    marks, summary : ndarray of uint64
        One bit per suffix that occurs; one bit per word of `marks` that is not 0. Empty between merges.
    sums, first, last : ndarray of int32, shape (2**DIRECT_BITS,)
        Records of a suffix, and the rows it came from first and last.
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


class Weights(NamedTuple):
    """What the labels of each level add to the words and reals of a class.

    Attributes
    ----------
    words : ndarray of uint64, shape (n_words, n_labels)
    reals : ndarray of float64, shape (n_reals, n_labels)
        Labels of all levels of all attributes, one level after the other.
    keep_words : ndarray of uint64, shape (n_words, n_positions + 1)
        Bits of the words that raising an attribute keeps; all of them in the last column.
    keep_reals : ndarray of bool, shape (n_reals, n_positions + 1)
    """

    words: NDArray[np.uint64]
    reals: NDArray[np.float64]
    keep_words: NDArray[np.uint64]
    keep_reals: NDArray[np.bool_]


def make_arena(room: int, n_words: int, n_reals: int, *, sensitive: bool) -> Arena:
    """An arena of so many rows; rows nobody writes take no memory on most systems."""
    inner = room if sensitive else 0
    return Arena(
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int32),
        np.empty(room, dtype=np.int32),
        np.empty((n_words, room), dtype=np.uint64),
        np.empty((n_reals, room), dtype=np.float64),
        np.empty(inner, dtype=np.int32),
        np.empty((2, inner), dtype=np.uint64),
        np.empty(inner, dtype=np.int32),
    )


def make_scratch(room: int) -> Scratch:
    """Working space for frequency sets of so many classes."""
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
def lowest_bit(word: Any) -> Any:
    """Number of the lowest bit that is set."""
    return BIT_NUMBERS[((word & (~word + index(1))) * index(_BRUIJN)) >> index(58)]


@compiled
def join_neighbours(
    arena: Any, weights: Any, begin: Any, length: Any, drop: Any, table: Any, mask: Any, position: Any
) -> Any:
    """Raise the attribute of the lowest field: equal neighbours become one class.

    Parameters
    ----------
    begin, length : int
        Rows of the parent.
    drop : int
        Low bits of the key that the level clears.
    table : int
        First label of the level in `weights`, or -1 where its labels add nothing.
    mask : int
        Bits of the label within the key, after dropping.
    position : int
        Place of the attribute in the walk: its column in the kept bits.

    Returns
    -------
    int
        Number of classes, written from row ``begin + length`` on.
    """
    end = begin + length
    stop = _join_with_links(arena, begin, end, drop) if len(arena.links) else _join(arena, begin, end, drop)
    children = stop - end
    _inherit(arena, weights, end, children, drop, table, mask, position)
    return children


@compiled
def _join(arena: Any, begin: Any, end: Any, drop: Any) -> Any:
    keys, counts, heads = arena.keys, arena.counts, arena.heads
    out = index(end - 1)
    previous = np.int64(-1)
    total = np.int32(0)
    for row in range(index(begin), index(end)):
        key = keys[row] >> drop
        is_new = key != previous
        previous = key
        out += index(is_new)
        # A mask, not a choice: whether the key is new cannot be foreseen.
        total = counts[row] + (total & (np.int32(is_new) - np.int32(1)))
        counts[out] = total
        keys[out] = key << drop
        heads[out] = row
    return np.int64(out) + 1


@compiled
def _join_with_links(arena: Any, begin: Any, end: Any, drop: Any) -> Any:
    keys, counts, heads, links = arena.keys, arena.counts, arena.heads, arena.links
    first_prints, second_prints = arena.prints[0], arena.prints[1]
    out = index(end - 1)
    previous = np.int64(-1)
    total, head = np.int64(0), np.int64(begin)
    first, second = index(0), index(0)
    for row in range(index(begin), index(end)):
        key = keys[row] >> drop
        is_new = key != previous
        previous = key
        out += index(is_new)
        going_on = np.int64(is_new) - 1  # -1 or 0: a mask, not a choice that cannot be foreseen
        # The link of the row before is known only now; the first row's own is overwritten by the next.
        links[row - index(row > index(begin))] = np.int64(row) | ~going_on
        head = (np.int64(row) & ~going_on) | (head & going_on)
        total = counts[row] + (total & going_on)
        first = first_prints[row] + (first & index(going_on))
        second = second_prints[row] + (second & index(going_on))
        counts[out] = total
        keys[out] = key << drop
        heads[out] = head
        first_prints[out] = first
        second_prints[out] = second
    links[end - 1] = -1
    return np.int64(out) + 1


@compiled
def _inherit(
    arena: Any, weights: Any, begin: Any, length: Any, drop: Any, table: Any, mask: Any, position: Any
) -> None:
    """Copy words and reals from a class of the parent, with those of the raised attribute's new label."""
    keys, heads = arena.keys, arena.heads
    rows = range(index(begin), index(begin + length))
    for w in range(arena.words.shape[0]):
        words, new, kept = arena.words[w], weights.words[w], weights.keep_words[w, position]
        if kept == ALL_BITS:
            for row in rows:
                words[row] = words[index(heads[row])]
        elif table < 0:
            for row in rows:
                words[row] = words[index(heads[row])] & kept
        else:
            for row in rows:
                label = index(table + ((keys[row] >> drop) & mask))
                words[row] = (words[index(heads[row])] & kept) | new[label]
    for r in range(arena.reals.shape[0]):
        reals, numbers = arena.reals[r], weights.reals[r]
        if weights.keep_reals[r, position]:
            for row in rows:
                reals[row] = reals[index(heads[row])]
        else:
            for row in rows:
                reals[row] = numbers[table + ((keys[row] >> drop) & mask)] if table >= 0 else 0.0


@compiled
def merge_runs(
    arena: Any,
    scratch: Any,
    weights: Any,
    begin: Any,
    length: Any,
    shift: Any,
    drop: Any,
    table: Any,
    mask: Any,
    position: Any,
) -> Any:
    """Raise an attribute above the lowest field: within each run the sorted parts are merged.

    A run are the classes that agree down to the raised level; a part of it those that agreed before.

    Parameters
    ----------
    shift : int
        Bits below the field.
    drop : int
        Low bits of the key down to which the level keeps the field; at least `shift`.

    Other parameters and result as `join_neighbours`.
    """
    keys, counts, heads, links = arena.keys, arena.counts, arena.heads, arena.links
    end = begin + length
    out = end
    copied = begin
    n_paths = index((np.int64(1) << (drop - shift)) - 1)
    before = keys[begin]
    for row in range(index(begin + 1), index(end)):
        key = keys[row]
        changed = key ^ before
        before = key
        # True where a run goes on with another part: in few rows, so that the branch is foreseen.
        if index((changed >> shift) - 1) >= n_paths or np.int64(row) < copied:
            continue
        run = key >> drop
        start, stop, n_parts = np.int64(row) - 1, np.int64(row) + 1, 2
        while start > begin and keys[index(start - 1)] >> drop == run:
            start -= 1
        while stop < end and keys[index(stop)] >> drop == run:
            n_parts += keys[index(stop)] >> shift != keys[index(stop - 1)] >> shift
            stop += 1
        out = _copy_rows(keys, counts, heads, links, copied, start, out, shift, drop)
        copied = stop
        if n_parts == 2:
            out = _merge_two(keys, counts, heads, links, start, np.int64(row), stop, out, shift, run << drop)
        elif shift <= DIRECT_BITS:
            out = _merge_directly(arena, scratch, start, stop, out, shift, run << drop)
        else:
            out = _merge_sorted_parts(arena, scratch, start, stop, out, shift, run << drop)
    children = _copy_rows(keys, counts, heads, links, copied, end, out, shift, drop) - end
    _inherit(arena, weights, end, children, drop, table, mask, position)
    if len(arena.links):
        _add_prints(arena, end, children)
    return children


@compiled
def _copy_rows(
    keys: Any, counts: Any, heads: Any, links: Any, start: Any, stop: Any, out: Any, shift: Any, drop: Any
) -> Any:
    """Copy rows whose run has a single part; returns the next free row."""
    kept = ~(((np.int64(1) << (drop - shift)) - 1) << shift)
    offset = index(out - start)
    for i in range(index(start), index(stop)):
        keys[i + offset] = keys[i] & kept
        counts[i + offset] = counts[i]
        heads[i + offset] = i
    if len(links):
        links[start:stop] = -1
    return out + stop - start


@compiled
def _merge_two(
    keys: Any,
    counts: Any,
    heads: Any,
    links: Any,
    start: Any,
    middle: Any,
    stop: Any,
    out: Any,
    shift: Any,
    prefix: Any,
) -> Any:
    """Merge two sorted parts without a branch on what is smaller; returns the next free row."""
    suffix_mask = (np.int64(1) << shift) - 1
    if len(links):
        links[start:stop] = -1
    a, b, o = index(start), index(middle), index(out)
    a_end, b_end = index(middle), index(stop)
    while a < a_end and b < b_end:
        first, second = keys[a] & suffix_mask, keys[b] & suffix_mask
        difference = second - first
        only_b, only_a = difference >> 63, -difference >> 63  # -1 where true, else 0
        keys[o] = prefix | (first + (difference & only_b))
        counts[o] = (counts[a] & ~only_b) + (counts[b] & ~only_a)
        heads[o] = a + ((b - a) & index(only_b))
        if len(links):
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
    arena: Any, scratch: Any, start: Any, stop: Any, out: Any, shift: Any, prefix: Any
) -> Any:
    """Merge parts by adding up at the address of the suffix; returns the next free row."""
    keys, counts, heads, links = arena.keys, arena.counts, arena.heads, arena.links
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
        if len(links):
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
    arena: Any, scratch: Any, start: Any, stop: Any, out: Any, shift: Any, prefix: Any
) -> Any:
    """Merge the parts of one run pair by pair, then join equal suffixes; returns the next free row."""
    keys, counts, heads, links = arena.keys, arena.counts, arena.heads, arena.links
    source = _sort_parts(keys, scratch, start, stop, shift)
    suffixes, rows = scratch.suffixes[source], scratch.rows[source]
    previous = np.int64(-1)
    before = np.int64(0)
    o = index(out - 1)
    for i in range(index(stop - start)):
        suffix, row = suffixes[i], index(rows[i])
        if len(links):
            links[row] = -1
        if suffix != previous:
            o += index(1)
            previous = suffix
            keys[o] = prefix | suffix
            counts[o] = counts[row]
            heads[o] = row
        else:
            counts[o] += counts[row]
            if len(links):
                links[before] = row
        before = np.int64(row)
    return np.int64(o) + 1


@compiled
def _sort_parts(keys: Any, scratch: Any, start: Any, stop: Any, shift: Any) -> Any:
    """Sort the rows of a run by suffix, given that its parts are sorted; returns which half holds them."""
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
        # Of equal suffixes the earlier part comes first. A mask, not a choice that cannot be foreseen.
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
def _add_prints(arena: Any, begin: Any, length: Any) -> None:
    heads, links, first_prints, second_prints = arena.heads, arena.links, arena.prints[0], arena.prints[1]
    for row in range(index(begin), index(begin + length)):
        part = heads[row]
        first, second = first_prints[part], second_prints[part]
        part = links[part]
        while part >= 0:
            first += first_prints[part]
            second += second_prints[part]
            part = links[part]
        first_prints[row], second_prints[row] = first, second
