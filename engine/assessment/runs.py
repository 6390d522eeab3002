"""Sets of neighbouring values, and what is spread over them or summed up of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import BoolArray, Counts, IntArray, Reals

N = TypeVar("N", np.int64, np.float64)


@dataclass(frozen=True, eq=False)
class Runs:
    """Sets of values as runs of neighbours on an axis.

    Attributes
    ----------
    starts : ndarray of int64, shape (n_sets + 1,)
        Where the runs of each set begin in the arrays below; none is empty.
    first, last : ndarray of int64, shape (n_runs,)
        Both ends included.
    """

    starts: IntArray
    first: IntArray
    last: IntArray

    @classmethod
    def of_pairs(cls, sets: IntArray, values: IntArray, n_sets: int) -> Runs:
        """Join sorted pairs of set and value, each there once."""
        begins = np.ones(len(sets), dtype=np.bool_)
        begins[1:] = (sets[1:] != sets[:-1]) | (values[1:] != values[:-1] + 1)
        first = np.flatnonzero(begins)
        last = np.append(first[1:], len(sets))[: len(first)] - 1
        starts = np.searchsorted(sets[first], np.arange(n_sets + 1))
        return cls(starts.astype(np.int64), values[first], values[last])

    @classmethod
    def of_whole(cls, n_values: int) -> Runs:
        """A single set of the first values of an axis, at least one."""
        return cls(np.array([0, 1]), np.array([0]), np.array([n_values - 1]))

    @cached_property
    def n_values(self) -> Counts:
        """Values of each set, shape (n_sets,)."""
        return self._sums(self.last - self.first + 1)

    @cached_property
    def lowest(self) -> IntArray:
        """First value of each set."""
        return self.first[self.starts[:-1]]

    @cached_property
    def highest(self) -> IntArray:
        """Last value of each set."""
        return self.last[self.starts[1:] - 1]

    def spread(self, amounts: Counts | Reals, n_values: int) -> Reals:
        """Give each value an even part of what every set has that holds it, shape (n_values,)."""
        each = np.repeat(amounts / np.maximum(self.n_values, 1), np.diff(self.starts))
        parts = np.zeros(n_values + 1)
        cover = np.zeros(n_values + 1, dtype=np.int64)
        alone = self.first == self.last  # exact: most columns have nothing else
        parts[:-1] = np.bincount(self.first[alone], weights=each[alone], minlength=n_values)
        if not alone.all():
            first, last, each = self.first[~alone], self.last[~alone], each[~alone]
            rises = np.bincount(first, weights=each, minlength=n_values + 1)
            falls = np.bincount(last + 1, weights=each, minlength=n_values + 1)
            cover += np.bincount(first, minlength=n_values + 1)
            cover -= np.bincount(last + 1, minlength=n_values + 1)
            # Where no run lies the sum of rises and falls is 0 but for rounding.
            parts += np.where(np.cumsum(cover) > 0, np.maximum(np.cumsum(rises - falls), 0.0), 0.0)
        return parts[:-1]

    def shares(self, chosen: BoolArray) -> Reals:
        """Which part of each set's values is among those chosen, shape (n_sets,)."""
        before = np.concatenate(([0], np.cumsum(chosen)))
        return self._sums(before[self.last + 1] - before[self.first]) / np.maximum(self.n_values, 1)

    def sums(self, amounts: Reals) -> Reals:
        """Sum of an amount per value over the values of each set, shape (n_sets,)."""
        before = np.concatenate(([0.0], np.cumsum(amounts)))
        sums = self._sums(before[self.last + 1] - before[self.first])
        return np.where(self.n_values == 1, amounts[self.lowest], sums) if len(sums) else sums

    def _sums(self, by_run: NDArray[N]) -> NDArray[N]:
        if len(self.starts) == 1:
            return by_run[:0]
        sums: NDArray[N] = np.add.reduceat(by_run, self.starts[:-1])
        return sums
