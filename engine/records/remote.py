"""Tables whose records stay in a server or cluster: their columns, and requests to the place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, NoReturn, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.errors import TableError
from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.processes import Freed
from engine.records.chunks import Texts, numbers, sorted_places
from engine.records.options import ExportOptions, ReadOptions
from engine.records.plan import ReleasePlan
from engine.records.raw import RawColumn, RawTable
from engine.records.reading import Reading, tabled
from engine.records.stored import ListedColumn
from engine.records.table import Column, Home, Table
from engine.records.types import DataType
from engine.words import _

NO_CODES: Codes = np.zeros(0, dtype=np.int32)
Cells = NDArray[np.integer[Any]]  # mapped codes of all records
_FEW = 1_000  # texts that are looked up faster one by one than by a table of all


class Vocabulary:
    """Place in the labels of a column, by text of the source; None is a cell without a value.

    Attributes
    ----------
    texts : Texts
        Ascending.
    labels : ndarray of int32
        The label of each; then that of a cell without a value, if there is one.

    Parameters
    ----------
    texts : sequence of str
        Different, in any order; none of a column with more values than are listed.
    labels : ndarray of int32
        As above, in their order.
    """

    def __init__(self, texts: Sequence[str] = (), labels: Codes = NO_CODES) -> None:
        own = texts if isinstance(texts, Texts) else Texts(texts)
        order = sorted_places(own)
        self.texts = own if order is None else own.at(order)
        self.labels = labels if order is None else np.append(labels[order], labels[len(texts) :])

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def has_empty(self) -> bool:
        """Return whether there are cells without a value."""
        return len(self.labels) > len(self.texts)

    @property
    def n_labels(self) -> int:
        """One more than the largest label."""
        return int(self.labels.max()) + 1

    def of(self, texts: Sequence[str | None]) -> Codes:
        """Return the label of each of some texts.

        Raises
        ------
        TableError
            One is unknown: the table changed in the meantime.
        """
        places = self._searched(texts) if len(texts) > _FEW else list(map(self._place, texts))
        found: Codes = self.labels[np.asarray(places, dtype=np.int64)]
        return found

    def texts_of(self, chosen: BoolArray) -> list[str | None]:
        """Return the texts of some labels, given by a mask of shape (n_labels,)."""
        places = np.flatnonzero(chosen[self.labels])
        n = len(self.texts)
        return [*self.texts.at(places[places < n]), *[None] * int(np.count_nonzero(places == n))]

    def recoded(self, labels: Codes) -> Vocabulary:
        """Return the vocabulary with another label for each."""
        return Vocabulary(self.texts, labels[self.labels])

    def _place(self, text: str | None) -> int:
        n = len(self.texts)
        place = n if text is None else bisect_left(self.texts, text)
        if place >= len(self.labels) or (text is not None and (place == n or self.texts[place] != text)):
            raise changed_remotely()
        return place

    def _searched(self, texts: Sequence[str | None]) -> NDArray[Any]:
        import pyarrow as pa
        from pyarrow import compute

        asked = texts.arrow if isinstance(texts, Texts) else pa.array(texts, pa.large_string())
        places = compute.index_in(asked, value_set=self.texts.arrow)
        if self.has_empty:
            places = compute.if_else(asked.is_null(), len(self.texts), places)
        if places.null_count:
            raise changed_remotely()
        return numbers(places)


@dataclass(frozen=True, eq=False)
class CountedTuples:
    """The distinct combinations of some columns, with the records of each.

    Attributes
    ----------
    codes : tuple of ndarray of int32, each of shape (n_tuples,)
        Per column the place in its labels. A combination may occur several times: texts that mean the same
        need not be joined.
    counts : ndarray of int64, shape (n_tuples,)
    """

    columns: tuple[str, ...]
    codes: tuple[Codes, ...]
    counts: Counts

    def of_all(self, n_records: int) -> CountedTuples:
        """Return itself if it counts all records of a table.

        Raises
        ------
        TableError
            The table changed in the meantime.
        """
        if int(self.counts.sum()) != n_records:
            raise changed_remotely()
        return self


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


@dataclass(frozen=True)
class Target:
    """Place and form of a release that its source writes itself.

    Attributes
    ----------
    path : Path or str
        A place that the source can reach; it does not exist yet.
    """

    path: Path | str
    options: ExportOptions = ExportOptions()
    delimiter: str = ","
    has_header: bool = True


class RecordSource(Home, Protocol):
    """A server or cluster that counts and pages its records; the table itself has no codes."""

    @property
    def name(self) -> str:
        """Name in messages."""

    @property
    def columns(self) -> tuple[SourceColumn, ...]:
        """The columns of the table, in its order."""

    @property
    def empty(self) -> RawTable:
        """Properties of the table without its columns."""

    @property
    def order(self) -> Order:
        """In which order it gives its records."""

    @property
    def n_records(self) -> int:
        """Number of records."""

    @property
    def state(self) -> str:
        """Result of `fingerprint` when the source was opened."""

    @property
    def most_shown(self) -> int:
        """Number of records, of the table or of a filter, that `page` returns; 0 for all."""

    def labels(self, columns: Sequence[str], monitor: Monitor) -> Mapping[str, ValueCounts]:
        """Return the different values of columns."""

    def page(
        self,
        first: int,
        count: int,
        columns: Sequence[str],
        where: Mapping[str, Sequence[str | None]] | None = None,
        monitor: Monitor = SILENT,
    ) -> list[tuple[str | None, ...]]:
        """Return the texts of some records, with one of some texts in each column of `where`."""

    def tuples(self, vocabulary: Mapping[str, Vocabulary], monitor: Monitor) -> CountedTuples:
        """Count the distinct combinations of columns."""

    def singled_out(self, columns: Sequence[str], monitor: Monitor) -> int:
        """Return the records that are alone in their combination of columns."""

    def fingerprint(self, monitor: Monitor) -> str:
        """Return a text that differs once the table has changed, if this is known without reading it."""

    def coded(self, vocabulary: Mapping[str, Vocabulary], monitor: Monitor) -> Mapping[str, Cells]:
        """Return the label of each record, per column, in the order of the source if it has one.

        A column without vocabulary has too many values: its cells are 0, or 1 without a value.
        """


@dataclass(frozen=True, eq=False)
class BothThere:
    """The records and a written release in one more session, to be compared in place.

    Attributes
    ----------
    original, released : object
        What the library of the source calls a table; columns in the order of the names.
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
class WritesItself(RecordSource, Protocol):
    """A source that writes a release in its own place."""

    @property
    def is_fetched(self) -> bool:
        """Return whether its records may be copied to this machine; otherwise it counts them itself."""

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
        names : sequence of str
            Columns of the release, if it has no header.
        original, written : Path
            Files that do not exist yet.
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
        share : float
            About how many of the records are drawn at random; all of them by default.
        seed : int
            Of that draw.
        where : mapping of str to sequence of str or None, optional
            Only the records with one of some texts in each of these columns.
        """


@dataclass(frozen=True, eq=False, kw_only=True)
class RemoteColumn(ListedColumn):
    """A column of a table that stays in a server or cluster; asking for its codes is refused.

    Attributes
    ----------
    vocabulary : Vocabulary
        Label of each text of the source. Empty if `is_cut`.
    """

    vocabulary: Vocabulary
    source: RecordSource

    @property  # type: ignore[misc]  # a field of the column, which has no value here
    def codes(self) -> Codes:
        """Refuse, since the records are not on this machine."""
        raise _refused(self.source.name, self.name)

    @codes.setter
    def codes(self, _given: Codes) -> None:
        """Let the constructor pass."""

    @property
    def n_rows(self) -> int:
        """Number of records."""
        return int(self.label_counts.sum())

    @property
    def home(self) -> Home:
        """The server or cluster."""
        return self.source

    @property
    def cells(self) -> Codes | None:
        """None, since the codes are not on this machine."""
        return None

    def like(self, column: Column) -> RemoteColumn:
        """Return the column that a change made of `of_labels`."""
        return column.placed(
            RemoteColumn,
            NO_CODES,
            label_counts=self.counts_like(column),
            is_cut=self.is_cut,
            vocabulary=self.vocabulary.recoded(column.codes),
            source=self.source,
        )

    def take(self, records: IntArray | BoolArray) -> NoReturn:
        """Refuse, since the records are not on this machine."""
        raise _refused(self.source.name, self.name)


def _refused(source: str, column: str) -> TableError:
    return TableError(
        _("This needs every record of column '{column}', and the records stay in '{source}'.").format(
            column=column, source=source
        ),
        hint=_("Read the table into memory, or select some of its records by a query."),
        column=column,
    )


def changed_remotely() -> TableError:
    """Return the error for a table that changed between two questions to its source."""
    return TableError(_("The table changed while it was read."), hint=_("Read it again."))


def source_of(table: Table) -> RecordSource | None:
    """Return the server or cluster that the records of a table stay in; None if they are on this machine."""
    return next((column.source for column in table.columns if isinstance(column, RemoteColumn)), None)


def vocabularies(table: Table) -> dict[str, Vocabulary]:
    """Return the label of each text of a server or cluster, by column."""
    return {column.name: column.vocabulary for column in table.columns if isinstance(column, RemoteColumn)}


def remote_reading(source: RecordSource, options: ReadOptions, monitor: Monitor) -> Reading:
    """Return the table of a source: types, missing tokens and replacements applied to its distinct texts.

    Parameters, errors
        As for `engine.records.reading.tabled`.
    """
    options.refuse_left_out()
    found = dict(source.labels([column.name for column in source.columns], monitor))
    own_columns = [raw_values(own.name, found[own.name], own.declared) for own in source.columns]
    reading = tabled(replace(source.empty, columns=tuple(own_columns)), options, monitor)
    columns: list[Column] = []
    freed = Freed()
    for column in reading.table.columns:
        own = found.pop(column.name)
        counts = np.zeros(len(column.labels), dtype=np.int64)
        np.add.at(counts, column.codes, own.counts)
        vocabulary = Vocabulary() if own.is_cut else Vocabulary(own.texts, column.codes)
        more = {"label_counts": counts, "is_cut": own.is_cut, "vocabulary": vocabulary, "source": source}
        columns.append(column.placed(RemoteColumn, NO_CODES, **more))
        freed.add(_BYTES_OF_TEXT * len(own.texts))
    return replace(reading, table=Table(tuple(columns)))


def raw_values(name: str, found: ValueCounts, declared: DataType | None = None) -> RawColumn:
    """Return a column with one record per distinct text."""
    codes = np.arange(len(found.counts), dtype=np.int32)
    codes[len(found.texts) :] = -1
    return RawColumn(name, found.texts, codes, DataType() if found.is_cut else declared)


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
