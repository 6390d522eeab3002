"""Periods of time: their numbers, their beginnings, and the units they are part of."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np

from engine.hierarchies.builders.granularities import SPANS, coarsens, label_of
from engine.kernels.arrays import IntArray

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
