"""Values of other formats than text, as the texts that stand for them in a release."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pandas as pd


def texts_of(values: Sequence[Any], true: str, false: str) -> list[str | None]:
    """Text per value of a column, None where there is no value.

    Parameters
    ----------
    values : sequence
        None, missing marks of pandas, texts, truth values, numbers, dates, times, durations.
    true, false : str
        How the format writes truth values.
    """
    shape = _date_shape(value for value in values if isinstance(value, date) and not _is_missing(value))
    return [_text(value, shape, true, false) for value in values]


def number(value: Any) -> str:
    """A number: no point where it is whole, else the fewest digits that tell it from others."""
    if value in (math.inf, -math.inf):
        return str(value)
    if value == int(value):
        return str(int(value))
    if isinstance(value, Decimal):
        digits = format(value, "f")
        return digits.rstrip("0")
    digits, _, exponent = str(value).partition("e")
    # Exponents of two digits are read as numbers, longer ones are not.
    return format(Decimal(f"{digits}e{exponent}"), "f") if len(exponent) > 3 else str(value)


def duration(value: timedelta) -> str:
    """Hours, minutes and seconds; hours may exceed a day."""
    total = abs(value) // timedelta(microseconds=1)
    minutes, rest = divmod(total, 60_000_000)
    seconds, parts = divmod(rest, 1_000_000)
    text = f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" + (f".{parts:06}" if parts else "")
    return f"-{text}" if value.days < 0 else text


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NaT or value is pd.NA or value != value  # nan


def _date_shape(dates: Iterable[date]) -> str:
    """The format that shows all that the dates of a column tell."""
    shape = "%Y-%m-%d"
    for moment in dates:
        if isinstance(moment, datetime):
            if moment.microsecond:
                return "%Y-%m-%d %H:%M:%S.%f"
            if moment.hour or moment.minute or moment.second:
                shape = "%Y-%m-%d %H:%M:%S"
    return shape


def _text(value: Any, shape: str, true: str, false: str) -> str | None:
    if _is_missing(value):
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return true if value else false
    if isinstance(value, date):
        return f"{value.year:04}" + value.strftime(shape.removeprefix("%Y"))
    if isinstance(value, time):
        return str(value)
    if isinstance(value, pd.Timedelta):
        return str(value)
    return duration(value) if isinstance(value, timedelta) else number(value)
