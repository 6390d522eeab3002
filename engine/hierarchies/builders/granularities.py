"""Periods of dates: their nesting and their labels."""

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
SPANS = {"year": 1, "decade": 10, "century": 100, "millennium": 1000}
CLOCK = {"hour": "%H:00", "minute": "%H:%M", "second": "%H:%M:%S"}


def coarsens(fine: str, coarse: str) -> bool:
    """Return whether every period of one granularity is part of a single one of another."""
    return fine == coarse or any(coarsens(above, coarse) for above in _WITHIN.get(fine, ()))


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
