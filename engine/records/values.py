"""Values of texts: types detected, values measured and ordered."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.errors import TableError
from engine.kernels.arrays import BoolArray, Codes, FloatArray, IntArray
from engine.processes import give_memory_back
from engine.records.chunks import (
    PIECE,
    all_match,
    any_begins,
    as_floats,
    chosen,
    pieces,
    sorted_places,
    subset,
)
from engine.records.stored import ListedColumn
from engine.records.table import Column
from engine.records.types import DataType, Kind
from engine.words import _

_DAY = 86_400.0
_LONGEST = 19  # characters of a date with seconds, whose parts are read at once
_PART = re.compile("%(.)")
_BOUNDS = {"Y": (1, 9999), "m": (1, 12), "d": (1, 31), "H": (0, 23), "M": (0, 59), "S": (0, 59)}
_LENGTHS = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
_BEFORE = np.concatenate(([0, 0], np.cumsum(_LENGTHS[1:-1])))  # days of a year before each month
_ZERO, _NINE = ord("0"), ord("9")

Characters = NDArray[np.uint32]


def parse_date(text: str, date_format: str) -> datetime | None:
    """Return the date of a text, None if it is not a date in this format."""
    try:
        return datetime.strptime(text, date_format)
    except (ValueError, re.error):  # re.error: a directive is repeated
        return None


def zeros_of(forms: Sequence[str]) -> int:
    """Return the digits to which forms of values fill numbers; 0 if they are formats of dates."""
    return len(forms[0]) if len(forms) == 1 and set(forms[0]) == {"0"} else 0


def in_form(text: str, forms: Sequence[str]) -> str:
    """Return a text in the form of its column: with leading zeros, or as a date in the first format."""
    if n_digits := zeros_of(forms):
        return text.zfill(n_digits) if text.isascii() and text.isdigit() else text
    dates = (parse_date(text, form) for form in forms)
    found = next((date for date in dates if date is not None), None)
    if found is None or parse_date(text, forms[0]) is not None:
        return text
    return found.strftime(forms[0].replace("%Y", f"{found.year:04}"))


def are_dates(texts: Sequence[str], date_format: str) -> bool:
    """Return whether every text is a date in this format."""
    return all(not np.isnan(days).any() for days in _days(texts, date_format))


def days_of(texts: Sequence[str], date_format: str) -> FloatArray:
    """Return the day of each text, counted from the year 1, with the time as a fraction; nan if no date."""
    return np.concatenate([np.zeros(0), *_days(texts, date_format)])


def _days(texts: Sequence[str], date_format: str) -> Iterator[FloatArray]:
    """Yield the days of the texts piece by piece, the first text alone: most formats fail there."""
    shapes = _shapes(date_format)
    if not shapes:
        yield from (np.array([_day(text, date_format) for text in piece]) for piece in pieces(texts))
        return
    yield from (np.array([_day(text, date_format)]) for text in texts[:1])
    yield from (
        _days_of_piece(piece, date_format, shapes) for piece in pieces(itertools.islice(texts, 1, None))
    )


def _day(text: str, date_format: str) -> float:
    date = parse_date(text, date_format)
    if date is None:
        return math.nan
    return date.toordinal() + (date.hour * 3600 + date.minute * 60 + date.second) / _DAY


@dataclass(frozen=True)
class _Shape:
    """Places of the parts in texts of one length; one digit or two stand for a part but the year."""

    length: int
    parts: tuple[tuple[str, int, int], ...]  # letter of the directive, first and last place
    others: tuple[tuple[int, int], ...]  # places and code points between them


@cache
def _shapes(date_format: str) -> tuple[_Shape, ...]:
    """Return the shapes of a format of numbers with marks between them; none for other formats."""
    marks = _PART.split(date_format)
    letters, between = marks[1::2], marks[::2]
    is_plain = len(set(letters)) == len(letters) and {"Y", "m", "d"} <= set(letters) <= set(_BOUNDS)
    if not is_plain or between[0] or between[-1]:
        return ()
    if not all(len(mark) == 1 and mark in "-/.: T" for mark in between[1:-1]):
        return ()
    widths = itertools.product(*[(4,) if letter == "Y" else (2, 1) for letter in letters])
    return tuple(_shape(letters, own, between[1:]) for own in widths)


def _shape(letters: Sequence[str], widths: Sequence[int], marks: Sequence[str]) -> _Shape:
    parts, others, at = [], [], 0
    for letter, width, mark in zip(letters, widths, marks, strict=True):
        parts.append((letter, at, at + width))
        at += width
        if mark:
            others.append((at, ord(mark)))
            at += 1
    return _Shape(at, tuple(parts), tuple(others))


def _days_of_piece(piece: Sequence[str], date_format: str, shapes: Sequence[_Shape]) -> FloatArray:
    lengths = np.fromiter(map(len, piece), np.int64, len(piece))
    short = piece if lengths.max() <= _LONGEST else [text if len(text) <= _LONGEST else "" for text in piece]
    width = max(1, min(int(lengths.max()), _LONGEST))
    characters = np.array(short, dtype=f"U{width}").view(np.uint32).reshape(len(piece), width)
    days, left = np.full(len(piece), np.nan), np.ones(len(piece), dtype=np.bool_)
    for shape in shapes:
        if not left.any():
            return days
        chosen = np.flatnonzero(left & (lengths == shape.length))
        if len(chosen):
            own = characters[chosen]
            fits = _fits(own, shape)
            chosen = chosen[fits]
            days[chosen] = _days_of_shape(own[fits], shape)
            left[chosen] = False
    for i in np.flatnonzero(left).tolist():
        days[i] = _day(piece[i], date_format)
    return days


def _fits(characters: Characters, shape: _Shape) -> BoolArray:
    """Return the texts with digits and marks at their places: no other reading of them is possible."""
    fits = np.ones(len(characters), dtype=np.bool_)
    for at, mark in shape.others:
        fits &= characters[:, at] == mark
    for _unused, first, last in shape.parts:
        digits = characters[:, first:last]
        fits &= ((digits >= _ZERO) & (digits <= _NINE)).all(axis=1)
    return fits


def _days_of_shape(characters: Characters, shape: _Shape) -> FloatArray:
    found: dict[str, IntArray] = {}
    is_date = np.ones(len(characters), dtype=np.bool_)
    for letter, first, last in shape.parts:
        values = np.zeros(len(characters), dtype=np.int64)
        for at in range(first, last):
            values = values * 10 + (characters[:, at].astype(np.int64) - _ZERO)
        least, most = _BOUNDS[letter]
        is_date &= (values >= least) & (values <= most)
        found[letter] = np.clip(values, least, most)
    years, months, day = found["Y"], found["m"], found["d"]
    is_leap = (years % 4 == 0) & ((years % 100 != 0) | (years % 400 == 0))
    is_date &= day <= _LENGTHS[months] + (is_leap & (months == 2))
    past = years - 1
    ordinals = past * 365 + past // 4 - past // 100 + past // 400
    ordinals += _BEFORE[months] + (is_leap & (months > 2)) + day
    seconds = sum(
        found[letter] * unit for letter, unit in (("H", 3600), ("M", 60), ("S", 1)) if letter in found
    )
    return np.where(is_date, ordinals + seconds / _DAY, np.nan)


DATE_FORMATS = (
    "%Y-%m-%d",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d.%m.%Y",
)
# All detected formats, common ones first. Two-digit years are not detected: 10.1.12 may be a version.
DETECTED_DATE_FORMATS = (
    *DATE_FORMATS,
    "%Y/%m/%d",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%Y.%m.%d",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%dT%H:%M",
    "%d/%m/%Y %H:%M:%S",
    "%m/%d/%Y %H:%M:%S",
    "%d/%m/%Y %H:%M",
    "%m/%d/%Y %H:%M",
    "%d.%m.%Y %H:%M:%S",
    "%d.%m.%Y %H:%M",
)
DECIMAL_MARKS = (".", ",")
# Point, comma, blanks of three widths, straight and curly apostrophe.
THOUSANDS_MARKS = (",", ".", " ", "\u00a0", "\u202f", "'", "\u2019")
# Lengths are bounded so that every match is a finite float64.
_INTEGER = re.compile(r"[+-]?[0-9]{1,200}")
_GROUPED = "[1-9][0-9]{{0,2}}(?:{}[0-9]{{3}}){{1,60}}"
_LEADING_ZERO = re.compile(r"[+-]?0[0-9]")
_MANY = 100_000  # labels, whose ordering leaves much memory to give back
_TRUTH = {"true": 1.0, "false": 0.0}


def is_number(text: str, decimal: str = ".", thousands: str = "") -> bool:
    """Return whether a text is a finite number written with these marks."""
    return _number(decimal, thousands).fullmatch(text) is not None


def are_numbers(texts: Iterable[str], decimal: str = ".", thousands: str = "") -> bool:
    """Return whether every text is a finite number written with these marks."""
    return all_match(_number(decimal, thousands), texts)


def are_whole_numbers(texts: Iterable[str], thousands: str = "") -> bool:
    """Return whether every text is a whole number, of digits alone or with the thousands separator."""
    return all_match(_whole(thousands), texts)


def exact_number(text: str, data_type: DataType) -> Decimal | None:
    """Return the exact value of a number's text, None if it is not a number of the type."""
    mark, thousands = decimal_mark(data_type), thousands_mark(data_type)
    pattern = _whole(thousands) if data_type.kind is Kind.INTEGER else _number(mark, thousands)
    return Decimal(_pointed(text, mark, thousands)) if pattern.fullmatch(text) else None


def decimal_mark(data_type: DataType) -> str:
    """Return the decimal mark of a type, which begins the format of numbers; a point by default."""
    return "," if data_type.is_numeric and data_type.format.startswith(",") else "."


def thousands_mark(data_type: DataType) -> str:
    """Return the thousands separator of a type, which ends the format of numbers; empty for none."""
    return data_type.format[1:] if data_type.is_numeric else ""


def number_type(kind: Kind, decimal: str = ".", thousands: str = "") -> DataType:
    """Return the type of numbers written with these marks."""
    if thousands:
        return DataType(kind, decimal + thousands)
    return DataType(kind, "," if kind is Kind.DECIMAL and decimal == "," else "")


def detect_type(labels: Sequence[str], decimal: str = ".", thousands: str = "") -> DataType:
    """Return the narrowest type that every text parses as.

    Parameters
    ----------
    labels : sequence of str
        All distinct texts of the column, without the missing one.
    decimal : str
        The decimal mark, a point or a comma.
    thousands : str
        The thousands separator; empty for none.

    Returns
    -------
    DataType
        Whole numbers written with superfluous leading zeros (postal codes, identifiers) are text. If day and
        month could be exchanged in every value, the day comes first.
    """
    if not labels:
        return DataType()
    if all(label.lower() in _TRUTH for label in labels):
        return DataType(Kind.BOOLEAN)
    for mark in ("", thousands) if thousands else ("",):
        if are_numbers(labels, decimal, mark):
            if any_begins(_LEADING_ZERO, labels):
                return DataType()
            kind = Kind.INTEGER if are_whole_numbers(labels, mark) else Kind.DECIMAL
            return number_type(kind, decimal, mark)
    for date_format in DETECTED_DATE_FORMATS:
        if are_dates(labels, date_format):
            return DataType(Kind.DATE, date_format)
    return DataType()


def could_exchange_day_and_month(labels: Sequence[str], date_format: str) -> bool:
    """Return whether every text would also be a date with day and month exchanged."""
    if not labels or not date_format.startswith(("%d/", "%m/", "%d-", "%m-")):
        return False
    exchanged = date_format.translate(str.maketrans("dm", "md"))
    return are_dates(labels, exchanged)


def measure(labels: Sequence[str], data_type: DataType) -> tuple[FloatArray, BoolArray]:
    """Return the number of each label (nan if the kind has none) and whether it parses."""
    kind, n = data_type.kind, len(labels)
    if kind is Kind.TEXT:
        return np.full(n, np.nan), np.ones(n, dtype=np.bool_)
    if kind is Kind.ORDERED:
        known = set(data_type.values)
        return np.full(n, np.nan), np.fromiter((label in known for label in labels), np.bool_, n)
    if kind is Kind.BOOLEAN:
        values = np.fromiter((_TRUTH.get(label.lower(), math.nan) for label in labels), np.float64, n)
    elif kind is Kind.DATE:
        written = data_type.format or DATE_FORMATS[0]
        values = days_of(labels, written)
    else:
        values = _reals(labels, data_type)
    return values, np.isfinite(values)


def make_column(
    name: str,
    texts: Sequence[str],
    codes: Codes,
    data_type: DataType,
    missing: str | None = None,
    pause: Callable[[], None] = lambda: None,
) -> Column:
    """Order coded texts by their type.

    Parameters
    ----------
    texts : sequence of str
        Distinct texts; those that no record has are dropped.
    codes : ndarray of int32, shape (n_records,)
        Index into `texts` per record.
    missing : str, optional
        The text for missing.
    pause : callable
        Called between parts of the work that take long for millions of texts; may raise to stop.

    Raises
    ------
    TableError
        A value does not parse as the type; the error names the first one and its record.
    """
    occurs = np.zeros(len(texts), dtype=np.bool_)
    occurs[codes] = True
    empty = texts.index(missing) if missing is not None and missing in texts else -1
    has_missing = empty >= 0 and bool(occurs[empty])
    if empty >= 0:
        occurs[empty] = False
    present = np.flatnonzero(occurs)
    labels = texts if len(present) == len(texts) else subset(texts, present)
    numbers, parses = measure(labels, data_type)
    if not parses.all():
        wrong = {label for label, good in zip(labels, parses, strict=True) if not good}
        raise _not_of_type(name, texts, codes, wrong, data_type)
    pause()
    order = _order(labels, numbers, data_type)
    pause()
    places = np.arange(len(labels), dtype=np.int32)
    recode = np.full(len(texts), len(labels), dtype=np.int32)
    if order is None:
        recode[present] = places
    else:
        numbers = numbers[order]
        recode[order if len(present) == len(texts) else present[order]] = places
    del present, places, parses, occurs
    numbers = np.append(numbers, np.nan) if has_missing else numbers
    if len(labels) > _MANY:
        give_memory_back()  # what ordering took, before Python holds the texts
    pause()
    in_order = labels if order is None else chosen(labels, order)
    ordered = (*in_order, texts[empty]) if has_missing else tuple(in_order)
    return Column(name, data_type, ordered, recode[codes], has_missing, numbers)


def retype(column: Column, data_type: DataType) -> Column:
    """Return the column with another type; texts stay, order and numbers follow the type.

    Parameters
    ----------
    data_type : DataType
        A date without format takes the first common format that every value fits; a number without format
        takes the marks that fit; an ordered type without values takes the current order.

    Raises
    ------
    TableError
        A value does not parse; the error names the first one and its record.
    """
    labels = column.known_labels
    if data_type.kind is Kind.DATE and not data_type.format:
        fits = (f for f in DETECTED_DATE_FORMATS if are_dates(labels, f))
        data_type = DataType(Kind.DATE, next(fits, DATE_FORMATS[0]))
    elif data_type.is_numeric and not data_type.format:
        data_type = _fitting_marks(labels, data_type.kind)
    elif data_type.kind is Kind.ORDERED and not data_type.values:
        data_type = DataType(Kind.ORDERED, "", labels)
    recode = np.arange(len(column.labels), dtype=np.int32)
    return recoded(column, column.labels, recode, data_type, column.missing_label)


def recoded(
    column: Column, texts: Sequence[str], recode: Codes, data_type: DataType, missing: str | None
) -> Column:
    """Return a column with other texts, ordered by their type, wherever its records are.

    Parameters
    ----------
    texts : sequence of str
        Distinct texts.
    recode : ndarray of int32, shape (n_labels,)
        Index into `texts` per label of the column.

    Raises
    ------
    TableError
        See `make_column`.
    """
    if isinstance(column, ListedColumn):
        return column.like(make_column(column.name, texts, recode, data_type, missing))
    made = make_column(column.name, texts, recode[column.codes], data_type, missing)
    return made if column.coding is None else replace(made, coding=column.coding)


def describe_type(data_type: DataType) -> str:
    """Return the name of a type in messages, such as "a whole number"."""
    mark = thousands_mark(data_type)
    match data_type.kind:
        case Kind.TEXT:
            return _("a text")
        case Kind.BOOLEAN:
            return _("true or false")
        case Kind.ORDERED:
            return _("one of the ordered categories")
        case Kind.DATE:
            return _("a date in the format {format}").format(format=data_type.format or DATE_FORMATS[0])
        case Kind.INTEGER:
            if mark:
                return _("a whole number with '{mark}' between thousands").format(mark=mark)
            return _("a whole number")
        case Kind.DECIMAL:
            if decimal_mark(data_type) == ",":
                if mark:
                    return _("a number with decimal comma and '{mark}' between thousands").format(mark=mark)
                return _("a number with decimal comma")
            if mark:
                return _("a number with decimal point and '{mark}' between thousands").format(mark=mark)
            return _("a number with decimal point")


def _reals(labels: Sequence[str], data_type: DataType) -> FloatArray:
    mark, thousands = decimal_mark(data_type), thousands_mark(data_type)
    pattern = _whole(thousands) if data_type.kind is Kind.INTEGER else _number(mark, thousands)
    is_plain = mark == "." and not thousands
    if is_plain and len(labels) > PIECE and all_match(pattern, labels):
        read = as_floats(labels)
        if read is not None:
            return read
    numbers, start = np.empty(len(labels), dtype=np.float64), 0
    for piece in pieces(labels):
        pointed = piece if is_plain else [_pointed(label, mark, thousands) for label in piece]
        if all(map(pattern.fullmatch, piece)):
            found = list(map(float, pointed))
        else:
            pairs = zip(piece, pointed, strict=True)
            found = [float(number) if pattern.fullmatch(label) else math.nan for label, number in pairs]
        numbers[start : start + len(piece)] = found
        start += len(piece)
    return numbers


@cache
def _number(decimal: str, thousands: str = "") -> re.Pattern[str]:
    mark = re.escape(decimal)
    whole = "[0-9]{1,200}"
    if thousands:
        whole = f"(?:{_GROUPED.format(re.escape(thousands))}|{whole})"
    return re.compile(
        rf"[+-]?(?:{whole}(?:{mark}[0-9]{{0,200}})?|{mark}[0-9]{{1,200}})(?:[eE][+-]?[0-9]{{1,2}})?"
    )


@cache
def _whole(thousands: str) -> re.Pattern[str]:
    if not thousands:
        return _INTEGER
    return re.compile(rf"[+-]?(?:{_GROUPED.format(re.escape(thousands))}|[0-9]{{1,200}})")


def _pointed(text: str, decimal: str, thousands: str) -> str:
    """Return a number's text with a decimal point and no thousands separators."""
    return (text.replace(thousands, "") if thousands else text).replace(decimal, ".")


def _fitting_marks(labels: Sequence[str], kind: Kind) -> DataType:
    """Return the first notation of numbers that fits every label, or the default one if none does."""
    marks = [(".", ""), *([(",", "")] if kind is Kind.DECIMAL else [])]
    marks += [(decimal, mark) for mark in THOUSANDS_MARKS for decimal in DECIMAL_MARKS if decimal != mark]
    for decimal, thousands in marks:
        if (
            are_whole_numbers(labels, thousands)
            if kind is Kind.INTEGER
            else are_numbers(labels, decimal, thousands)
        ):
            return number_type(kind, decimal, thousands)
    return DataType(kind)


def _order(labels: Sequence[str], numbers: FloatArray, data_type: DataType) -> IntArray | None:
    """Return the positions that sort labels by type, equal values by text; None if sorted already."""
    if data_type.kind is Kind.ORDERED:
        place = {value: i for i, value in enumerate(data_type.values)}
        return np.argsort(np.array([place[label] for label in labels], dtype=np.int64))
    by_text = sorted_places(labels)
    if data_type.kind is Kind.TEXT:
        return by_text
    if by_text is None:
        order = np.argsort(numbers, kind="stable")
    else:
        order = by_text[np.argsort(numbers[by_text], kind="stable")]
    sorted_numbers = numbers[order]
    # equal as floats, but perhaps not exactly
    if data_type.is_numeric and (sorted_numbers[1:] == sorted_numbers[:-1]).any():
        exact = [exact_number(label, data_type) or Decimal(0) for label in labels]
        places = range(len(labels)) if by_text is None else by_text.tolist()
        return np.array(sorted(places, key=exact.__getitem__), dtype=np.int64)
    return order


def _not_of_type(
    name: str, texts: Sequence[str], codes: Codes, wrong: set[str], data_type: DataType
) -> TableError:
    is_wrong = np.fromiter((text in wrong for text in texts), np.bool_, len(texts))
    record = int(np.flatnonzero(is_wrong[codes])[0])
    value = texts[codes[record]]
    if len(wrong) > 1:
        problem = _(
            "Column '{name}', record {record}: '{value}' is not {data_type} "
            "({n} different values do not fit)."
        )
    else:
        problem = _("Column '{name}', record {record}: '{value}' is not {data_type}.")
    return TableError(
        problem.format(
            name=name, record=record + 1, value=value, data_type=describe_type(data_type), n=len(wrong)
        ),
        hint=_("Choose another type, or add the value to the missing tokens."),
        column=name,
        record=record + 1,
        value=value,
    )
