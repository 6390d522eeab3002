"""Numbers and dates that rules read, exactly; a text that is neither is refused with its record."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction

from engine.numbers import as_exact_count
from engine.recoding.rules.base import first_record
from engine.records import Column, DataType, Kind
from engine.records.values import DATE_FORMATS, DETECTED_DATE_FORMATS, exact_number, is_number, parse_date
from engine.words import _


def as_exact(number: float) -> Fraction:
    """Return a number as typed: by its shortest digits."""
    return Fraction(repr(number))


def numbers_of(column: Column) -> list[Fraction]:
    """Return the exact value of each text of a numeric column but the missing one."""
    found = [exact_number(text, column.data_type) for text in column.known_labels]
    return [Fraction(number) for number in found if number is not None]


def why_no_numbers(column: Column) -> str:
    """Return why a column has no numbers; the first text that is none is named with its record."""
    if column.data_type.is_numeric:
        return ""
    if column.data_type.kind is not Kind.DATE:
        wrong = [i for i, text in enumerate(column.known_labels) if not is_number(text)]
        if wrong:
            return _why(column, wrong, _("'{name}', record {record}: '{text}' is not a number."))
    return _("'{name}' is not a column of numbers.").format(name=column.name)


def format_of(data_type: DataType) -> str:
    """Return the format of a type of dates."""
    return data_type.format or DATE_FORMATS[0]


def dates_of(column: Column) -> list[datetime]:
    """Return the date of each text of a column of dates but the missing one."""
    found = [parse_date(text, format_of(column.data_type)) for text in column.known_labels]
    return [date for date in found if date is not None]


def why_no_dates(column: Column) -> str:
    """Return why a column has no dates; the first text that is none is named with its record."""
    if column.data_type.kind is Kind.DATE:
        return ""
    values = column.known_labels
    wrong = min(
        ([i for i, text in enumerate(values) if parse_date(text, f) is None] for f in DETECTED_DATE_FORMATS),
        key=len,
    )
    if wrong:
        return _why(column, wrong, _("'{name}', record {record}: '{text}' is not a date."))
    return _("'{name}' is not read as dates.").format(name=column.name)


def _why(column: Column, wrong: list[int], words: str) -> str:
    """Return the words on the first record with one of some labels."""
    record, label = min((first_record(column, label), label) for label in wrong)
    return words.format(name=column.name, record=as_exact_count(record), text=column.labels[label])
