"""The aggregate functions: means, the middle and most frequent value, and all values of a class."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import accumulate
from typing import ClassVar

import numpy as np

from engine.params import Integer, param
from engine.recoding.aggregation.base import ANY, NUMBERS, ORDERED, AggregateFunction, aggregate_functions
from engine.recoding.aggregation.values import OrderedValues, decimal_text
from engine.records import Column, Kind
from engine.words import N_, _, lazy

DECIMALS = Integer(
    minimum=0,
    maximum=12,
    label=N_("Decimals"),
    help=N_("Digits after the decimal mark, rounded half to even."),
    usual=(0, 1, 2),
)


@aggregate_functions.register("mean")
@dataclass(frozen=True, slots=True)
class Mean(AggregateFunction):
    """The sum of the values over their number, computed exactly and rounded once.

    Dates are points in time; their mean is rounded to the finest unit of their format, such as a day.
    """

    title: ClassVar[str] = lazy("Mean")
    summary: ClassVar[str] = lazy("The mean of the values in the class; for dates the day in the middle.")
    kinds: ClassVar[frozenset[Kind]] = NUMBERS | {Kind.DATE}
    kinds_text: ClassVar[str] = lazy("numbers or dates")

    decimals: int = param(2, DECIMALS)

    def of_class(self, values: OrderedValues, codes: Sequence[int], counts: Sequence[int]) -> str:
        """The mean of the values."""
        total = sum(values.numbers[code] * count for code, count in zip(codes, counts, strict=True))
        return values.written(Fraction(total, sum(counts)), self.decimals)


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


@aggregate_functions.register("interval")
@dataclass(frozen=True, slots=True)
class Interval(AggregateFunction):
    """The ends as `[20, 35]`; a class of one value has that value. With a decimal comma `[1,5; 2,5]`."""

    title: ClassVar[str] = lazy("Interval")
    summary: ClassVar[str] = lazy("From the smallest to the largest value of the class, both included.")
    kinds: ClassVar[frozenset[Kind]] = ORDERED
    kinds_text: ClassVar[str] = lazy("numbers, dates or ordered categories")

    def of_class(self, values: OrderedValues, codes: Sequence[int], counts: Sequence[int]) -> str:
        """The first and the last of the values."""
        low, high = values.texts[codes[0]], values.texts[codes[-1]]
        return low if len(codes) == 1 else f"[{low}{values.separator}{high}]"


@aggregate_functions.register("median")
@dataclass(frozen=True, slots=True)
class Median(AggregateFunction):
    """The middle value; of an even number of records the mean of the two middle numbers, not rounded.

    Dates and ordered categories have no value in between: there it is the lower of the two.
    """

    title: ClassVar[str] = lazy("Median")
    summary: ClassVar[str] = lazy("The value in the middle: half of the class is below it, half above.")
    kinds: ClassVar[frozenset[Kind]] = ORDERED
    kinds_text: ClassVar[str] = lazy("numbers, dates or ordered categories")

    def of_class(self, values: OrderedValues, codes: Sequence[int], counts: Sequence[int]) -> str:
        """The median of the values."""
        up_to = list(accumulate(counts))
        n = up_to[-1]
        low = codes[bisect_left(up_to, (n + 1) // 2)]
        high = codes[bisect_left(up_to, n // 2 + 1)]
        if low == high or not values.numbers or values.date_format:
            return values.texts[low]
        return values.written(Fraction(values.numbers[low] + values.numbers[high], 2))


@aggregate_functions.register("mode")
@dataclass(frozen=True, slots=True)
class Mode(AggregateFunction):
    """The value that most records have; with a tie the first in the order of the column's type."""

    title: ClassVar[str] = lazy("Most frequent value")
    summary: ClassVar[str] = lazy("The value that most records of the class have.")
    kinds: ClassVar[frozenset[Kind]] = ANY
    kinds_text: ClassVar[str] = lazy("any values")
    counts_missing: ClassVar[bool] = True

    def of_class(self, values: OrderedValues, codes: Sequence[int], counts: Sequence[int]) -> str:
        """The most frequent of the values."""
        return values.texts[codes[counts.index(max(counts))]]


@aggregate_functions.register("mode_by_column")
@dataclass(frozen=True, slots=True)
class ModeByColumn(AggregateFunction):
    """The most frequent value of a class; of several, the one that is most frequent in the column.

    Of values equally frequent in the column too, the first in the order of its type. The distribution is
    that of all records of the input, suppressed ones included.
    """

    title: ClassVar[str] = lazy("Most frequent value, ties by column")
    summary: ClassVar[str] = lazy(
        "The value that most records of the class have; with a tie the most frequent in the whole column."
    )
    kinds: ClassVar[frozenset[Kind]] = ANY
    kinds_text: ClassVar[str] = lazy("any values")
    counts_missing: ClassVar[bool] = True

    def of_class(self, values: OrderedValues, codes: Sequence[int], counts: Sequence[int]) -> str:
        """The most frequent of the values."""
        most = max(counts)
        tied = [code for code, count in zip(codes, counts, strict=True) if count == most]
        return values.texts[max(tied, key=lambda code: (values.counts[code], -code))]


@aggregate_functions.register("set")
@dataclass(frozen=True, slots=True)
class SetOfValues(AggregateFunction):
    """The distinct values in the order of the column's type, as `{flu, mumps}`, or a single value.

    Missing, if it counts, comes last.
    """

    title: ClassVar[str] = lazy("Set of values")
    summary: ClassVar[str] = lazy("Every value that occurs in the class, once.")
    kinds: ClassVar[frozenset[Kind]] = ANY
    kinds_text: ClassVar[str] = lazy("any values")
    counts_missing: ClassVar[bool] = True

    def of_class(self, values: OrderedValues, codes: Sequence[int], counts: Sequence[int]) -> str:
        """The distinct values."""
        texts = [values.texts[code] for code in codes]
        return texts[0] if len(texts) == 1 else f"{{{values.separator.join(texts)}}}"
