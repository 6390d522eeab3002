"""Which texts of two columns are one value, however each table writes it: 1 and 1.0, TRUE and true."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from engine.kernels.arrays import IntArray
from engine.table import Column, DataType, Kind
from engine.table.values import decimal_mark, exact_number, number_type, thousands_mark


def codes_by_value(own: Column, theirs: Column) -> IntArray:
    """For each label of a column the code of the label of another that is the same value.

    Whatever stands for missing is the same. Texts are numbers where the other column holds numbers.

    Parameters
    ----------
    own : Column
        No two of its labels are one value, as `by_value` has it.
    theirs : Column

    Returns
    -------
    ndarray of int64, shape (n_labels of theirs,)
        The number of labels of `own` where none is the same.
    """
    found = next((c.data_type for c in (own, theirs) if c.data_type.is_numeric), None)
    numeric = found and number_type(Kind.DECIMAL, decimal_mark(found), thousands_mark(found))
    is_by_number = own.data_type.kind is theirs.data_type.kind and own.data_type.kind in (
        Kind.DATE,
        Kind.BOOLEAN,
    )
    place: dict[Hashable, int] = {}
    for code, key in enumerate(_keys(own, numeric, is_by_number=is_by_number)):
        place.setdefault(key, code)
    nothing = len(own.labels)
    keys = _keys(theirs, numeric, is_by_number=is_by_number)
    return np.array([place.get(key, nothing) for key in keys], dtype=np.int64)


def _keys(column: Column, numeric: DataType | None, *, is_by_number: bool) -> list[Hashable]:
    """What is equal where labels are one value."""
    read = column.data_type if column.data_type.is_numeric else numeric
    keys: list[Hashable] = []
    for code, label in enumerate(column.labels):
        number = float(column.numbers[code])
        if column.has_missing and code == len(column.labels) - 1:
            keys.append(None)
        elif is_by_number and number == number:
            keys.append(number)
        else:
            exact = None if read is None else exact_number(label, read)
            keys.append(label if exact is None else exact)
    return keys
