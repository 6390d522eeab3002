"""Diversity of the sensitive values of each class: entropies, largest share, tail ratio."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, FloatArray
from engine.kernels.distances import Pairs

SUMMED = 100  # counts up to which Grassberger's G is a sum; larger ones use a series at infinity


def entropies(pairs: Pairs, sizes: Counts) -> FloatArray:
    """Return the Shannon entropy of the sensitive values of each class, in nats.

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_classes,)
        Number of records per class.

    Returns
    -------
    ndarray of float64, shape (n_classes,)
        0 for a single value, at most the logarithm of the number of values.

    References
    ----------
    .. [1] Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007). l-Diversity. TKDD 1(1),
       definition 4.1.
    """
    size = sizes[pairs.classes]
    # log1p((n - c) / c) is log(n / c) without loss of digits if c is nearly n
    terms = pairs.counts * np.log1p((size - pairs.counts) / pairs.counts)
    return np.asarray(np.add.reduceat(terms, pairs.starts) / sizes)


def grassberger_entropies(pairs: Pairs, sizes: Counts) -> FloatArray:
    """Return the entropy of each class's sensitive values by Grassberger's estimator, in nats.

    It corrects the bias of small classes and may exceed the logarithm of the number of values: Shannon's log
    n - sum over values of c / n * log c, with G in place of every logarithm of a count, including the class
    size n. Parameters and result as `entropies`.

    References
    ----------
    .. [1] Grassberger (2003). Entropy Estimates from Insufficient Samplings. arXiv physics/0307138.
    .. [2] Stammler, Katzenbeisser, Hamacher (2016). Correcting Finite Sampling Issues in Entropy
       l-diversity. PSD, LNCS 9867.
    """
    largest = int(sizes.max(initial=0))
    if largest <= 4 * len(pairs.values) + SUMMED:
        table = grassberger_g(np.arange(largest + 1))
        own, whole = table[pairs.counts], table[sizes][pairs.classes]
    else:
        own, whole = grassberger_g(pairs.counts), grassberger_g(sizes)[pairs.classes]
    return np.asarray(np.add.reduceat(pairs.counts * (whole - own), pairs.starts) / sizes)


def grassberger_g(counts: NDArray[np.integer[Any]]) -> FloatArray:
    """Return Grassberger's G, which replaces the logarithm of a count.

    G(2m) = G(2m + 1) = -gamma - log 2 + sum of 2 / (2k - 1) for k = 1..m, that is digamma(m + 1/2) +
    log 2; above `SUMMED` by its series at infinity, exact to the last digits of a double.

    Parameters
    ----------
    counts : ndarray of int
        A count of 0 has the value of 1.
    """
    halves = np.arange(1, SUMMED // 2 + 1)
    start = -np.euler_gamma - np.log(2.0)
    table = start + np.concatenate(([0.0], np.cumsum(2.0 / (2 * halves - 1))))
    half = counts // 2
    inverse = 1.0 / np.maximum(half, 1).astype(np.float64) ** 2
    series = inverse * (1 / 24 - inverse * (7 / 960 - inverse * (31 / 8064)))
    by_series = np.log(2.0 * np.maximum(half, 1)) + series
    return np.asarray(np.where(half < len(table), table[np.minimum(half, len(table) - 1)], by_series))


def largest_shares(pairs: Pairs, sizes: Counts) -> FloatArray:
    """Return the share of the most frequent value of each class, in (0, 1]; one exact division.

    Parameters and result as `entropies`.

    References
    ----------
    .. [1] Wong, Li, Fu, Wang (2006). (alpha, k)-Anonymity. KDD.
    """
    return np.asarray(np.maximum.reduceat(pairs.counts, pairs.starts) / sizes)


def tail_ratios(pairs: Pairs, sizes: Counts, l: int) -> FloatArray:  # noqa: E741  the name of the papers
    """Return r_1 / (r_l + ... + r_m) of each class: the most frequent value against the tail.

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_classes,)
    l : int
        Rank, from 1, of the first value of the tail.

    Returns
    -------
    ndarray of float64, shape (n_classes,)
        One exact division; inf if a class has fewer than l values.

    References
    ----------
    .. [1] Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007). l-Diversity. TKDD 1(1),
       definition 4.3.
    """
    counts = _largest_first(pairs)
    totals = np.concatenate(([0], np.cumsum(counts)))
    most = counts[pairs.starts]
    heads = totals[pairs.starts + np.minimum(pairs.lengths, l - 1)] - totals[pairs.starts]
    tails = sizes - heads
    return np.where(tails > 0, most / np.maximum(tails, 1), np.inf)


def _largest_first(pairs: Pairs) -> Counts:
    """Return the counts, class by class, each class from its largest one on."""
    largest = int(pairs.counts.max(initial=0))
    n_bits = largest.bit_length()
    if len(pairs.starts).bit_length() + n_bits > 63:
        return pairs.counts[np.lexsort((-pairs.counts, pairs.classes))]
    packed = (pairs.classes << n_bits) | (largest - pairs.counts)
    packed.sort(kind="stable")  # quick, since classes are in order
    return np.asarray(largest - (packed & ((1 << n_bits) - 1)))
