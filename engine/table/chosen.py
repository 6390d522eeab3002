"""Some columns of a table as questions about combinations of values take them: by value, each once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.errors import InputError
from engine.table.by_value import by_value
from engine.table.table import Column, Table


def chosen_columns(table: Table, names: Sequence[str] | str | None) -> list[Column]:
    """Return the columns asked for, equal values joined under one label.

    Parameters
    ----------
    table : Table
    names : sequence of str, or str, or None
        None for all columns; a name alone is a list of one.

    Raises
    ------
    TableError
        A column does not exist.
    InputError
        No column is named, or one is named twice.
    """
    if isinstance(names, str):
        names = (names,)
    if names is None:
        names = table.names
    if not names:
        raise InputError("No column is named.", hint="Name the columns to look at, or none for all.")
    for place, name in enumerate(names):
        if name in names[:place]:
            raise InputError(
                f"The column '{name}' is named twice.", hint="Name each column once.", column=name
            )
        table.column(name)
    table = by_value(table, names)
    return [table.column(name) for name in names]


def without_missing(columns: list[Column]) -> list[Column]:
    """Return the columns of the records that have no missing cell in them."""
    is_whole = np.ones(len(columns[0].codes), dtype=np.bool_)
    for column in columns:
        if column.has_missing:
            is_whole &= column.codes != len(column.labels) - 1
    return columns if is_whole.all() else [column.take(is_whole) for column in columns]


def refuse_none_left(table: Table, columns: Sequence[Column]) -> None:
    """Raise `InputError` where no record is there to look at, saying why."""
    if not len(columns[0].codes):
        raise InputError(
            "No record is left to look at." if table.n_records else "The table has no records.",
            hint="Every record has a missing cell in these columns." if table.n_records else "",
        )
