"""Database tables: SQLite by its file, others by an SQLAlchemy URL; passwords are never stored."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from engine.errors import TableError
from engine.monitor import SILENT, Monitor
from engine.params import unusual_values_of
from engine.subprocess_job import run_in_subprocess
from engine.table.database_address import NOBODY, DatabaseAddress, Login
from engine.table.database_query import checked_query
from engine.table.options import ReadOptions
from engine.table.raw import RawTable
from engine.table.reader_process import read_raw
from engine.table.reading import tabled
from engine.table.sources import need
from engine.table.table import Table
from engine.words import _

_TABLES = "engine.table.server_tables"


def database_tables(
    address: DatabaseAddress, login: Login = NOBODY, monitor: Monitor = SILENT
) -> tuple[str, ...]:
    """Return the names of the tables and views in the default schema of a database.

    Raises
    ------
    TableError
        The database cannot be read.
    CancelledError
        The monitor asks to stop.
    """
    _refuse_cluster(address)
    monitor.step(0, 1, _("Opening {name}").format(name=address.name))
    # Reading rows needs pandas, which loads slowly: only once a database is read.
    if address.is_file:
        from engine.table import sqlite_tables

        return sqlite_tables.table_names(address.path, monitor)
    from engine.table import server_tables

    with asked_apart(_TABLES, address, login, monitor, lists=True) as folder:
        return server_tables.listed(folder)


def read_database(
    address: DatabaseAddress,
    options: ReadOptions = ReadOptions(),
    login: Login = NOBODY,
    monitor: Monitor = SILENT,
    *,
    limit: int | None = None,
    most: int = 0,
) -> tuple[Table, ReadOptions]:
    """Read a table or a query result; also return the options with everything detected filled in.

    Parameters
    ----------
    address : DatabaseAddress
        The path of an SQLite file is relative to the working directory.
    options : ReadOptions
        Options without a meaning in a database, such as the delimiter, are ignored.
    login : Login
        Ignored for an SQLite file.
    monitor : Monitor
    limit : int, optional
        Maximum number of rows to read.
    most : int
        Records of a table above which it is not read, but refused with the context `is_too_large`; 0 for any.

    Raises
    ------
    TableError
        The database cannot be read or has no such table; the query is empty, fails or does more than read; a
        cell contains bytes; or a value does not fit the type given for its column.
    CancelledError
        The monitor asks to stop.
    """
    options.refuse_impossible()
    _refuse_cluster(address)
    monitor.step(0, 1, _("Reading {name}").format(name=address.name))
    raw = _raw(address, options, login, monitor, limit, most)
    if not len(raw.columns[0].codes):
        problem = (
            _("'{name}': the query returns no records.").format(name=address.name)
            if address.query
            else _("'{name}': table '{table}' has no records.").format(name=address.name, table=address.table)
        )
        raise TableError(
            problem,
            hint=_("Choose another table or query."),
            file=raw.name,
        )
    reading = tabled(raw, options, monitor)
    monitor.step(1, 1, _("Read {name}").format(name=address.name))
    return reading.table, reading.options


def refuse_unnamed(address: DatabaseAddress) -> None:
    """Refuse an address that names neither a table nor a query."""
    if not address.table and not address.query:
        raise TableError(
            _("'{name}': no table is given.").format(name=address.name),
            hint=_("Add ?table= and its name, or ?query= and a SELECT."),
            file=address.name,
        )


def _refuse_cluster(address: DatabaseAddress) -> None:
    """Refuse the address of a cluster, whose tables are never read into memory."""
    if address.is_cluster:
        raise TableError(
            _("'{name}' is a cluster, whose tables are never read into memory.").format(name=address.name),
            hint=_('Use source = "cluster", or leave it out.'),
            file=address.name,
        )


def _raw(
    address: DatabaseAddress,
    options: ReadOptions,
    login: Login,
    monitor: Monitor,
    limit: int | None,
    most: int,
) -> RawTable:
    if address.is_file:
        from engine.table import sqlite_tables

        return sqlite_tables.read_sqlite(address, options, monitor, limit=limit, most=most)
    refuse_unnamed(address)
    if address.query:
        checked_query(address.query, address.name)
    choices = {"options": unusual_values_of(options), "limit": limit, "most": most}
    with asked_apart(_TABLES, address, login, monitor, lists=False, **choices) as folder:
        return read_raw(folder, address.name)


def asked_apart(
    module: str, address: DatabaseAddress, login: Login, monitor: Monitor, **choices: Any
) -> AbstractContextManager[Path]:
    """Query the server by a module in a subprocess: a driver that waits for an answer cannot be stopped."""
    need("sqlalchemy", address.name)
    request = {
        "url": address.url,
        "table": address.table,
        "schema": address.schema,
        "query": address.query,
        "name": address.name,
        "user": login.user,
        "accepted": login.accepted,
        "password": login.password,  # passed through a pipe; no part of the request is written to a file
        **choices,
    }
    return run_in_subprocess(module, request, monitor, subject=address.name)
