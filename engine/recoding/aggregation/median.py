"""The median of a class."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import ClassVar

from engine.recoding.aggregation.base import ORDERED, AggregateFunction, aggregate_functions
from engine.recoding.aggregation.values import OrderedValues
from engine.records import Kind
from engine.words import lazy


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
