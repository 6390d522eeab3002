"""Arithmetic of a knob: positions, stops and printed numbers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log, log10


@dataclass(frozen=True, slots=True)
class KnobScale:
    """Range of values on a linear or logarithmic axis.

    `decimals` is the number of digits that can be typed, in displayed units; a displayed number is the value
    times `factor` (100 for percent).
    """

    minimum: float
    maximum: float
    decimals: int = 0
    factor: float = 1.0
    is_logarithmic: bool = False

    @property
    def value_decimals(self) -> int:
        """Decimals of a value: 5.25 percent is 0.0525."""
        return self.decimals + max(ceil(log10(self.factor)), 0)

    @property
    def unit(self) -> float:
        """Smallest difference that can be typed."""
        return 10.0**-self.value_decimals

    def tidy(self, value: float) -> float:
        """Return the nearest value that can be typed, within the range."""
        return min(max(round(value, self.value_decimals), self.minimum), self.maximum)

    def position(self, value: float) -> float:
        """Return the position of a value, 0 at the minimum and 1 at the maximum."""
        if self.maximum <= self.minimum:
            return 0.0
        if self.is_logarithmic:
            share = log(max(value, self.minimum) / self.minimum) / log(self.maximum / self.minimum)
        else:
            share = (value - self.minimum) / (self.maximum - self.minimum)
        return min(max(share, 0.0), 1.0)

    def value_at(self, position: float) -> float:
        """Return the value at a position, not yet rounded by `tidy`."""
        share = min(max(position, 0.0), 1.0)
        if self.is_logarithmic:
            return float(self.minimum * (self.maximum / self.minimum) ** share)
        return self.minimum + share * (self.maximum - self.minimum)

    def printed_values(self) -> tuple[float, ...]:
        """Return both ends and one round number near the middle of the axis."""
        middle = self.value_at(0.5)
        if self.is_logarithmic:
            middle = 10.0 ** round(log10(middle))
        elif self.maximum > self.minimum:
            step = max(10.0 ** floor(log10(self.maximum - self.minimum)) / 2, self.unit)
            middle = self.tidy(floor(middle / step + 1e-9) * step)
        if not self.minimum < middle < self.maximum:
            return (self.minimum, self.maximum)
        return (self.minimum, middle, self.maximum)

    def stops(self, critical: Iterable[float], *, keeps_larger: bool) -> tuple[float, ...]:
        """Return the stops of the knob: critical values rounded to typing precision, and both ends.

        A threshold is rounded to the side on which the same nodes satisfy: down for a minimum, up for a
        maximum.
        """
        scale = 10.0**self.value_decimals
        rounding = floor if keeps_larger else ceil
        # 1e-9: 0.29 * 100 is 28.999999999999996 and must not become 28.
        nudge = 1e-9 if keeps_larger else -1e-9
        rounded = {round(rounding(value * scale + nudge) / scale, self.value_decimals) for value in critical}
        inside = {value for value in rounded if self.minimum < value < self.maximum}
        return tuple(sorted(inside | {self.minimum, self.maximum}))


def nearest(stops: Sequence[float], scale: KnobScale, position: float) -> float:
    """Return the stop nearest to a position on the axis."""
    after = bisect_left(stops, scale.value_at(position))
    around = stops[max(after - 1, 0) : after + 1]
    return min(around, key=lambda stop: abs(scale.position(stop) - position))


def moved(stops: Sequence[float], value: float, steps: int) -> float:
    """Return the stop `steps` after `value`; between two stops the first step goes to the neighbour."""
    if steps > 0:
        return stops[min(bisect_right(stops, value) + steps - 1, len(stops) - 1)]
    return stops[max(bisect_left(stops, value) + steps, 0)]


def thinned(stops: Sequence[float], scale: KnobScale, width: float, apart: float = 4.0) -> list[float]:
    """Return stops at least `apart` pixels from one another, both ends included."""
    if not stops:
        return []
    last = scale.position(stops[-1]) * width
    kept, before = [stops[0]], scale.position(stops[0]) * width
    for stop in stops[1:-1]:
        at = scale.position(stop) * width
        if at - before >= apart and last - at >= apart:
            kept.append(stop)
            before = at
    return [*kept, stops[-1]] if last - before >= apart else kept
