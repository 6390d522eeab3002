"""The estimators of population uniques by name, and the rule that chooses among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from engine.kernels.arrays import Counts
from engine.kernels.population.pitman import pitman
from engine.kernels.population.snb import snb
from engine.kernels.population.zayatz import zayatz

DANKAR, PITMAN, ZAYATZ, SNB = "dankar", "pitman", "zayatz", "snb"
ESTIMATORS = (DANKAR, PITMAN, ZAYATZ, SNB)
SMALL_SAMPLE = 0.1  # sampling fraction up to which the rule trusts Pitman's model

_MODELS: Mapping[str, Callable[[Counts, Counts, float, int], float | None]] = MappingProxyType(
    {
        PITMAN: lambda sizes, counts, population, n_people: pitman(sizes, counts, population),
        ZAYATZ: zayatz,
        SNB: snb,
    }
)


class Estimate(NamedTuple):
    """How many people are alone in their class in the population.

    Attributes
    ----------
    uniques : float or None
        None where the estimator has no answer; never a number in its place.
    estimator : str
        Whose number it is, such as the one the rule chose; "counted" where nothing had to be estimated.
    reason : str
        Why there is no answer; empty where there is one.
    """

    uniques: float | None
    estimator: str
    reason: str = ""


def estimate(
    estimator: str, sizes: Counts, counts: Counts, population: float, n_people: int | None = None
) -> Estimate:
    """Estimate population uniques from the class sizes of a sample.

    A sample without uniques is taken to come from a population without any, as ARX does; where the sample
    is the whole population its uniques are counted.

    Parameters
    ----------
    estimator : {"dankar", "pitman", "zayatz", "snb"}
    sizes, counts : ndarray of int64, shape (n_sizes,)
        Distinct class sizes in increasing order, and the classes that have them.
    population : float
        People of the population, at least those of the sample.
    n_people : int, optional
        People of the sample, where some are in several classes; by default all are in one.
    """
    single = float(counts[sizes == 1].sum())
    n_people = int(sizes @ counts) if n_people is None else n_people
    if not single or population <= n_people:
        return Estimate(single, "counted")
    if estimator == DANKAR:
        return _by_rule(sizes, counts, population, n_people)
    count = _MODELS[estimator](sizes, counts, population, n_people)
    if count is None:
        return Estimate(None, estimator, "The model does not fit the class sizes of this table.")
    return Estimate(count, estimator)


def _by_rule(sizes: Counts, counts: Counts, population: float, n_people: int) -> Estimate:
    """Choose by sampling fraction [1]: Pitman for small ones, else the smaller of Zayatz and SNB.

    Zayatz stands in for a model that does not fit.

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
