"""The logarithmic derivative of the gamma function and its slope."""

from __future__ import annotations

import numpy as np

from engine.kernels.arrays import Reals

_ASYMPTOTIC = 10.0  # from here on the series below is exact to double precision
# Bernoulli numbers B_2, B_4, ...: digamma ~ ln x - 1/(2x) - sum B_2m / (2m x^2m) [1, 6.3.18].
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


def digamma(x: Reals) -> Reals:
    """Derivative of ln gamma at positive numbers, any shape.

    References
    ----------
    .. [1] Abramowitz, Stegun (1964). Handbook of Mathematical Functions, 6.3.5 and 6.3.18.
    """
    x = np.array(x, dtype=np.float64)
    shift = np.zeros_like(x)
    # psi(x) = psi(x + 1) - 1 / x carries small arguments up to where the series holds.
    while (small := x < _ASYMPTOTIC).any():
        shift = np.where(small, shift + 1 / x, shift)
        x = np.where(small, x + 1, x)
    inverse = 1 / (x * x)
    series, power = np.zeros_like(x), np.ones_like(x)
    for m, number in enumerate(_BERNOULLI, start=1):
        power = power * inverse
        series = series + number / (2 * m) * power
    return np.asarray(np.log(x) - 0.5 / x - series - shift)


def trigamma(x: Reals) -> Reals:
    """Derivative of `digamma` at positive numbers, any shape; see there, 6.4.6 and 6.4.12."""
    x = np.array(x, dtype=np.float64)
    shift = np.zeros_like(x)
    while (small := x < _ASYMPTOTIC).any():
        shift = np.where(small, shift + 1 / (x * x), shift)
        x = np.where(small, x + 1, x)
    inverse = 1 / (x * x)
    series, power = np.zeros_like(x), 1 / x
    for number in _BERNOULLI:
        power = power * inverse
        series = series + number * power
    return np.asarray(1 / x + 0.5 * inverse + series + shift)
