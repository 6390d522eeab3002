"""Upper tails of binomial distributions, precise however small they are."""

from __future__ import annotations

import numpy as np

from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.kernels.poisson import log_stirling

_CLOSE, _STEPS = 2e-15, 10_000  # a step of the continued fraction that changes nothing, and far too many
_TINY = 1e-300


def upper_tail(trials: Counts, least: IntArray, share: float) -> FloatArray:
    """Return P(X >= least) for a binomial variable X, by the regularized incomplete beta function.

    Relative errors are about 1e-15 times the logarithm of the tail: nothing is summed or subtracted whose
    terms would cancel.

    Parameters
    ----------
    trials : ndarray of int64, shape (n,)
        Numbers of trials, at least 0.
    least : ndarray of int64, shape (n,)
    share : float
        Probability of success, above 0 and below 1.

    Returns
    -------
    ndarray of float64, shape (n,)
    """
    found = np.zeros(len(trials))
    found[least <= 0] = 1.0
    inside = np.flatnonzero((least > 0) & (least <= trials))
    n, j = trials[inside].astype(np.int64), least[inside].astype(np.int64)
    is_upper = j > (n + 1) * share  # where the continued fraction of the tail itself is quick
    far, near = np.flatnonzero(is_upper), np.flatnonzero(~is_upper)
    values = np.empty(len(inside))
    values[far] = (
        _probability(n[far], j[far], share) * (1 - share) * _fraction(j[far], n[far] - j[far] + 1, share)
    )
    below = _probability(n[near], j[near] - 1, share) * share
    values[near] = 1 - below * _fraction(n[near] - j[near] + 1, j[near], 1 - share)
    found[inside] = values
    return found


def _probability(n: Counts, j: IntArray, share: float) -> FloatArray:
    """Return P(X = j), by deviances [1]_: logarithms of factorials would cancel.

    References
    ----------
    .. [1] Loader (2000). Fast and Accurate Computation of Binomial Probabilities.
    """
    logs = _log_stirling(n) - _log_stirling(j) - _log_stirling(n - j)
    return np.exp(logs - _deviance(j, n, share) - _deviance(n - j, n, 1 - share))


def _log_stirling(counts: Counts) -> FloatArray:
    return np.where(counts > 0, log_stirling(np.maximum(counts, 1)), 0.0)


def _deviance(count: Counts, n: Counts, share: float) -> FloatArray:
    """Return c log(c / m) + m - c for the mean m = n * share."""
    mean = n * share
    excess = np.divide(count - mean, mean, out=np.zeros(len(mean)), where=mean > 0)
    logs = np.log1p(excess, out=np.zeros(len(mean)), where=count > 0)
    return np.asarray(count * logs - mean * excess)


def _fraction(a: IntArray, b: IntArray, x: float) -> FloatArray:
    """Return the continued fraction of the incomplete beta function, by the method of Lentz."""
    result = np.ones(len(a))
    active = np.arange(len(a))
    a, b = a.astype(np.float64), b.astype(np.float64)
    c, d = np.ones(len(a)), 1 / _safe(1 - (a + b) * x / (a + 1))
    value = d.copy()
    for m in range(1, _STEPS):
        if not len(active):
            break
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 / _safe(1 + even * d), _safe(1 + even / c)
        value *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / _safe(1 + odd * d), _safe(1 + odd / c)
        step = d * c
        value *= step
        left = np.abs(step - 1) > _CLOSE
        if not left.all():
            result[active[~left]] = value[~left]
            active, value = active[left], value[left]
            a, b, c, d = a[left], b[left], c[left], d[left]
    result[active] = value
    return result


def _safe(values: FloatArray) -> FloatArray:
    return np.where(np.abs(values) < _TINY, _TINY, values)
