"""What a group of neighbouring values is called: by its members, its range or its mean."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from engine.errors import HierarchyError
from engine.hierarchies.builders.numbers import WIDE, Number, NumberTexts
from engine.table import Column, DataType, Kind
from engine.table.values import exact_number

LABELS = (
    ("set", "members: 7, 8, 9"),
    ("range", "first and last: 7-9"),
    ("mean", "mean of the records: 8"),
)
_NAMED = 3  # labels name every member up to this number


class GroupLabels:
    """Names groups of values of a column.

    Parameters
    ----------
    column : Column
    ordered : sequence of str
        The values that are grouped, in their order; some may not occur.
    form : str
        A key of `LABELS`.

    Raises
    ------
    HierarchyError
        A mean is asked for and a value is no number.
    """

    def __init__(self, column: Column, ordered: Sequence[str], form: str) -> None:
        self._form = form
        data_type = column.data_type if column.data_type.is_numeric else DataType(Kind.DECIMAL)
        self._numbers: list[Number] = [exact_number(value, data_type) for value in ordered]
        self._ordered = ordered
        records = dict(zip(column.labels, column.counts.tolist(), strict=True))
        self._records = [records.get(value, 0) for value in ordered]
        if form == "mean":
            self._refuse_texts(column)
        self._texts = NumberTexts(column, self._numbers)

    def label(self, start: int, end: int) -> str:
        """The label of the values from one place in the order to before another."""
        members = self._ordered[start:end]
        if self._form == "range":  # both ends also of a single value, so that every label is a range
            return self._range(start, end)
        if len(members) == 1:
            return members[0]
        if self._form == "mean":
            return self._texts.text(self._texts.rounded(self._mean(start, end)))
        if len(members) <= _NAMED:
            return ", ".join(members)
        return f"{members[0]} to {members[-1]} ({len(members)} values)"

    def _range(self, start: int, end: int) -> str:
        first, last = self._ordered[start], self._ordered[end - 1]
        are_plain = all(n is not None and n >= 0 for n in (self._numbers[start], self._numbers[end - 1]))
        return f"{first}-{last}" if are_plain else f"{first} to {last}"

    def _mean(self, start: int, end: int) -> Decimal:
        """Of the records; of the values, where no record has one of them."""
        counts = self._records[start:end]
        if not any(counts):
            counts = [1] * len(counts)
        total = Decimal(0)
        for number, count in zip(self._numbers[start:end], counts, strict=True):
            assert number is not None
            total = WIDE.fma(number, Decimal(count), total)
        return WIDE.divide(total, Decimal(sum(counts)))

    def _refuse_texts(self, column: Column) -> None:
        for value, number in zip(self._ordered, self._numbers, strict=True):
            if number is None:
                raise HierarchyError(
                    f"Groups of '{column.name}' have no mean: '{value}' is no number.",
                    hint="Label them by members or by range.",
                    column=column.name,
                )
