"""Compiled roll-up: classes in an arena, generalized in their lowest field by one level.

A frequency set is a range of rows in an arena of parallel arrays, one row per class, sorted by key. A key has
one bit field per attribute, the first attribute of the walk in the highest bits; raising clears low bits of a
field. The raised set is written directly behind its parent, so that the arena is the stack of a depth-first
walk.

The walk has two kinds, made of the same source. The plain one knows neither sensitive attributes nor weights
that are not integers, and compiles in half the time: arrays that it does not need are None, and numba drops
the branches of an argument that is None. So a kernel that branches on such an array takes it as an argument.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import index
from engine.kernels.compiled.jit import compiled

ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)

_BRUIJN = 0x03F79D71B4CB0A89
BIT_NUMBERS = np.zeros(64, dtype=np.uint64)
for _bit in range(64):
    BIT_NUMBERS[((_BRUIJN << _bit) & 0xFFFFFFFFFFFFFFFF) >> 58] = _bit


class ClassBuffer(NamedTuple):
    """Rows of classes; all arrays have one entry per class.

    Attributes
    ----------
    keys : ndarray of int64, shape (room,)
    counts : ndarray of int32, shape (room,)
        Number of records per class.
    heads : ndarray of int32, shape (room,)
        A class of the parent that is part of the class; with sensitive attributes the first.
    words : ndarray of uint64, shape (n_words, room)
        Weights of the class's labels, several bit fields per word.
    reals : ndarray of float64, shape (n_reals, room), or None in plain walks
        Weights that are not integers.
    links : ndarray of int32, shape (room,), or (0,) without sensitive attributes, or None in plain walks
        Next class that is part of the same class, or -1.
    prints : ndarray of uint64, shape (2, room), or (2, 0), or None in plain walks
        Fingerprint of the sensitive values of the class: a sum over its records.
    contents : ndarray of int32, shape (room,), or (0,), or None in plain walks
        Number of the class's content, once known.
    """

    keys: NDArray[np.int64]
    counts: NDArray[np.int32]
    heads: NDArray[np.int32]
    words: NDArray[np.uint64]
    reals: NDArray[np.float64] | None
    links: NDArray[np.int32] | None
    prints: NDArray[np.uint64] | None
    contents: NDArray[np.int32] | None


class Weights(NamedTuple):
    """Weights that the labels of each level add to the words and reals of a class.

    Attributes
    ----------
    words : ndarray of uint64, shape (n_words, n_labels)
    reals : ndarray of float64, shape (n_reals, n_labels)
        Weights of the labels of all levels of all attributes, one level after the other.
    keep_words : ndarray of uint64, shape (n_words, n_positions + 1)
        Bits of the words that remain if an attribute is raised; all of them in the last column.
    keep_reals : ndarray of bool, shape (n_reals, n_positions + 1)
    """

    words: NDArray[np.uint64]
    reals: NDArray[np.float64]
    keep_words: NDArray[np.uint64]
    keep_reals: NDArray[np.bool_]


class Step(NamedTuple):
    """An attribute raised to a level.

    Attributes
    ----------
    position : int
        Position of the attribute in the walk: its column in the kept bits.
    shift : int
        Bits of the key below its field.
    drop : int
        Low bits of the key that the level clears, those below the field included.
    table : int
        First label of the level in the weights, or -1 if its labels add nothing.
    mask : int
        Bits of the label within the key, after dropping.
    """

    position: int
    shift: int = 0
    drop: int = 0
    table: int = -1
    mask: int = 0


def make_arena(room: int, n_words: int, n_reals: int, *, sensitive: bool) -> ClassBuffer:
    """Allocate an arena of a number of rows; unwritten rows use no memory on most systems."""
    inner, is_plain = room if sensitive else 0, not sensitive and not n_reals
    return ClassBuffer(
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int32),
        np.empty(room, dtype=np.int32),
        np.empty((n_words, room), dtype=np.uint64),
        None if is_plain else np.empty((n_reals, room), dtype=np.float64),
        None if is_plain else np.empty(inner, dtype=np.int32),
        None if is_plain else np.empty((2, inner), dtype=np.uint64),
        None if is_plain else np.empty(inner, dtype=np.int32),
    )


@compiled
def lowest_bit(word: Any) -> Any:
    """Return the number of the lowest bit that is set."""
    return BIT_NUMBERS[((word & (~word + index(1))) * index(_BRUIJN)) >> index(58)]


@compiled
def join_neighbours(arena: Any, weights: Any, begin: Any, length: Any, step: Any) -> Any:
    """Raise the attribute of the lowest field: equal neighbours become one class.

    Parameters
    ----------
    begin, length : int
        Rows of the parent.

    Returns
    -------
    int
        Number of classes, written from row ``begin + length`` on.
    """
    end = begin + length
    children = _join(arena, arena.links, begin, end, step.drop) - end
    inherit(arena, weights, end, children, step)
    return children


@compiled
def _join(arena: Any, links: Any, begin: Any, end: Any, drop: Any) -> Any:
    if links is not None and len(links):
        return _join_with_links(arena, begin, end, drop)
    keys, counts, heads = arena.keys, arena.counts, arena.heads
    out = index(end - 1)
    previous = np.int64(-1)
    total = np.int32(0)
    for row in range(index(begin), index(end)):
        key = keys[row] >> drop
        is_new = key != previous
        previous = key
        out += index(is_new)
        # a mask, since a branch on new keys would be unpredictable
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
        going_on = np.int64(is_new) - 1  # -1 or 0: a mask, since a branch would be unpredictable
        # The link of the previous row is known only now; that of the first row is overwritten by the next.
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
def inherit(arena: Any, weights: Any, begin: Any, length: Any, step: Any) -> None:
    """Copy words and reals from a class of the parent, with those of the raised attribute's new label."""
    _inherit_reals(arena, arena.reals, weights, begin, length, step)
    keys, heads, drop, table, mask = arena.keys, arena.heads, step.drop, step.table, step.mask
    rows = range(index(begin), index(begin + length))
    for w in range(arena.words.shape[0]):
        words, new, kept = arena.words[w], weights.words[w], weights.keep_words[w, step.position]
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


@compiled
def _inherit_reals(arena: Any, all_reals: Any, weights: Any, begin: Any, length: Any, step: Any) -> None:
    if all_reals is not None:
        keys, heads, drop, table, mask = arena.keys, arena.heads, step.drop, step.table, step.mask
        rows = range(index(begin), index(begin + length))
        for r in range(all_reals.shape[0]):
            reals, numbers = all_reals[r], weights.reals[r]
            if weights.keep_reals[r, step.position]:
                for row in rows:
                    reals[row] = reals[index(heads[row])]
            else:
                for row in rows:
                    reals[row] = numbers[table + ((keys[row] >> drop) & mask)] if table >= 0 else 0.0
