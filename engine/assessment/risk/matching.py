"""Which texts of two columns are one value, however each table writes it: 1 and 1.0, TRUE and true."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.kernels.arrays import IntArray
from engine.table import Column, DataType, Kind
from engine.table.values import decimal_mark, exact_number, measure, number_type, thousands_mark


@dataclass(frozen=True)
class Written:
    """Distinct texts and how they are read.

    Attributes
    ----------
    labels : sequence of str
    data_type : DataType
    missing : str or None
        The text that stands for missing.
    """

    labels: Sequence[str]
    data_type: DataType
    missing: str | None = None

    @classmethod
    def of(cls, column: Column) -> Written:
        """The texts of a column."""
        return cls(column.labels, column.data_type, column.missing_label)


def codes_by_value(own: Written, theirs: Written) -> IntArray:
    """For each text the place of the first one elsewhere that is the same value.

    Whatever stands for missing is the same. Texts are read as numbers where the other column holds numbers.

    Returns
    -------
    ndarray of int64, shape (n_labels of theirs,)
        The number of labels of `own` where none is the same.
    """
    found = next((w.data_type for w in (own, theirs) if w.data_type.is_numeric), None)
    numeric = found and number_type(Kind.DECIMAL, decimal_mark(found), thousands_mark(found))
    kind = own.data_type.kind
    is_measured = kind is theirs.data_type.kind and kind in (Kind.DATE, Kind.BOOLEAN)
    place: dict[Hashable, int] = {}
    for code, key in enumerate(_keys(own, numeric, is_measured=is_measured)):
        place.setdefault(key, code)
    keys = _keys(theirs, numeric, is_measured=is_measured)
    return np.array([place.get(key, len(own.labels)) for key in keys], dtype=np.int64)


def _keys(written: Written, numeric: DataType | None, *, is_measured: bool) -> list[Hashable]:
    """What is equal where texts are one value."""
    if is_measured:
        numbers, is_known = measure(written.labels, written.data_type)
        texts: list[Hashable] = [
            number if known else label
            for label, number, known in zip(written.labels, numbers.tolist(), is_known.tolist(), strict=True)
        ]
    else:
        read = written.data_type if written.data_type.is_numeric else numeric
        exact = [None if read is None else exact_number(label, read) for label in written.labels]
        texts = [
            label if number is None else number for label, number in zip(written.labels, exact, strict=True)
        ]
    return [
        None if label == written.missing else key for label, key in zip(written.labels, texts, strict=True)
    ]
