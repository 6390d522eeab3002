"""Smallest plausible size of a population class, given how many of its people were sampled."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from engine.kernels.arrays import Counts, FloatArray

STEPS = 100  # far more than Newton's method needs
TERMS, CHUNK = 64, 4096  # terms of a sum added at a time, and sums computed at a time
_CLOSE = 1e-13


def tail(counts: Counts, rates: FloatArray, *, truncated: bool) -> FloatArray:
    """Return log P(X >= count) for a Poisson variable X, or log P(X >= count | X >= 1) if truncated.

    Parameters
    ----------
    counts : ndarray of int64, shape (n,)
        Counts of at least 1.
    rates : ndarray of float64, shape (n,)
        Means of the untruncated variable, above 0.
    """
    series = _series(counts, rates)
    excess = rates / counts - 1
    # by the distance of rate and count, since their large logarithms would cancel
    found = -counts * (excess - np.log1p(excess)) - log_stirling(counts) + np.log(series)
    if truncated:
        found -= np.log(-np.expm1(-rates))
    return np.minimum(found, 0.0)


def largest_rates(counts: Counts, significance: float, *, truncated: bool) -> FloatArray:
    """Return the largest mean at which sampling at least a number of records is still unlikely.

    Parameters
    ----------
    counts : ndarray of int64, shape (n,)
        Numbers of sampled records, at least 1.
    significance : float
        The probability that counts as unlikely, in (0, 1).
    truncated : bool
        Whether the variable is truncated at zero, that is, at least one record was sampled.

    Returns
    -------
    ndarray of float64, shape (n,)
        The mean at which P(X >= count) equals the significance; 0 if there is none: at least 1 is certain of
        a truncated variable.

    Notes
    -----
    Newton's method on the logarithms of both: log P is a concave, increasing function of log mean, so after
    the first step each guess is below the result and above the guess before.
    """
    found = np.zeros(len(counts))
    asked = np.flatnonzero(counts > 1) if truncated else np.arange(len(counts))
    wanted = math.log(significance)
    drawn = counts[asked]
    logs = _first_guess(drawn, significance)
    active = np.arange(len(asked))
    for _ in range(STEPS):
        own, rates = drawn[active], np.exp(logs[active])
        slopes = own / _series(own, rates)
        if truncated:
            slopes = slopes - rates * np.exp(-rates) / -np.expm1(-rates)
        steps = (tail(own, rates, truncated=truncated) - wanted) / slopes
        # a first guess far too high may put the second one below the representable range
        logs[active] -= np.minimum(steps, 5.0)
        active = active[np.abs(steps) > _CLOSE * np.maximum(np.abs(logs[active]), 1.0)]
        if not len(active):
            break
    found[asked] = np.exp(logs)
    return found


def _first_guess(counts: Counts, significance: float) -> FloatArray:
    """Return the logarithm of the mean by the approximation of Wilson and Hilferty."""
    spread = 1 / (9 * counts)
    roots = 1 - spread + NormalDist().inv_cdf(significance) * np.sqrt(spread)
    return np.asarray(np.log(counts * np.maximum(roots, 0.1) ** 3))


def _series(counts: Counts, rates: FloatArray) -> FloatArray:
    """Return P(X >= count) / P(X = count): 1 + r/(c+1) + r^2/((c+1)(c+2)) + ..."""
    total = np.ones(len(counts))
    for first in range(0, len(counts), CHUNK):
        own = slice(first, first + CHUNK)
        total[own] += _further_terms(counts[own], rates[own])
    return total


def _further_terms(counts: Counts, rates: FloatArray) -> FloatArray:
    """Return all terms but the first, some at a time for as long as they add anything."""
    sums, last = np.zeros(len(counts)), np.ones(len(counts))
    active, number = np.arange(len(counts)), np.arange(1, TERMS + 1)
    while len(active):
        factors = rates[active, None] / (counts[active, None] + number)
        terms = np.cumprod(factors, axis=1) * last[active, None]
        sums[active] += terms.sum(axis=1)
        last[active] = terms[:, -1]
        active = active[last[active] > (1 + sums[active]) * 1e-17]
        number = number + TERMS
    return sums


def log_stirling(counts: Counts) -> FloatArray:
    """Return log(c!) - c log c + c of counts of at least 1.

    By Stirling's series if it is exact to the last digit.
    """
    c = counts.astype(np.float64)
    found = np.log(2 * math.pi * c) / 2 + 1 / (12 * c) - 1 / (360 * c**3) + 1 / (1260 * c**5)
    few = np.flatnonzero(counts < 40)
    exact = [math.lgamma(n + 1) - n * math.log(n) + n for n in counts[few].tolist()]
    found[few] = exact
    return found
