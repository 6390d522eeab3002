"""Compiled sorting of the base tuples of a subtree by its keys."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import index
from engine.kernels.compiled.jit import compiled

DIGIT_BITS = 11


@compiled
def sorted_keys(
    fields: Any, drops: Any, widths: Any, lowest: Any, bits: Any, orders: Any, digits: Any, keys: Any
) -> Any:
    """Sort tuples by the levels of some attributes, then by their previous order.

    Parameters
    ----------
    fields : ndarray of int64, shape (n_fixed, n_base)
        Path codes of the attributes.
    drops, widths : ndarray of int64, shape (n_fixed,)
        Low bits that a level clears, and the number of remaining bits.
    lowest : ndarray of int64, shape (n_base,)
        Keys of the other attributes.
    bits : int
        Number of their bits.
    orders : ndarray of int64, shape (2, n_base)
        The first row has the tuples sorted by `lowest`; both rows are overwritten.
    digits : ndarray of int64, shape (2**DIGIT_BITS + 1,)
        Working space.
    keys : ndarray of int64, shape (n_base,)
        Output: the number of the tuple's levels among those that occur, above its key in `lowest`.

    Returns
    -------
    int
        The row of `orders` with the result.
    """
    n_fixed, n_base = fields.shape
    source = 0
    for f in range(n_fixed - 1, -1, -1):
        for done in range(0, widths[f], DIGIT_BITS):
            _sort_by_digit(fields[f], drops[f] + done, orders[source], orders[1 - source], digits)
            source = 1 - source
    order = orders[source]
    number = np.int64(0)
    for i in range(index(n_base)):
        member = index(order[i])
        if i > index(0):
            before = index(order[i - index(1)])
            differs = False
            for f in range(n_fixed):
                differs |= (fields[f, member] >> drops[f]) != (fields[f, before] >> drops[f])
            number += np.int64(differs)
        keys[i] = (number << bits) | lowest[member]
    return source


@compiled
def _sort_by_digit(field: Any, shift: Any, order: Any, target: Any, digits: Any) -> None:
    mask = np.int64((1 << DIGIT_BITS) - 1)
    digits[:] = 0
    for i in range(index(len(order))):
        digits[index(((field[index(order[i])] >> shift) & mask) + 1)] += 1
    for after in range(1, len(digits)):
        digits[after] += digits[after - 1]
    for i in range(index(len(order))):
        digit = index((field[index(order[i])] >> shift) & mask)
        target[index(digits[digit])] = order[i]
        digits[digit] += 1


def make_digits() -> NDArray[np.int64]:
    """Allocate working space of `sorted_keys`."""
    return np.zeros((1 << DIGIT_BITS) + 1, dtype=np.int64)
