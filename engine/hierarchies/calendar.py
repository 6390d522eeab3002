"""Labels of periods such as 1920-1929, 2020-03 or 1934-Q1 to 1934-Q3: parsing and writing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache

import numpy as np

from engine.hierarchies.builders.date_formats import MONTHS, PARTS, WEEKDAYS, down_to
from engine.hierarchies.builders.granularities import CLOCK, SPANS, coarsens, label_of
from engine.hierarchies.group_names import listed
from engine.kernels.arrays import IntArray
from engine.records.values import parse_date

UNITS = (
    *("year", "quarter", "month", "week", "week_of_month", "day", "hour", "minute", "second"),
    *("weekday", "month_of_year", "quarter_of_year", "week_of_year", "week_year"),
)
"""What labels are written in. Decades and centuries are ranges of years; a year of whole weeks is written as
any other, so that it comes last."""
RETURNING = ("weekday", "month_of_year", "quarter_of_year", "week_of_year")
"""Units whose periods return, so that they are not a span of time."""
_FINER = ("month", "day", "hour", "minute", "second")
_FIXED = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
_EPOCH = datetime(1970, 1, 1)
_MONDAY = 3  # days from the Monday of its week to the epoch
_WEEKS = 6  # numbers of weeks kept for one month

_YEAR, _QUARTER, _WEEK = re.compile(r"\d{4}"), re.compile(r"(\d{4})-Q([1-4])"), re.compile(r"(\d{4})-W(\d\d)")
_QUARTER_OF_YEAR, _WEEK_OF_YEAR = re.compile(r"Q([1-4])"), re.compile(r"W(\d\d)")
_WEEK_OF_MONTH = re.compile(r"(.+), week ([1-6])")
_YEARS = re.compile(r"(\d{4})\s*(?:-|–|to)\s*(\d{4})")
_BOTH = re.compile(r"(.+?)(?: to |\s*–\s*)(.+)")
_HALF = re.compile(r"(<=|<|>=|>|≤|≥)\s*(\d{4})")


@dataclass(frozen=True, slots=True)
class Periods:
    """Neighbouring periods of one unit, both ends among them.

    Attributes
    ----------
    unit : str
        One of `UNITS`.
    low, high : int or None
        Numbers of the first and the last period, as `ordinals` counts them; None if there is no end.
    """

    unit: str
    low: int | None
    high: int | None

    def text(self, pattern: str) -> str:
        """The label of the periods, days written in a format."""
        if self.low is None or self.high is None:
            return f"<{(self.high or 0) + 1:04}" if self.low is None else f">={self.low:04}"
        first = period_text(self.unit, self.low, pattern)
        if self.low == self.high:
            return first
        last = period_text(self.unit, self.high, pattern)
        return f"{first}-{last}" if self.unit in ("year", "week_year") else f"{first} to {last}"

    def within(self, unit: str) -> Periods | None:
        """Return the same time in periods of a unit that is part of this one; None for other units."""
        if unit == self.unit:
            return self
        if not coarsens(unit, self.unit) or unit == "week_of_month" or self.unit == "week_of_month":
            return None
        low = None if self.low is None else ordinal_of(start_of(self.unit, self.low), unit)
        try:
            high = None if self.high is None else ordinal_of(start_of(self.unit, self.high + 1), unit) - 1
        except (ValueError, OverflowError):  # the year 10000
            return None
        return Periods(unit, low, high)


def finer_units(unit: str, resolution: str) -> list[str]:
    """A unit and those within it that are still coarser than what values are written in."""
    return [unit, *(u for u in _FINER if u != unit and coarsens(u, unit) and u != resolution
                    and coarsens(resolution, u))]  # fmt: skip


def next_unit(unit: str) -> str:
    """Return the units that a period of a unit is split into."""
    if unit == "year":
        return "month"
    return next((u for u in _FINER if u != unit and coarsens(u, unit)), unit)


def ordinals(seconds: IntArray, unit: str) -> IntArray:
    """Number the periods that moments are in, one after another.

    Parameters
    ----------
    seconds : ndarray of int64
        Since 1970 began.
    unit : str
        One of `UNITS`, or of the periods of years. Years have their numbers, others are counted from some
        beginning.

    Returns
    -------
    ndarray of int64
        Weeks of months leave numbers out; all others are without gaps.
    """
    if unit in _FIXED:
        return seconds // _FIXED[unit]
    days = seconds // 86400
    weeks = (days + _MONDAY) // 7
    if unit == "week":
        return weeks
    if unit == "weekday":
        return (days + _MONDAY) % 7
    if unit in ("week_year", "week_of_year"):
        thursdays = (7 * weeks).astype("datetime64[D]")
        years = thursdays.astype("datetime64[Y]")
        if unit == "week_year":
            return years.astype(np.int64) + 1970
        return (7 * weeks - years.astype("datetime64[D]").astype(np.int64)) // 7
    months = days.astype("datetime64[D]").astype("datetime64[M]")
    numbers = months.astype(np.int64)
    if unit in SPANS:
        return (numbers // 12 + 1970) // SPANS[unit]
    if unit == "week_of_month":
        first = months.astype("datetime64[D]").astype(np.int64)
        return numbers * _WEEKS + (days - first + (first + _MONDAY) % 7) // 7
    found: IntArray = {
        "month": numbers,
        "quarter": numbers // 3,
        "month_of_year": numbers % 12,
        "quarter_of_year": numbers % 12 // 3,
    }[unit]
    return found


def start_of(unit: str, ordinal: int) -> datetime:
    """Return the start of a period; for recurring ones, one of the starts."""
    if unit in _FIXED:
        return _EPOCH + timedelta(seconds=ordinal * _FIXED[unit])
    match unit:
        case "week":
            return _EPOCH + timedelta(days=7 * ordinal - _MONDAY)
        case "weekday":
            return _EPOCH + timedelta(days=ordinal + 7 - _MONDAY)
        case "week_year":
            return _at(date.fromisocalendar(ordinal, 1, 1))
        case "week_of_year":
            return _at(date.fromisocalendar(2020, ordinal + 1, 1))
        case "week_of_month":
            first = start_of("month", ordinal // _WEEKS)
            n = ordinal % _WEEKS
            return first + timedelta(days=7 * n - first.weekday()) if n else first
        case "year":
            return datetime(ordinal, 1, 1)
    month = ordinal * (3 if unit.startswith("quarter") else 1)
    return datetime(1970 + month // 12, month % 12 + 1, 1)


def period_text(unit: str, ordinal: int, pattern: str) -> str:
    """Return the name of a period."""
    return label_of(start_of(unit, ordinal), unit, pattern, None, None)


def read_label(label: str, patterns: tuple[str, ...]) -> tuple[Periods, ...] | None:
    """Parse a label as one or more runs of periods; None for other labels.

    Parameters
    ----------
    label : str
        Such as 1934, <1910, 1920-1929, 2020-03 to 2020-05, or several of them after commas.
    patterns : tuple of str
        How days may be written.
    """
    whole = _read_run(label, patterns)
    if whole is not None:
        return (whole,)
    parts = listed(label)
    if len(parts) < 2:
        return None
    runs = [_read_run(part, patterns) for part in parts]
    return tuple(run for run in runs if run is not None) if all(runs) else None


@lru_cache(maxsize=4096)
def _read_run(label: str, patterns: tuple[str, ...]) -> Periods | None:
    if half := _HALF.fullmatch(label):
        year = int(half[2])
        if half[1] in ("<", "<=", "≤"):
            return Periods("year", None, year - (half[1] == "<"))
        return Periods("year", year + (half[1] == ">"), None)
    point = _read_point(label, patterns)
    if point is not None:
        return Periods(point[0], point[1], point[1])
    both = _YEARS.fullmatch(label) or _BOTH.fullmatch(label)
    if both is None:
        return None
    first, last = (_read_point(text, patterns) for text in both.groups())
    if first is None or last is None or first[0] != last[0] or first[1] > last[1]:
        return None
    return Periods(first[0], first[1], last[1])


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
        return "week", ordinal_of(_at(date.fromisocalendar(int(found[1]), int(found[2]), 1)), "week")
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
        return "week_of_month", month[1] * _WEEKS + int(found[2]) - 1
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


def ordinal_of(moment: datetime, unit: str) -> int:
    """Number the period that a moment is in."""
    seconds = (moment - _EPOCH) // timedelta(seconds=1)
    return int(ordinals(np.array([seconds], dtype=np.int64), unit)[0])


def _at(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)


def resolution_of(n_parts: int) -> str:
    """Return the finest unit that a number of known parts of a date determines."""
    return PARTS[n_parts - 1]
