"""Common parts of Datafly in python-anonymity and anjana: tables changed as pandas does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anonymizer_compat.pycanon.classes import as_it_is, column_of, labels_of
from engine.errors import InputError
from engine.findings.given_table import STAR
from engine.kernels.arrays import BoolArray
from engine.records import Column, DataType, Kind, Table
from engine.records.values import make_column


@dataclass(frozen=True, eq=False)
class GreedyRun:
    """Result of a library's Data-fly.

    Attributes
    ----------
    table : Table or None
        None where the library returns a table without records.
    levels : dict of str to int
        Level of each quasi-identifying column that has a known one.
    n_operations : int
        Generalizations tried; raising a column beyond its top is one that changes nothing.
    n_suppressed : int
        Records.
    reaches_k : bool
        Whether every class has k records.
    """

    table: Table | None
    levels: dict[str, int]
    n_operations: int
    n_suppressed: int
    reaches_k: bool


def n_distinct(column: Column) -> int:
    """Distinct values as numpy counts them, missing being one of them."""
    found = column_of(column)
    return found.n_values + found.has_missing


def starred(table: Table, names: Iterable[str]) -> Table:
    """Return the table with a star in every cell of some columns."""
    for name in names:
        table = table.replace_column(relabelled(table.column(name), [STAR] * len(table.column(name).labels)))
    return table


def relabelled(column: Column, texts: Sequence[str]) -> Column:
    """Return the column with another text for each of its labels; a label that stays missing is missing."""
    distinct = list(dict.fromkeys(texts))
    place = {text: code for code, text in enumerate(distinct)}
    codes = np.array([place[text] for text in texts], dtype=np.int32)[column.codes]
    return make_column(column.name, distinct, codes, DataType(), column.missing_label)


def in_small_classes(table: Table, quasi_identifying: Sequence[str], k: int) -> tuple[BoolArray, int]:
    """Mark the records of classes below k, and return the size of the largest class."""
    records, labels, sizes = labels_of(as_it_is(table, quasi_identifying))
    is_small = np.zeros(table.n_records, dtype=np.bool_)
    is_small[records] = sizes[labels] < k
    return is_small, int(sizes.max())


def without(table: Table, dropped: BoolArray, library: str) -> Table:
    """Return the table without some records, with the column of old row numbers that pandas adds.

    Raises
    ------
    InputError
        If both names are taken that pandas has for such a column.
    """
    names = [name for name in ("index", "level_0") if name not in table.names]
    if not names:
        raise InputError(
            f"{library} ends with ValueError: it renumbers the rows after suppression, and the columns "
            "'index' and 'level_0' already exist.",
            hint="Rename these columns.",
        )
    rows = np.flatnonzero(~dropped)
    numbers = make_column(
        names[0],
        [str(row) for row in rows.tolist()],
        np.arange(len(rows), dtype=np.int32),
        DataType(Kind.INTEGER),
    )
    return replace(table, columns=(numbers, *table.take(rows).columns))
