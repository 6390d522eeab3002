"""Zayatz's estimate of population uniques, by Bayes' rule over class sizes."""

from __future__ import annotations

import math

import numpy as np

from engine.kernels.arrays import Counts


def zayatz(sizes: Counts, counts: Counts, population: float) -> float | None:
    """Estimate how many people of the population are alone in their class [1].

    A record alone in the sample is alone in the population with probability
    P(1) h(1) / sum_j P(j) h(j), where the share P(j) of population classes of size j is taken from the
    sample, and h(j) is the hypergeometric probability that one of j is drawn.

    Parameters
    ----------
    sizes, counts : ndarray of int64, shape (n_sizes,)
        Distinct class sizes of the sample, and the classes that have them; 1 among the sizes.
    population : float
        People of the population, at least the records of the sample.

    Returns
    -------
    float or None
        None where no such size can be drawn from the population.

    References
    ----------
    .. [1] Zayatz (1991). Estimation of the Number of Unique Population Elements Using a Sample. US Census
           Bureau, Statistical Research Division Report 91/08.
    """
    n_records = int(sizes @ counts)
    single = int(counts[sizes == 1].sum())
    drawn = np.exp([_log_drawn_once(int(size), n_records, population) for size in sizes])
    total = float(counts @ drawn)
    alone = math.exp(_log_drawn_once(1, n_records, population))
    if not total > 0:
        return None
    return single * (single * alone / total) * (population / n_records)


def _log_drawn_once(size: int, n_records: int, population: float) -> float:
    """Logarithm of the probability that a sample holds exactly one of `size` people.

    size * C(N - size, n - 1) / C(N, n), by products of `size` factors, since differences of ln gamma of
    large populations lose digits.
    """
    rest = population - n_records
    if rest < size - 1:
        return -math.inf
    # n/N * size * prod_{i=1}^{size-1} (N - n - i + 1) / (N - i)
    i = np.arange(1, size)
    return math.log(size * n_records / population) + float(
        np.log1p(-(n_records - 1) / (population - i)).sum()
    )
