"""Databases on servers, through SQLAlchemy and a driver, in a subprocess that can be ended."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from engine.errors import AnonymizerError, CancelledError, TableError, nearest
from engine.monitor import Monitor
from engine.numbers import as_exact_count
from engine.params import made_of
from engine.table.database_address import DatabaseAddress, Login
from engine.table.database_query import checked_query
from engine.table.database_rows import BLOCK, gathered, too_large
from engine.table.encryption import protected, refusal_of, refused
from engine.table.options import ReadOptions
from engine.table.reader_process import write_raw
from engine.table.sources import need
from engine.words import _

_TABLES = "tables.json"
_BEFORE = {  # starts a read-only transaction; PostgreSQL has an option for it
    "mysql": ("SET TRANSACTION READ ONLY",),
    "mariadb": ("SET TRANSACTION READ ONLY",),
    # texts are compared by their bytes; a read-only transaction of Oracle always sees one state
    "oracle": ("ALTER SESSION SET NLS_COMP = BINARY", "SET TRANSACTION READ ONLY"),
}
_STABLE = {  # isolation levels in which all statements see one state of the table
    "postgresql": "REPEATABLE READ",
    "mysql": "REPEATABLE READ",
    "mariadb": "REPEATABLE READ",
    "mssql": "SNAPSHOT",
}
_CHECKS_CLIENT = (14,)  # version of PostgreSQL


def work(request: Mapping[str, Any], folder: Path, monitor: Monitor) -> None:
    """List tables or read one, in the subprocess; the request, with its password, came through a pipe."""
    name = request["name"]
    login = Login(request["user"], request["password"], request["accepted"])
    with connected(request["url"], login, name) as (library, connection):
        if request["lists"]:
            found = _names(library, connection, request["schema"])
            (folder / _TABLES).write_text(json.dumps(found), encoding="utf-8")
            return
        if request["query"]:
            plain = connection.execution_options(no_parameters=True)  # % is no mark of a parameter
            rows = plain.exec_driver_sql(checked_query(request["query"], name))
        else:
            statement = _selection(library, connection, request, name)
            if most := request.get("most", 0):
                counted = library.select(library.func.count()).select_from(*statement.get_final_froms())
                if connection.execute(counted).scalar() > most:
                    raise too_large(name, most)
            rows = connection.execute(statement)
        if not rows.returns_rows:
            raise TableError(
                _("'{name}': the query returns no table.").format(name=name),
                hint=_("Write a single SELECT."),
                file=name,
            )
        blocks = _blocks(rows, monitor, name, request["limit"])
        write_raw(
            gathered(
                list(rows.keys()),
                blocks,
                file=name,
                monitor=monitor,
                options=made_of(ReadOptions, request["options"]),
            ),
            folder,
        )


def listed(folder: Path) -> tuple[str, ...]:
    """Return the tables that `work` listed."""
    return tuple(json.loads((folder / _TABLES).read_text(encoding="utf-8")))


def _selection(library: Any, connection: Any, request: Mapping[str, Any], name: str) -> Any:
    """Return the selection of a complete table, in the order of its key if it has one."""
    table, schema = request["table"], request["schema"] or None
    inspector = library.inspect(connection)
    if not inspector.has_table(table, schema=schema):
        names = _names(library, connection, request["schema"])
        raise TableError(
            _("'{name}' has no table '{table}'.").format(name=name, table=table),
            hint=nearest(table, names),
            file=name,
        )
    quoted = library.sql.quoted_name
    source = library.table(quoted(table, quote=True), schema=schema)
    key = inspector.get_pk_constraint(table, schema=schema).get("constrained_columns") or []
    order = [library.column(quoted(column, quote=True)) for column in key]
    return library.select(library.text("*")).select_from(source).order_by(*order)


def _names(library: Any, connection: Any, schema: str) -> list[str]:
    inspector, of = library.inspect(connection), schema or None
    return sorted({*inspector.get_table_names(of), *inspector.get_view_names(of)})


def _blocks(rows: Any, monitor: Monitor, name: str, limit: int | None) -> Iterator[Sequence[Any]]:
    done = 0
    while limit is None or done < limit:
        block = rows.fetchmany(BLOCK if limit is None else min(BLOCK, limit - done))
        if not block:
            return
        done += len(block)
        monitor.step(0, 1, _("Reading {file}, row {row}").format(file=name, row=as_exact_count(done)))
        yield block


@contextmanager
def connected(url: str, login: Login, name: str, *, is_stable: bool = False) -> Iterator[tuple[Any, Any]]:
    """Open a connection whose transaction is read-only and never committed, encrypted to other machines.

    Parameters
    ----------
    url : str
    login : Login
    name : str
        Name of the database in messages.
    is_stable : bool
        Whether all statements see the table as it was at the first one.
    """
    library, address = need("sqlalchemy", name), DatabaseAddress(url)
    protection = protected(address, login.accepted)
    try:
        place = library.make_url(url)
        if login.user:
            place = place.set(username=login.user)
        if login.password is not None:
            place = place.set(password=login.password)
        engine = library.create_engine(
            protection.placed(place), connect_args=dict(protection.arguments), poolclass=library.pool.NullPool
        )
        kind = engine.dialect.name
        options: dict[str, Any] = {}
        if kind == "postgresql":
            options["postgresql_readonly"] = True
        if is_stable and kind in _STABLE:
            options["isolation_level"] = _STABLE[kind]
        with engine.connect() as opened:
            if not protection.is_kept_by(opened.connection.driver_connection):
                raise refused(address)
            connection = opened.execution_options(**options)
            for statement in (*_BEFORE.get(kind, ()), *_during(kind, connection)):
                connection.exec_driver_sql(statement)
            connection = connection.execution_options(stream_results=True, max_row_buffer=BLOCK)
            try:
                yield library, connection
            finally:
                connection.rollback()
    except (AnonymizerError, CancelledError):
        raise
    except ImportError as error:
        driver = error.name
        raise TableError(
            _("'{name}' requires the driver {driver}, which is not installed.").format(
                name=name, driver=driver
            )
            if driver
            else _("'{name}' requires a database driver that is not installed.").format(name=name),
            hint=_("Install it with: pip install {driver}").format(driver=driver)
            if driver
            else _("Install the driver of the database with pip."),
            file=name,
        ) from None
    except Exception as error:
        said = _message(error, login.password)
        if (refusal := refusal_of(address, protection, said)) is not None:
            raise refusal from None
        raise TableError(
            _("'{name}' cannot be read: {error}.").format(name=name, error=said),
            hint=_("Check host, database, user and password, and the names of tables and columns."),
            file=name,
        ) from None


def _during(kind: str, connection: Any) -> list[str]:
    """Return settings of a transaction: PostgreSQL stops a statement soon after its client has ended."""
    if kind != "postgresql" or (connection.dialect.server_version_info or ()) < _CHECKS_CLIENT:
        return []
    return ["SET LOCAL client_connection_check_interval = 100", "SET LOCAL cursor_tuple_fraction = 1"]


def _message(error: Exception, password: str | None) -> str:
    """Return the message of the driver, unless it repeats the password."""
    text = " ".join(str(getattr(error, "orig", None) or error).split())
    written = {" ".join(form.split()) for form in _written(password)} if password else set()
    if not text or any(form in text for form in written):
        return type(error).__name__
    return text[:300].rstrip(".")


def _written(password: str) -> tuple[str, ...]:
    """Return the forms in which a message may contain a password: plain, URL-quoted or escaped."""
    return password, quote(password), quote(password, safe=""), quote_plus(password), repr(password)[1:-1]
