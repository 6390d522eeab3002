"""Parameters of differential privacy by sampling: class sizes for an epsilon and a delta [1]_, [2]_.

Records are drawn independently with probability beta, generalized by a node that does not depend on them,
and classes of fewer than k drawn records are suppressed. With gamma = 1 - exp(-epsilon) * (1 - beta), this is
(epsilon, delta)-differentially private for every delta of at least

    max over n >= k / gamma - 1 of P(Bin(n, beta) > gamma * n).

References
----------
.. [1] Bild, Kuhn, Prasser (2018). SafePub: A Truthful Data Anonymization Algorithm With Strong Privacy
   Guarantees. PoPETs 2018(1).
.. [2] Li, Qardaji, Su (2012). On Sampling, Anonymization, and Differential Privacy. ASIACCS.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.kernels.binomial import upper_tail

# Relative, and in favour of privacy: where gamma * n or k / gamma is a whole number (epsilon = ln 2), its
# rounding must not decide.
WHOLE = 1e-12
_AT_ONCE = 4096  # values of n


def largest_beta(epsilon: float) -> float:
    """Return the largest probability of drawing a record: 1 - exp(-epsilon)."""
    return -math.expm1(-epsilon)


def smallest_k(epsilon: float, delta: float, beta: float | None = None) -> int:
    """Return the least class size k that gives (epsilon, delta) with a probability of drawing.

    Parameters
    ----------
    epsilon, delta : float
        Above 0; delta below 1.
    beta : float, optional
        Probability of drawing a record; `largest_beta` by default.

    Raises
    ------
    ValueError
        A number is out of bounds.
    """
    beta = largest_beta(epsilon) if beta is None else beta
    _check(epsilon, beta)
    if not 0 < delta < 1:
        raise ValueError(f"delta must be above 0 and below 1, not {delta!r}")
    return _smallest_k(epsilon, delta, beta)


@lru_cache(maxsize=4096)
def _smallest_k(epsilon: float, delta: float, beta: float) -> int:
    gamma = _gamma(epsilon, beta)
    last = int(-math.log(delta) / _decay(beta, gamma)) + 1  # further values are below delta
    first = last + 1  # the least n from which all values are below delta
    while first > 1:
        n = np.arange(max(first - _AT_ONCE, 1), first)
        reached = np.flatnonzero(_exceeding(n, beta, gamma) >= delta)
        if len(reached):
            first = int(n[reached[-1]]) + 1
            break
        first = int(n[0])
    k = max(int(first * gamma) - 1, 1)
    while _start(k, gamma) < first:
        k += 1
    return k


def kept_shares(sizes: Counts, beta: float, k: int) -> FloatArray:
    """Return the expected share of the records of a class that are drawn and kept, by class size.

    Parameters
    ----------
    sizes : ndarray of int64
        Records of classes of the complete table, drawn or not.
    k : int
        Least number of drawn records of a kept class.
    """
    return beta * upper_tail(sizes - 1, np.full(len(sizes), k - 1, dtype=np.int64), beta)


def expected_kept(sizes: Counts, beta: float, k: int) -> float:
    """Return the expected number of records that are drawn and kept, given the class sizes of a node."""
    distinct, counts = np.unique(sizes, return_counts=True)
    return float(np.sum(distinct * counts * kept_shares(distinct, beta, k)))


def _check(epsilon: float, beta: float) -> None:
    if not 0 < epsilon < math.inf:
        raise ValueError(f"epsilon must be above 0, not {epsilon!r}")
    if not 0 < beta <= largest_beta(epsilon) * (1 + WHOLE):
        raise ValueError(f"beta must be above 0 and at most {largest_beta(epsilon)!r}, not {beta!r}")


def _gamma(epsilon: float, beta: float) -> float:
    return -math.expm1(-epsilon) + math.exp(-epsilon) * beta


def _decay(beta: float, gamma: float) -> float:
    """Return the exponent of Chernoff's bound: P(Bin(n, beta) >= gamma n) <= exp(-n * exponent)."""
    exact = gamma * math.log(gamma / beta) + (1 - gamma) * math.log((1 - gamma) / (1 - beta))
    return exact * (1 - 1e-9)


def _exceeding(n: IntArray, beta: float, gamma: float) -> FloatArray:
    """Return P(Bin(n, beta) > gamma n) by n."""
    return upper_tail(n, np.floor(n * gamma * (1 - WHOLE)).astype(np.int64) + 1, beta)


def _start(k: int, gamma: float) -> int:
    """Return the least n that a class of k drawn records may have had: ceil(k / gamma - 1)."""
    return max(math.ceil(k / gamma - 1 - WHOLE * k), 1)
