"""How far the sensitive values of each class are from those of the whole table."""

from __future__ import annotations

import numpy as np

from engine.kernels.arrays import Counts, IntArray, Reals


def equal_distances(
    classes: IntArray, values: IntArray, counts: Counts, sizes: Counts, table_counts: Counts
) -> Reals:
    """Variational distance of each class: half the L1 distance, equal ground distance.

    Parameters
    ----------
    classes, values, counts : ndarray of int64, shape (n_pairs,)
        Distinct (class, value) pairs with their record counts, sorted by class then value.
    sizes : ndarray of int64, shape (n_classes,)
        Records per class.
    table_counts : ndarray of int64, shape (n_values,)
        Records of the whole table per value.

    Returns
    -------
    ndarray of float64, shape (n_classes,)
        Between 0 and 1; one division of exact integers, so that ties with a threshold are exact.

    References
    ----------
    .. [1] Li, Li, Venkatasubramanian (2007). t-Closeness. ICDE. Section 4.2, equal distance.
    """
    n_records = int(table_counts.sum())
    # A value absent from the class only loses share; the gains of those present sum to the distance.
    gains = np.maximum(counts * n_records - table_counts[values] * sizes[classes], 0)
    starts = np.searchsorted(classes, np.arange(len(sizes)))
    return np.asarray(np.add.reduceat(gains, starts) / (sizes * n_records), dtype=np.float64)


def ordered_distances(
    classes: IntArray, values: IntArray, counts: Counts, sizes: Counts, table_counts: Counts
) -> Reals:
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
    n_values = len(table_counts)
    n_records = int(table_counts.sum())
    if n_values < 2:
        return np.zeros(len(sizes))
    # Exact while the sums fit into 63 bits; beyond that float64, accurate to 1e-12.
    exact = n_records * n_records * n_values < 2**62
    kind = np.int64 if exact else np.float64
    cumulative = np.cumsum(table_counts)
    prefix = np.concatenate(([0], np.cumsum(cumulative.astype(kind))))
    starts = np.searchsorted(classes, np.arange(len(sizes)))
    totals = np.cumsum(counts)
    before = np.concatenate(([0], totals))[starts]
    inside = totals - before[classes]  # records of the class up to and including this value
    ends = np.empty(len(values), dtype=np.int64)
    ends[:-1] = values[1:]
    ends[np.append(starts[1:], len(values)) - 1] = n_values
    size = sizes[classes]
    crossing = np.searchsorted(cumulative, -(-inside * n_records // size))
    crossing = np.clip(crossing, values, ends)
    level = inside.astype(kind) * n_records
    weight = size.astype(kind)
    left = (crossing - values) * level - weight * (prefix[crossing] - prefix[values])
    right = weight * (prefix[ends] - prefix[crossing]) - (ends - crossing) * level
    sums = np.add.reduceat(left + right, starts) + sizes * prefix[values[starts]]
    return np.asarray(sums / (sizes.astype(kind) * n_records * (n_values - 1)), dtype=np.float64)
