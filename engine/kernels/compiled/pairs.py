"""Pairs of a sensitive value and its records, packed in bytes.

The pairs of a content are in ascending order of their values. Of each there is the difference from the value
before (from 0 for the first) and the number of records, both in groups of seven bits, the lowest first; all
bytes of a number but the last have their highest bit set. Most differences and counts are below 128, so a
pair takes two bytes instead of sixteen; numbers of any size fit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, IntArray, index
from engine.kernels.compiled.jit import compiled

Bytes = NDArray[np.uint8]

CONTINUES = 0x80  # bit of a byte that is not the last of its number
MOST_BYTES = 10  # bytes of a pair of numbers below 2**31


@compiled
def put(pairs: Any, at: Any, number: Any) -> Any:
    """Write a number from a byte on; return the next free byte."""
    seven, continues = index(7), index(CONTINUES)
    at, rest = index(at), index(number)
    while rest >= continues:
        pairs[at] = np.uint8((rest & (continues - index(1))) | continues)
        rest >>= seven
        at += index(1)
    pairs[at] = np.uint8(rest)
    return at + index(1)


@compiled
def get(pairs: Any, at: Any) -> Any:
    """Return the number that begins at a byte, and the byte after it."""
    seven, continues = index(7), index(CONTINUES)
    at = index(at)
    byte = index(pairs[at])
    at += index(1)
    if byte < continues:
        return byte, at
    number, shift = byte & (continues - index(1)), seven
    while byte >= continues:
        byte = index(pairs[at])
        at += index(1)
        number |= (byte & (continues - index(1))) << shift
        shift += seven
    return number, at


@compiled
def unpack(starts: Any, pairs: Any, first: Any, last: Any, values: Any, counts: Any, begins: Any) -> None:
    """Fill the values and counts of some contents.

    Parameters
    ----------
    starts, pairs : ndarray
        As in `engine.kernels.compiled.contents.Contents`.
    first, last : int
        The contents from `first` up to but without `last`.
    values, counts : ndarray of int64, shape (n_pairs,)
    begins : ndarray of int64, shape (last - first,)
        Filled with the first pair of each.
    """
    out = index(0)
    for content in range(index(first), index(last)):
        begins[content - index(first)] = np.int64(out)
        at, end, value = index(starts[content]), index(starts[content + index(1)]), index(0)
        while at < end:
            step, at = get(pairs, at)
            count, at = get(pairs, at)
            value += step
            values[out] = np.int64(value)
            counts[out] = np.int64(count)
            out += index(1)


def unpacked(starts: IntArray, pairs: Bytes, first: int, last: int) -> tuple[IntArray, Counts, IntArray]:
    """Return values, counts and the first pair of the contents from `first` up to but without `last`."""
    held = pairs[starts[first] : starts[last]]
    n_pairs = int(np.count_nonzero(held < CONTINUES)) // 2
    values, counts, begins = (np.empty(n, dtype=np.int64) for n in (n_pairs, n_pairs, last - first))
    unpack(starts, pairs, first, last, values, counts, begins)
    return values, counts, begins
