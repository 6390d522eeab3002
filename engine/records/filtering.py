"""Records of a table selected by a filter: each distinct value is tested once, by its column's type."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import islice

import numpy as np

from engine.errors import InputError, nearest
from engine.filters import Condition, Filter, Leaf, Missing, OneOf, ValueKind, parse
from engine.filters.conditions import OPERATORS, Value, quoted_name
from engine.kernels.arrays import BoolArray, Codes, FloatArray, IntArray
from engine.monitor import SILENT, Monitor
from engine.records.stored import refuse_cut
from engine.records.table import Column, Table
from engine.records.types import DataType, Kind
from engine.records.values import exact_number, measure
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


def records_where(table: Table, text: str) -> BoolArray:
    """Return which records of a table pass a filter.

    Parameters
    ----------
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
        met[label] = OPERATORS[comparison](exact, value)
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


_BLOCK = 1 << 20  # records per step
_BITS = 16  # bits that NumPy sorts by counting, ten times faster than by comparing


def order_of(
    table: Table,
    filter_text: str = "",
    sorted_by: tuple[str, bool] | None = None,
    monitor: Monitor = SILENT,
) -> Codes | None:
    """Return the numbers of the records that pass a filter, in order.

    Parameters
    ----------
    filter_text : str
        A filter as for `records_where`; with an empty text every record passes.
    sorted_by : tuple of str and bool, optional
        A column, and whether it is sorted in descending order. Values are ordered by the type of the column;
        missing values come last either way, and records of equal value keep the table's order.

    Returns
    -------
    ndarray of int32, shape (n_shown,), or None
        None means every record in the table's own order, which needs no memory.

    Raises
    ------
    InputError
        The filter cannot be read, or does not fit the table.
    TableError
        The column to sort by does not exist.
    """
    chosen: Codes | None = None
    if read_filter(table, filter_text).expression is not None:
        monitor.step(0, 2, _("Filtering"))
        chosen = _record_numbers(records_where(table, filter_text))
    if sorted_by is None:
        return chosen
    name, falls = sorted_by
    column = table.column(name)
    refuse_cut(column)
    return _sorted(column, chosen, falls, monitor)


def _record_numbers(passes: BoolArray) -> Codes:
    """Return the numbers of the records that pass, as small integers, made block by block."""
    starts = range(0, len(passes), _BLOCK)
    parts = [(start + np.flatnonzero(passes[start : start + _BLOCK])).astype(np.int32) for start in starts]
    return np.concatenate([np.zeros(0, dtype=np.int32), *parts])


def _sorted(column: Column, chosen: Codes | None, falls: bool, monitor: Monitor) -> Codes:
    """Sort records by counting their codes, block by block, so that codes in files are not read at once."""
    n_labels = len(column.labels)
    place = np.arange(n_labels, dtype=np.int32)
    if falls:
        n_known = n_labels - column.has_missing
        place[:n_known] = place[:n_known][::-1].copy()
    n_shown = len(column.codes) if chosen is None else len(chosen)

    def block(start: int) -> tuple[Codes, Codes]:
        stop = min(start + _BLOCK, n_shown)
        records = np.arange(start, stop, dtype=np.int32) if chosen is None else chosen[start:stop]
        codes = column.codes[start:stop] if chosen is None else column.codes[records]
        return records, place[codes]

    counts = np.zeros(n_labels, dtype=np.int64)
    if chosen is None:
        counts[place] = column.counts
    else:
        for start in range(0, n_shown, _BLOCK):
            monitor.step(start, 3 * n_shown, _("Sorting"))
            counts += np.bincount(block(start)[1], minlength=n_labels)
    order = np.empty(n_shown, dtype=np.int32)
    following = np.cumsum(counts) - counts  # where the next record of each label belongs
    for start in range(0, n_shown, _BLOCK):
        monitor.step(n_shown + 2 * start, 3 * n_shown, _("Sorting"))
        records, codes = block(start)
        own = _stable(codes, n_labels)
        ranked = codes[own]
        starts = np.flatnonzero(np.concatenate(([True], ranked[1:] != ranked[:-1])))
        lengths = np.diff(np.append(starts, len(ranked)))
        labels = ranked[starts]
        order[np.repeat(following[labels] - starts, lengths) + np.arange(len(ranked))] = records[own]
        following[labels] += lengths
    monitor.step(1, 1, _("Sorting"))
    return order


def _stable(codes: Codes, n_labels: int) -> IntArray:
    """Return the stable order of codes: one digit of 16 bits after the other, the lower one first."""
    order = np.argsort((codes & 0xFFFF).astype(np.uint16), kind="stable")
    if n_labels > 1 << _BITS:
        order = order[np.argsort((codes >> _BITS).astype(np.uint16)[order], kind="stable")]
    return order
