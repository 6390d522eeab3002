"""Records of a server as a private coded copy on this machine, fetched once for all that a release needs."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from engine.errors import TableError
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.sources.base import ReachesDesktop
from engine.table import Column, Table
from engine.table.remote import RemoteColumn, changed_remotely
from engine.words import _

_BLOCK = 1 << 20  # records per step
_fetched: WeakKeyDictionary[Table, Table] = WeakKeyDictionary()


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
    known = _fetched.get(table)
    if known is None:
        known = _fetched[table] = _records(table, monitor)
    return known


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
