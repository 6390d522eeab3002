"""Periods of dates: which lie within which, and their labels."""

from __future__ import annotations

from datetime import datetime

from engine.hierarchies.builders.date_formats import MONTHS, WEEKDAYS, write
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
_SPANS = {"year": 1, "decade": 10, "century": 100, "millennium": 1000}
CLOCK = {"hour": "%H:00", "minute": "%H:%M", "second": "%H:%M:%S"}


def coarsens(fine: str, coarse: str) -> bool:
    """Return whether every period of one granularity lies in a single one of another."""
    return fine == coarse or any(coarsens(above, coarse) for above in _WITHIN.get(fine, ()))


def period(date: datetime, granularity: str) -> tuple[int, ...]:
    """Return what a granularity keeps of a date: the numbers that tell one period from others."""
    if granularity in _SPANS:
        return (date.year // _SPANS[granularity] * _SPANS[granularity],)
    match granularity:
        case "second":
            return date.year, date.month, date.day, date.hour, date.minute, date.second
        case "minute":
            return date.year, date.month, date.day, date.hour, date.minute
        case "hour":
            return date.year, date.month, date.day, date.hour
        case "day":
            return date.year, date.month, date.day
        case "weekday":
            return (date.weekday(),)
        case "week_of_month":
            first = date.replace(day=1).weekday()
            return date.year, date.month, (date.day - 1 + first) // 7 + 1
        case "week":
            return tuple(date.isocalendar()[:2])
        case "week_year":
            return tuple(date.isocalendar()[:1])
        case "week_of_year":
            return tuple(date.isocalendar()[1:2])
        case "month":
            return date.year, date.month
        case "month_of_year":
            return (date.month,)
        case "quarter":
            return date.year, (date.month + 2) // 3
        case "quarter_of_year":
            return ((date.month + 2) // 3,)
    raise ValueError(granularity)


def label_of(
    date: datetime, granularity: str, pattern: str, first_year: int | None, end_year: int | None
) -> str:
    """Name the period of a date.

    Parameters
    ----------
    date : datetime
    granularity : str
    pattern : str
        How a day is written; what is coarser leaves out the days, then the months.
    first_year, end_year : int or None
        Periods of years reach from the first year, and end before the other.
    """
    kept = period(date, granularity)
    if granularity in CLOCK:
        return f"{write(date, pattern, 'day')} {write(date, CLOCK[granularity], 'second')}"
    if granularity in ("day", "month", "year"):
        return write(date, pattern, granularity)
    if granularity in _SPANS:
        low, high = kept[0], kept[0] + _SPANS[granularity] - 1
        low = low if first_year is None else max(low, first_year)
        high = high if end_year is None else min(high, end_year - 1)
        return f"{low:04}-{high:04}" if low < high else f"{low:04}"
    match granularity:
        case "weekday":
            return WEEKDAYS[kept[0]]
        case "week_of_month":
            return f"{write(date, pattern, 'month')}, week {kept[2]}"
        case "week":
            return f"{kept[0]:04}-W{kept[1]:02}"
        case "week_year":
            return f"{kept[0]:04}"
        case "week_of_year":
            return f"W{kept[0]:02}"
        case "month_of_year":
            return MONTHS[kept[0] - 1]
        case "quarter":
            return f"{kept[0]:04}-Q{kept[1]}"
        case _:
            return f"Q{kept[0]}"
