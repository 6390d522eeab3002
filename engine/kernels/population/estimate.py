"""The estimators of population uniques by name, and the rule that selects one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from engine.kernels.arrays import Counts, FloatArray
from engine.kernels.population.pitman import pitman
from engine.kernels.population.snb import snb
from engine.words import _


def zayatz(sizes: Counts, counts: Counts, population: float, n_people: int | None = None) -> float:
    """Estimate the population uniques by Zayatz [1].

    A sample unique is a population unique with probability P(1) h(1) / sum_j P(j) h(j), where the share P(j)
    of population classes of size j is taken from the sample, and h(j) is the hypergeometric probability that
    one person of j is sampled.

    Parameters
    ----------
    sizes, counts : ndarray of int64, shape (n_sizes,)
        Distinct class sizes of the sample, 1 among them, and the number of classes of each size.
    population : float
        Population size, at least the records of the sample.
    n_people : int, optional
        Persons of the sample; by default the sum of its class sizes, with each person in one class.

    Returns
    -------
    float
        Number of people.

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


def _others_left(largest: int, n_records: int, population: float) -> FloatArray:
    """Return the log probability that the others of a class are not sampled, for 0, 1, 2, ... others.

    sum_{i=1}^{others} ln(1 - (n - 1) / (N - i)), where h(size) is size n / N times its exponential: summed
    factor by factor, since differences of ln gamma of large populations lose digits.
    """
    i = np.arange(1, largest)
    taken = np.minimum((n_records - 1) / np.maximum(population - i, 0.5), 1.0)
    with np.errstate(divide="ignore"):
        steps = np.log1p(-taken)
    return np.concatenate(([0.0], np.cumsum(steps)))


DANKAR, PITMAN, ZAYATZ, SNB = "dankar", "pitman", "zayatz", "snb"
ESTIMATORS = (DANKAR, PITMAN, ZAYATZ, SNB)
SMALL_SAMPLE = 0.1  # sampling fraction up to which the rule uses Pitman's model

_MODELS: Mapping[str, Callable[[Counts, Counts, float, int], float | None]] = MappingProxyType(
    {
        PITMAN: lambda sizes, counts, population, n_people: pitman(sizes, counts, population),
        ZAYATZ: zayatz,
        SNB: snb,
    }
)


class Estimate(NamedTuple):
    """An estimate of population uniques.

    Attributes
    ----------
    uniques : float or None
        Number of people; None if the estimator has no answer.
    estimator : str
        The estimator used, such as the one the rule selected; "counted" if nothing had to be estimated.
    reason : str
        Why there is no answer; empty if there is one.
    """

    uniques: float | None
    estimator: str
    reason: str = ""


def estimate(
    estimator: str, sizes: Counts, counts: Counts, population: float, n_people: int | None = None
) -> Estimate:
    """Estimate population uniques from the class sizes of a sample.

    A sample without uniques is assumed to come from a population without any, as in ARX; if the sample is the
    whole population, its uniques are counted.

    Parameters
    ----------
    estimator : {"dankar", "pitman", "zayatz", "snb"}
    sizes, counts : ndarray of int64, shape (n_sizes,)
        Distinct class sizes in increasing order, and the number of classes of each size.
    population : float
        Population size, at least the persons of the sample.
    n_people : int, optional
        Persons of the sample, if some are in several classes; by default each is in one.
    """
    single = float(counts[sizes == 1].sum())
    n_people = int(sizes @ counts) if n_people is None else n_people
    if not single or population <= n_people:
        return Estimate(single, "counted")
    if estimator == DANKAR:
        return _by_rule(sizes, counts, population, n_people)
    count = _MODELS[estimator](sizes, counts, population, n_people)
    if count is None:
        return Estimate(None, estimator, _("The model does not fit the class sizes of this table."))
    return Estimate(count, estimator)


def _by_rule(sizes: Counts, counts: Counts, population: float, n_people: int) -> Estimate:
    """Select by sampling fraction [1]: Pitman for small ones, else the smaller of Zayatz and SNB.

    Zayatz replaces a model that does not fit.

    References
    ----------
    .. [1] Dankar, El Emam, Neisa, Roffey (2012). Estimating the Re-identification Risk of Clinical Data
           Sets. BMC Medical Informatics and Decision Making 12:66.
    """
    fraction = n_people / population
    preferred = estimate(PITMAN if fraction <= SMALL_SAMPLE else SNB, sizes, counts, population, n_people)
    if preferred.uniques is not None and fraction <= SMALL_SAMPLE:
        return preferred
    other = estimate(ZAYATZ, sizes, counts, population, n_people)
    if preferred.uniques is None or (other.uniques is not None and other.uniques < preferred.uniques):
        return other
    return preferred
