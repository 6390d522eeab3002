"""Record sources: what is asked of the place where records are, and what a release is, as data for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Codes, Counts, IntArray
from engine.memory import Freed
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.table import Column, DataType, Role, Table
from engine.table.options import ExportOptions, ReadOptions
from engine.table.raw import RawColumn, RawTable
from engine.table.reading import Reading, tabled
from engine.table.remote import CountedTuples, RemoteColumn, Vocabulary, remote_column, vocabulary_of
from engine.words import _

Cells = NDArray[np.integer[Any]]  # mapped codes of all records
_BYTES_OF_TEXT = 40  # about what a text leaves to give back


class Order(StrEnum):
    """In which order a source gives its records."""

    OWN = "own"  # that of its files
    KEY = "key"  # that of a key that is unique and not null
    NONE = "none"  # in no particular one


@dataclass(frozen=True)
class SourceColumn:
    """A column of a source.

    Attributes
    ----------
    name : str
        Its name in the table.
    declared : DataType or None
        What the source itself says of the type; None if the texts decide.
    """

    name: str
    declared: DataType | None = None


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """The different values of one column.

    Attributes
    ----------
    texts : sequence of str
        Different, exactly as written, in any order. Types, missing tokens, trimming and replacements are
        applied to them by `remote_reading`, never by a source.
    counts : ndarray of int64
        Records of each; then of cells without a value, if there are any.
    is_cut : bool
        Whether there are more different values than are listed. Then `texts` is a sentence that says so.
    """

    texts: Sequence[str]
    counts: Counts
    is_cut: bool = False


@dataclass(frozen=True, eq=False)
class PlannedColumn:
    """A column of a release.

    Attributes
    ----------
    name : str
        Of the table's column too.
    role : Role
    labels : tuple of str
        The distinct texts that are written.
    code_of : ndarray of int32, shape (n_labels,)
        Index into `labels` for each label of the table's column.
    hidden : int
        Index into `labels` of what a suppressed record gets; -1 if it is written like the others.
    passed : callable or None
        For a column with more values than are listed: takes some of its cells, as texts in memory, and
        returns what is written for them. `labels` is then only what a suppressed record gets, or empty.
    by_record : callable or None
        For a column whose rule reads the record or its person too: takes the table with its codes and some
        record numbers, and returns what is written for them. `labels` is as for `passed`.
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
        """Whether the value alone determines what is written, by `code_of`."""
        return self.passed is None and self.by_record is None


@dataclass(frozen=True, eq=False)
class PlannedSuppression:
    """Which records are suppressed, by their combination of some columns.

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
    """How records become those of a release: data only, made from the release of the distinct tuples.

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


@dataclass(frozen=True)
class Target:
    """Where and how a source that writes by itself writes a release.

    Attributes
    ----------
    path : Path or str
        A place that the source can reach; it does not exist yet.
    options : ExportOptions
    delimiter : str
    has_header : bool
    """

    path: Path | str
    options: ExportOptions = ExportOptions()
    delimiter: str = ","
    has_header: bool = True


class RecordSource(Protocol):
    """A server or cluster that counts and pages its records; the table itself has no codes."""

    @property
    def name(self) -> str:
        """Name in messages and headings."""

    @property
    def columns(self) -> tuple[SourceColumn, ...]:
        """The columns of the table, in its order."""

    @property
    def order(self) -> Order:
        """In which order it gives its records."""

    @property
    def n_records(self) -> int:
        """Number of records."""

    @property
    def state(self) -> str:
        """What `fingerprint` returned when the source was opened."""

    @property
    def kind(self) -> str:
        """What `ReadOptions.source` calls it, such as "server"."""

    @property
    def spilled_bytes(self) -> int:
        """Bytes that were written to temporary files of this machine so far."""

    @property
    def place(self) -> str:
        """Where the records are, in a few words for headings, such as "on a server"."""

    @property
    def most_shown(self) -> int:
        """How many records, of the table and of what a filter finds, `page` gives; 0 for all."""

    def labels(self, columns: Sequence[str], monitor: Monitor) -> Mapping[str, ValueCounts]:
        """Return the different values of columns."""

    def tuples(self, vocabulary: Mapping[str, Vocabulary], monitor: Monitor) -> CountedTuples:
        """Count the distinct combinations of the columns that have a vocabulary."""

    def page(
        self,
        first: int,
        count: int,
        columns: Sequence[str],
        where: Mapping[str, Sequence[str | None]] | None = None,
        monitor: Monitor = SILENT,
    ) -> list[tuple[str | None, ...]]:
        """Return the texts of some records; of those with one of some texts in each column of `where`."""

    def singled_out(self, columns: Sequence[str], monitor: Monitor) -> int:
        """Return the records that are alone in their combination of columns."""

    def fingerprint(self, monitor: Monitor) -> str:
        """Return a text that differs once the table has changed, as far as is known without reading it."""


@runtime_checkable
class ReachesDesktop(Protocol):
    """A source whose records come to this machine for a release, which the streaming writer then writes."""

    def coded(self, vocabulary: Mapping[str, Vocabulary], monitor: Monitor) -> Mapping[str, Cells]:
        """Return the label of each record, per column, mapped from a private file; in the source's order.

        A column without vocabulary has too many values: its cells are 0, or 1 without a value.
        """


@dataclass(frozen=True, eq=False)
class BothThere:
    """The records and a written release in one more session, to be compared where they are.

    Attributes
    ----------
    original, released : object
        What the library of the source calls a table; columns in the order of the names.
    names, released_names : tuple of str
    send : callable
        Makes such a table from an Arrow table.
    ask : callable
        Does work there, and calls the second argument as the `step` of a monitor until it is done.
    """

    original: Any
    names: tuple[str, ...]
    released: Any
    released_names: tuple[str, ...]
    send: Callable[[Any], Any]
    ask: Callable[[Callable[[], Any], Callable[..., None]], Any]


@runtime_checkable
class WritesItself(Protocol):
    """A source that writes a release where it is."""

    @property
    def is_fetched(self) -> bool:
        """Whether its records may come to this machine; otherwise it counts all that is asked of them."""

    def write(
        self, plan: ReleasePlan, vocabulary: Mapping[str, Vocabulary], target: Target, monitor: Monitor
    ) -> None:
        """Write a release to a place that does not exist yet."""

    def read_back(
        self, target: Target, names: Sequence[str], original: Path, written: Path, monitor: Monitor
    ) -> None:
        """Read the records and a written release in another session, each into a Parquet file here.

        Parameters
        ----------
        target : Target
        names : sequence of str
            Columns of the release, where it has no header.
        original, written : Path
            Files that do not exist yet.
        monitor : Monitor
        """

    def both_there(
        self, target: Target, names: Sequence[str], monitor: Monitor
    ) -> AbstractContextManager[BothThere]:
        """Open the records and a written release in another session, which ends with the context."""

    def count_alone(
        self,
        plan: ReleasePlan,
        vocabulary: Mapping[str, Vocabulary],
        sets: Sequence[Sequence[str]],
        monitor: Monitor,
    ) -> tuple[int, list[tuple[int, int]]]:
        """Count the written records that some written columns single out, for each set of them.

        Returns
        -------
        n_written : int
            All written records; 0 without sets.
        counts : list of (int, int)
            Records that are alone; and those whose equal ones are all of one person, 0 without persons.
        """

    def some_coded(
        self,
        vocabulary: Mapping[str, Vocabulary],
        monitor: Monitor,
        *,
        share: float = 1.0,
        seed: int = 0,
        where: Mapping[str, Sequence[str | None]] | None = None,
    ) -> Mapping[str, Cells]:
        """Return the label of each of some records, per column, in any order.

        Parameters
        ----------
        vocabulary : mapping of str to Vocabulary
        monitor : Monitor
        share : float
            About how many of the records are drawn at random; all of them by default.
        seed : int
            Of that draw.
        where : mapping of str to sequence of str or None, optional
            Only the records with one of some texts in each of these columns.
        """


def source_of(table: Table) -> RecordSource | None:
    """Return the server or cluster that the records of a table stay in; None if they are on this machine."""
    found = next((column.source for column in table.columns if isinstance(column, RemoteColumn)), None)
    return cast(RecordSource | None, found)


def remote_reading(
    source: RecordSource, options: ReadOptions, monitor: Monitor, *, holds_types: bool = True
) -> Reading:
    """Return the table of a source: types, missing tokens and replacements applied to its distinct texts.

    Parameters, errors
        As for `engine.table.reading.tabled`.
    """
    found = dict(source.labels([column.name for column in source.columns], monitor))
    raw = RawTable(source.name, tuple(_raw(column, found[column.name]) for column in source.columns))
    reading = tabled(raw, options, monitor, holds_types=holds_types)
    columns: list[Column] = []
    freed = Freed()
    for column in reading.table.columns:
        own = found.pop(column.name)
        counts = np.zeros(len(column.labels), dtype=np.int64)
        np.add.at(counts, column.codes, own.counts)
        vocabulary = {} if own.is_cut else vocabulary_of(own.texts, column.codes)
        columns.append(remote_column(column, vocabulary, counts, source, is_cut=own.is_cut))
        freed.add(_BYTES_OF_TEXT * len(own.texts))
    return Reading(Table(tuple(columns)), reading.options, options)


def _raw(column: SourceColumn, found: ValueCounts) -> RawColumn:
    """Return a column with one record per distinct text."""
    codes = np.arange(len(found.counts), dtype=np.int32)
    codes[len(found.texts) :] = -1
    return RawColumn(column.name, found.texts, codes, DataType() if found.is_cut else column.declared)


def cut_values(most: int, n_values: int, n_empty: int) -> ValueCounts:
    """Return the values of a column with more different ones than are listed.

    Parameters
    ----------
    most : int
        Values that would have been listed.
    n_values, n_empty : int
        Records with and without a value.
    """
    text = _("more than {n} different values").format(n=as_exact_count(most))
    counts = [n_values, n_empty] if n_empty else [n_values]
    return ValueCounts((text,), np.array(counts, dtype=np.int64), is_cut=True)


def value_counts(records: Mapping[str | None, int]) -> ValueCounts:
    """Return the values of a column, given the records of each, with None for cells without one."""
    texts = tuple(text for text in records if text is not None)
    in_order = (*texts, None) if None in records else texts
    return ValueCounts(texts, np.array([records[text] for text in in_order], dtype=np.int64))
