"""Plan of a release: conversion of columns of a table, and its records piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from engine.kernels.arrays import BoolArray, Codes, IntArray
from engine.monitor import Monitor
from engine.numbers import as_exact_count
from engine.records.table import Column, Table
from engine.records.types import DataType, Role, ValueCoding
from engine.words import _


@dataclass(frozen=True, eq=False)
class PlannedColumn:
    """A column of a release.

    Attributes
    ----------
    name : str
        Of the table's column too.
    labels : tuple of str
        The distinct texts that are written.
    code_of : ndarray of int32, shape (n_labels,)
        Index into `labels` for each label of the table's column.
    hidden : int
        Index into `labels` of the label of a suppressed record; -1 if it is written like the others.
    passed : callable or None
        For a column with more values than are listed: takes some of its cells, as texts in memory, and
        returns their written texts. `labels` is then only the label of a suppressed record, or empty.
    by_record : callable or None
        For a column whose rule reads the record or its person too: takes the table with its codes and some
        record numbers, and returns their written texts. `labels` is as for `passed`.
    """

    name: str
    role: Role
    labels: tuple[str, ...]
    code_of: Codes
    hidden: int = -1
    passed: Callable[[Column], list[str]] | None = None
    by_record: Callable[[Table, slice | IntArray], list[str]] | None = None

    @property
    def is_coded(self) -> bool:
        """Return whether the value alone determines the written text, by `code_of`."""
        return self.passed is None and self.by_record is None


@dataclass(frozen=True, eq=False)
class PlannedSuppression:
    """Suppressed records, by their combination of some columns.

    Attributes
    ----------
    columns : tuple of str
        Names in the table.
    code_of : tuple of ndarray of int32
        Per column the code by which records are compared, for each label of the table's column.
    spans : tuple of int
        One more than the largest of these codes, per column.
    listed : tuple of ndarray of int32, each of shape (n_listed,)
        Per column the codes of the combinations that are kept, or of those that are suppressed: whichever are
        fewer.
    are_kept : bool
        Which of the two.
    """

    columns: tuple[str, ...]
    code_of: tuple[Codes, ...]
    spans: tuple[int, ...]
    listed: tuple[Codes, ...]
    are_kept: bool


@dataclass(frozen=True, eq=False)
class ReleasePlan:
    """Conversion of records to those of a release: data only, from the release of the distinct tuples.

    Attributes
    ----------
    columns : tuple of PlannedColumn
        In the order in which they are written; dropped ones are left out.
    suppressed : PlannedSuppression or None
        None if no record is.
    removes : bool
        Whether suppressed records are left out.
    person : str or None
        Column whose values are persons, if one has several records.
    by_rule : tuple of str
        Columns that a rule changes.
    """

    columns: tuple[PlannedColumn, ...]
    suppressed: PlannedSuppression | None = None
    removes: bool = False
    person: str | None = None
    by_rule: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Blocks:
    """Records of one column, made when a piece of them is asked for.

    Attributes
    ----------
    read : callable
        Takes the first record and the one after the last, and returns an array of their codes; or a list of
        their texts, as of a column with too many values to be listed.
    """

    n_records: int
    read: Callable[[int, int], Codes | list[str]]

    def __len__(self) -> int:
        return self.n_records

    def __getitem__(self, piece: slice) -> Codes | list[str]:
        start, stop, _step = piece.indices(self.n_records)
        return self.read(start, stop)

    def part(self, first: int, n_records: int) -> Blocks:
        """Return some of the records as a column of its own."""
        return Blocks(n_records, lambda start, stop: self.read(first + start, first + stop))

    def each(self, change: Callable[[str], str]) -> Blocks:
        """Return the column with every text changed that is not listed."""

        def read(start: int, stop: int) -> Codes | list[str]:
            found = self.read(start, stop)
            return [change(text) for text in found] if isinstance(found, list) else found

        return Blocks(self.n_records, read)


# Takes the first record and the one after the last; returns the codes, or texts, of every column.
Read = Callable[[int, int], Sequence[Codes | list[str]]]


def blocks_of(
    labels: Sequence[Sequence[str]], n_records: int, read: Read
) -> list[tuple[Sequence[str], Blocks]]:
    """Return columns that are read together, given the distinct texts of each.

    The last piece of all columns is kept while a writer asks for one column after the other.
    """
    piece: tuple[int, int] | None = None
    columns: Sequence[Codes | list[str]] = ()

    def column(place: int, start: int, stop: int) -> Codes | list[str]:
        nonlocal piece, columns
        if piece != (start, stop):
            columns, piece = read(start, stop), (start, stop)
        return columns[place]

    return [(own, Blocks(n_records, partial(column, place))) for place, own in enumerate(labels)]


def pieces_to_write(n_records: int, at_once: int, monitor: Monitor) -> Iterator[slice]:
    """Yield the records piece by piece, and report how many are written."""
    for start in range(0, n_records, at_once):
        words = _("Wrote {n} of {total} records")
        text = words.format(n=as_exact_count(start), total=as_exact_count(n_records))
        monitor.step(start, n_records, text)
        yield slice(start, start + at_once)
    monitor.step(n_records, n_records, _("Wrote {n} records").format(n=as_exact_count(n_records)))


# Distinct texts of a column, and the code of every record, or its records in blocks.
CodedTexts = tuple[Sequence[str], Codes | Blocks]


@dataclass(frozen=True)
class WrittenColumn:
    """A written column.

    Attributes
    ----------
    data_type : DataType
        Of the column of the table; a generalized column has other texts.
    missing : str
        The text that stands for no value.
    coding : ValueCoding, optional
        Labels of the column of the table.
    """

    name: str
    data_type: DataType
    missing: str
    coding: ValueCoding | None = None


def occurring(texts: Sequence[str], codes: Codes) -> BoolArray:
    """Return which of the distinct texts a record has."""
    occurs: BoolArray = np.zeros(len(texts), dtype=np.bool_)
    occurs[codes] = True
    return occurs
