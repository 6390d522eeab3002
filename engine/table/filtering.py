"""Records of a table selected by a filter: each distinct value is tested once, by its column's type."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import islice

import numpy as np

from engine.errors import InputError, nearest
from engine.filters import Condition, Filter, Leaf, Missing, OneOf, ValueKind, parse
from engine.filters.conditions import OPERATORS, Value, quoted_name
from engine.kernels.arrays import BoolArray, FloatArray
from engine.table.stored import refuse_cut
from engine.table.table import Column, Table
from engine.table.types import DataType, Kind
from engine.table.values import exact_number, measure
from engine.words import _

_HOLDS: Mapping[Kind, ValueKind] = {
    Kind.TEXT: ValueKind.TEXTS,
    Kind.BOOLEAN: ValueKind.TEXTS,
    Kind.INTEGER: ValueKind.NUMBERS,
    Kind.DECIMAL: ValueKind.NUMBERS,
    Kind.DATE: ValueKind.ORDERED,
    Kind.ORDERED: ValueKind.ORDERED,
}
_DATES = ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S")
_MOST_SEEN, _MOST_OFFERED = 100_000, 50  # values searched, and suggested, while a filter is typed
_EXACT: Mapping[str, Callable[[Decimal, Decimal], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}


def records_where(table: Table, text: str) -> BoolArray:
    """Return which records of a table pass a filter.

    Parameters
    ----------
    table : Table
    text : str
        A filter (see `engine.filters.grammar`) such as `age >= 30 and not sex = 'female'`; with an empty text
        every record passes.

        - Numbers are compared exactly, by their value: `0.1` meets `= 0.10`.
        - Texts are compared with `=`, `!=` and `in` only, exactly as written in the table.
        - Booleans are `'true'` or `'false'`, regardless of how the table writes them.
        - Dates are written `'2024-01-31'`, or `'2024-01-31 14:30'` with a time, regardless of their format.
        - Ordered categories are compared by their declared order.
        - A missing value meets no comparison, not even `!=` and `not in`; `is missing` finds it.

    Returns
    -------
    ndarray of bool, shape (n_records,)

    Raises
    ------
    InputError
        The filter cannot be read, names a column that does not exist, or compares a column with a value of
        another kind.
    """
    read = read_filter(table, text)
    return read.where(lambda leaf: _records(table.column(leaf.name), leaf), table.n_records)


def read_filter(table: Table, text: str) -> Filter:
    """Read a filter for the columns of a table without evaluating it."""
    return parse(text, filter_names(table))


def filter_names(table: Table) -> Mapping[str, ValueKind]:
    """Return the column names that a filter may use, with the kind of their values."""
    return {column.name: _HOLDS[column.data_type.kind] for column in table.columns}


def values_like(table: Table, name: str, part: str) -> list[str]:
    """Return some values of a column that contain a text, ignoring case, as a filter writes them."""
    column = table.column(name)
    if column.data_type.kind is Kind.BOOLEAN:
        return [word for word in ("true", "false") if part.casefold() in word]
    labels = column.known_labels
    if column.data_type.kind is Kind.DATE:
        days = dict.fromkeys(map(_written_date, column.numbers[: min(len(labels), _MOST_SEEN)].tolist()))
        return list(islice((day for day in days if part in day), _MOST_OFFERED))
    wanted = part.casefold()
    found = (label for label in islice(labels, _MOST_SEEN) if wanted in label.casefold())
    return list(islice(found, _MOST_OFFERED))


def _records(column: Column, leaf: Leaf) -> BoolArray:
    if not isinstance(leaf, Missing):
        refuse_cut(column)
    return np.asarray(labels_where(column, leaf)[column.codes])


def labels_where(column: Column, leaf: Leaf) -> BoolArray:
    """Return which labels of a column meet a condition, shape (n_labels,)."""
    is_missing = np.zeros(len(column.labels), dtype=np.bool_)
    if column.has_missing:
        is_missing[-1] = True
    if isinstance(leaf, Missing):
        return ~is_missing if leaf.negated else is_missing
    if isinstance(leaf, Condition):
        met = _compared(column, leaf.operator, leaf.value)
    else:
        met = _any_of(column, leaf)
    return met & ~is_missing


def _any_of(column: Column, leaf: OneOf) -> BoolArray:
    if column.data_type.kind is Kind.TEXT:
        texts = {value for value in leaf.values if isinstance(value, str)}
        for text in texts:
            _refuse_missing(column, text)
        met = np.fromiter((label in texts for label in column.labels), np.bool_, len(column.labels))
    else:
        met = np.logical_or.reduce([_compared(column, "=", value) for value in leaf.values])
    return np.asarray(~met if leaf.negated else met)


def _compared(column: Column, comparison: str, value: Value) -> BoolArray:
    if isinstance(value, Decimal):
        return _compared_numbers(column, comparison, value)
    _refuse_missing(column, value)
    match column.data_type.kind:
        case Kind.DATE:
            return _compared_reals(column.numbers, comparison, _ordinal(column, value))
        case Kind.BOOLEAN:
            return _compared_reals(column.numbers, comparison, _truth(column, value))
        case Kind.ORDERED:
            return _compared_reals(_places(column), comparison, _place(column, value))
    is_equal = np.fromiter((label == value for label in column.labels), np.bool_, len(column.labels))
    return is_equal if comparison == "=" else ~is_equal


def _compared_reals(values: FloatArray, comparison: str, value: float) -> BoolArray:
    return np.asarray(OPERATORS[comparison](values, value))


def _compared_numbers(column: Column, comparison: str, value: Decimal) -> BoolArray:
    """Compare numbers exactly: rounding to float64 keeps their order, so only ties need their digits."""
    if comparison in ("=", "!=") and column.missing_label is not None:
        token = exact_number(column.missing_label, column.data_type)
        if token == value:
            _refuse_missing(column, column.missing_label)
    rounded = float(value)
    met = _compared_reals(column.numbers, comparison, rounded)
    for label in np.flatnonzero(column.numbers == rounded).tolist():
        exact = exact_number(column.labels[label], column.data_type)
        assert exact is not None  # the label was read as a number of this type
        met[label] = _EXACT[comparison](exact, value)
    return met


def _ordinal(column: Column, text: str) -> float:
    for date_format in _DATES:
        numbers, parses = measure([text], DataType(Kind.DATE, date_format))
        if parses[0]:
            return float(numbers[0])
    raise InputError(
        _("'{text}' is not a date that column '{name}' can be compared with.").format(
            text=text, name=column.name
        ),
        hint=_("Write dates as year-month-day, such as '2024-01-31'."),
        column=column.name,
    )


def _written_date(number: float) -> str:
    """Return a date as a filter writes it, with the time if it has one."""
    day = datetime.fromordinal(int(number))
    moment = day + timedelta(seconds=round((number - int(number)) * 86_400))
    if moment == day:
        return day.strftime("%Y-%m-%d")
    return moment.strftime("%Y-%m-%d %H:%M:%S" if moment.second else "%Y-%m-%d %H:%M")


def _truth(column: Column, text: str) -> float:
    numbers, parses = measure([text], DataType(Kind.BOOLEAN))
    if not parses[0]:
        raise InputError(
            _("Column '{name}' is true or false, not '{text}'.").format(name=column.name, text=text),
            hint=_("Write {name} = 'true' or {name} = 'false'.").format(name=quoted_name(column.name)),
            column=column.name,
        )
    return float(numbers[0])


def _places(column: Column) -> FloatArray:
    """Return the position of each label in the declared order; nan for missing."""
    place = {value: float(i) for i, value in enumerate(column.data_type.values)}
    places = [place[label] for label in column.known_labels]
    return np.array([*places, np.nan] if column.has_missing else places, dtype=np.float64)


def _place(column: Column, text: str) -> float:
    if text not in column.data_type.values:
        raise InputError(
            _("'{text}' is not a category of column '{name}'.").format(text=text, name=column.name),
            hint=nearest(text, column.data_type.values),
            column=column.name,
        )
    return float(column.data_type.values.index(text))


def _refuse_missing(column: Column, text: str) -> None:
    if text == column.missing_label:
        raise InputError(
            _("'{text}' means missing in column '{name}'.").format(text=text, name=column.name),
            hint=_("No comparison matches a missing value. Use: {name} is missing").format(
                name=quoted_name(column.name)
            ),
            column=column.name,
        )
