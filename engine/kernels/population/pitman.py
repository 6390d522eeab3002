"""Pitman's model of class sizes, fitted by maximum likelihood, and the population uniques it expects."""

from __future__ import annotations

import math

import numpy as np

from engine.kernels.arrays import Counts, Reals
from engine.kernels.population.gamma import digamma, trigamma
from engine.kernels.population.newton import Equations, solve

_DIRECT = 4096  # sums of at most so many terms are added up one by one
_CANCELLING = 1e6  # beyond it differences of digamma lose too many digits
_TOLERANCE = 1e-9  # of both derivatives, by record
# Where else to start: theta by classes, and alpha.
_STARTS = ((0.1, 0.5), (1.0, 0.5), (0.001, 0.8), (1.0, 0.1))


def pitman(sizes: Counts, counts: Counts, population: float) -> float | None:
    """Estimate how many people of the population are alone in their class [1].

    With the two parameters of the model fitted to the sample, gamma(theta + 1) / gamma(theta + alpha) *
    N^alpha uniques are expected in a large population of N.

    Parameters
    ----------
    sizes, counts : ndarray of int64, shape (n_sizes,)
        Distinct class sizes of the sample, and the classes that have them; 1 among the sizes.
    population : float
        People of the population.

    Returns
    -------
    float or None
        None where the likelihood has no maximum with 0 < alpha < 1, or it is not found.

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
    """Maximize the likelihood of theta and alpha; None where no maximum is found inside the region."""
    n_records, n_classes = int(sizes @ counts), int(counts.sum())
    if n_classes < 2 or n_classes == n_records:
        return None  # one class, or all alone: the likelihood grows up to the edge of the region

    def equations(theta: float, alpha: float) -> Equations:
        return _derivatives(theta, alpha, sizes, counts, n_records, n_classes)

    def is_inside(theta: float, alpha: float) -> bool:
        return 0 < alpha < 1 and theta > -alpha and theta < 1e15

    for start in _starts(sizes, counts, n_records, n_classes):
        found = solve(equations, start, is_inside, _TOLERANCE * n_records)
        if found is not None:
            return found
    return None


def _starts(sizes: Counts, counts: Counts, n_records: int, n_classes: int) -> list[tuple[float, float]]:
    """Hoshino's moment estimates first, then points spread over the region."""
    n, u = float(n_records), float(n_classes)
    single = float(counts[sizes == 1].sum())
    double = float(counts[sizes == 2].sum()) or 1.0
    c = single * (single - 1) / double
    starts = []
    divisor = 2 * single * u + single * c - n * c
    if divisor:
        theta = (n * u * c - single * (n - 1) * (2 * u + c)) / divisor
        starts.append((theta, (theta * (single - n) + (n - 1) * single) / (n * u)))
    return starts + [(scale * u, alpha) for scale, alpha in _STARTS]


def _derivatives(
    theta: float, alpha: float, sizes: Counts, counts: Counts, n_records: int, n_classes: int
) -> Equations:
    """Derivatives of the log likelihood

    sum_{i<u} ln(theta + i alpha) - sum_{i<n} ln(theta + i) + sum_j counts_j sum_{i<j} ln(i - alpha).
    """
    by_theta, by_alpha, theta_theta, theta_alpha, alpha_alpha = _class_sums(theta, alpha, n_classes)
    ends = np.array([n_records + theta, 1 + theta])
    high, low = digamma(ends)
    high_slope, low_slope = trigamma(ends)
    reached = np.append(sizes - alpha, 1 - alpha)
    first, slopes = digamma(reached), trigamma(reached)
    return Equations(
        first=by_theta - float(high - low),
        second=by_alpha - float(counts @ (first[:-1] - first[-1])),
        first_by_x=-theta_theta + float(low_slope - high_slope),
        first_by_y=-theta_alpha,
        second_by_x=-theta_alpha,
        second_by_y=-alpha_alpha - float(counts @ (slopes[-1] - slopes[:-1])),
    )


def _class_sums(theta: float, alpha: float, n_classes: int) -> tuple[float, float, float, float, float]:
    """Sums over i < u of 1/d, i/d, 1/d^2, i/d^2 and i^2/d^2, where d = theta + i alpha."""
    ratio = theta / alpha
    if n_classes <= _DIRECT or abs(ratio) > _CANCELLING:
        i = np.arange(1, n_classes, dtype=np.float64)
        inverse: Reals = 1 / (theta + i * alpha)
        weighted = i * inverse
        return (
            float(inverse.sum()),
            float(weighted.sum()),
            float(inverse @ inverse),
            float(inverse @ weighted),
            float(weighted @ weighted),
        )
    ends = np.array([n_classes + ratio, 1 + ratio])
    sums, squares = digamma(ends), trigamma(ends)
    once = float(sums[0] - sums[1]) / alpha
    twice = float(squares[1] - squares[0]) / alpha**2
    # i = (d - theta) / alpha turns the other sums into these two.
    weighted_once = (n_classes - 1 - theta * once) / alpha
    weighted_twice = (once - theta * twice) / alpha
    return once, weighted_once, twice, weighted_twice, (weighted_once - theta * weighted_twice) / alpha
