"""The slide negative binomial model of class sizes, and its population uniques."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from engine.kernels.arrays import Counts

_TOLERANCE = 1e-9  # relative, of both expected counts
_WIDEST = 30.0  # largest logarithm of alpha and logit of beta
# Starting points of alpha and beta; the mean size of a population class is 1 + alpha (1 - beta) / beta.
_STARTS = tuple(
    (alpha, beta) for alpha in (0.5, 0.1, 0.02, 1.0, 3.0) for beta in (0.5, 0.1, 0.01, 0.001, 1e-4)
)


def snb(sizes: Counts, counts: Counts, population: float, n_people: int | None = None) -> float | None:
    """Estimate the population uniques by the slide negative binomial model [1].

    Sizes of population classes, less one, follow a negative binomial distribution with parameters alpha and
    beta; a sample contains each person with probability f. Both parameters are fitted so that the expected
    sample classes of one and of two records are those found. K beta^alpha of K classes have one person.

    Parameters
    ----------
    sizes, counts : ndarray of int64, shape (n_sizes,)
        Distinct class sizes of the sample, 1 among them, and the number of classes of each size.
    population : float
        Population size.
    n_people : int, optional
        Persons of the sample; by default the sum of its class sizes, with each person in one class.

    Returns
    -------
    float or None
        Number of people; None if no alpha > 0 and 0 < beta < 1 give the numbers found.

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
    """Estimate the number of population classes from a sample: Shlosser's estimator, modified [1].

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
        None if the sample is all of the population, or too close to it to divide by.

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
    """Return alpha and beta from their logarithm and logit, a scale on which small values are found too."""
    return math.exp(x), 1 / (1 + math.exp(-y))


def _expected(
    x: float, y: float, n_classes: float, fraction: float, single: float, double: float
) -> Equations:
    """Return the log ratios of expected to found sample classes of one and two records, and their slopes.

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


MOST_STEPS = 40
MOST_HALVINGS = 8  # more halvings mean that the steps lead to the edge of the region
PRECISION = 1e-12  # relative change of both unknowns in the last step


class Equations(NamedTuple):
    """Both values and their slopes at one point; solved if both values are 0."""

    first: float
    second: float
    first_by_x: float
    first_by_y: float
    second_by_x: float
    second_by_y: float

    @property
    def distance(self) -> float:
        """Distance of the values from 0."""
        return math.hypot(self.first, self.second)


def solve(
    equations: Callable[[float, float], Equations],
    start: tuple[float, float],
    is_inside: Callable[[float, float], bool],
    tolerance: float,
) -> tuple[float, float] | None:
    """Find a point at which both equations are 0.

    A step that leaves the region, or does not come closer, is halved.

    Parameters
    ----------
    equations : callable
        Return values and slopes at a point; called inside the region only.
    tolerance : float
        Distance from 0 that counts as solved.

    Returns
    -------
    tuple of float, or None
        None if no step comes closer, or too many were needed: no solution was found.
    """
    x, y = start
    if not is_inside(x, y):
        return None
    found = equations(x, y)
    for _ in range(MOST_STEPS):
        step = _step(found)
        if step is None:
            return None
        after = _nearer(equations, (x, y), step, is_inside, found.distance)
        if after is None:
            return (x, y) if found.distance <= tolerance else None
        (x_after, y_after), found = after
        moved = abs(x_after - x) <= PRECISION * abs(x_after) and abs(y_after - y) <= PRECISION * abs(y_after)
        x, y = x_after, y_after
        if found.distance == 0 or (moved and found.distance <= tolerance):
            return x, y
    return None


def _step(at: Equations) -> tuple[float, float] | None:
    determinant = at.first_by_x * at.second_by_y - at.first_by_y * at.second_by_x
    if not math.isfinite(determinant) or determinant == 0:
        return None
    return (
        (at.first_by_y * at.second - at.second_by_y * at.first) / determinant,
        (at.second_by_x * at.first - at.first_by_x * at.second) / determinant,
    )


def _nearer(
    equations: Callable[[float, float], Equations],
    point: tuple[float, float],
    step: tuple[float, float],
    is_inside: Callable[[float, float], bool],
    distance: float,
) -> tuple[tuple[float, float], Equations] | None:
    for halving in range(MOST_HALVINGS):
        share = 0.5**halving
        x, y = point[0] + share * step[0], point[1] + share * step[1]
        if (x, y) == point:
            return None
        if is_inside(x, y):
            found = equations(x, y)
            if found.distance < distance:
                return (x, y), found
    return None
