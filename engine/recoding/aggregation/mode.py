"""The most frequent value of a class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from engine.recoding.aggregation.base import ANY, AggregateFunction, aggregate_functions
from engine.recoding.aggregation.values import OrderedValues
from engine.records import Kind
from engine.words import lazy


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
