"""The most frequent value of a class; the column decides between equally frequent ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from engine.recoding.aggregation.base import ANY, AggregateFunction, aggregate_functions
from engine.recoding.aggregation.values import OrderedValues
from engine.records import Kind
from engine.words import lazy


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
