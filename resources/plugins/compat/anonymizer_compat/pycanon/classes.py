"""A table as pandas reads it, and its classes as pyCANON finds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NoReturn
from weakref import WeakKeyDictionary

import numpy as np

from engine.cached import cached_property
from engine.errors import InputError
from engine.findings.given_table import GivenTable
from engine.frequency.measured import pairs_of
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.kernels.distances import Pairs
from engine.kernels.grouping import class_labels
from engine.records import Column, Kind, Table
from engine.records.column_selection import by_value


@dataclass(frozen=True, eq=False)
class PandasColumn:
    """A column by its distinct values in pandas' order; missing, if any, comes last.

    Numbers are one value however they are written (1 and 1.0), so are truth values (TRUE and true). A
    column without any value is one of numbers. Everything else is text, dates as well.

    Attributes
    ----------
    codes : ndarray of int64, shape (n_records,)
    n_values : int
        Distinct values, missing left out; it is the code of missing.
    numbers : ndarray of float64, shape (n_values,), or None
        The values if they are numbers or truth values.
    is_truth, is_whole : bool
        Whether they are truth values; whether they are whole numbers.
    texts : tuple of str, shape (n_values,)
        A text of each value.
    """

    name: str
    codes: IntArray
    n_values: int
    numbers: FloatArray | None
    is_truth: bool
    is_whole: bool
    texts: tuple[str, ...]

    @cached_property
    def counts(self) -> Counts:
        """Records per value, missing left out, shape (n_values,)."""
        return np.bincount(self.codes, minlength=self.n_values + 1)[: self.n_values].astype(np.int64)

    @cached_property
    def is_missing(self) -> BoolArray:
        """Records without a value, shape (n_records,)."""
        return np.asarray(self.codes == self.n_values)

    @property
    def has_missing(self) -> bool:
        """Return whether any record has no value."""
        return bool(self.is_missing.any())

    @property
    def is_number(self) -> bool:
        """Return whether pandas takes the column for numbers; truth values count as such."""
        return self.numbers is not None


@dataclass(frozen=True, eq=False)
class Classes:
    """Classes in pandas' order, with the values of one sensitive column in them.

    Attributes
    ----------
    sizes : ndarray of int64, shape (n_classes,)
    pairs : Pairs
        Distinct (class, value) pairs; missing is a value here.
    n_records : int
        Records of the table, those in no class included.
    """

    column: PandasColumn
    sizes: Counts
    pairs: Pairs
    n_records: int

    @property
    def has_value(self) -> BoolArray:
        """Return whether the value of a pair is not missing, shape (n_pairs,)."""
        return self.pairs.values < self.column.n_values

    @cached_property
    def found(self) -> Counts:
        """Records of a pair that pyCANON finds: a missing value equals nothing, so none of it."""
        return np.where(self.has_value, self.pairs.counts, 0)

    @cached_property
    def table_shares(self) -> FloatArray:
        """Share of each value in the whole table, shape (n_values,)."""
        return np.asarray(self.column.counts / self.n_records)


# Nine models look at the same classes; a table that is gone takes its own along.
_CLASSES: WeakKeyDictionary[GivenTable, dict[str, Classes]] = WeakKeyDictionary()


def column_of(column: Column) -> PandasColumn:
    """Return a column as pandas would have it."""
    present = column.known_labels
    kind, n_labels = column.data_type.kind, len(present)
    is_whole = kind is Kind.INTEGER and not column.has_missing  # else they are decimals to pandas
    numbers: FloatArray | None = None
    if kind in (Kind.INTEGER, Kind.DECIMAL, Kind.BOOLEAN) or not n_labels:
        # Labels are in the order of their values, so that equal ones are neighbours.
        measured = column.numbers[:n_labels]
        is_new = np.append(True, np.diff(measured) != 0)[:n_labels]
        if is_whole and n_labels and np.abs(measured).max() >= 2.0**53:
            whole = [int(text) for text in present]
            is_new = np.array([i == 0 or whole[i] != whole[i - 1] for i in range(n_labels)])
        recode, numbers = np.cumsum(is_new) - 1, measured[is_new]
        texts = tuple(text for text, new in zip(present, is_new.tolist(), strict=True) if new)
    else:
        texts = tuple(sorted(present))
        place = {text: code for code, text in enumerate(texts)}
        recode = np.array([place[text] for text in present], dtype=np.int64)
    recode = np.append(recode, len(texts)).astype(np.int64)
    return PandasColumn(
        column.name, recode[column.codes], len(texts), numbers, kind is Kind.BOOLEAN, is_whole, texts
    )


def sorted_column(column: Column) -> PandasColumn:
    """Return a column whose values pyCANON sorts; refused if it depends on the order of records."""
    if column.data_type.kind is Kind.BOOLEAN and column.has_missing:
        refuse_order(f"column '{column.name}' contains truth values and missing ones")
    return column_of(column)


def class_sizes(given: GivenTable) -> Counts:
    """Records per class of the quasi-identifying columns; refused if there is no class."""
    return _found(given, labels_of(given)[2])


def classes_of(given: GivenTable, sensitive: str) -> Classes:
    """The classes in which a sensitive column is looked at (`gen` is the opposite of `others_as_qi`)."""
    known = _CLASSES.setdefault(given, {})
    if sensitive not in known:
        known[sensitive] = _classes_of(given, sensitive)
    return known[sensitive]


def without_others(given: GivenTable) -> GivenTable:
    """Return the table as the library reads it in functions that do not pass on `gen`."""
    return replace(given, others_as_qi=False) if given.others_as_qi else given


def as_it_is(table: Table, quasi_identifying: Sequence[str], sensitive: Sequence[str] = ()) -> GivenTable:
    """Return a table that a library works on, which knows no blank rows."""
    own = tuple(quasi_identifying), tuple(sensitive)
    return GivenTable(by_value(table, [*own[0], *own[1]]), *own)


def labels_of(given: GivenTable) -> tuple[IntArray, IntArray, Counts]:
    """Records in a class, the class of each, and the classes' sizes; there may be none."""
    return _labels(given, given.quasi_identifying)


def _classes_of(given: GivenTable, sensitive: str) -> Classes:
    records, labels, sizes = _labels(given, given.known_beside(sensitive))
    _found(given, sizes)
    column = sorted_column(given.table.column(sensitive))
    pairs = pairs_of(labels, column.codes[records], None, column.n_values + 1)
    return Classes(column, sizes, pairs, given.n_records)


def _labels(given: GivenTable, names: tuple[str, ...]) -> tuple[IntArray, IntArray, Counts]:
    """As `labels_of`: with one column records without a value are in no class, else they are."""
    columns = [column_of(given.table.column(name)) for name in names]
    records = np.arange(given.n_records)
    if len(columns) == 1:
        records = np.flatnonzero(~columns[0].is_missing)
    codes, spans = [column.codes[records] for column in columns], [c.n_values + 1 for c in columns]
    labels, _, sizes = class_labels(codes, spans)
    return records, labels, sizes


def _found(given: GivenTable, sizes: Counts) -> Counts:
    if not len(sizes):
        name = given.quasi_identifying[0]
        refuse("ValueError", f"it finds no class, since no record has a value of '{name}'")
    return sizes


def refuse(error: str, because: str) -> NoReturn:
    """Raise in place of the exception that pyCANON ends with."""
    raise InputError(
        f"pyCANON computes no value here: it ends with {error}, because {because}.",
        hint="Omit --compat to get the value by the definition.",
        error=error,
    )


def refuse_order(because: str) -> NoReturn:
    """Raise where the figure is another one when the records are in another order."""
    raise InputError(
        f"The value of pyCANON depends on the order of the records here: {because}.",
        hint="Exclude the records without a value, or omit --compat to get the value by the definition.",
    )
