"""Axis of the map: positions of values, and printed values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from math import ceil, floor, log10

import numpy as np
from numpy.typing import NDArray

from engine.numbers import as_count, as_decimal, with_unit

FloatArray = NDArray[np.float64]
_STEPS = 4  # approximate number of integer steps between the ends of an axis
_LEAST_SPAN = 20.0  # ratio of the ends below which a logarithmic scale has no use
_MILLION = 1_000_000
_MOST_TICKS = 20
_NEARLY_LINEAR = 4.0  # ratio of the ends below which every scale is nearly linear
_MULTIPLES = ((1.0,), (5.0, 2.0), (2.5,))
_SHARES = (0.1, 0.5, 0.25, 0.01, 0.05)


class Scale(Enum):
    """Scale of a score on its axis."""

    LINEAR = "linear"
    ROOT = "square-root"
    LOG = "logarithmic"


@dataclass(frozen=True)
class Axis:
    """Range of one score; positions run from 0 at `low` to 1 at `high`."""

    low: float
    high: float
    scale: Scale = Scale.LINEAR

    def places(self, values: FloatArray) -> FloatArray:
        """Return the positions of values; nan for values outside the scale."""
        with np.errstate(invalid="ignore", divide="ignore"):
            at = self._spread(np.asarray(values, dtype=np.float64))
            first, last = self._ends()
            places = (at - first) / (last - first)
        places[~np.isfinite(places)] = np.nan
        return places

    def place(self, value: float) -> float:
        """Return the position of one value."""
        return float(self.places(np.array([value]))[0])

    def value_at(self, place: float) -> float:
        """Return the value at a position of the axis, the inverse of `place`."""
        first, last = self._ends()
        at = first + place * (last - first)
        if self.scale is Scale.LOG:
            return float(10.0**at)
        return float(max(at, 0.0) ** 2) if self.scale is Scale.ROOT else float(at)

    def extended_by(self, other: Axis) -> Axis:
        """Return the axis extended to the other's values if they fit, so that points do not move."""
        if self.scale is not other.scale:
            return other
        return replace(self, low=min(self.low, other.low), high=max(self.high, other.high))

    def ticks(self, first: float, last: float, apart: float) -> list[float]:
        """Return ascending values to print between two positions, at least `apart` positions from each other.

        They are evenly spaced on a linear axis and on nearly linear parts of another one. Elsewhere round
        values are preferred, the ends of the axis and powers of ten most of all.
        """
        low, high = self.value_at(first), self.value_at(last)
        if self.scale is Scale.LINEAR or (low > 0 and high / low < _NEARLY_LINEAR):
            return self._even_ticks(low, high, apart)
        kept: list[tuple[float, float]] = []
        # Rounding may move the end of an axis outside.
        slack = (last - first) * 1e-9
        for value in self._candidates(low, high):
            at = self.place(value)
            if not first - slack <= at <= last + slack:
                continue
            if all(abs(at - other) >= apart for other, _ in kept):
                kept.append((at, value))
        return [value for _, value in sorted(kept)]

    def _even_ticks(self, low: float, high: float, apart: float) -> list[float]:
        """Return multiples of the smallest round step that keeps their least distance."""
        step = _round_step(max((high - low) / _MOST_TICKS, abs(high) * 1e-9))
        while step < high - low and self.place(high) - self.place(high - step) < apart * (1 - 1e-9):
            step = _round_step(step * 1.01)
        return [_tidy(i * step) for i in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]

    def _candidates(self, low: float, high: float) -> Iterator[float]:
        """Yield round values between two, the most informative first."""
        yield from (self.low, self.high)
        if self.scale is Scale.ROOT and self.high == 1:
            yield from _SHARES
        top = ceil(log10(max(high, 1e-12)))
        bottom = floor(log10(max(low, self.high * 1e-5, 1e-12)))
        for multiples in _MULTIPLES:
            for power in range(top, bottom - 1, -1):
                yield from (multiple * 10.0**power for multiple in multiples)

    def _spread(self, values: FloatArray) -> FloatArray:
        if self.scale is Scale.LOG:
            return np.asarray(np.log10(values))
        return np.asarray(np.sqrt(values)) if self.scale is Scale.ROOT else values

    def _ends(self) -> tuple[float, float]:
        first, last = self._spread(np.array([self.low, self.high], dtype=np.float64)).tolist()
        return first, last


def axis_of(values: FloatArray, scale: Scale, bounds: tuple[float, float] | None = None) -> Axis | None:
    """Return an axis that contains all finite values; None if there are none.

    Parameters
    ----------
    values : ndarray of float64
    scale : Scale
        Requested scale; linear is used if a logarithm is undefined for a value or has no use.
    bounds : (float, float), optional
        Ends that are included regardless of the values.
    """
    known = values[np.isfinite(values)]
    if not len(known):
        return None
    if bounds is not None:
        return Axis(*bounds, scale)
    low, high = float(known.min()), float(known.max())
    if scale is Scale.LOG and low > 0 and high / low >= _LEAST_SPAN:
        return Axis(low, high, scale)
    if not high > low:
        reach = abs(low) / 2 or 0.5
        return Axis(low - reach, high + reach)
    step = _round_step((high - low) / _STEPS)
    return Axis(_tidy(floor(low / step + 1e-9) * step), _tidy(ceil(high / step - 1e-9) * step))


def tick_texts(values: list[float], scale: Scale, *, is_share: bool) -> list[str]:
    """Return tick labels as short as they can be distinguished; the last share has a percent sign."""
    shown = [value * 100 for value in values] if is_share else values
    digits = [_decimals(value) for value in shown]
    if scale is Scale.LINEAR:
        digits = [max(digits, default=0)] * len(shown)
    texts = [
        as_count(value) if abs(value) >= _MILLION else as_decimal(value, n)
        for value, n in zip(shown, digits, strict=True)
    ]
    if is_share and texts:
        texts[-1] = with_unit(texts[-1], "%")
    return texts


def _decimals(value: float) -> int:
    text = f"{value:.6f}".rstrip("0")
    return len(text.partition(".")[2])


def _round_step(least: float) -> float:
    """Return the smallest of 1, 2, 2.5, 5, 10 times a power of ten that is not below `least`."""
    power = 10.0 ** floor(log10(least))
    return next(m * power for m in (1.0, 2.0, 2.5, 5.0, 10.0) if m * power >= least * (1 - 1e-9))


def _tidy(value: float) -> float:
    """Return a value without floating-point residue: 0.30000000000000004 is 0.3."""
    return float(f"{value:.12g}")
