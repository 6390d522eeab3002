"""Periods of time: their nesting, numbers, beginnings and names."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np

from engine.hierarchies.builders.date_formats import MONTHS, WEEKDAYS, write
from engine.kernels.arrays import IntArray
from engine.words import N_

# In an order in which whatever lies in another one stands before it.
GRANULARITIES = (
    ("second", N_("second")),
    ("minute", N_("minute")),
    ("hour", N_("hour")),
    ("day", N_("day")),
    ("weekday", N_("day of the week")),
    ("week_of_month", N_("week of a month")),
    ("week", N_("week of a year")),
    ("week_year", N_("year of whole weeks")),
    ("week_of_year", N_("week, of any year")),
    ("month", N_("month")),
    ("month_of_year", N_("month, of any year")),
    ("quarter", N_("quarter")),
    ("quarter_of_year", N_("quarter, of any year")),
    ("year", N_("year")),
    ("decade", N_("decade")),
    ("century", N_("century")),
    ("millennium", N_("millennium")),
)
# What each lies in directly. Weeks begin on Monday, also those of a month, which its ends cut.
_WITHIN = {
    "second": ("minute",),
    "minute": ("hour",),
    "hour": ("day",),
    "day": ("weekday", "week_of_month"),
    "week_of_month": ("week", "month"),
    "week": ("week_year", "week_of_year"),
    "month": ("quarter", "month_of_year"),
    "month_of_year": ("quarter_of_year",),
    "quarter": ("year", "quarter_of_year"),
    "year": ("decade",),
    "decade": ("century",),
    "century": ("millennium",),
}
SPANS = {"year": 1, "decade": 10, "century": 100, "millennium": 1000}
CLOCK = {"hour": "%H:00", "minute": "%H:%M", "second": "%H:%M:%S"}
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
WEEKS = 6  # numbers of weeks kept for one month


def coarsens(fine: str, coarse: str) -> bool:
    """Return whether every period of one granularity is part of a single one of another."""
    return fine == coarse or any(coarsens(above, coarse) for above in _WITHIN.get(fine, ()))


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
        return numbers * WEEKS + (days - first + (first + _MONDAY) % 7) // 7
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
            return at_midnight(date.fromisocalendar(ordinal, 1, 1))
        case "week_of_year":
            return at_midnight(date.fromisocalendar(2020, ordinal + 1, 1))
        case "week_of_month":
            first = start_of("month", ordinal // WEEKS)
            n = ordinal % WEEKS
            return first + timedelta(days=7 * n - first.weekday()) if n else first
        case "year":
            return datetime(ordinal, 1, 1)
    month = ordinal * (3 if unit.startswith("quarter") else 1)
    return datetime(1970 + month // 12, month % 12 + 1, 1)


def label_of(
    date: datetime, granularity: str, pattern: str, first_year: int | None, end_year: int | None
) -> str:
    """Name the period of a date.

    Parameters
    ----------
    pattern : str
        How a day is written; what is coarser leaves out the days, then the months.
    first_year, end_year : int or None
        Periods of years reach from the first year, and end before the other.
    """
    if granularity in CLOCK:
        return f"{write(date, pattern, 'day')} {write(date, CLOCK[granularity], 'second')}"
    if granularity in ("day", "month", "year"):
        return write(date, pattern, granularity)
    if granularity in SPANS:
        low = date.year // SPANS[granularity] * SPANS[granularity]
        high = low + SPANS[granularity] - 1
        low = low if first_year is None else max(low, first_year)
        high = high if end_year is None else min(high, end_year - 1)
        return f"{low:04}-{high:04}" if low < high else f"{low:04}"
    year, week, _day = date.isocalendar()
    quarter = (date.month + 2) // 3
    match granularity:
        case "weekday":
            return WEEKDAYS[date.weekday()]
        case "week_of_month":
            first = date.replace(day=1).weekday()
            return f"{write(date, pattern, 'month')}, week {(date.day - 1 + first) // 7 + 1}"
        case "week":
            return f"{year:04}-W{week:02}"
        case "week_year":
            return f"{year:04}"
        case "week_of_year":
            return f"W{week:02}"
        case "month_of_year":
            return MONTHS[date.month - 1]
        case "quarter":
            return f"{date.year:04}-Q{quarter}"
        case _:
            return f"Q{quarter}"


def period_text(unit: str, ordinal: int, pattern: str) -> str:
    """Return the name of a period."""
    return label_of(start_of(unit, ordinal), unit, pattern, None, None)


def ordinal_of(moment: datetime, unit: str) -> int:
    """Number the period that a moment is in."""
    seconds = (moment - _EPOCH) // timedelta(seconds=1)
    return int(ordinals(np.array([seconds], dtype=np.int64), unit)[0])


def at_midnight(day: date) -> datetime:
    """Return the beginning of a day."""
    return datetime(day.year, day.month, day.day)
