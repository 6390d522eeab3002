"""Records that come to this machine: all of a server as a private coded copy, or some into memory."""

from __future__ import annotations

from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from engine.errors import TableError
from engine.kernels.arrays import BoolArray, IntArray
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.sources.base import ReachesDesktop, WritesItself
from engine.table import Column, Table
from engine.table.remote import RemoteColumn, changed_remotely, texts_of
from engine.words import _

_BLOCK = 1 << 20  # records per step
_PATIENCE = 0.05  # seconds between two looks at the monitor
_fetched: WeakKeyDictionary[Table, Table] = WeakKeyDictionary()
_fetching = Lock()


def records_here(table: Table, monitor: Monitor = SILENT) -> Table:
    """Return a table whose codes can be read: the table itself, or one of records that are fetched for it.

    Raises
    ------
    TableError
        The records never come to this machine, or have changed since the values were listed.
    CancelledError
        Nothing is left of what was fetched.
    """
    if not table.is_remote:
        return table
    # A thread that needs what another one is fetching waits for it.
    while not _fetching.acquire(timeout=_PATIENCE):
        monitor.step(0, 1, _("Fetching records"))
    try:
        known = _fetched.get(table)
        if known is None:
            known = _fetched[table] = _of_other(table) or _records(table, monitor)
        return known
    finally:
        _fetching.release()


def _of_other(table: Table) -> Table | None:
    """Return the columns from records that were fetched with further ones: of one state and order."""
    for other, known in list(_fetched.items()):
        here = {id(column): found for column, found in zip(other.columns, known.columns, strict=True)}
        if all(id(column) in here for column in table.columns):
            return Table(tuple(here[id(column)] for column in table.columns))
    return None


def _records(table: Table, monitor: Monitor) -> Table:
    columns = [column for column in table.columns if isinstance(column, RemoteColumn)]
    source = columns[0].source
    if not isinstance(source, ReachesDesktop):
        raise TableError(
            _("This needs the {n} records in one order, and those of '{name}' stay where they are.").format(
                n=as_exact_count(table.n_records), name=source.name
            ),
            hint=_("Use another rule, or read the table into memory."),
        )
    cells = source.coded({column.name: column.vocabulary for column in columns}, monitor)
    found = []
    for column in columns:
        own = cells[column.name]
        if not column.is_cut:
            counts = np.zeros(len(column.labels), dtype=np.int64)
            for start in range(0, len(own), _BLOCK):
                counts += np.bincount(own[start : start + _BLOCK], minlength=len(counts))
            if not np.array_equal(counts, column.label_counts):
                raise changed_remotely()
        found.append(
            Column(
                column.name,
                column.data_type,
                column.labels,
                own,  # type: ignore[arg-type]  # smaller integers
                column.has_missing,
                column.numbers,
            )
        )
    return Table(tuple(found))


def drawn(n_records: int, most: int, source: np.random.Generator) -> IntArray:
    """Return the numbers of at most so many records, drawn at random, in ascending order."""
    if n_records <= most:
        return np.arange(n_records)
    return np.sort(source.choice(n_records, size=most, replace=False))


def some_records(
    table: Table,
    most: int,
    seed: int = 0,
    of: tuple[str, BoolArray] | None = None,
    monitor: Monitor = SILENT,
) -> Table:
    """Return some records of a server or cluster in memory; their columns have all labels of the table.

    Parameters
    ----------
    table : Table
        Its records stay in a server or cluster.
    most : int
        So many are drawn at random, about so many by a cluster; or all, if there are no more.
    seed : int
        Of the draw. Of the same table, the same records are drawn again.
    of : tuple of str and ndarray of bool, optional
        Instead, all records with certain labels in a column: its name, and which of its labels.
    monitor : Monitor

    Raises
    ------
    TableError
        The source cannot be asked, or has changed.
    CancelledError
    """
    columns = [column for column in table.columns if isinstance(column, RemoteColumn)]
    source = columns[0].source
    if isinstance(source, WritesItself):
        vocabulary = {column.name: column.vocabulary for column in columns}
        if of is None:
            share = min(most / table.n_records, 1.0)
            cells = source.some_coded(vocabulary, monitor, share=share, seed=seed)
            if share == 1 and any(len(own) != table.n_records for own in cells.values()):
                raise changed_remotely()
        else:
            where = {of[0]: texts_of(vocabulary[of[0]], of[1])}
            cells = source.some_coded(vocabulary, monitor, where=where)
        codes = [cells[column.name].astype(np.int32) for column in columns]
        order = np.lexsort(codes)  # they come in any
        codes = [own[order] for own in codes]
    else:
        here = records_here(table, monitor)
        if of is None:
            chosen = drawn(table.n_records, most, np.random.default_rng(seed))
        else:
            chosen = np.flatnonzero(of[1][here.column(of[0]).codes])
        codes = [column.codes[chosen].astype(np.int32) for column in here.columns]
    return Table(
        tuple(
            Column(column.name, column.data_type, column.labels, own, column.has_missing, column.numbers)
            for column, own in zip(columns, codes, strict=True)
        )
    )
