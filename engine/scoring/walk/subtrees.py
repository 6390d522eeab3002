"""Subtrees of the lattice, scored one by one in any order by compiled kernels.

The attributes are raised in a fixed order. A subtree fixes the levels of the first few and raises the others,
so that nodes of different subtrees share only the base tuples. In the keys of a subtree the fixed attributes
are one number; the others follow as bit fields. So keys of any number of attributes fit into one word if
enough of them are fixed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.errors import InvariantError
from engine.frequency import Problem
from engine.kernels.arrays import IntArray, Keys
from engine.kernels.compiled.roots import make_digits, sorted_keys
from engine.scoring.walk.base_classes import BaseClasses

KEY_BITS = 62
ENOUGH_SUBTREES = 12  # enough to show first nodes early, and to keep several workers busy to the end


@dataclass(frozen=True, eq=False)
class Subtrees:
    """The subtrees of a lattice and their keys.

    Attributes
    ----------
    widths : tuple of int
        Number of bits of each attribute's field.
    dropped : tuple of tuple of int
        Per attribute and level the low bits of the field that the level clears.
    order : tuple of int
        Attributes in the order of the walk.
    """

    problem: Problem
    base: BaseClasses
    widths: tuple[int, ...]
    dropped: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]

    @cached_property
    def n_fixed(self) -> int:
        """Number of attributes fixed per subtree: enough for the keys to fit and for many subtrees."""
        number_bits = len(self.base.sizes).bit_length()
        n_fixed, n_subtrees = 0, 1
        while n_fixed < len(self.order) - 1 and (
            n_subtrees < ENOUGH_SUBTREES
            or number_bits + sum(self.widths[q] for q in self.order[n_fixed:]) > KEY_BITS
        ):
            n_subtrees *= self.problem.lattice.shape[self.order[n_fixed]]
            n_fixed += 1
        if n_fixed and number_bits + sum(self.widths[q] for q in self.order[n_fixed:]) > KEY_BITS:
            raise InvariantError("the keys of a subtree do not fit into a word")
        return n_fixed

    @cached_property
    def fixed(self) -> tuple[int, ...]:
        """Attributes whose level a subtree fixes."""
        return self.order[: self.n_fixed]

    @cached_property
    def raised(self) -> tuple[int, ...]:
        """Attributes raised within a subtree, in the order of the walk."""
        return self.order[self.n_fixed :]

    @cached_property
    def shifts(self) -> tuple[int, ...]:
        """Number of bits of the key below the field of each raised attribute."""
        widths = [self.widths[q] for q in self.raised]
        return tuple(sum(widths[i + 1 :]) for i in range(len(widths)))

    def n_labels(self, attribute: int, level: int) -> int:
        """Return the number of path codes at a level; some may have no label."""
        return 1 << max(self.widths[attribute] - self.dropped[attribute][level], 0)

    @cached_property
    def _lowest(self) -> Keys:
        """Return the fields of the raised attributes, packed."""
        keys = np.zeros(len(self.base.sizes), dtype=np.int64)
        for q, shift in zip(self.raised, self.shifts, strict=True):
            keys |= self.base.fields[q] << shift
        return keys

    def levels(self) -> Iterator[tuple[int, ...]]:
        """Return the levels of the fixed attributes, subtree by subtree.

        A few small subtrees come first, so that results appear at once; then the largest, so that no worker
        has a large one at the end.
        """
        lattice = self.problem.lattice
        ranges = [range(lattice.minimum[q], lattice.maximum[q] + 1) for q in self.fixed]
        falling = sorted(product(*ranges), key=sum)
        n_early = len(falling) // 4
        yield from reversed(falling[len(falling) - n_early :])
        yield from falling[: len(falling) - n_early]

    @property
    def n_subtrees(self) -> int:
        """Number of subtrees."""
        return prod(self.problem.lattice.shape[q] for q in self.fixed)

    def number(self, levels: Sequence[int]) -> int:
        """Return the node number of the lowest node of a subtree."""
        lattice = self.problem.lattice
        fixed = zip(self.fixed, levels, strict=True)
        return sum((level - lattice.minimum[q]) * lattice.strides[q] for q, level in fixed)

    @cached_property
    def _by_lowest(self) -> IntArray:
        """Return the base tuples in the order of the raised attributes."""
        return np.argsort(self._lowest, kind="stable")

    @cached_property
    def _fixed_fields(self) -> NDArray[np.int64]:
        fields = [self.base.fields[q] for q in self.fixed]
        return np.array(fields, dtype=np.int64).reshape(len(fields), len(self.base.sizes))

    def root(self, levels: Sequence[int]) -> tuple[Keys, IntArray]:
        """Return sorted keys of the base tuples at a subtree's lowest node, and the order of tuples."""
        n_base = len(self.base.sizes)
        drops = np.array(
            [self.dropped[q][g] for q, g in zip(self.fixed, levels, strict=True)], dtype=np.int64
        )
        widths = np.array([self.widths[q] for q in self.fixed], dtype=np.int64) - drops
        orders = np.empty((2, n_base), dtype=np.int64)
        orders[0] = self._by_lowest
        keys = np.empty(n_base, dtype=np.int64)
        bits = self.shifts[0] + self.widths[self.raised[0]]
        row = sorted_keys(self._fixed_fields, drops, widths, self._lowest, bits, orders, make_digits(), keys)
        return keys, orders[row]


def per_level(values: Sequence[Sequence[int]]) -> NDArray[Any]:
    """Return rows of unequal length as one array, padded with 0."""
    result = np.zeros((len(values), max(len(row) for row in values)), dtype=np.int64)
    for i, row in enumerate(values):
        result[i, : len(row)] = row
    return result
