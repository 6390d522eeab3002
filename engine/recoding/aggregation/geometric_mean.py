"""The geometric mean of a class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from typing import ClassVar

import numpy as np

from engine.params import param
from engine.recoding.aggregation.base import NUMBERS, AggregateFunction, aggregate_functions
from engine.recoding.aggregation.mean import DECIMALS
from engine.recoding.aggregation.values import OrderedValues, decimal_text
from engine.records import Column, Kind
from engine.words import _, lazy

_NEAR = Decimal("1e-15")  # to a half; far above the error of logarithms with forty digits to spare


@aggregate_functions.register("geometric_mean")
@dataclass(frozen=True, slots=True)
class GeometricMean(AggregateFunction):
    """The n-th root of the product of n values; 0 if one of them is 0.

    Computed with logarithms of as many digits as the numbers need; if that is too near to a half to
    be rounded safely, whole numbers decide.
    """

    title: ClassVar[str] = lazy("Geometric mean")
    summary: ClassVar[str] = lazy(
        "The n-th root of the product of the n values: a mean for factors of growth."
    )
    kinds: ClassVar[frozenset[Kind]] = NUMBERS
    kinds_text: ClassVar[str] = lazy("numbers of at least 0")

    decimals: int = param(2, DECIMALS)

    def why_not(self, column: Column) -> str:
        """See `AggregateFunction.why_not`; negative numbers have no geometric mean."""
        if reason := AggregateFunction.why_not(self, column):
            return reason
        below = np.flatnonzero(column.numbers < 0)
        if len(below):
            return _(
                "'{name}' has values below 0, such as '{label}'; the geometric mean requires {kinds_text}."
            ).format(name=column.name, label=column.labels[int(below[0])], kinds_text=self.kinds_text)
        return ""

    def of_class(self, values: OrderedValues, codes: Sequence[int], counts: Sequence[int]) -> str:
        """The geometric mean of the values."""
        first = values.numbers[codes[0]]
        rounded = 0 if first == 0 else self._units(values, codes, counts)
        return decimal_text(rounded, self.decimals, values.mark)

    def _units(self, values: OrderedValues, codes: Sequence[int], counts: Sequence[int]) -> int:
        """The mean in units of the last digit that is written."""
        # 4, 4, 9, 9 has the mean of 4, 9: smaller powers, should they be needed.
        powers = [count // math.gcd(*counts) for count in counts]
        n, shift = sum(powers), self.decimals - values.places
        context = Context(prec=values.precision + self.decimals)
        total = Decimal(0)
        for code, power in zip(codes, powers, strict=True):
            total = context.fma(values.logarithms[code], Decimal(power), total)
        mean = context.scaleb(context.exp(context.divide(total, Decimal(n))), shift)
        low = int(mean.to_integral_value(ROUND_FLOOR))
        part = context.subtract(mean, Decimal(low))
        if abs(part - Decimal("0.5")) > _NEAR:
            return low + (part > Decimal("0.5"))
        # Is the mean above, at or below low + 1/2? Compare n-th powers of both, as whole numbers.
        ours, half = 2**n, (2 * low + 1) ** n
        for code, power in zip(codes, powers, strict=True):
            ours *= values.numbers[code] ** power
        if shift >= 0:
            ours *= 10 ** (shift * n)
        else:
            half *= 10 ** (-shift * n)
        is_up = low % 2 == 1 if ours == half else bool(ours > half)
        return low + is_up
