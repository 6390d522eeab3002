"""Zayatz's estimate of population uniques, by Bayes' rule over class sizes."""

from __future__ import annotations

import numpy as np

from engine.kernels.arrays import Counts, Reals


def zayatz(sizes: Counts, counts: Counts, population: float, n_people: int | None = None) -> float:
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
    n_people : int, optional
        People of the sample; by default the sum of its class sizes, as everybody is in one class.

    Returns
    -------
    float
        Of people.

    References
    ----------
    .. [1] Zayatz (1991). Estimation of the Number of Unique Population Elements Using a Sample. US Census
           Bureau, Statistical Research Division Report 91/08.
    """
    n_records = int(sizes @ counts) if n_people is None else n_people
    single = int(counts[sizes == 1].sum())
    rest = population - n_records
    drawn = sizes * np.exp(_others_left(int(sizes.max()), n_records, population)[sizes - 1])
    total = float(counts @ np.where(sizes - 1 <= rest, drawn, 0.0))
    return single * (single / total) * (population / n_records)


def _others_left(largest: int, n_records: int, population: float) -> Reals:
    """Logarithm of the probability that the others of a class were not drawn, for 0, 1, 2, ... others.

    sum_{i=1}^{others} ln(1 - (n - 1) / (N - i)), where h(size) is size n / N times its exponential: added up
    factor by factor, since differences of ln gamma of large populations lose digits.
    """
    i = np.arange(1, largest)
    taken = np.minimum((n_records - 1) / np.maximum(population - i, 0.5), 1.0)
    with np.errstate(divide="ignore"):
        steps = np.log1p(-taken)
    return np.concatenate(([0.0], np.cumsum(steps)))
