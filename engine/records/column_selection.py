"""Selected columns of a table for analyses of value combinations: equal values are joined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engine.errors import InputError
from engine.kernels.arrays import BoolArray
from engine.records.stored import ListedColumn
from engine.records.table import Column, Table
from engine.records.values import exact_number
from engine.words import _


def names_of(columns: Any) -> tuple[str, ...]:
    """Return the names of columns, given as one or as a list.

    Raises
    ------
    InputError
        One of them is not a text.
    """
    names = listed(columns)
    for name in names:
        if not isinstance(name, str):
            raise InputError(
                _("{value} is not the name of a column.").format(value=shown(name)),
                hint=_("Give names of columns, for example ['age', 'sex']."),
            )
    return tuple(names)


def listed(given: Any) -> list[Any]:
    """Return the entries of a list, or a single value as its only entry."""
    return [given] if isinstance(given, str | Mapping) or not isinstance(given, Iterable) else list(given)


def shown(value: Any) -> str:
    """Return a value of a call as messages have it: a number, or the name of a class or of its type."""
    named = value if hasattr(value, "__name__") else type(value)
    return repr(value) if isinstance(value, int | float) else str(named.__name__)


def chosen_columns(table: Table, names: Sequence[str] | str | None) -> list[Column]:
    """Return the selected columns, with equal values joined under one label.

    Parameters
    ----------
    names : sequence of str, or str, or None
        None for all columns; a text is a single name.

    Raises
    ------
    TableError
        A column does not exist.
    InputError
        No column is named, or one is named twice.
    """
    names = table.names if names is None else names_of(names)
    if not names:
        raise InputError(
            _("No columns given."),
            hint=_("Name at least one column, or omit the columns to use all of them."),
        )
    for place, name in enumerate(names):
        if name in names[:place]:
            raise InputError(
                _("Column '{name}' is named twice.").format(name=name),
                hint=_("Name each column once."),
                column=name,
            )
        table.column(name)
    table = by_value(table, names)
    return [table.column(name) for name in names]


def without_missing(columns: list[Column]) -> list[Column]:
    """Return the columns of the records that have no missing cell in any of them."""
    is_whole = np.ones(len(columns[0].codes), dtype=np.bool_)
    for column in columns:
        if column.has_missing:
            is_whole &= column.codes != len(column.labels) - 1
    return columns if is_whole.all() else [column.take(is_whole) for column in columns]


def refuse_none_left(table: Table, columns: Sequence[Column]) -> None:
    """Raise `InputError` with the reason if no record is left."""
    if not len(columns[0].codes):
        raise InputError(
            _("No records left.") if table.n_records else _("The table has no records."),
            hint=_("Every record has a missing cell in these columns. Choose fewer columns.")
            if table.n_records
            else "",
        )


def by_value(table: Table, names: Iterable[str]) -> Table:
    """Return the table with equal values of some columns joined under the label that comes first.

    A table is released only if its sensitive columns write each value in one way (see `ways_of_one`). In a
    table made elsewhere, two ways to write a number would count as two sensitive values and make its classes
    look more diverse than they are.
    """
    for name in names:
        column = table.column(name)
        is_new = _begins(column)
        if not is_new.all():
            recode = (np.cumsum(is_new) - 1).astype(np.int32)
            labels = tuple(label for label, new in zip(column.labels, is_new.tolist(), strict=True) if new)
            numbers = column.numbers[is_new]
            own = column.of_labels() if isinstance(column, ListedColumn) else column
            joined = replace(own, labels=labels, codes=recode[own.codes], numbers=numbers)
            table = table.replace_column(column.like(joined) if isinstance(column, ListedColumn) else joined)
    return table


def ways_of_one(column: Column) -> tuple[str, str] | None:
    """Return two labels of a column that are one value, such as 1 and 1.0, or None if all values differ."""
    joined = np.flatnonzero(~_begins(column))
    if not len(joined):
        return None
    place = int(joined[0])
    return column.labels[place - 1], column.labels[place]


def _begins(column: Column) -> BoolArray:
    """Return which labels differ in value from the one before; equal ones are neighbours."""
    is_new = np.ones(len(column.labels), dtype=np.bool_)
    # Texts and the missing value have nan as their number, which equals nothing.
    is_new[1:] = column.numbers[1:] != column.numbers[:-1]
    if column.data_type.is_numeric:
        for i in np.flatnonzero(~is_new).tolist():  # equal as floats, but perhaps not to the last digit
            here, before = (exact_number(column.labels[j], column.data_type) for j in (i, i - 1))
            is_new[i] = here != before
    return is_new
