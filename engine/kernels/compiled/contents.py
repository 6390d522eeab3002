"""Compiled numbering of contents: the distinct multisets of sensitive values in classes.

The 36 million classes of an Adult lattice have two million different multisets. Each is stored once, and
every privacy model is measured once per content instead of once per class.

A class is recognized by its fingerprint, 96 bits that are a sum over its records: the fingerprint of a merged
class is the sum of those of its parts, so a known content needs no access to its values. Any two of ten
million different contents have the same fingerprint with a probability below 2**-40, even if every record
occurs hundreds of times (which costs a bit for every factor of two).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import index
from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.pairs import MOST_BYTES, get, put
from engine.kernels.compiled.rollup import lowest_bit

FULLEST = 0.7  # largest share of used slots in the table
HIGH = 0xFFFFFFFF00000000  # half of a fingerprint's second word that the table stores
SPREAD = 0x9E3779B97F4A7C15
LOW = 0xFFFFFFFF


class Contents(NamedTuple):
    """Numbered contents with a hash table that finds them.

    Attributes
    ----------
    table : ndarray of uint64, shape (n_slots, 2)
        First word of the fingerprint; high half of the second with the content's number + 1, or 0.
    sizes : ndarray of int32, shape (room,)
        Number of records of a class with this content.
    starts : ndarray of int64, shape (room + 1,)
        First byte of the pairs of each content.
    pairs : ndarray of uint8, shape (pair_room,)
        Sensitive values and their records, packed as `engine.kernels.compiled.pairs` describes. Values of a
        second sensitive attribute are numbered after those of the first.
    used : ndarray of int64, shape (1,)
        Number of contents.
    """

    table: NDArray[np.uint64]
    sizes: NDArray[np.int32]
    starts: NDArray[np.int64]
    pairs: NDArray[np.uint8]
    used: NDArray[np.int64]


class Union(NamedTuple):
    """Working space for the union of contents.

    Attributes
    ----------
    counts : ndarray of int32, shape (n_values,)
        All 0 between unions.
    marks : ndarray of uint64
        One bit per value that occurs; all 0 between unions.
    sink : ndarray of int64, shape (1,)
        Unused result of `fetch`, so that its reads are not optimized away.
    n_attributes : int
        Number of sensitive attributes; each record has a value of every one.
    n_counted : int
        Values from here on do not count records, but people of the population.
    """

    counts: NDArray[np.int32]
    marks: NDArray[np.uint64]
    sink: NDArray[np.int64]
    n_attributes: int
    n_counted: int


def make_contents(room: int, pair_room: int) -> Contents:
    """Allocate room for a number of contents, and for the bytes of their pairs."""
    slots = 1 << int(room / FULLEST).bit_length()
    return Contents(
        np.zeros((slots, 2), dtype=np.uint64),
        np.empty(room, dtype=np.int32),
        np.zeros(room + 1, dtype=np.int64),
        np.empty(pair_room, dtype=np.uint8),
        np.zeros(1, dtype=np.int64),
    )


def make_union(n_values: int, n_attributes: int, n_counted: int) -> Union:
    """Allocate working space for values below `n_values`, of which those below `n_counted` count records."""
    return Union(
        np.zeros(n_values, dtype=np.int32),
        np.zeros((n_values >> 6) + 1, dtype=np.uint64),
        np.zeros(1, dtype=np.int64),
        n_attributes,
        n_counted,
    )


def grown(contents: Contents, room: int, pair_room: int) -> Contents:
    """Return a copy with more room; readers of the old arrays are not affected."""
    n = int(contents.used[0])
    n_bytes = int(contents.starts[n])
    larger = make_contents(max(room, len(contents.sizes)), max(pair_room, len(contents.pairs)))
    larger.sizes[:n] = contents.sizes[:n]
    larger.starts[: n + 1] = contents.starts[: n + 1]
    larger.pairs[:n_bytes] = contents.pairs[:n_bytes]
    larger.used[0] = n
    enter_all(contents.table, larger.table)
    return larger


def without_table(contents: Contents) -> Contents:
    """Return the contents without the table, for reading only."""
    return contents._replace(table=contents.table[:0].copy())


@compiled
def slot_of(first: Any, mask: Any) -> Any:
    """Return the slot at which the search for a fingerprint begins."""
    mixed = first * np.uint64(SPREAD)
    return np.int64((mixed >> np.uint64(20)) & mask)


@compiled
def enter_all(old: Any, table: Any) -> None:
    """Enter what a smaller table has into a larger one, both of fingerprints."""
    mask = np.uint64(len(table) - 1)
    for entry in range(len(old)):
        if old[entry, 1] == 0:
            continue
        slot = slot_of(old[entry, 0], mask)
        while table[slot, 1] != 0:
            slot = np.int64(np.uint64(slot + 1) & mask)
        table[slot, 0], table[slot, 1] = old[entry, 0], old[entry, 1]


@compiled
def find(table: Any, first: Any, second: Any) -> Any:
    """Return the number of the content with a fingerprint, or -1 - slot for its place if it is new."""
    mask = np.uint64(len(table) - 1)
    slot = slot_of(first, mask)
    high = second & np.uint64(HIGH)
    while True:
        entry = table[slot, 1]
        if entry == 0:
            return -1 - slot
        if table[slot, 0] == first and (entry & np.uint64(HIGH)) == high:
            return np.int64(entry & np.uint64(0xFFFFFFFF)) - 1
        slot = np.int64(np.uint64(slot + 1) & mask)


@compiled
def has_room(contents: Any, n_pairs: Any) -> Any:
    """Return whether one more content with a number of pairs fits, however large their numbers."""
    n = contents.used[0]
    return n < len(contents.sizes) and contents.starts[n] + MOST_BYTES * n_pairs <= len(contents.pairs)


@compiled
def _enter(contents: Any, slot: Any, first: Any, second: Any, size: Any) -> None:
    n = contents.used[0]
    contents.sizes[n] = size
    contents.table[slot, 0] = first
    contents.table[slot, 1] = (second & np.uint64(HIGH)) | np.uint64(n + 1)
    contents.used[0] = n + 1


@compiled
def touch(contents: Any, union: Any, rows: Any, first_prints: Any) -> None:
    """Read the slots where `find` of some classes will begin, each read independent of the others.

    The table is larger than the processor's caches. Waiting for one entry after the other would take most of
    the time; independent reads overlap.
    """
    table, mask = contents.table, np.uint64(len(contents.table) - 1)
    sink = np.uint64(0)
    for row in rows:
        sink += table[slot_of(first_prints[index(row)], mask), 1]
    union.sink[0] = np.int64(sink)


@compiled
def fetch(contents: Any, union: Any, rows: Any, heads: Any, links: Any, numbers: Any) -> None:
    """Read the entries that `add_union` of some classes will read, for the same reason as `touch`."""
    starts, pairs = contents.starts, contents.pairs
    sink = np.int64(0)
    for row in rows:
        part = heads[index(row)]
        while part >= 0:
            sink += starts[index(numbers[index(part)])]
            part = links[index(part)]
    for row in rows:
        part = heads[index(row)]
        while part >= 0:
            sink += pairs[index(starts[index(numbers[index(part)])])]
            part = links[index(part)]
    union.sink[0] = sink


@compiled
def add_union(
    contents: Any,
    union: Any,
    slot: Any,
    first: Any,
    second: Any,
    size: Any,
    part: Any,
    parts: Any,
    links: Any,
) -> Any:
    """Number a new content: the union of the contents of a chain of classes.

    Parameters
    ----------
    slot : int
        Slot of the table, from `find`.
    first, second : int
        Fingerprint of the union.
    size : int
        Number of records of the union.
    part : int
        First class of the chain.
    parts, links : ndarray of int32
        Content of every class; next class of the chain or -1.

    Returns
    -------
    int
        Number of the content; -1 if the records do not add up to `size`, and then it is not added.
    """
    starts, pairs = contents.starts, contents.pairs
    sums, marks = union.counts, union.marks
    while part >= 0:
        content = index(parts[index(part)])
        at, end, value = index(starts[content]), index(starts[content + index(1)]), index(0)
        while at < end:
            step, at = get(pairs, at)
            count, at = get(pairs, at)
            value += step
            sums[value] += np.int32(count)
            marks[value >> index(6)] |= index(1) << (value & index(63))
        part = links[index(part)]
    n = contents.used[0]
    out, before = index(starts[n]), index(0)
    total = 0
    for place in range(index(len(marks))):
        bits = marks[place]
        marks[place] = 0
        while bits:
            value = (place << index(6)) | lowest_bit(bits)
            bits &= bits - index(1)
            out = put(pairs, put(pairs, out, value - before), sums[value])
            before = value
            total += sums[value] * np.int32(value < index(union.n_counted))
            sums[value] = 0
    if total != size * union.n_attributes:
        return -1
    starts[n + 1] = out
    _enter(contents, slot, first, second, size)
    return n


@compiled
def add_base(contents: Any, starts: Any, pairs: Any, prints: Any, sizes: Any, numbers: Any) -> None:
    """Number the contents of the base tuples; there must be room for one each.

    Parameters
    ----------
    starts : ndarray of int64, shape (n_base + 1,)
        First pair of each base tuple.
    pairs : ndarray of int64
        Sensitive values, ascending within a tuple, in the high half; their records in the low one.
    prints : ndarray of uint64, shape (2, n_base)
    sizes : ndarray of int32, shape (n_base,)
    numbers : ndarray of int32, shape (n_base,)
        Filled with the numbers.
    """
    for row in range(len(sizes)):
        found = find(contents.table, prints[0, row], prints[1, row])
        if found < 0:
            n = contents.used[0]
            out, before = index(contents.starts[n]), index(0)
            for i in range(starts[row], starts[row + 1]):
                pair = index(pairs[i])
                value = pair >> index(32)
                out = put(contents.pairs, put(contents.pairs, out, value - before), pair & index(LOW))
                before = value
            contents.starts[n + 1] = out
            _enter(contents, -1 - found, prints[0, row], prints[1, row], sizes[row])
            found = n
        numbers[row] = found
