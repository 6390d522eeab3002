"""Columns whose equal values are one label, however a file writes them: 1 and 1.0, TRUE and true."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from engine.kernels.arrays import BoolArray
from engine.table.table import Column, Table
from engine.table.values import exact_number


def by_value(table: Table, names: Iterable[str]) -> Table:
    """Return the table with equal values of some columns joined under the label that comes first.

    A table is released only where its sensitive columns write a value in one way (see `ways_of_one`). Of a
    table somebody else made, two ways to write a number would count as two sensitive values, and make its
    classes look more diverse than they are.
    """
    for name in names:
        column = table.column(name)
        is_new = _begins(column)
        if not is_new.all():
            recode = (np.cumsum(is_new) - 1).astype(np.int32)
            labels = tuple(label for label, new in zip(column.labels, is_new.tolist(), strict=True) if new)
            numbers = column.numbers[is_new]
            table = table.replace_column(
                replace(column, labels=labels, codes=recode[column.codes], numbers=numbers)
            )
    return table


def ways_of_one(column: Column) -> tuple[str, str] | None:
    """Two labels of a column that are one value, such as 1 and 1.0; None where every value has one label."""
    joined = np.flatnonzero(~_begins(column))
    if not len(joined):
        return None
    place = int(joined[0])
    return column.labels[place - 1], column.labels[place]


def _begins(column: Column) -> BoolArray:
    """Which labels differ in value from the one before; equal ones are neighbours."""
    is_new = np.ones(len(column.labels), dtype=np.bool_)
    # Nothing equals nan, which texts and the missing value have as their number.
    is_new[1:] = column.numbers[1:] != column.numbers[:-1]
    if column.data_type.is_numeric:
        for i in np.flatnonzero(~is_new).tolist():  # alike as floats, but perhaps not to the last digit
            here, before = (exact_number(column.labels[j], column.data_type) for j in (i, i - 1))
            is_new[i] = here != before
    return is_new
