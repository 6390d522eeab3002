"""The arithmetic mean of a class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from engine.params import Integer, param
from engine.recoding.aggregation.base import NUMBERS, AggregateFunction, aggregate_functions
from engine.recoding.aggregation.values import OrderedValues
from engine.records import Kind
from engine.words import N_, lazy

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
