"""The smallest and the largest value of a class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from engine.recoding.aggregation.base import ORDERED, AggregateFunction, aggregate_functions
from engine.recoding.aggregation.values import OrderedValues
from engine.records import Kind
from engine.words import lazy


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
