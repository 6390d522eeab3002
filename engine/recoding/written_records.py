"""Written records of a table that is not in memory, read in pieces from the first on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from engine.kernels.arrays import BoolArray, Codes, IntArray
from engine.monitor import SILENT
from engine.sources.base import PlannedColumn
from engine.sources.fetched import records_here
from engine.table import Table
from engine.table.stored import StoredColumn


class PlannedRecords(Protocol):
    """Records of a table and how they are written; see `engine.recoding.stored.StoredRecords`."""

    @property
    def table(self) -> Table:
        """The table."""

    @property
    def rows(self) -> IntArray | None:
        """Records that are written; None for all."""

    def codes_of(self, columns: Sequence[PlannedColumn], records: slice | IntArray) -> list[Codes]:
        """Return the written codes of some records of the table."""

    def hidden_of(self, records: slice | IntArray) -> BoolArray | None:
        """Return which records are written as suppressed."""


class WrittenRecords:
    """Written records in the order of the table, read in pieces from the first on.

    Parameters
    ----------
    records : PlannedRecords
    columns : sequence of PlannedColumn
        Of its columns.
    """

    def __init__(self, records: PlannedRecords, columns: Sequence[PlannedColumn]) -> None:
        self._records, self._columns = records, columns
        self._passed = [column for column in columns if column.passed is not None]
        self._again: Iterator[list[list[str]]] | None = None
        self._first = self._stop = 0  # records of the table in `_texts`
        self._texts: list[list[str]] = [[] for _unused in self._passed]

    def read(self, start: int, stop: int) -> list[Any]:
        """Return codes, or texts of columns that are not coded, of some written records."""
        rows = self._records.rows
        records = slice(start, stop) if rows is None else rows[start:stop]
        coded = [column for column in self._columns if column.is_coded]
        codes = iter(self._records.codes_of(coded, records))
        texts = iter(self._read_passed(records) if self._passed and stop > start else self._texts)
        return [
            self._made(column, records)
            if column.by_record is not None
            else next(codes if column.is_coded else texts)
            for column in self._columns
        ]

    def _made(self, column: PlannedColumn, records: slice | IntArray) -> list[str]:
        assert column.by_record is not None, "asked for only then"
        found = column.by_record(records_here(self._records.table), records)
        return _with_hidden(column, found, self._records.hidden_of(records))

    def _read_passed(self, records: slice | IntArray) -> list[list[str]]:
        if isinstance(records, slice):
            first, last = records.start, records.stop
        else:
            first, last = int(records[0]), int(records[-1]) + 1
        if self._again is None or first < self._first:
            self._again, self._first, self._stop = self._blocks(), 0, 0
            self._texts = [[] for _unused in self._passed]
        while self._stop < last:
            for own, more in zip(self._texts, next(self._again), strict=True):
                own += more
            self._stop = self._first + len(self._texts[0])
            n_gone = min(first, self._stop) - self._first
            for own in self._texts:
                del own[:n_gone]
            self._first += n_gone
        n_gone = first - self._first
        for own in self._texts:
            del own[:n_gone]
        self._first = first
        if isinstance(records, slice):
            found = [own[: last - first] for own in self._texts]
        else:
            places = (records - first).tolist()
            found = [[own[place] for place in places] for own in self._texts]
        hidden = self._records.hidden_of(records)
        return [_with_hidden(column, own, hidden) for column, own in zip(self._passed, found, strict=True)]

    def _blocks(self) -> Iterator[list[list[str]]]:
        return _passed_blocks(self._records.table, self._passed)


def _with_hidden(column: PlannedColumn, texts: list[str], hidden: BoolArray | None) -> list[str]:
    """Return texts of records, in place, with what suppressed ones get."""
    if hidden is not None and column.hidden >= 0:
        for place in np.flatnonzero(hidden).tolist():
            texts[place] = column.labels[column.hidden]
    return texts


class LastRead:
    """Keeps the last piece of all columns while a writer asks for one column after the other."""

    def __init__(self, read: Callable[[int, int], list[Any]]) -> None:
        self._read = read
        self._piece: tuple[int, int] | None = None
        self._columns: list[Any] = []

    def column(self, place: int, start: int, stop: int) -> Any:
        """Return a piece of one column."""
        if self._piece != (start, stop):
            self._columns = self._read(start, stop)
            self._piece = (start, stop)
        return self._columns[place]


def _passed_blocks(table: Table, columns: Sequence[PlannedColumn]) -> Iterator[list[list[str]]]:
    """Yield what is written for passed columns, block by block, for all records of the table."""
    stored = [table.column(column.name) for column in columns]
    of_files = [column for column in stored if isinstance(column, StoredColumn)]
    for block in of_files[0].files.read_again(of_files, SILENT):
        yield [
            column.passed(own)
            for column, own in zip(columns, block, strict=True)
            if column.passed is not None
        ]


def passed_cells(planned: PlannedRecords, column: PlannedColumn, records: IntArray) -> list[str]:
    """Return the written cells of some records of the table in a column that is not coded."""
    if column.by_record is not None:
        texts = column.by_record(records_here(planned.table), records)
        return _with_hidden(column, texts, planned.hidden_of(records))
    found: dict[int, str] = {}
    wanted = np.unique(records)
    start = 0
    for (texts,) in _passed_blocks(planned.table, [column]):
        own = wanted[(wanted >= start) & (wanted < start + len(texts))]
        found |= {record: texts[record - start] for record in own.tolist()}
        start += len(texts)
        if len(found) == len(wanted):
            break
    hidden = planned.hidden_of(records)
    if hidden is not None and column.hidden >= 0:
        found |= dict.fromkeys(records[hidden].tolist(), column.labels[column.hidden])
    return [found[record] for record in records.tolist()]
