"""All values of a class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from engine.recoding.aggregation.base import ANY, AggregateFunction, aggregate_functions
from engine.recoding.aggregation.values import OrderedValues
from engine.records import Kind
from engine.words import lazy


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
