"""Labels of groups of neighbouring values: by their ends, members, prefix or mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from engine.errors import HierarchyError
from engine.hierarchies.bounds import interval_text, range_text
from engine.hierarchies.builders.date_formats import PARTS, label_pattern, n_parts
from engine.hierarchies.builders.numbers import WIDE, Number, NumberTexts
from engine.hierarchies.calendar import label_of
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.records import Column, DataType, Kind
from engine.records.values import DATE_FORMATS, decimal_mark, exact_number, parse_date
from engine.words import N_, _

BY_MEMBERS = (
    ("set", N_("members: 7, 8, 9")),
    ("bounds", N_("smallest and largest: [7, 9]")),
    ("prefix", N_("common beginning: 320**")),
    ("mean", N_("mean of the records: 8")),
)
"""The forms that show the content of a group, whatever groups are made of."""
LABELS = (("range", N_("first and last: 7-9")), ("interval", N_("interval: [7, 9]")), *BY_MEMBERS)
_NAMED = 3  # labels name every member up to this number


class GroupLabels:
    """Names groups of values of a column.

    Parameters
    ----------
    ordered : sequence of str
        The values that are grouped, in their order; some may not occur.
    form : str
        A key of `LABELS`.
    is_ranked : bool
        Whether the order is that of the records, so that the ends of a group do not bound it.

    Raises
    ------
    HierarchyError
        A mean is requested and a value is not a number.
    """

    def __init__(self, column: Column, ordered: Sequence[str], form: str, *, is_ranked: bool = False) -> None:
        self._form, self._is_ranked = form, is_ranked
        self._days: list[datetime | None] | None = None
        if column.data_type.kind is Kind.DATE:
            written = column.data_type.format or DATE_FORMATS[0]
            self._pattern = label_pattern(written)
            if n_parts(written) > PARTS.index("month") + 1:
                self._days = [parse_date(value, written) for value in ordered]
        self._sizes = dict(zip(column.labels, column.numbers.tolist(), strict=True))
        self._type = column.data_type if column.data_type.is_numeric else DataType(Kind.DECIMAL)
        self._ordered = ordered
        records = dict(zip(column.labels, column.counts.tolist(), strict=True))
        self._records = [records.get(value, 0) for value in ordered]
        if form == "mean":
            self._numbers = [self._number(value) for value in ordered]
            self._refuse_texts(column)
            self._texts = NumberTexts(column, self._numbers)

    def label(self, start: int, end: int) -> str:
        """The label of the values from one place in the order to before another."""
        members = self._ordered[start:end]
        # Both ends also of a single value, so that every label of a level is a range.
        if self._form == "range":
            return self._words(start, end) or self._range(*self._ends(members))
        if self._form == "interval":
            return self._words(start, end) or self._interval(*self._ends(members))
        if len(members) == 1:
            return members[0]
        if self._form == "bounds":
            return self._bounds(start, end)
        if self._form == "prefix":
            return self._prefix(members)
        if self._form == "mean":
            return self._texts.text(self._texts.rounded(self._mean(start, end)))
        if len(members) <= _NAMED:
            return ", ".join(members)
        first, last = self._ends(members)
        return self._words(start, end) or f"{first} to {last} ({len(members)} values)"

    def _words(self, start: int, end: int) -> str:
        """A group by something else than its ends, where these say nothing or would give a date away."""
        return self._ranks(start, end) or self._periods(start, end)

    def _periods(self, start: int, end: int) -> str:
        """The months, or the years, of dates; empty for other values and for one alone.

        Which of the dates they are follows if the adjacent ones are in the same months.
        """
        days = self._days
        if days is None or end - start < 2 or not all(days[start:end]):
            return ""
        own = [day for day in days[start:end] if day is not None]
        beside = [days[at] for at in (start - 1, end) if 0 <= at < len(days)]
        for granularity, n_kept in (("year", 1), ("month", 2)):
            first, last = (day.timetuple()[:n_kept] for day in (min(own), max(own)))
            text = [label_of(day, granularity, self._pattern, None, None) for day in (min(own), max(own))]
            name = range_text(*text, are_plain=granularity == "year") if first != last else text[0]
            if not any(day is None or first <= day.timetuple()[:n_kept] <= last for day in beside):
                return name
        return f"{name} (values {start + 1} to {end})"

    def _ends(self, members: Sequence[str]) -> tuple[str, str]:
        """The smallest and the largest of numbers and dates, the first and the last of others."""
        sizes = [self._sizes.get(member, math.nan) for member in members]
        if any(map(math.isnan, sizes)):
            return members[0], members[-1]
        places = range(len(members))
        return members[min(places, key=sizes.__getitem__)], members[max(places, key=sizes.__getitem__)]

    def _ranks(self, start: int, end: int) -> str:
        """Return the places in the order of records; empty if the ends of a group describe it."""
        members = self._ordered[start:end]
        is_measured = self._days is None and not any(
            math.isnan(self._sizes.get(member, math.nan)) for member in members
        )
        if not self._is_ranked or is_measured or len(members) == 1:
            return ""
        return f"ranks {start + 1}-{end}"

    def _range(self, first: str, last: str) -> str:
        numbers = self._number(first), self._number(last)
        return range_text(first, last, are_plain=all(n is not None and n >= 0 for n in numbers))

    def _interval(self, first: str, last: str) -> str:
        return interval_text(first, last, decimal_mark(self._type))

    def _bounds(self, start: int, end: int) -> str:
        """The first and the last member that occurs; of all, if none does."""
        present = [place for place in range(start, end) if self._records[place]] or [start, end - 1]
        first, last = self._ends([self._ordered[place] for place in present])
        if ranks := self._ranks(present[0], present[-1] + 1) if len(present) > 1 else "":
            return ranks
        return first if first == last else self._interval(first, last)

    def _prefix(self, members: Sequence[str]) -> str:
        """Return the common prefix, and a star for every further character of the longest value."""
        first, last = min(members), max(members)  # whatever is between begins as these two do
        n_common = next((n for n, pair in enumerate(zip(first, last, strict=False)) if len({*pair}) > 1),
                        min(len(first), len(last)))  # fmt: skip
        if not n_common:
            return SUPPRESSED
        return first[:n_common] + SUPPRESSED * (max(map(len, members)) - n_common)

    def _mean(self, start: int, end: int) -> Decimal:
        """Of the records; of the values, if no record has one of them."""
        counts = self._records[start:end]
        if not any(counts):
            counts = [1] * len(counts)
        total = Decimal(0)
        for number, count in zip(self._numbers[start:end], counts, strict=True):
            assert number is not None
            total = WIDE.fma(number, Decimal(count), total)
        return WIDE.divide(total, Decimal(sum(counts)))

    def _number(self, value: str) -> Number:
        return exact_number(value, self._type)

    def _refuse_texts(self, column: Column) -> None:
        for value, number in zip(self._ordered, self._numbers, strict=True):
            if number is None:
                raise HierarchyError(
                    _("Groups of '{name}' have no mean: '{value}' is not a number.").format(
                        name=column.name, value=value
                    ),
                    hint=_("Label them by members or by range."),
                    column=column.name,
                )
