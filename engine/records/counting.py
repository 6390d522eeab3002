"""Counted tables: the distinct tuples of some columns, with the records of each."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray
from engine.kernels.distinct_rows import RowPlaces, distinct_rows
from engine.kernels.grouping import class_labels, records_by_code
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.records.remote import RemoteColumn, changed_remotely
from engine.records.stored import let_go, refuse_cut
from engine.records.table import Column, Table
from engine.words import _

_BLOCK = 1 << 20  # records per step
_PATIENCE = 0.05  # seconds between two steps while another thread counts


def counted_table(table: Table, names: Sequence[str], monitor: Monitor = SILENT) -> Table:
    """Return a table with one row per distinct tuple of some columns.

    Parameters
    ----------
    table : Table
        Of records, or counted itself.
    names : sequence of str
        At least one column.
    monitor : Monitor
        Asked while the records of a table that is not in memory are counted.

    Returns
    -------
    Table
        The named columns, in the order of the table; rows are in lexicographic order of their codes. Types,
        labels and counts of values are those of the table.
    """
    chosen = [column for column in table.columns if column.name in set(names)]
    if any(isinstance(column, RemoteColumn) for column in table.columns):
        return _counted_remotely(chosen, monitor)
    if table.home is not None:
        return _counted_in_files(chosen, table.n_records, monitor)
    labels, first, _rows = class_labels([c.codes for c in chosen], [len(c.labels) for c in chosen])
    records = records_by_code(labels, len(first), table.counts)
    return Table(tuple(column.with_codes(column.codes[first], records) for column in chosen))


def rows_in_memory(table: Table, names: Sequence[str], monitor: Monitor = SILENT) -> Table:
    """Return a table itself if its records are in memory, otherwise what `counted_table` makes of it."""
    return table if table.home is None else counted_table(table, names, monitor)


def _counted_in_files(chosen: Sequence[Column], n_records: int, monitor: Monitor) -> Table:
    done = 0

    def pause() -> None:
        monitor.step(done, n_records, _counting(n_records))

    def blocks() -> Iterator[list[Any]]:
        nonlocal done
        for done in range(0, n_records, _BLOCK):
            pause()
            yield [column.codes[done : done + _BLOCK] for column in chosen]
            let_go(chosen)

    codes, records = distinct_rows(blocks, [len(column.labels) for column in chosen], pause)
    return _of_tuples(chosen, codes, records)


def _counted_remotely(chosen: Sequence[Column], monitor: Monitor) -> Table:
    """Let the source count; texts of it that mean the same are joined here."""
    remote = [column for column in chosen if isinstance(column, RemoteColumn)]
    found = remote[0].source.tuples({column.name: column.vocabulary for column in remote}, monitor)
    by_name = dict(zip(found.columns, found.codes, strict=True))
    codes = [by_name[column.name] for column in remote]
    for own, label in zip(remote, codes, strict=True):
        if not np.array_equal(records_by_code(label, len(own.labels), found.counts), own.label_counts):
            raise changed_remotely()
    classes, first, _rows = class_labels(codes, [len(column.labels) for column in remote])
    return _of_tuples(
        remote, [own[first] for own in codes], records_by_code(classes, len(first), found.counts)
    )


def _of_tuples(chosen: Sequence[Column], codes: Sequence[Codes], records: Counts) -> Table:
    return Table(tuple(own.with_codes(found, records) for own, found in zip(chosen, codes, strict=True)))


def _counting(n_records: int) -> str:
    return _("Counting distinct combinations of {n} records").format(n=as_exact_count(n_records))


_rows: WeakKeyDictionary[Table, tuple[tuple[str, ...], Table]] = WeakKeyDictionary()
_turns: WeakKeyDictionary[Table, threading.RLock] = WeakKeyDictionary()


def counted_rows(table: Table, names: tuple[str, ...], monitor: Monitor = SILENT) -> Table:
    """Return what `rows_in_memory` does, kept until other columns of the same table are asked for.

    Threads that ask at the same time count once.

    Raises
    ------
    TableError
        A column has more different values than are listed.
    CancelledError
        Also while another thread counts.
    """
    if table.home is None:
        return table
    known = _rows.get(table)
    if known is None or known[0] != names:
        for name in names:
            refuse_cut(table.column(name))
        with _turn(table, monitor):
            known = _rows.get(table)
            if known is None or known[0] != names:
                known = _rows[table] = (names, counted_table(table, names, monitor))
    return known[1]


@contextmanager
def _turn(table: Table, monitor: Monitor) -> Iterator[None]:
    """Let one thread at a time count a table; the others wait, and may be cancelled."""
    turn = _turns.setdefault(table, threading.RLock())
    while not turn.acquire(timeout=_PATIENCE):
        monitor.step(0, table.n_records, _counting(table.n_records))
    try:
        yield
    finally:
        turn.release()


class TupleRows:
    """Finds the row of records of a table in files in its counted form.

    Parameters
    ----------
    table : Table
        Its records stay in files.
    counted : Table
        What `counted_table` made of some of its columns.
    """

    def __init__(self, table: Table, counted: Table) -> None:
        self.n_records = table.n_records
        self._columns = [table.column(name) for name in counted.names]
        self._counted = counted.columns

    @cached_property
    def _places(self) -> RowPlaces:
        spans = [len(column.labels) for column in self._counted]
        return RowPlaces([column.codes for column in self._counted], spans)

    def of(self, records: slice | IntArray) -> IntArray:
        """Return the row of each of some records."""
        return self._places.of([column.codes[records] for column in self._columns])

    def blocks(self, text: str, monitor: Monitor = SILENT) -> Iterator[tuple[int, IntArray]]:
        """Yield the first record of every block of records, and the rows of its records."""
        for start in range(0, self.n_records, _BLOCK):
            monitor.step(start, self.n_records, text)
            yield start, self.of(slice(start, start + _BLOCK))

    def some_records(self, chosen: BoolArray, most: int, text: str, monitor: Monitor = SILENT) -> IntArray:
        """Return the first records of the chosen rows together, ascending and at most that many."""
        found = np.zeros(0, dtype=np.int64)
        for start, rows in self.blocks(text, monitor):
            found = np.append(found, start + np.flatnonzero(chosen[rows]))
            if len(found) >= most:
                break
        return found[:most]

    def best_records(
        self,
        values: NDArray[Any],
        chosen: BoolArray,
        most: int,
        text: str,
        monitor: Monitor = SILENT,
    ) -> IntArray:
        """Return the records of the chosen rows with the smallest values, by value and then in their order.

        Parameters
        ----------
        values : ndarray, shape (n_rows,)
        chosen : ndarray of bool, shape (n_rows,)
        most : int
            Records returned at most.
        text : str
            Shown while the records are read, once.
        """
        counts = self._counted[0].records
        assert counts is not None, "rows are distinct tuples"
        rows = np.flatnonzero(chosen)
        rows = rows[np.argsort(values[rows], kind="stable")]
        n_enough = int(np.searchsorted(np.cumsum(counts[rows]), most))
        is_chosen = chosen if n_enough >= len(rows) else chosen & (values <= values[rows[n_enough]])
        found, own = np.zeros(0, dtype=np.int64), values[:0]
        for start, rows in self.blocks(text, monitor):
            hits = np.flatnonzero(is_chosen[rows])
            found, own = np.append(found, start + hits), np.append(own, values[rows[hits]])
            if len(found) > most:
                best = np.argsort(own, kind="stable")[:most]
                found, own = found[best], own[best]  # ascending within one value, so that ties stay in order
        return np.asarray(found[np.argsort(own, kind="stable")])

    def first_records(self, chosen: BoolArray, text: str, monitor: Monitor = SILENT) -> IntArray:
        """Return the first record of the chosen rows, shape (n_rows,); -1 for the others."""
        first = np.full(len(chosen), -1, dtype=np.int64)
        for start, rows in self.blocks(text, monitor):
            hits = np.flatnonzero(chosen[rows])[::-1]  # the first one is written last
            is_new = first[rows[hits]] < 0
            first[rows[hits[is_new]]] = start + hits[is_new]
        return first


_tuple_rows: WeakKeyDictionary[Table, tuple[Table, TupleRows]] = WeakKeyDictionary()


def tuple_rows(table: Table, counted: Table) -> TupleRows:
    """Return the rows of the records of a table in files, kept for the last counted form."""
    known = _tuple_rows.get(table)
    if known is None or known[0] is not counted:
        known = _tuple_rows[table] = (counted, TupleRows(table, counted))
    return known[1]
