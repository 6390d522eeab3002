"""How far the sensitive values of each class are from those of the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, IntArray, Reals

LARGEST_TABLE = 1 << 22  # records up to which crossings are looked up instead of searched


@dataclass(frozen=True, eq=False)
class Pairs:
    """Distinct (class, value) pairs, sorted by class then value.

    Attributes
    ----------
    values : ndarray of int64, shape (n_pairs,)
    counts : ndarray of int64, shape (n_pairs,)
        Records per pair.
    starts : ndarray of int64, shape (n_classes,)
        First pair of every class; no class is without pairs.
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
    """Records of the whole table per sensitive value, in the order of the values."""

    counts: Counts

    @cached_property
    def n_records(self) -> int:
        """Records of the table."""
        return int(self.counts.sum())

    @cached_property
    def cumulative(self) -> Counts:
        """Records up to and including each value."""
        return np.cumsum(self.counts)

    @cached_property
    def prefix(self) -> NDArray[Any]:
        """Sum of `cumulative` before each value; exact while it fits into 63 bits, else float64."""
        exact = self.n_records * self.n_records * len(self.counts) < 2**62
        return np.concatenate(([0], np.cumsum(self.cumulative.astype(np.int64 if exact else np.float64))))

    @cached_property
    def _table(self) -> NDArray[np.int32]:
        return np.searchsorted(self.cumulative, np.arange(self.n_records + 1)).astype(np.int32)

    def crossings(self, records: IntArray) -> NDArray[Any]:
        """First value whose cumulative count reaches a number of records."""
        if self.n_records <= LARGEST_TABLE:
            return self._table[records]
        return np.searchsorted(self.cumulative, records)


def equal_distances(pairs: Pairs, sizes: Counts, reference: Reference) -> Reals:
    """Variational distance of each class: half the L1 distance, equal ground distance.

    Parameters
    ----------
    pairs : Pairs
    sizes : ndarray of int64, shape (n_classes,)
        Records per class.
    reference : Reference

    Returns
    -------
    ndarray of float64, shape (n_classes,)
        Between 0 and 1; one division of exact integers, so that ties with a threshold are exact.

    References
    ----------
    .. [1] Li, Li, Venkatasubramanian (2007). t-Closeness. ICDE. Section 4.2, equal distance.
    """
    expected = reference.counts[pairs.values] * sizes[pairs.classes]
    # A value absent from the class only loses share; the gains of those present sum to the distance.
    gains = np.maximum(pairs.counts * reference.n_records - expected, 0)
    return np.asarray(np.add.reduceat(gains, pairs.starts) / (sizes * reference.n_records))


def ordered_distances(pairs: Pairs, sizes: Counts, reference: Reference) -> Reals:
    """Earth mover's distance of each class over ordered values, neighbours 1/(v - 1) apart.

    Parameters and result as `equal_distances`; 0 where the table has a single value.

    Notes
    -----
    The sum over all v values of ``|n C_i - size N_i|`` (C, N cumulative counts of class and table)
    is taken run by run: between two values present in the class C is constant and N grows, so each
    run is split once, where N crosses, and both parts come from prefix sums of N.

    References
    ----------
    .. [1] Li, Li, Venkatasubramanian (2007). t-Closeness. ICDE. Equation 5, ordered distance.
    """
    n_values, n_records, prefix = len(reference.counts), reference.n_records, reference.prefix
    if n_values < 2:
        return np.zeros(len(sizes))
    kind = prefix.dtype.type
    starts, values = pairs.starts, pairs.values
    totals = np.cumsum(pairs.counts)
    before = totals[starts] - pairs.counts[starts]
    inside = totals - before[pairs.classes]  # records of the class up to and including this value
    ends = np.empty(len(values), dtype=np.int64)
    ends[:-1] = values[1:]
    ends[starts[1:] - 1] = n_values
    ends[-1] = n_values
    size = sizes[pairs.classes]
    level = inside.astype(kind, copy=False) * n_records
    crossing = reference.crossings(-(-inside * n_records // size))
    np.maximum(crossing, values, out=crossing, casting="unsafe")
    np.minimum(crossing, ends, out=crossing, casting="unsafe")
    # left of the crossing the class is ahead of the table, right of it behind
    ahead = (2 * crossing.astype(np.int64) - values - ends) * level
    behind = (prefix[values] + prefix[ends] - 2 * prefix[crossing]) * size
    sums = np.add.reduceat(ahead + behind, starts) + sizes * prefix[values[starts]]
    return np.asarray(sums / (sizes.astype(kind) * n_records * (n_values - 1)), dtype=np.float64)
