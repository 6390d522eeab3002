"""Opening of tables on a cluster: its catalogue, first records, and the table as a source."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any

from engine.errors import TableError
from engine.monitor import SILENT, Monitor
from engine.records import Table
from engine.records.clusters.frames import (
    exact,
    fingerprint_of,
    frame_of,
    layout_on,
    refuse_unlisted,
    texts_of_column,
)
from engine.records.clusters.session import ClusterSession
from engine.records.clusters.source import Chosen, ClusterSource
from engine.records.databases.address import NOBODY, DatabaseAddress, Login
from engine.records.databases.tables import refuse_unnamed
from engine.records.disk.coded_copy import most_values
from engine.records.options import ReadOptions
from engine.records.raw import RawTable
from engine.records.reading import tabled
from engine.records.remote import SourceColumn
from engine.words import _

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")  # of a table, that needs no backticks
_DEFAULT = "default"  # database whose tables need no name before theirs
_MOST_DATABASES = 50  # whose tables are listed


def cluster_tables(
    address: DatabaseAddress, login: Login = NOBODY, monitor: Monitor = SILENT
) -> tuple[str, ...]:
    """Return the names of the tables and views in the catalogue of a cluster, as an address names them.

    Raises
    ------
    TableError
        The cluster does not answer.
    """
    with closing(ClusterSession(address, login, monitor)) as session:
        catalogue, text = session.spark.catalog, _("Listing the tables of {name}")
        databases = session.run(catalogue.listDatabases, monitor, text)
        names = sorted((found.name for found in databases), key=lambda name: (name != _DEFAULT, name))
        listed: list[str] = []
        for name in names[:_MOST_DATABASES]:
            tables = session.run(lambda name=name: catalogue.listTables(_quoted(name)), monitor, text)  # type: ignore[misc]
            listed += sorted(
                ".".join(map(_quoted, (() if name == _DEFAULT else (name,)) + (table.name,)))
                for table in tables
                if not table.isTemporary
            )
        return tuple(listed)


def first_records(
    address: DatabaseAddress,
    options: ReadOptions = ReadOptions(),
    login: Login = NOBODY,
    monitor: Monitor = SILENT,
    *,
    limit: int,
) -> tuple[Table, ReadOptions]:
    """Return some records of a table on a cluster in memory, to be looked at before it is opened.

    Parameters
    ----------
    limit : int
        Records at most.

    Raises
    ------
    TableError
        As for `open_cluster`.
    """
    refuse_unnamed(address)
    with closing(ClusterSession(address, login, monitor)) as session:
        chosen = _chosen(session, address, options, monitor)
        frame = chosen.on(session.spark).limit(limit)
        found = session.run(frame.toArrow, monitor, _("Reading {name}"))
    if not found.num_rows:
        raise _no_records(session, address)
    columns = tuple(
        texts_of_column(name, found.column(place), chosen.texts, chosen.layout)
        for place, (_unused, name) in enumerate(chosen.empty.taken)
    )
    reading = tabled(replace(chosen.empty, columns=columns), options, monitor)
    return reading.table, reading.options


def open_cluster(
    address: DatabaseAddress,
    options: ReadOptions,
    login: Login,
    memory: int,
    monitor: Monitor,
) -> ClusterSource:
    """Connect with a cluster and ask for the columns and the size of a table.

    Parameters
    ----------
    login : Login
        Kept for a second session, never stored.
    memory : int
        Bytes that may be taken here.

    Raises
    ------
    TableError
        The cluster or the table cannot be reached, or a column has cells that are not single values.
    """
    options.refuse_impossible()
    refuse_unnamed(address)

    def connected(monitor: Monitor) -> ClusterSession:
        return ClusterSession(address, login, monitor)

    session = connected(monitor)
    try:
        return _opened(session, address, options, memory, monitor, connected)
    except BaseException:
        session.close()
        raise


def _opened(
    session: ClusterSession,
    address: DatabaseAddress,
    options: ReadOptions,
    memory: int,
    monitor: Monitor,
    again: Callable[[Monitor], ClusterSession],
) -> ClusterSource:
    chosen = _chosen(session, address, options, monitor)
    frame = chosen.on(session.spark)
    n_records = session.run(frame.count, monitor, _("Counting records"))
    if not n_records:
        raise _no_records(session, address)
    return ClusterSource(
        session,
        address,
        tuple(SourceColumn(name) for _place, name in chosen.empty.taken),
        n_records,
        fingerprint_of(session, frame, monitor),
        again,
        chosen,
        _frame=frame,
        _most=most_values(memory),
        _must_be_utf8=options.encoding is None,
    )


def _chosen(
    session: ClusterSession, address: DatabaseAddress, options: ReadOptions, monitor: Monitor
) -> Chosen:
    layout = session.run(lambda: layout_on(session.spark, address, options), monitor, _("Reading {name}"))
    frame = frame_of(session.spark, address, layout)
    schema = session.run(lambda: frame.schema, monitor, _("Reading {name}"))
    if layout is None:
        names = [column.name for column in schema.fields]
        empty = RawTable(session.name, (), taken=options.columns_of(names, session.name))
    else:
        empty = layout.empty
    taken = empty.taken
    for place, name in taken:
        refuse_unlisted(name, schema.fields[place].dataType)
    kinds = {f"c{number}": schema.fields[place].dataType for number, (place, _n) in enumerate(taken)}
    places = [place for place, _n in taken]

    def on(spark: Any) -> Any:
        whole = frame_of(spark, address, layout)
        numbered = whole.toDF(*(f"x{place}" for place in range(len(schema.fields))))
        return exact(numbered, places, kinds, is_text_file=layout is not None)

    texts = frozenset(
        name
        for number, (_p, name) in enumerate(taken)
        if kinds[f"c{number}"].typeName() in ("string", "char", "varchar")
    )
    return Chosen(empty, texts, layout, on)


def _no_records(session: ClusterSession, address: DatabaseAddress) -> TableError:
    return TableError(
        _("'{name}': table '{table}' has no records.").format(
            name=session.name, table=address.table or address.files
        ),
        hint=_("Choose another table."),
        file=session.name,
    )


def _quoted(name: str) -> str:
    """Return a part of the name of a table as an address names it."""
    return name if _PLAIN_NAME.fullmatch(name) else "`" + name.replace("`", "``") + "`"
