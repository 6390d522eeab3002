"""Opening of a table: records are read into memory, or stay in place if they would not fit."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from engine.errors import TableError
from engine.monitor import SILENT, Monitor, StretchMonitor
from engine.records import Table
from engine.records.databases.address import (
    DATABASE_ENDINGS,
    NOBODY,
    DatabaseAddress,
    Login,
    database_of,
    login_given,
)
from engine.records.formats import has_types
from engine.records.opening.files import n_cells, open_files, read, read_head
from engine.records.options import AUTO, CLUSTER, DISK, MEMORY, SERVER, ReadOptions, bytes_of
from engine.records.places import LISTED, cells_of_folders, files_of, is_several
from engine.records.reading import Reading
from engine.records.remote import remote_reading
from engine.records.table_files import exists
from engine.words import _

_BYTES_PER_CELL = 16  # the code of a cell, and three times as much while it is read
_USUAL = 4 << 30  # bytes of memory where the system does not say how many it has
_READ = 0.8  # about the share of the time in which files are read; then their columns are ordered
MOST_READ = 5_000_000  # records of a database that are read into memory without being asked to


def open_table(
    place: Path | str,
    options: ReadOptions = ReadOptions(),
    monitor: Monitor = SILENT,
    *,
    guess: bool = False,
    holds_types: bool = True,
) -> Reading:
    """Read a table; its records stay in their files if the options say so, or if they would not fit.

    Parameters
    ----------
    place : Path or str
        A file, a folder of files, or a pattern such as people/*.parquet or people/{2023,2024}.csv; or the URL
        of a table of a database, whose login is that of the environment.
    guess, holds_types : bool
        See `engine.records.opening.files.read`. The encoding of a table that stays in its files is
        guessed from their beginnings.

    Returns
    -------
    Reading
        `Table.home` is where the records are. Labels, types and counts are the same in both.

    Raises
    ------
    TableError
        See `engine.records.opening.files.read` and `engine.records.opening.files.open_files`.
    """
    may_be_one = isinstance(place, str) or place.suffix.lower() in DATABASE_ENDINGS
    if may_be_one and (address := database_of(place)) is not None:
        table, found = open_database(address, options, login_given(address), monitor)
        return Reading(table, found, options)
    options.refuse_impossible()
    if options.order_by:
        raise TableError(
            _("'{name}' is in files, whose records have an order: order_by is only for a database.").format(
                name=Path(place).name
            ),
            hint=_("Remove order_by."),
        )
    if options.source in (SERVER, CLUSTER):
        raise TableError(
            _("'{path}' is a file, not a table of a database.").format(path=Path(place).name),
            hint=_('Use source = "disk" to leave the records in their file.'),
        )
    if not stays_in_files(place, options):
        return read(place, options, monitor, guess=guess, holds_types=holds_types)
    options.refuse_left_out()
    source = open_files(place, options, memory_of(options), StretchMonitor(monitor, 0, _READ), guess=guess)
    reading = source.reading(options, StretchMonitor(monitor, _READ, 1), holds_types=holds_types)
    return replace(reading, table=replace(reading.table, is_typed=has_types(files_of(place)[0])))


def open_beginning(place: Path | str, options: ReadOptions, n_bytes: int = 1 << 18) -> Reading:
    """Return a table of the first records, of the first file if there are several.

    Parameters, errors
        As for `engine.records.opening.files.read_head`.
    """
    first = files_of(place)[0]
    if cells_of_folders(place, first):  # which the file does not have
        return open_table(place, options)
    reading = read_head(first, options, n_bytes)
    return replace(reading, is_complete=False) if is_several(place) else reading


def open_database(
    address: DatabaseAddress,
    options: ReadOptions = ReadOptions(),
    login: Login = NOBODY,
    monitor: Monitor = SILENT,
) -> tuple[Table, ReadOptions]:
    """Read a table of a database; its records stay there if the options say so, or if they are many.

    Parameters
    ----------
    login : Login
        Kept for later questions to the database if the records stay there; never stored.

    Returns
    -------
    table : Table
        `Table.home` is where the records are. Labels, types and counts are the same in both.
    options : ReadOptions
        With everything detected filled in.

    Raises
    ------
    TableError
        See `engine.records.databases.tables.read_database` and `engine.records.databases.server.open_server`.
    """
    # other commands need none of these
    from engine.records.databases.server import open_server
    from engine.records.databases.statements import may_group
    from engine.records.databases.tables import read_database

    if address.is_cluster:
        return _open_on_cluster(address, options, login, monitor)
    if options.source in (DISK, CLUSTER):
        raise TableError(
            _("'{name}' is a database, whose records are not in files.").format(name=address.name),
            hint=_('Use source = "server" to leave the records in the database.'),
            file=address.name,
        )
    if options.order_by and (address.query or options.source == MEMORY):
        raise TableError(
            _(
                "order_by is only for a table that stays in its database; '{name}' is read into memory."
            ).format(name=address.name),
            hint=_("Order the records by the query itself, and remove order_by.")
            if address.query
            else _('Use source = "server", or remove order_by: the records are ordered by the primary key.'),
        )
    if options.source != SERVER and not options.order_by:
        may_stay = options.source == AUTO and not address.query and may_group(address)
        try:
            return read_database(address, options, login, monitor, most=MOST_READ if may_stay else 0)
        except TableError as error:
            if not error.context.get("is_too_large"):
                raise
    source = open_server(address, options, login, memory_of(options), monitor)
    reading = remote_reading(source, options, monitor)
    return reading.table, reading.options


def _open_on_cluster(
    address: DatabaseAddress, options: ReadOptions, login: Login, monitor: Monitor
) -> tuple[Table, ReadOptions]:
    if options.source not in (AUTO, CLUSTER):
        raise TableError(
            _("'{name}' is a cluster, where records always stay.").format(name=address.name),
            hint=_('Use source = "cluster", or leave it out.'),
            file=address.name,
        )
    if options.order_by:
        raise TableError(
            _("Records of '{name}' have no order: order_by is only for a database.").format(
                name=address.name
            ),
            hint=_("Remove order_by."),
        )
    from engine.records.clusters.opening import open_cluster

    source = open_cluster(address, options, login, memory_of(options), monitor)
    try:
        reading = remote_reading(source, options, monitor)
    except BaseException:
        source.session.close()
        raise
    return reading.table, reading.options


def stays_in_files(place: Path | str, options: ReadOptions) -> bool:
    """Return whether `open_table` would leave the records in their files."""
    if options.source == MEMORY:
        if is_several(place):
            raise TableError(
                _("'{path}' has several files, which are not read into memory as one table.").format(
                    path=Path(place).name
                ),
                hint=_('Choose a single file, or source = "disk".'),
            )
        return False
    if options.source == DISK or is_several(place):
        return True
    path = Path(place)
    if not exists(path) or not path.name.lower().endswith(LISTED):
        return False
    return n_cells((path,), options) * _BYTES_PER_CELL > memory_of(options)


def memory_of(options: ReadOptions) -> int:
    """Return the bytes that a table may take: those of the options, or a quarter of the machine's."""
    if options.memory:
        return bytes_of(options.memory)
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
    except (AttributeError, OSError, ValueError):
        return _USUAL
