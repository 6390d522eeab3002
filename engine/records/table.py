"""A table as integer-coded columns: every distinct text once, and a code per row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np

from engine.cached import cached_property
from engine.errors import TableError, nearest
from engine.kernels.arrays import BoolArray, Codes, Counts, FloatArray, IntArray
from engine.kernels.grouping import records_by_code
from engine.notebook import Brief, Facts, listed
from engine.records.types import DataType, ValueCoding
from engine.words import _

_Kind = TypeVar("_Kind", bound="Column")
MOST_READ = 1_000_000  # records from elsewhere that an analysis of single records reads into memory


class Home(Protocol):
    """Place of the records of a table that does not fit into memory: files, a server or a cluster."""

    @property
    def kind(self) -> str:
        """Name of it in `ReadOptions.source`, such as "server"."""

    @property
    def place(self) -> str:
        """Place of the records, in a few words for headings, such as "on a server"."""

    @property
    def spilled_bytes(self) -> int:
        """Bytes that were written to temporary files of this machine so far."""


@dataclass(frozen=True, eq=False)
class Column(Brief):
    """A column; its texts are exactly as read.

    Attributes
    ----------
    labels : tuple of str
        The distinct texts that occur, in the order of the data type (numbers by value, dates by time,
        ordered categories as declared, text alphabetically). The missing value, if any, is last.
    codes : ndarray of int32, shape (n_rows,)
        Index into `labels` per row.
    has_missing : bool
        Whether the last label means missing.
    numbers : ndarray of float64, shape (n_labels,)
        The value of each label if the type is numeric, a date (ordinal days) or boolean; otherwise nan.
        Missing is nan.
    records : ndarray of int64, shape (n_rows,), or None
        Records of every row of a counted table, whose rows are distinct tuples; None if each row is a
        record.
    coding : ValueCoding, optional
        Labels that a file of a statistical program has.
    """

    name: str
    data_type: DataType
    labels: tuple[str, ...]
    codes: Codes
    has_missing: bool
    numbers: FloatArray
    records: Counts | None = None
    coding: ValueCoding | None = None

    def _facts(self) -> Facts:
        facts = [("", self.name), ("", self.data_type.kind.value), ("rows", str(self.n_rows))]
        return [*facts, ("distinct values", str(len(self.labels)))]

    @cached_property
    def counts(self) -> Counts:
        """Records per label, shape (n_labels,)."""
        return records_by_code(self.codes, len(self.labels), self.records)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def home(self) -> Home | None:
        """Place of the records; None if they are in memory."""
        return None

    @property
    def cells(self) -> Codes | None:
        """The codes; None if those are not on this machine."""
        return self.codes

    @property
    def listed_labels(self) -> tuple[str, ...] | None:
        """The labels; None if the column has more different values than are listed."""
        return self.labels

    @property
    def n_values(self) -> int | None:
        """Number of different values without the missing one; None if they are too many to be listed."""
        return None if self.listed_labels is None else len(self.known_labels)

    @property
    def missing_label(self) -> str | None:
        """The text for missing, if any record has it."""
        return self.labels[-1] if self.has_missing else None

    @property
    def known_labels(self) -> tuple[str, ...]:
        """The labels without the missing one."""
        return self.labels[:-1] if self.has_missing else self.labels

    def text(self, record: int) -> str:
        """Return the text of one record."""
        return self.labels[int(self.codes[record])]

    def placed(self, kind: type[_Kind], codes: Codes, **more: Any) -> _Kind:
        """Return a column of another kind with these labels, given its codes and the fields of that kind."""
        own = (self.name, self.data_type, self.labels, codes, self.has_missing, self.numbers)
        return kind(*own, **more)

    def with_codes(self, codes: Codes, records: Counts | None = None) -> Column:
        """Return a column in memory with these labels, given the codes of its rows and their records."""
        return self.placed(Column, codes, records=records, coding=self.coding)

    def take(self, records: IntArray | BoolArray) -> Column:
        """Return the column of some records, by number or mask; labels no longer used are dropped."""
        codes = self.codes[records]
        occurs = np.zeros(len(self.labels), dtype=np.bool_)
        occurs[codes] = True
        recode = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
        return replace(
            self,
            labels=tuple(label for label, used in zip(self.labels, occurs.tolist(), strict=True) if used),
            codes=recode[codes],
            has_missing=self.has_missing and bool(occurs[-1]),
            numbers=self.numbers[occurs],
            records=None if self.records is None else self.records[records],
        )


@dataclass(frozen=True, eq=False)
class Table(Brief):
    """Columns of equal length, by name.

    A row is a record, or in a counted table a distinct tuple of several equal records.

    Attributes
    ----------
    is_typed : bool
        Whether it was read from cells with types, so that columns of numbers and dates hold no texts.
    """

    columns: tuple[Column, ...]
    is_typed: bool = False

    def _facts(self) -> Facts:
        return [("rows", str(self.n_rows)), ("columns", listed(self.names))]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.columns[0].n_rows if self.columns else 0

    @property
    def counts(self) -> Counts | None:
        """Records of every row, shape (n_rows,); None if each row is a record."""
        return self.columns[0].records if self.columns else None

    @property
    def home(self) -> Home | None:
        """Place of the records that do not fit into memory; None if they are in memory."""
        return next((column.home for column in self.columns if column.home is not None), None)

    def holds(self, n_records: int) -> bool:
        """Return whether that many of its records may be in memory: any number if they are."""
        return self.home is None or n_records <= MOST_READ

    @property
    def listed(self) -> tuple[Column, ...]:
        """The columns whose different values are all listed."""
        return tuple(column for column in self.columns if column.listed_labels is not None)

    @cached_property
    def n_records(self) -> int:
        """Number of records."""
        return self.n_rows if self.counts is None else int(self.counts.sum())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Column names in order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in reversed(self.columns)}  # the first of a name

    def column(self, name: str) -> Column:
        """Return a column; an unknown name raises `TableError` with the nearest known one."""
        try:
            return self._by_name[name]
        except KeyError:
            raise TableError(
                _("The table has no column '{name}'.").format(name=name),
                hint=nearest(name, self.names),
                column=name,
            ) from None

    def replace_column(self, column: Column) -> Table:
        """Return the table with the column of the same name replaced."""
        return Table(tuple(column if old.name == column.name else old for old in self.columns))

    def take(self, records: IntArray | BoolArray) -> Table:
        """Return the table of some records, by number or mask, in the given order."""
        return Table(tuple(column.take(records) for column in self.columns))

    def record(self, index: int, names: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return the texts of one record in the named columns (default: all)."""
        chosen = self.columns if names is None else [self.column(name) for name in names]
        return tuple(column.text(index) for column in chosen)
