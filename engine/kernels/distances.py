"""Distances of the sensitive values of each class from those of the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.kernels.grouping import run_starts

LARGEST_TABLE = 1 << 22  # records up to which crossings are looked up instead of searched
LARGEST_EXACT = 1 << 62  # sums of products stay below it, or use other types


@dataclass(frozen=True, eq=False)
class Pairs:
    """Distinct (class, value) pairs, sorted by class then value.

    Attributes
    ----------
    values : ndarray of int64, shape (n_pairs,)
    counts : ndarray of int64, shape (n_pairs,)
        Number of records per pair.
    starts : ndarray of int64, shape (n_classes,)
        First pair of every class; every class has a pair.
    """

    values: IntArray
    counts: Counts
    starts: IntArray

    @cached_property
    def lengths(self) -> Counts:
        """Distinct values per class, shape (n_classes,)."""
        return np.diff(self.starts, append=len(self.values))

    @cached_property
    def classes(self) -> IntArray:
        """Class of every pair, shape (n_pairs,)."""
        return np.repeat(np.arange(len(self.starts)), self.lengths)


@dataclass(frozen=True, eq=False)
class Reference:
    """Records, or their weights, of the whole table per sensitive value, in the order of the values."""

    counts: Counts

    @cached_property
    def n_records(self) -> int:
        """Number of records of the table."""
        return int(self.counts.sum())

    @cached_property
    def n_present(self) -> int:
        """Number of values that occur."""
        return int(np.count_nonzero(self.counts))

    @cached_property
    def kind(self) -> type[Any]:
        """The type in which the product of two record counts is exact; object for large ones."""
        return np.int64 if self.n_records * self.n_records < LARGEST_EXACT else np.object_

    @cached_property
    def caps(self) -> FloatArray:
        """-log of the share of each value, in nats; inf for a value that does not occur."""
        counts = np.maximum(self.counts, 1)
        caps = np.log1p((self.n_records - self.counts) / counts)
        return np.where(self.counts > 0, caps, np.inf)

    @cached_property
    def cumulative(self) -> Counts:
        """Number of records up to and including each value."""
        return np.cumsum(self.counts)

    @cached_property
    def prefix(self) -> NDArray[Any]:
        """Sum of `cumulative` before each value, exact."""
        is_large = 4 * self.n_records * len(self.counts) >= LARGEST_EXACT
        cumulative = self.cumulative.astype(np.object_ if is_large else np.int64)
        return np.concatenate(([0], np.cumsum(cumulative)))

    @cached_property
    def _table(self) -> NDArray[np.int32]:
        return np.searchsorted(self.cumulative, np.arange(self.n_records + 1)).astype(np.int32)

    def crossings(self, records: IntArray) -> NDArray[Any]:
        """First value whose cumulative count reaches a number of records."""
        if self.n_records <= LARGEST_TABLE:
            return self._table[records]
        return np.searchsorted(self.cumulative, records)


def equal_distances(pairs: Pairs, sizes: Counts, reference: Reference) -> FloatArray:
    """Return the variational distance of each class: half the L1 distance, equal ground distance.

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_classes,)
        Number of records per class.

    Returns
    -------
    ndarray of float64, shape (n_classes,)
        Between 0 and 1; exact integers, rounded once by the division.

    References
    ----------
    .. [1] Li, Li, Venkatasubramanian (2007). t-Closeness. ICDE. Section 4.2, equal distance.
    """
    wholes = sizes.astype(reference.kind) * reference.n_records
    return nearest_ratios(_gains(pairs, sizes, reference.counts, reference), wholes)


def ordered_distances(pairs: Pairs, sizes: Counts, reference: Reference) -> FloatArray:
    """Return the earth mover's distance of each class over ordered values, neighbours 1/(v - 1) apart.

    Parameters and result as `equal_distances`; 0 if the table has a single value.

    Notes
    -----
    The sum over all v values of ``|n C_i - size N_i|`` (C, N cumulative counts of class and table) is
    computed run by run: between two values present in the class C is constant and N grows, so each run is
    split once, at the crossing of N, and both parts come from prefix sums of N. The factors of n and of size
    are summed separately, so that only the last products, one per class, may be large.

    References
    ----------
    .. [1] Li, Li, Venkatasubramanian (2007). t-Closeness. ICDE. Equation 5, ordered distance.
    """
    n_values, n_records, prefix = len(reference.counts), reference.n_records, reference.prefix
    if n_values < 2:
        return np.zeros(len(sizes))
    starts, values = pairs.starts, pairs.values
    totals = np.cumsum(pairs.counts)
    before = totals[starts] - pairs.counts[starts]
    inside = totals - before[pairs.classes]  # records of the class up to and including this value
    ends = np.empty(len(values), dtype=np.int64)
    ends[:-1] = values[1:]
    ends[starts[1:] - 1] = n_values
    ends[-1] = n_values
    reached = -(-inside.astype(reference.kind, copy=False) * n_records // sizes[pairs.classes])
    crossing = reference.crossings(reached.astype(np.int64, copy=False))
    np.maximum(crossing, values, out=crossing, casting="unsafe")
    np.minimum(crossing, ends, out=crossing, casting="unsafe")
    # left of the crossing the class is ahead of the table, right of it behind
    steps = (2 * crossing.astype(np.int64) - values - ends).astype(prefix.dtype, copy=False)
    ahead = np.add.reduceat(steps * inside, starts)
    behind = np.add.reduceat(prefix[values] + prefix[ends] - 2 * prefix[crossing], starts)
    behind += prefix[values[starts]]
    widest = n_records * (n_values - 1)
    if prefix.dtype == np.object_:
        large = sizes.astype(np.object_)
        return nearest_ratios(ahead * n_records + behind * large, large * widest)
    is_exact = sizes < LARGEST_EXACT // (n_records * n_values)
    found = nearest_ratios(ahead * n_records + behind * sizes, np.where(is_exact, sizes * widest, 1))
    for place in np.flatnonzero(~is_exact).tolist():  # products beyond 64 bits
        size = int(sizes[place])
        found[place] = (int(ahead[place]) * n_records + int(behind[place]) * size) / (size * widest)
    return found


@dataclass(frozen=True, eq=False)
class Tree:
    """A hierarchy over sensitive values, below one root.

    Attributes
    ----------
    groups : ndarray of int64, shape (height, n_values)
        Group of every value on each level below the root, from the values up.
    counts : ndarray of int64, shape (n_values,)
        Number of records of the whole table per value.
    """

    groups: NDArray[np.int64]
    counts: Counts

    @property
    def height(self) -> int:
        """Steps from a value to the root; 0 if there is a single group."""
        return len(self.groups)

    @cached_property
    def grouped(self) -> NDArray[np.int64]:
        """Records of the whole table per level and group, shape (height, most groups of a level)."""
        grouped = np.zeros((self.height, int(self.groups.max(initial=0)) + 1), dtype=np.int64)
        for level, groups in enumerate(self.groups):
            np.add.at(grouped[level], groups, self.counts)
        return grouped


def hierarchical_distances(pairs: Pairs, sizes: Counts, reference: Reference, tree: Tree) -> FloatArray:
    """Return the earth mover's distance of each class, with the distance of two values given by a tree.

    Parameters and result as `equal_distances`; two values are as far apart as their lowest common ancestor in
    `tree` is high. 0 for a tree of height 0.

    Notes
    -----
    Moving a share from one value to another with a common ancestor of height h costs h / H: half of 1 / H for
    each edge up and down. The flow over the edge above a group is the difference of the group's shares, so
    the distance is the mean over the levels below the root of half the L1 distance.

    References
    ----------
    .. [1] Li, Li, Venkatasubramanian (2007). t-Closeness. ICDE. Section 4.3, hierarchical distance.
    """
    exact = reference.n_records * reference.n_records * tree.height < LARGEST_EXACT
    kind: type[Any] = np.int64 if exact else np.object_
    sums: NDArray[Any] = np.zeros(len(sizes), dtype=kind)
    for groups, grouped in zip(tree.groups, tree.grouped, strict=True):
        sums += _gains(_joined(pairs, groups, len(grouped)), sizes, grouped, reference).astype(kind)
    wholes = sizes.astype(kind) * reference.n_records * max(tree.height, 1)
    return nearest_ratios(sums, wholes)


def _joined(pairs: Pairs, groups: IntArray, n_groups: int) -> Pairs:
    """Return the pairs of the groups that values belong to."""
    keys = pairs.classes * n_groups + groups[pairs.values]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = run_starts(keys)
    counts = np.add.reduceat(pairs.counts[order], first)
    return Pairs(keys[first] % n_groups, counts, run_starts(keys[first] // n_groups))


def _gains(pairs: Pairs, sizes: Counts, counts: Counts, reference: Reference) -> NDArray[Any]:
    """Return half the L1 distance of each class from the table, times the records of both."""
    expected = counts.astype(reference.kind)[pairs.values] * sizes[pairs.classes]
    # a value absent from the class only loses share; the gains of the others sum to the distance
    gains = np.maximum(pairs.counts.astype(reference.kind) * reference.n_records - expected, 0)
    return np.asarray(np.add.reduceat(gains, pairs.starts))


EXACT = 1 << 53  # integers below it are doubles, and dividing two of them rounds once


def nearest_ratios(parts: NDArray[Any], wholes: NDArray[Any]) -> FloatArray:
    """Divide, rounding each ratio once, to the nearest double.

    Parameters
    ----------
    parts : ndarray of int64, from 0
    wholes : ndarray of int64, from 1
        Integers beyond the doubles are divided one by one, as Python's integers, which are not rounded first.
        Arrays of float64 are rounded already.

    Returns
    -------
    ndarray of float64, same shape
    """
    found = np.asarray(parts / wholes, dtype=np.float64)
    is_whole = parts.dtype.kind == "i" and wholes.dtype.kind == "i"
    if is_whole and max(parts.max(initial=0), wholes.max(initial=0)) >= EXACT:
        for place in np.flatnonzero((parts >= EXACT) | (wholes >= EXACT)).tolist():
            found[place] = int(parts[place]) / int(wholes[place])
    return found
