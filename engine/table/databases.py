"""Tables of databases: SQLite by its file, any other by a URL of SQLAlchemy; passwords are never kept."""

from __future__ import annotations

from typing import Any

from engine.apart import run_apart
from engine.errors import TableError
from engine.monitor import SILENT, Monitor
from engine.params import unusual_values_of
from engine.table.database_address import NOBODY, DatabaseAddress, Login
from engine.table.database_query import checked_query
from engine.table.options import ReadOptions
from engine.table.raw import RawTable
from engine.table.reader_process import read_raw
from engine.table.reading import tabled
from engine.table.sources import need
from engine.table.table import Table
from engine.words import _


def database_tables(
    address: DatabaseAddress, login: Login = NOBODY, monitor: Monitor = SILENT
) -> tuple[str, ...]:
    """Return the names of the tables and views of a database, of its usual schema.

    Raises
    ------
    TableError
        It cannot be read.
    CancelledError
        The monitor asks to stop.
    """
    monitor.step(0, 1, _("Looking into {name}").format(name=address.name))
    # What reads rows needs pandas, which takes long to load: not before a database is asked.
    if address.is_file:
        from engine.table import sqlite_tables

        return sqlite_tables.table_names(address.path, monitor)
    from engine.table import server_tables

    with _apart(address, login, monitor, lists=True) as folder:
        return server_tables.listed(folder)


def read_database(
    address: DatabaseAddress,
    options: ReadOptions = ReadOptions(),
    login: Login = NOBODY,
    monitor: Monitor = SILENT,
    *,
    limit: int | None = None,
) -> tuple[Table, ReadOptions]:
    """Read a table, or what a query gives; also return the options with everything detected filled in.

    Parameters
    ----------
    address : DatabaseAddress
        An SQLite file is looked for relative to the working directory.
    options : ReadOptions
        What has no meaning in a database, such as a delimiter, is not heeded.
    login : Login
        Of no meaning for an SQLite file.
    monitor : Monitor
    limit : int, optional
        How many rows are read at most.

    Raises
    ------
    TableError
        It cannot be read, has no such table, or the query is none, fails, or does not only read; a cell
        holds bytes; or a value does not fit the type given for its column.
    CancelledError
        The monitor asks to stop.
    """
    options.refuse_impossible()
    monitor.step(0, 1, f"Reading {address.name}")
    raw = _raw(address, options, login, monitor, limit)
    if not len(raw.columns[0].codes):
        what = (
            _("the query gives")
            if address.query
            else _("the table '{table}' has").format(table=address.table)
        )
        raise TableError(
            _("'{name}': {what} no records.").format(name=address.name, what=what),
            hint=_("Choose another."),
            file=raw.name,
        )
    reading = tabled(raw, options, monitor)
    monitor.step(1, 1, f"Read {address.name}")
    return reading.table, reading.options


def _raw(
    address: DatabaseAddress,
    options: ReadOptions,
    login: Login,
    monitor: Monitor,
    limit: int | None,
) -> RawTable:
    if address.is_file:
        from engine.table import sqlite_tables

        return sqlite_tables.read_sqlite(address, options, monitor, limit=limit)
    if not address.table and not address.query:
        raise TableError(
            _("'{name}': no table of it is named.").format(name=address.name),
            hint="Add ?table= and its name, or ?query= and a SELECT.",
            file=address.name,
        )
    if address.query:
        checked_query(address.query, address.name)
    with _apart(
        address,
        login,
        monitor,
        options=unusual_values_of(options),
        limit=limit,
    ) as folder:
        return read_raw(folder, address.name)


def _apart(
    address: DatabaseAddress, login: Login, monitor: Monitor, *, lists: bool = False, **choices: Any
) -> Any:
    """Let another process ask the server: a driver that waits for an answer cannot be stopped."""
    need("sqlalchemy", address.name)
    request = {
        "url": address.url,
        "table": address.table,
        "schema": address.schema,
        "query": address.query,
        "name": address.name,
        "user": login.user,
        "password": login.password,  # by a pipe; nothing of the request is written to a file
        "lists": lists,
        **choices,
    }
    return run_apart("engine.table.server_tables", request, monitor, subject=address.name)
