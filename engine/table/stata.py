"""Stata files as raw columns; dates are numbers since 1960 that the format of a column explains."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

from engine.monitor import Monitor
from engine.table.formats import STATA
from engine.table.labelled import Dialect, read_labelled
from engine.table.options import ReadOptions
from engine.table.raw import RawTable

_DAY, _MOMENT = datetime.date(1960, 1, 1), datetime.datetime(1960, 1, 1)
_WEEKS = 52  # of a year; the last one is longer


def read_stata(path: Path, options: ReadOptions, monitor: Monitor) -> RawTable:
    """Return the columns of a Stata file; see `engine.table.labelled`.

    Weeks, months, quarters, half-years and years are the date of their first day.
    """
    return read_labelled(_STATA, path, options, monitor)


def _moments(display: str) -> Callable[[float], datetime.date] | None:
    """Return what makes a date of a number by the display format, such as %td or %tcDD/NN/CCYY."""
    kind = display.lstrip("%-")
    if kind.startswith("d"):
        return _BY_KIND["d"]
    return _BY_KIND.get(kind[1:2]) if kind.startswith("t") else None


def _day(value: float) -> datetime.date:
    return _DAY + datetime.timedelta(days=int(value // 1))


def _moment(value: float) -> datetime.date:
    return _MOMENT + datetime.timedelta(milliseconds=int(value // 1))


def _week(value: float) -> datetime.date:
    years, weeks = divmod(int(value // 1), _WEEKS)
    return datetime.date(1960 + years, 1, 1) + datetime.timedelta(days=7 * weeks)


def _months(n_months: int) -> Callable[[float], datetime.date]:
    def first_day(value: float) -> datetime.date:
        years, months = divmod(int(value // 1) * n_months, 12)
        return datetime.date(1960 + years, months + 1, 1)

    return first_day


def _year(value: float) -> datetime.date:
    return datetime.date(int(value // 1), 1, 1)


_BY_KIND: dict[str, Callable[[float], datetime.date]] = {
    "d": _day,
    "c": _moment,
    "w": _week,
    "m": _months(1),
    "q": _months(3),
    "h": _months(6),
    "y": _year,
}
_STATA = Dialect(
    STATA, "read_dta", _moments, has_missing=True, settings={"disable_datetime_conversion": True}
)
