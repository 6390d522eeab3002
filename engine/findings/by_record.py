"""Released columns of a table that stays in files, by record: read on demand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from engine.findings.subject import Subject
from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray
from engine.monitor import Monitor
from engine.recoding.ruled import released_column, rule_of
from engine.recoding.transformation import RULED
from engine.records import Column, DataType, Table
from engine.records.counting import TupleRows
from engine.records.plan import PlannedColumn
from engine.records.stored import ListedColumn

_REMEMBERED = 1 << 12  # records whose rows are known, more than a screen shows
UNREAD = "\u2026"  # text of cells that a rule makes of values that are not listed

Records = int | slice | IntArray


class RowsOfRecords:
    """Row of each record in the counted table; the last ones are remembered, as columns share them."""

    def __init__(self, tuples: TupleRows) -> None:
        self._tuples = tuples
        self._last: tuple[Any, IntArray] | None = None
        self._one = lru_cache(_REMEMBERED)(lambda record: int(tuples.of(np.array([record]))[0]))

    def __len__(self) -> int:
        return self._tuples.n_records

    def __getitem__(self, records: Records) -> Any:
        if isinstance(records, int | np.integer):
            return self._one(int(records))
        last = self._last  # read once, as another thread may ask for other records meanwhile
        if last is not None and _is_same_block(last[0], records):
            return last[1]
        found = self._tuples.of(records)
        self._last = (records, found)
        return found


def _is_same_block(one: Any, other: Records) -> bool:
    return one is other or (isinstance(one, slice) and isinstance(other, slice) and one == other)


class CodesOfRows:
    """Codes of records, given those of the rows of the counted table; indexed as an array is."""

    def __init__(self, codes: NDArray[Any], rows: RowsOfRecords) -> None:
        self._codes, self._rows = codes, rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, records: Records) -> Any:
        return self._codes[self._rows[records]]


@dataclass(frozen=True, eq=False)
class _WrittenCodes:
    """Codes of records in a column whose values are written one by one.

    Attributes
    ----------
    cells : mapped ndarray, shape (n_records,)
    suppressed : ndarray of bool, shape (n_rows,)
    rows : RowsOfRecords or None
        None if suppressed records have their values too.
    """

    planned: PlannedColumn
    cells: NDArray[Any]
    suppressed: BoolArray
    rows: RowsOfRecords | None

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, records: Records) -> Any:
        codes = self.planned.code_of[self.cells[records]]
        if self.rows is None:
            return codes
        return np.where(self.suppressed[self.rows[records]], self.planned.hidden, codes)


def by_record(column: Column, rows: RowsOfRecords, counts: Counts) -> ListedColumn:
    """Return a column of the counted table with one code per record, and the given records per label."""
    return _listed(column, CodesOfRows(column.codes, rows), counts)


def released_by_record(subject: Subject, name: str, rows: RowsOfRecords, monitor: Monitor) -> Column | None:
    """Return a released column by record, as `Subject.released` does in memory; None if dropped.

    Parameters
    ----------
    subject : Subject
        Its table stays in files.
    rows : RowsOfRecords
        Of `subject.tuples`.
    monitor : Monitor
        Asked if the records have to be read.
    """
    if name in subject.input.names:
        own = subject.released(name)
        return None if own is None else by_record(own, rows, own.counts)
    planned, original = subject.release.written.column(name), subject.project.records.column(name)
    if planned is None:
        return None
    rule, n_labels = rule_of(subject.project, name), len(original.labels)
    if not planned.is_coded:
        if rule is None:
            return original
        planned = PlannedColumn(name, planned.role, (UNREAD,), np.zeros(n_labels, dtype=np.int32))
    hides = planned.hidden >= 0 and bool(subject.release.suppressed.any())
    if not hides and planned.labels[:n_labels] == original.labels and _is_same(planned):
        return original
    kind = original if planned.labels == original.labels else _text(original, planned.labels, planned.code_of)
    if planned.role in RULED and rule is not None:
        written = released_column(subject.project, name, Table((original.of_labels(),)))  # type: ignore[attr-defined]
        if written is not None and written.labels == planned.labels:
            kind = written
    counts = np.zeros(len(planned.labels), dtype=np.int64)
    if hides:
        alone = subject.alone(name, monitor)
        codes = np.where(alone.kept, planned.code_of[alone.column.codes], planned.hidden)
        np.add.at(counts, codes, cast(Counts, alone.column.records))
    else:
        np.add.at(counts, planned.code_of, original.counts)
    cells = _WrittenCodes(planned, original.codes, subject.release.suppressed, rows if hides else None)
    return _listed(kind, cells, counts)


def differs_by_record(subject: Subject, name: str, monitor: Monitor) -> bool:
    """Return whether a column that is not counted has another text than the input in a kept record.

    Parameters
    ----------
    subject, name, monitor
        As for `released_by_record`; the column is released.
    """
    planned, original = subject.release.written.column(name), subject.project.records.column(name)
    assert planned is not None, "the column is released"
    if not planned.is_coded:
        return rule_of(subject.project, name) is not None
    texts = [planned.labels[code] for code in planned.code_of.tolist()]
    differs = np.array([now != was for now, was in zip(texts, original.labels, strict=True)], dtype=np.bool_)
    if not differs.any():
        return False
    alone = subject.alone(name, monitor)
    return bool((differs[alone.column.codes] & alone.kept).any())


def _is_same(planned: PlannedColumn) -> bool:
    return np.array_equal(planned.code_of, np.arange(len(planned.code_of)))


def _text(column: Column, labels: tuple[str, ...], code_of: Codes) -> Column:
    """Return a column of texts by the labels of another one."""
    is_missing = column.has_missing and labels[-1:] == column.labels[-1:]
    return Column(column.name, DataType(), labels, code_of, is_missing, np.full(len(labels), np.nan))


def _listed(column: Column, codes: Any, counts: Counts) -> ListedColumn:
    return column.placed(ListedColumn, codes, label_counts=counts)
