"""The values of a column as aggregates see them: exact, in order, each with one text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from engine.cached import cached_property
from engine.records import Column, Kind
from engine.records.values import DATE_FORMATS, decimal_mark, exact_number, parse_date

_MICROSECOND = timedelta(microseconds=1)
# What a format of dates can tell, finest first; what it cannot tell a mean of dates is rounded to.
_FINEST = (("f", 1), ("ScXT", 10**6), ("M", 60 * 10**6), ("HI", 3600 * 10**6))
_DAY = 24 * 3600 * 10**6
_BEYOND = 40  # digits of logarithms beyond those of the numbers


@dataclass(frozen=True, eq=False)
class OrderedValues:
    """The distinct values of a column in their order; texts that mean the same value are one.

    Attributes
    ----------
    texts : tuple of str
        One per value, and last the text of a missing one. Numbers without superfluous zeros, dates as
        their format writes them, so that a value has the same text wherever it comes from.
    of_label : tuple of int
        The value of each label of the column.
    counts : tuple of int
        Records of the column per value, and last of a missing one.
    numbers : tuple of int
        Exact numbers, in units of 10 ** -places; dates in microseconds; empty for other types.
    places : int
        Digits after the decimal mark that the numbers need.
    mark : str
        The decimal mark.
    date_format : str
        Empty for other types than dates.
    """

    texts: tuple[str, ...]
    of_label: tuple[int, ...]
    counts: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()
    places: int = 0
    mark: str = "."
    date_format: str = ""

    @classmethod
    def of(cls, column: Column) -> OrderedValues:
        """Read the values of a column."""
        found = cls._of(column)
        counts = [0] * len(found.texts)
        for place, count in zip(found.of_label, column.counts.tolist(), strict=True):
            counts[place] += count
        return replace(found, counts=tuple(counts))

    @classmethod
    def _of(cls, column: Column) -> OrderedValues:
        labels = column.known_labels
        blank = column.labels[-1] if column.has_missing else ""
        kind = column.data_type.kind
        if kind in (Kind.INTEGER, Kind.DECIMAL):
            found = [exact_number(label, column.data_type) for label in labels]
            exact = [number for number in found if number is not None]
            assert len(exact) == len(labels), "a number that is none would not be in the column"
            places = max((_places(number) for number in exact), default=0)
            mark = decimal_mark(column.data_type)
            units = [int(Fraction(number) * 10**places) for number in exact]
            numbers = sorted(set(units))
            texts = [decimal_text(number, places, mark) for number in numbers]
            of_label = _places_of(units, numbers, column)
            return cls((*texts, blank), of_label, (), tuple(numbers), places, mark)
        if kind is Kind.DATE:
            date_format = column.data_type.format or DATE_FORMATS[0]
            units = [_microseconds(label, date_format) for label in labels]
            numbers = sorted(set(units))
            texts = [date_text(number, date_format) for number in numbers]
            of_label = _places_of(units, numbers, column)
            return cls((*texts, blank), of_label, (), tuple(numbers), date_format=date_format)
        if kind is Kind.BOOLEAN:
            words = [label.lower() for label in labels]
            distinct = sorted(set(words))
            return cls((*distinct, blank), _places_of(words, distinct, column))
        return cls((*labels, blank), tuple(range(len(column.labels))))

    @property
    def missing(self) -> int:
        """The code of a missing value."""
        return len(self.texts) - 1

    @property
    def separator(self) -> str:
        """Text between two values."""
        return "; " if self.mark == "," else ", "

    def written(self, number: Fraction, decimals: int | None = None) -> str:
        """The text of a number in the units of `numbers`, which may fall between the values.

        Numbers are rounded to this number of decimals, to even if both neighbours are as near; dates to
        the finest unit of their format. Without `decimals` a number is written out, which it must
        allow.
        """
        if self.date_format:
            unit = _unit_of(self.date_format)
            return date_text(round(number / unit) * unit, self.date_format)
        natural = number / 10**self.places
        places = places_needed(natural) if decimals is None else decimals
        return decimal_text(round(natural * 10**places), places, self.mark)

    @cached_property
    def precision(self) -> int:
        """Return the digits to which logarithms of these numbers are computed."""
        return _BEYOND + max((len(str(number)) for number in self.numbers), default=1)

    @cached_property
    def logarithms(self) -> tuple[Decimal, ...]:
        """The natural logarithm of each number, which must all be above 0, in the units of `numbers`."""
        context = Context(prec=self.precision)
        return tuple(context.ln(Decimal(number)) for number in self.numbers)


def decimal_text(units: int, places: int, mark: str) -> str:
    """A number of units of 10 ** -places, written out without superfluous zeros."""
    sign, digits = "-" if units < 0 else "", str(abs(units)).rjust(places + 1, "0")
    whole, part = digits[: len(digits) - places], digits[len(digits) - places :].rstrip("0")
    return f"{sign}{whole}{mark}{part}" if part else f"{sign}{whole}"


def date_text(microseconds: int, date_format: str) -> str:
    """A date as its format writes it, given the microseconds since the beginning of year 1."""
    return moment_text(datetime.min + microseconds * _MICROSECOND, date_format)


def moment_text(moment: datetime, date_format: str) -> str:
    """A date as its format writes it."""
    # Some platforms write the years before 1000 with fewer than four digits.
    year = re.sub(r"%(.)", lambda m: f"{moment.year:04}" if m[1] == "Y" else m[0], date_format)
    return moment.strftime(year)


def _places_of(units: Sequence[Any], numbers: Sequence[Any], column: Column) -> tuple[int, ...]:
    """The place of each label's value; of a missing one the place after all of them."""
    place = {number: i for i, number in enumerate(numbers)}
    found = [place[unit] for unit in units]
    return (*found, len(numbers)) if column.has_missing else tuple(found)


def _places(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int), "values of a column are finite"
    return max(-exponent, 0)


def places_needed(number: Fraction) -> int:
    """Return the digits after the decimal mark of a number whose denominator divides a power of ten."""
    places = 0
    while (number * 10**places).denominator != 1:
        places += 1
    return places


def _microseconds(text: str, date_format: str) -> int:
    moment = parse_date(text, date_format)
    assert moment is not None, "a date that is none would not be in the column"
    return (moment.replace(tzinfo=None) - datetime.min) // _MICROSECOND


def _unit_of(date_format: str) -> int:
    """Return the finest unit of a format of dates, in microseconds."""
    letters = set(re.findall(r"%(.)", date_format))
    return next((unit for directives, unit in _FINEST if letters & set(directives)), _DAY)
