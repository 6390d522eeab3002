"""The slide negative binomial model of class sizes, and the population uniques it expects."""

from __future__ import annotations

import math

import numpy as np

from engine.kernels.arrays import Counts
from engine.kernels.population.newton import Equations, solve

_TOLERANCE = 1e-9  # relative, of both expected counts
_WIDEST = 30.0  # of the logarithm of alpha and the logit of beta
# Where to start: alpha and beta; the mean size of a population class is 1 + alpha (1 - beta) / beta.
_STARTS = tuple(
    (alpha, beta) for alpha in (0.5, 0.1, 0.02, 1.0, 3.0) for beta in (0.5, 0.1, 0.01, 0.001, 1e-4)
)


def snb(sizes: Counts, counts: Counts, population: float, n_people: int | None = None) -> float | None:
    """Estimate how many people of the population are alone in their class [1].

    Sizes of population classes, less one, follow a negative binomial distribution of parameters alpha
    and beta, of which a sample holds each person with probability f. Both are chosen so that the expected
    sample classes of one and of two records are those found. K beta^alpha of K classes have one person.

    Parameters
    ----------
    sizes, counts : ndarray of int64, shape (n_sizes,)
        Distinct class sizes of the sample, and the classes that have them; 1 among the sizes.
    population : float
        People of the population.
    n_people : int, optional
        People of the sample; by default the sum of its class sizes, as everybody is in one class.

    Returns
    -------
    float or None
        None where no alpha > 0 and 0 < beta < 1 give the numbers found.

    References
    ----------
    .. [1] Chen, Keller-McNulty (1998). Estimation of Identification Disclosure Risk in Microdata. Journal of
           Official Statistics 14(1).
    """
    fraction = (int(sizes @ counts) if n_people is None else n_people) / population
    single = float(counts[sizes == 1].sum())
    double = float(counts[sizes == 2].sum())
    n_classes = population_classes(sizes, counts, fraction)
    if not double or n_classes is None:
        return None

    def equations(x: float, y: float) -> Equations:
        return _expected(x, y, n_classes, fraction, single, double)

    def is_inside(x: float, y: float) -> bool:
        return abs(x) < _WIDEST and abs(y) < _WIDEST

    for alpha, beta in _STARTS:
        start = math.log(alpha), math.log(beta / (1 - beta))
        found = solve(equations, start, is_inside, _TOLERANCE)
        if found is not None:
            alpha, beta = _parameters(*found)
            count = n_classes * math.exp(alpha * math.log(beta))
            return count if count <= population else None
    return None


def population_classes(sizes: Counts, counts: Counts, fraction: float) -> float | None:
    """Estimate the classes of the population from those of a sample: Shlosser's estimator, modified [1].

    u + s_1 (sum i f^2 (1 - f^2)^(i-1) s_i / sum (1 - f)^i ((1 + f)^i - 1) s_i)
    (sum (1 - f)^i s_i / sum i f (1 - f)^(i-1) s_i)^2

    Parameters
    ----------
    sizes, counts : ndarray of int64, shape (n_sizes,)
        As `snb`: i and s_i, of which there are u in all.
    fraction : float
        f, the share of the population that is in the sample, in (0, 1].

    Returns
    -------
    float or None
        None where the sample is all of the population, or too nearly so to divide by.

    References
    ----------
    .. [1] Haas, Stokes (1998). Estimating the Number of Classes in a Finite Population. JASA 93(444).
    """
    i, f, n_of = sizes.astype(np.float64), fraction, counts.astype(np.float64)
    left = (1 - f) ** i
    above = n_of @ (i * f * f * (1 - f * f) ** (i - 1))
    below = n_of @ ((1 - f * f) ** i - left)
    missed = n_of @ left
    once = n_of @ (i * f * (1 - f) ** (i - 1))
    if not (below > 0 and once > 0):
        return None
    single = n_of[sizes == 1].sum()
    return float(n_of.sum() + single * (above / below) * (missed / once) ** 2)


def _parameters(x: float, y: float) -> tuple[float, float]:
    """Alpha and beta of their logarithm and logit, in which small ones are as easy to find as large ones."""
    return math.exp(x), 1 / (1 + math.exp(-y))


def _expected(
    x: float, y: float, n_classes: float, fraction: float, single: float, double: float
) -> Equations:
    """Logarithms of the expected sample classes of one and two records by those found, and their slopes.

    With w = (1 - f)(1 - beta): K f beta^alpha (1 - w)^-(alpha + 1) (1 - w + alpha w) of one record, and
    K f^2 alpha (1 - beta) beta^alpha (1 - w)^-(alpha + 2) (2 - (1 - alpha) w) / 2 of two.
    """
    alpha, beta = _parameters(x, y)
    w = (1 - fraction) * (1 - beta)
    rest = fraction + (1 - fraction) * beta  # 1 - w, without cancelling
    rate = math.log(beta) - math.log(rest)
    common = math.log(n_classes * fraction) + alpha * rate
    one = rest + alpha * w
    two = 2 * rest + (1 + alpha) * w
    rate_by_y = (1 - beta) * fraction / rest
    w_by_y = -w * beta
    return Equations(
        first=common + math.log(one / rest / single),
        second=common + math.log(fraction * alpha * (1 - beta) * two / (2 * rest * rest) / double),
        first_by_x=alpha * (rate + w / one),
        first_by_y=alpha * rate_by_y + w_by_y * ((alpha - 1) / one + 1 / rest),
        second_by_x=1 + alpha * (rate + w / two),
        second_by_y=alpha * rate_by_y - beta + w_by_y * ((alpha - 1) / two + 2 / rest),
    )
