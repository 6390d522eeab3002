"""The logarithmic derivative of the gamma function and its slope."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.kernels.arrays import Reals

# From here on the series below is exact to double precision.
_ASYMPTOTIC = 10
# Bernoulli numbers B_2, B_4, ...: digamma ~ ln x - 1/(2x) - sum B_2m / (2m x^2m) [1, 6.3.18].
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
_DIGAMMA = tuple(number / (2 * m) for m, number in enumerate(_BERNOULLI, start=1))
_STEPS = np.arange(_ASYMPTOTIC, dtype=np.float64)


class Digammas(NamedTuple):
    """The derivative of ln gamma and its slope, of numbers or of one."""

    value: Reals
    slope: Reals


def digammas(x: Reals) -> Digammas:
    """Digamma and trigamma at positive numbers, shape (n,).

    References
    ----------
    .. [1] Abramowitz, Stegun (1964). Handbook of Mathematical Functions, 6.3.5, 6.3.18, 6.4.6 and 6.4.12.
    """
    # psi(x) = psi(x + 10) - 1/x - ... - 1/(x + 9) carries all arguments up to where the series holds.
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
    """Digamma at one positive number."""
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
    """Trigamma, the slope of digamma, at one positive number."""
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
