"""Bounds of groups: the place where labels are read into bounds, and bounds are written as labels."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.hierarchies.builders.date_formats import MONTHS, WEEKDAYS, down_to
from engine.hierarchies.calendar import (
    CLOCK,
    RETURNING,
    WEEKS,
    at_midnight,
    coarsens,
    ordinal_of,
    period_text,
    start_of,
)
from engine.hierarchies.group_names import listed
from engine.kernels.arrays import BoolArray
from engine.records import DataType, Kind
from engine.records.values import decimal_mark, exact_number, parse_date

NUMBER = "number"
"""The unit of numbers; all others are periods of time."""
_THOUSANDS = re.compile(r"\d\.\d{3}(?!\d)")
_OTHER_SIGN = {"<": "<=", "<=": "<", "≤": "<", ">": ">=", ">=": ">", "≥": ">"}
_UPPER, _CLOSED = ("<", "<=", "≤"), ("<=", ">=", "≤", "≥")
_YEAR, _QUARTER, _WEEK = re.compile(r"\d{4}"), re.compile(r"(\d{4})-Q([1-4])"), re.compile(r"(\d{4})-W(\d\d)")
_QUARTER_OF_YEAR, _WEEK_OF_YEAR = re.compile(r"Q([1-4])"), re.compile(r"W(\d\d)")
_WEEK_OF_MONTH = re.compile(r"(.+), week ([1-6])")
_BOTH_YEARS = re.compile(r"(\d{4})\s*(?:-|–|to)\s*(\d{4})")
_BOTH = re.compile(r"(.+?)(?: to |\s*–\s*)(.+)")
_HALF = re.compile(r"(<=|<|>=|>|≤|≥)\s*(\d{4})")


class Form(Enum):
    """The notation of bounds."""

    RANGE = "range"  # 20-29, both ends belong to it
    INTERVAL = "interval"  # [20, 30), ]20, 30]: the brackets tell
    ONE_SIDED = "one-sided"  # <20, >= 80, 80+


@dataclass(frozen=True, slots=True)
class Bounds:
    """Neighbouring numbers, or periods of one unit, and their notation.

    Attributes
    ----------
    low, high : Decimal, int or None
        Numbers, or numbers of periods as `ordinals` counts them; None on the open side.
    unit : str
        `NUMBER`, or a unit of the calendar.
    has_low, has_high : bool
        Whether the bound itself belongs to it.
    low_text, high_text : str
        The written bounds; of periods that were read, empty.
    between : str
        The text between both bounds, or between sign and bound; empty for a number alone.
    reverses : bool
        Whether a bound left out has a reversed bracket, as in [20, 30[.
    sign : str
        The sign at the start of a one-sided label; + if it is at the end.
    """

    low: Decimal | int | None
    high: Decimal | int | None
    unit: str = NUMBER
    has_low: bool = True
    has_high: bool = True
    form: Form = Form.RANGE
    low_text: str = ""
    high_text: str = ""
    between: str = ""
    reverses: bool = False
    sign: str = ""

    @property
    def is_one(self) -> bool:
        """Return whether the label is a number."""
        return self.form is Form.RANGE and not self.between

    def holds(self, places: NDArray[np.int64 | np.float64]) -> BoolArray:
        """Return which numbers are within the bounds."""
        held = np.ones(len(places), dtype=np.bool_)
        if self.low is not None:
            held &= (np.greater_equal if self.has_low else np.greater)(places, float(self.low))
        if self.high is not None:
            held &= (np.less_equal if self.has_high else np.less)(places, float(self.high))
        return held

    def flipped(self) -> Bounds:
        """The same bounds with the other sides closed."""
        return replace(self, has_low=not self.has_low, has_high=not self.has_high)

    def around(self, low_text: str, high_text: str) -> Bounds:
        """The same form for other numbers, the smallest and the largest of which belong to it."""
        return replace(self, low_text=low_text, high_text=high_text, has_low=True, has_high=True)

    @property
    def text(self) -> str:
        """The label."""
        if self.form is Form.RANGE:
            is_one = self.low_text == self.high_text
            return self.low_text if is_one else f"{self.low_text}{self.between}{self.high_text}"
        if self.form is Form.INTERVAL:
            opening = "[" if self.has_low else "]" if self.reverses else "("
            closing = "]" if self.has_high else "[" if self.reverses else ")"
            return f"{opening}{self.low_text}{self.between}{self.high_text}{closing}"
        if self.sign == "+":
            return f"{self.low_text}{self.between}+"
        has_bound, bound = (
            (self.has_high, self.high_text) if self.low is None else (self.has_low, self.low_text)
        )
        sign = self.sign if (self.sign in _CLOSED) == has_bound else _OTHER_SIGN[self.sign]
        return f"{sign}{self.between}{bound}"

    def written(self, pattern: str) -> str:
        """The label of periods, days written in a format."""
        if self.low is None or self.high is None:
            return f"<{int(self.high or 0) + 1:04}" if self.low is None else f">={self.low:04}"
        first, last = (period_text(self.unit, int(bound), pattern) for bound in (self.low, self.high))
        if self.low == self.high:
            return first
        return range_text(first, last, are_plain=self.unit in ("year", "week_year"))

    def within(self, unit: str) -> Bounds | None:
        """Return the same time in periods of a unit that is part of this one; None for other units."""
        if unit == self.unit:
            return self
        if not coarsens(unit, self.unit) or {unit, self.unit} & {"week_of_month", *RETURNING}:
            return None
        low = None if self.low is None else ordinal_of(start_of(self.unit, int(self.low)), unit)
        try:
            after = None if self.high is None else ordinal_of(start_of(self.unit, int(self.high) + 1), unit)
        except (ValueError, OverflowError):  # the year 10000
            return None
        return Bounds(low, None if after is None else after - 1, unit)


def range_text(low: str, high: str, *, are_plain: bool) -> str:
    """Write both ends, in words if a dash could be a minus or part of a text."""
    return f"{low}{'-' if are_plain else ' to '}{high}"


def interval_text(low: str, high: str, mark: str, brackets: str = "[]") -> str:
    """Write two ends in brackets, with a semicolon where the decimal mark is a comma."""
    return f"{brackets[0]}{low}{';' if mark == ',' else ','} {high}{brackets[1]}"


def read_each(label: str, read: Callable[[str], Bounds | None]) -> tuple[Bounds, ...] | None:
    """Read a label, or each of several after commas, as bounds; None for other labels."""
    whole = read(label)
    found = [whole] if whole is not None else [read(part) for part in listed(label)]
    return tuple(bounds for bounds in found if bounds is not None) if all(found) else None


def read_numbers(label: str, data_type: DataType) -> Bounds | None:
    """Read a label over a column of numbers as bounds; those of a number alone are itself.

    A number such as 1.500 could be fifteen hundred among whole ones, and bounds nothing.
    """
    if data_type.kind is Kind.INTEGER and _THOUSANDS.search(label):
        return None
    found = read_bounds(label, decimal_mark(data_type))
    if found is None and (size := exact_number(label, data_type)) is not None:
        return Bounds(size, size, low_text=label, high_text=label)
    return found


def read_bounds(label: str, mark: str) -> Bounds | None:
    """Read a label as bounds of numbers; None if it has another form or could contain nothing.

    Parameters
    ----------
    mark : str
        The decimal mark, a point or a comma.
    """
    if not label or (label[0] not in "+-[]()<>≤≥" and not label[0].isdecimal()):
        return None
    in_range, in_brackets, one_sided = _patterns(mark)
    if match := in_range.fullmatch(label):
        low, between, high = match.groups()
        found = Bounds(_size(low), _size(high), low_text=low, high_text=high, between=between)
    elif match := in_brackets.fullmatch(label):
        opening, low, between, high, closing = match.groups()
        found = Bounds(
            *(_size(low), _size(high), NUMBER, opening == "[", closing == "]", Form.INTERVAL),
            *(low, high, between, opening == "]" or closing == "["),
        )
    elif match := one_sided.fullmatch(label):
        sign, before, bound, at_least, after = match.groups()
        own, size = Bounds(None, None, form=Form.ONE_SIDED), _size(bound or at_least)
        if at_least:
            return replace(own, low=size, low_text=at_least, between=after, sign="+")
        own, is_closed = replace(own, between=before, sign=sign), sign in _CLOSED
        if sign in _UPPER:
            return replace(own, high=size, high_text=bound, has_high=is_closed)
        return replace(own, low=size, low_text=bound, has_low=is_closed)
    else:
        return None
    assert found.low is not None
    assert found.high is not None
    is_one = found.low == found.high and found.has_low and found.has_high
    return found if is_one or found.low < found.high else None


def _size(text: str) -> Decimal:
    return Decimal(text.replace(",", "."))


@cache
def _patterns(mark: str) -> tuple[re.Pattern[str], ...]:
    number = rf"[+-]?\d+(?:{re.escape(mark)}\d+)?"
    forms = (
        rf"({number})(\s*(?:-|–|to)\s*)({number})",
        rf"([\[\](])\s*({number})(\s*[,;]\s*)({number})\s*([\[\])])",
        rf"(?:(<=|<|>=|>|≤|≥)(\s*)({number})|({number})(\s*)\+)",
    )
    return tuple(map(re.compile, forms))


@lru_cache(maxsize=4096)
def read_periods(label: str, patterns: tuple[str, ...]) -> Bounds | None:
    """Read a label such as 1934, <1910, 1920-1929 or 2020-03 to 2020-05 as bounds; None for other labels.

    Parameters
    ----------
    patterns : tuple of str
        How days may be written.
    """
    if half := _HALF.fullmatch(label):
        year = int(half[2])
        if half[1] in _UPPER:
            return Bounds(None, year - (half[1] == "<"), "year")
        return Bounds(year + (half[1] == ">"), None, "year")
    first = last = _read_point(label, patterns)
    if first is None and (both := _BOTH_YEARS.fullmatch(label) or _BOTH.fullmatch(label)):
        first, last = (_read_point(text, patterns) for text in both.groups())
    if first is None or last is None or first[0] != last[0] or first[1] > last[1]:
        return None
    return Bounds(first[1], last[1], first[0])


def _read_point(text: str, patterns: tuple[str, ...]) -> tuple[str, int] | None:
    try:
        return _fixed_point(text) or _written_point(text, patterns)
    except (ValueError, OverflowError):  # week 53 of a year that has none, the year 0
        return None


def _fixed_point(text: str) -> tuple[str, int] | None:
    """Periods that are written alike in every format."""
    if _YEAR.fullmatch(text):
        return ("year", int(text)) if int(text) else None
    if found := _QUARTER.fullmatch(text):
        return "quarter", ordinal_of(datetime(int(found[1]), 3 * int(found[2]) - 2, 1), "quarter")
    if found := _WEEK.fullmatch(text):
        monday = date.fromisocalendar(int(found[1]), int(found[2]), 1)
        return "week", ordinal_of(at_midnight(monday), "week")
    if found := _QUARTER_OF_YEAR.fullmatch(text):
        return "quarter_of_year", int(found[1]) - 1
    if found := _WEEK_OF_YEAR.fullmatch(text):
        return ("week_of_year", int(found[1]) - 1) if 1 <= int(found[1]) <= 53 else None
    for unit, names in (("weekday", WEEKDAYS), ("month_of_year", MONTHS)):
        if text in names:
            return unit, names.index(text)
    return None


def _written_point(text: str, patterns: tuple[str, ...]) -> tuple[str, int] | None:
    if found := _WEEK_OF_MONTH.fullmatch(text):
        month = _written_point(found[1], patterns)
        if month is None or month[0] != "month":
            return None
        return "week_of_month", month[1] * WEEKS + int(found[2]) - 1
    for pattern in patterns:
        day = down_to(pattern, "day")
        forms = [("month", down_to(pattern, "month")), ("day", day)]
        forms += [(unit, f"{day} {clock}") for unit, clock in CLOCK.items()]
        for unit, form in forms:
            moment = parse_date(text, form)
            if moment is not None:
                ordinal = ordinal_of(moment, unit)
                if period_text(unit, ordinal, pattern) == text:  # not 2020-3, nor a month of one year only
                    return unit, ordinal
    return None
