"""The estimators of population uniques by name, and the rule that selects one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from engine.kernels.arrays import Counts, FloatArray
from engine.kernels.population.snb import Equations, snb, solve
from engine.words import _

_DIRECT = 256  # sums of at most this many terms are added one by one
_CANCELLING = 1e4  # beyond it differences of digamma lose too many digits
_TOLERANCE = 1e-9  # of both derivatives, per record
_LEAST, _MOST = 1e-4, 1 - 1e-9  # of alpha; outside, there is no maximum inside the region
_NEAR = 1e-4  # distance in logarithms from the best alpha and its theta at which Newton's method starts


def pitman(sizes: Counts, counts: Counts, population: float) -> float | None:
    """Estimate the population uniques by Pitman's model [1].

    With the two parameters of the model fitted to the sample, gamma(theta + 1) / gamma(theta + alpha) *
    N^alpha uniques are expected in a large population of N.

    Parameters
    ----------
    sizes, counts : ndarray of int64, shape (n_sizes,)
        Distinct class sizes of the sample, 1 among them, and the number of classes of each size.
    population : float
        Population size.

    Returns
    -------
    float or None
        Number of people; None if the likelihood has no maximum with alpha between 0.0001 and 1.

    References
    ----------
    .. [1] Hoshino (2001). Applying Pitman's Sampling Formula to Microdata Disclosure Risk Assessment.
           Journal of Official Statistics 17(4).
    """
    fitted = fit(sizes, counts)
    if fitted is None:
        return None
    theta, alpha = fitted
    logarithm = math.lgamma(theta + 1) - math.lgamma(theta + alpha) + alpha * math.log(population)
    count = math.exp(min(logarithm, 700.0))
    return count if count <= population else None


def fit(sizes: Counts, counts: Counts) -> tuple[float, float] | None:
    """Maximize the likelihood of theta and alpha; None if there is no maximum inside the region.

    Parameters as `pitman`.
    """
    n_records, n_classes = int(sizes @ counts), int(counts.sum())
    if n_classes < 2 or n_classes == n_records:
        return None  # one class, or all unique: the likelihood increases up to the edge of the region
    likelihood = _Likelihood(sizes, counts, n_records, n_classes)
    found = likelihood.maximum_near(_by_moments(sizes, counts, n_records, n_classes))
    if found is None:
        # bisection is slow but decides whether there is a maximum
        alpha = _falls_through_zero(likelihood.best_by_alpha, _LEAST, _MOST, _NEAR)
        if alpha is not None:
            found = likelihood.maximum_near((likelihood.best_theta(alpha), alpha))
    return found


def _by_moments(sizes: Counts, counts: Counts, n_records: int, n_classes: int) -> tuple[float, float]:
    """Return Hoshino's moment estimates of theta and alpha; nan if there are none."""
    n, u = float(n_records), float(n_classes)
    single = float(counts[sizes == 1].sum())
    double = float(counts[sizes == 2].sum()) or 1.0
    c = single * (single - 1) / double
    divisor = 2 * single * u + single * c - n * c
    if not divisor:
        return math.nan, math.nan
    theta = (n * u * c - single * (n - 1) * (2 * u + c)) / divisor
    return theta, (theta * (single - n) + (n - 1) * single) / (n * u)


class _Likelihood:
    """Derivatives of the log likelihood of theta and alpha,

    sum_{i<u} ln(theta + i alpha) - sum_{i<n} ln(theta + i) + sum_j counts_j sum_{i<j} ln(i - alpha).
    """

    def __init__(self, sizes: Counts, counts: Counts, n_records: int, n_classes: int) -> None:
        several = sizes > 1
        self._sizes = sizes[several].astype(np.float64)
        self._counts = counts[several].astype(np.float64)
        self._n_several = float(self._counts.sum())
        self._n_records, self._n_classes = n_records, n_classes

    def maximum_near(self, start: tuple[float, float]) -> tuple[float, float] | None:
        """Maximize by Newton's method from a point; None if it leads to the edge of the region."""

        def is_inside(theta: float, alpha: float) -> bool:
            return _LEAST < alpha < _MOST and theta > -alpha and theta < 1e15

        return solve(self._derivatives, start, is_inside, _TOLERANCE * self._n_records)

    def best_theta(self, alpha: float) -> float:
        """Return the theta of greatest likelihood for an alpha; nan if there is none."""

        def falling(logarithm: float) -> float:
            return self._by_theta(math.exp(logarithm) - alpha, alpha)

        found = _falls_through_zero(falling, math.log(1e-9), math.log(1e12), _NEAR / 1000)
        return math.nan if found is None else math.exp(found) - alpha

    def best_by_alpha(self, alpha: float) -> float:
        """Return the derivative by alpha at the best theta for it; nan if there is none."""
        theta = self.best_theta(alpha)
        if math.isnan(theta):
            return math.nan
        return self._derivatives(theta, alpha).second

    def _by_theta(self, theta: float, alpha: float) -> float:
        once = _sum_of_inverses(1 + theta / alpha, self._n_classes - 1) / alpha
        return once - _sum_of_inverses(1 + theta, self._n_records - 1)

    def _derivatives(self, theta: float, alpha: float) -> Equations:
        by_theta, by_alpha, theta_theta, theta_alpha, alpha_alpha = _class_sums(theta, alpha, self._n_classes)
        n = self._n_records
        inside = digammas(self._sizes - alpha)
        first, slope = digamma(1 - alpha), trigamma(1 - alpha)
        return Equations(
            first=by_theta - (digamma(n + theta) - digamma(1 + theta)),
            second=by_alpha - float(self._counts @ inside.value - self._n_several * first),
            first_by_x=-theta_theta + trigamma(1 + theta) - trigamma(n + theta),
            first_by_y=-theta_alpha,
            second_by_x=-theta_alpha,
            second_by_y=-alpha_alpha - float(self._n_several * slope - self._counts @ inside.slope),
        )


def _falls_through_zero(
    function: Callable[[float], float], low: float, high: float, precision: float
) -> float | None:
    """Return the point at which a function falls below 0, by bisection; None if it does not."""
    if not function(low) > 0 > function(high):
        return None
    while high - low > precision:
        middle = (low + high) / 2
        if function(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _sum_of_inverses(x: float, n_terms: int) -> float:
    """Return the sum of 1/x + 1/(x + 1) + ... with a number of terms."""
    if x > _CANCELLING:  # by the integral between midpoints, with an error of order 1 / x^2
        return math.log1p(n_terms / (x - 0.5))
    return digamma(x + n_terms) - digamma(x)


def _class_sums(theta: float, alpha: float, n_classes: int) -> tuple[float, float, float, float, float]:
    """Return sums over i < u of 1/d, i/d, 1/d^2, i/d^2 and i^2/d^2, where d = theta + i alpha."""
    ratio = theta / alpha
    if n_classes <= _DIRECT or abs(ratio) > _CANCELLING:
        i = np.arange(1, n_classes, dtype=np.float64)
        inverse: FloatArray = 1 / (theta + i * alpha)
        weighted = i * inverse
        return (
            float(inverse.sum()),
            float(weighted.sum()),
            float(inverse @ inverse),
            float(inverse @ weighted),
            float(weighted @ weighted),
        )
    once = (digamma(n_classes + ratio) - digamma(1 + ratio)) / alpha
    twice = (trigamma(1 + ratio) - trigamma(n_classes + ratio)) / alpha**2
    # i = (d - theta) / alpha turns the other sums into these two
    weighted_once = (n_classes - 1 - theta * once) / alpha
    weighted_twice = (once - theta * twice) / alpha
    return once, weighted_once, twice, weighted_twice, (weighted_once - theta * weighted_twice) / alpha


# from here on the series below is exact to double precision
_ASYMPTOTIC = 10
# Bernoulli numbers B_2, B_4, ...: digamma ~ ln x - 1/(2x) - sum B_2m / (2m x^2m) [1, 6.3.18].
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
_DIGAMMA = tuple(number / (2 * m) for m, number in enumerate(_BERNOULLI, start=1))
_STEPS = np.arange(_ASYMPTOTIC, dtype=np.float64)


class Digammas(NamedTuple):
    """The derivative of ln gamma and its slope, of an array or a number."""

    value: FloatArray
    slope: FloatArray


def digammas(x: FloatArray) -> Digammas:
    """Return digamma and trigamma at positive numbers, shape (n,).

    References
    ----------
    .. [1] Abramowitz, Stegun (1964). Handbook of Mathematical Functions, 6.3.5, 6.3.18, 6.4.6 and 6.4.12.
    """
    # psi(x) = psi(x + 10) - 1/x - ... - 1/(x + 9) moves all arguments to where the series is exact
    inverses = 1 / (x[:, None] + _STEPS)
    x = x + _ASYMPTOTIC
    square = 1 / (x * x)
    value, slope, power = np.log(x) - 0.5 / x, 1 / x + 0.5 * square, square
    for number, factor in zip(_BERNOULLI, _DIGAMMA, strict=True):
        value = value - factor * power
        slope = slope + number * power / x
        power = power * square
    return Digammas(value - inverses.sum(axis=1), slope + (inverses * inverses).sum(axis=1))


def digamma(x: float) -> float:
    """Return digamma at one positive number."""
    below = 0.0
    while x < _ASYMPTOTIC:
        below += 1 / x
        x += 1
    square = 1 / (x * x)
    series, power = 0.0, square
    for factor in _DIGAMMA:
        series += factor * power
        power *= square
    return math.log(x) - 0.5 / x - series - below


def trigamma(x: float) -> float:
    """Return trigamma, the slope of digamma, at one positive number."""
    below = 0.0
    while x < _ASYMPTOTIC:
        below += 1 / (x * x)
        x += 1
    square = 1 / (x * x)
    series, power = 0.0, square / x
    for number in _BERNOULLI:
        series += number * power
        power *= square
    return 1 / x + 0.5 * square + series + below


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
