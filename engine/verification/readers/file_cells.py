"""Cells of files that are not text: values of any library, and their texts."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pandas as pd

DAYS = "%Y-%m-%d"


@dataclass
class Column:
    """Distinct values of a column as texts, None for no value, and the position of each record's value.

    If it also has other cells, `numbers` are the texts of cells that are numbers and of no others.
    """

    name: str
    texts: Sequence[str | None]
    places: Sequence[int]
    numbers: Collection[str | None] = ()

    def marked(self, mark: str) -> Sequence[str | None]:
        """Return the texts with a decimal mark in those of numbers."""
        return [text.replace(".", mark) if text and text in self.numbers else text for text in self.texts]


@dataclass
class Values:
    """Values distinguished by type and equality, since 1, 1.0 and True are equal in Python."""

    known: dict[tuple[str, Any], int] = field(default_factory=dict)
    places: array[int] = field(default_factory=lambda: array("q"))

    def add(self, value: Any) -> None:
        """Add the value of the next record."""
        if value != value:  # nan
            value = None
        self.places.append(self._place(value))

    def lengthen(self, n_records: int) -> Values:
        """Add cells without a value up to a number of records, and return the values."""
        for _unused in range(n_records - len(self.places)):
            self.add(None)
        return self

    def extend(self, cells: pd.Series[Any]) -> Values:
        """Add cells of one type, and return the values."""
        places, distinct = pd.factorize(cells)  # -1 for no value
        known = [self._place(None if value != value else value) for value in objects_of(pd.Series(distinct))]
        known.append(self._place(None) if (places < 0).any() else -1)
        self.places.frombytes(pd.Series(known, dtype="int64").array.take(places).to_numpy().tobytes())
        return self

    def _place(self, value: Any) -> int:
        return self.known.setdefault((type(value).__name__, value), len(self.known))

    @property
    def distinct(self) -> list[Any]:
        """The distinct values, in the order of their positions."""
        return [value for _unused, value in self.known]


def values_of(cells: pd.Series[Any]) -> Values:
    """Return the values of a column of a frame."""
    values = Values()
    for value in objects_of(cells):
        values.add(value)
    return values


def objects_of(cells: pd.Series[Any]) -> Iterator[Any]:
    """Yield Python values; single-precision numbers keep their type, times lose their time zone."""
    own: Any = getattr(cells.dtype, "numpy_dtype", cells.dtype)
    empty = cells.isna().tolist()
    if own.kind == "f" and own.itemsize < 8:
        found: Sequence[Any] = list(cells.to_numpy(dtype=own, na_value=0))
    else:
        found = cells.astype(object).tolist()
    for value, is_empty in zip(found, empty, strict=True):
        if is_empty:
            yield None
        else:
            yield value.replace(tzinfo=None) if isinstance(value, datetime) else value


def texts_of(values: Sequence[Any], true: str, false: str, shape: str | None = None) -> list[str | None]:
    """Return the text of each value of a column, None for no value.

    Parameters
    ----------
    values : sequence
        None, missing marks of pandas, texts, booleans, numbers, dates, times, durations.
    true, false : str
        Texts of boolean values in the format.
    shape : str, optional
        Format of dates; by default the shortest that shows these completely.
    """
    if shape is None:
        shape = date_shape(value for value in values if isinstance(value, date) and not _is_missing(value))
    return [_text(value, shape, true, false) for value in values]


def number(value: Any) -> str:
    """Return the text of a number: integers without a point, others with the fewest unique digits."""
    if value in (math.inf, -math.inf):
        return str(value)
    if value == int(value):
        return str(int(value))
    if isinstance(value, Decimal):
        digits = format(value, "f")
        return digits.rstrip("0")
    digits, _unused, exponent = str(value).partition("e")
    # Only exponents of two digits are read as numbers.
    return format(Decimal(f"{digits}e{exponent}"), "f") if len(exponent) > 3 else str(value)


def duration(value: timedelta) -> str:
    """Return hours, minutes and seconds; hours may exceed a day."""
    total = abs(value) // timedelta(microseconds=1)
    minutes, rest = divmod(total, 60_000_000)
    seconds, parts = divmod(rest, 1_000_000)
    text = f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" + (f".{parts:06}" if parts else "")
    return f"-{text}" if value.days < 0 else text


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NaT or value is pd.NA or value != value  # nan


def date_shape(dates: Iterable[date]) -> str:
    """Return the shortest format that shows the dates of a column completely."""
    shape = DAYS
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
