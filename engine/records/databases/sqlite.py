"""Files of SQLite and DuckDB, opened read-only and held to reading by these themselves."""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import duckdb

from engine.errors import TableError, nearest
from engine.monitor import Monitor
from engine.records.databases.address import DUCKDB, DatabaseAddress
from engine.records.databases.rows import Undecodable, blocks_of_rows, gathered, too_large
from engine.records.options import ReadOptions
from engine.records.raw import RawTable
from engine.records.table_files import checked_path
from engine.words import _

_LOOK = 0.05  # seconds between two checks of the monitor
_LONGEST = 1 << 26  # bytes of a text or row, so that no query builds one that fills the memory
_PATIENCE = 0.3  # seconds that another program may lock the file
_READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
_EXPLAINING = re.compile(r"(\s|--[^\n]*\n|/\*.*?\*/)*explain\b", re.IGNORECASE | re.DOTALL)
_REFUSED_FUNCTIONS = ("load_extension", "fts3_tokenizer", "readfile", "writefile", "edit")
_TABLES = (
    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
    "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
)
_OF_DUCKDB = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' ORDER BY 1"
_CLOSED: dict[str, Any] = {  # a file loads no extension, and reads no other file or network
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "lock_configuration": True,
}
_REPORTED = (
    sqlite3.Error,
    sqlite3.Warning,
    OverflowError,
    MemoryError,
    UnicodeError,
    duckdb.Error,
)  # reported in a sentence
Answer = TypeVar("Answer")


def table_names(path: Path, monitor: Monitor) -> tuple[str, ...]:
    """Return the names of the tables and views of a file.

    Raises
    ------
    TableError
        The file cannot be read, or is not an SQLite file.
    """
    with _opened(path, monitor) as run:
        return _names(run)


def read_sqlite(
    address: DatabaseAddress,
    options: ReadOptions,
    monitor: Monitor,
    *,
    limit: int | None = None,
    most: int = 0,
) -> RawTable:
    """Return the columns of a table or a query result.

    Rows come in the order of the file or the query. Whole numbers, other numbers and texts are distinguished
    as stored; texts of dates are dates.

    Parameters
    ----------
    address : DatabaseAddress
        The path of its file is relative to the working directory.
    limit : int, optional
        Maximum number of rows to read.
    most : int
        As for `engine.records.databases.tables.read_database`.

    Raises
    ------
    TableError
        The file cannot be read or has no such table; or the query is empty, fails, or does more than read.
    CancelledError
        The monitor asks to stop; also during a query.
    """
    path = address.path
    with _opened(path, monitor) as run:
        kinds: dict[Any, Any] = {}
        if address.query:
            statement = address.query
            if _EXPLAINING.match(statement):
                raise TableError(
                    _("'{name}': the query returns its execution plan, not a table.").format(name=path.name),
                    hint=_("Remove EXPLAIN."),
                    file=path.name,
                )
        else:
            table = _existing(path, address.table, _names(run))
            kinds = dict(run.columns_of(table))
            quoted = f'"{table.replace(chr(34), chr(34) * 2)}"'
            if most and run.all(f"SELECT count(*) FROM {quoted}")[0][0] > most:
                raise too_large(path.name, most)
            statement = f"SELECT * FROM {quoted}"
        cursor = run(statement)
        if cursor.description is None:
            raise TableError(
                _("'{name}': the query returns no table.").format(name=path.name),
                hint=_("Write a single SELECT, or WITH … SELECT."),
                file=path.name,
            )
        names = [column[0] for column in cursor.description]
        declared = [kind if isinstance(kind := kinds.get(name), str) else "" for name in names]

        def fetched(n_rows: int) -> list[Any]:
            return run.guard(lambda: cursor.fetchmany(n_rows))

        blocks = blocks_of_rows(fetched, path.name, monitor, limit)
        return gathered(
            names,
            blocks,
            file=path.name,
            monitor=monitor,
            options=options,
            declared=declared,
        )


def _existing(path: Path, table: str, names: tuple[str, ...]) -> str:
    if not names:
        raise TableError(
            _("'{name}' has no tables.").format(name=path.name),
            hint=_("Choose another file."),
            file=path.name,
        )
    if not table and len(names) == 1:
        return names[0]
    if not table:
        raise TableError(
            _("'{name}' has {n} tables, and none was chosen.").format(name=path.name, n=len(names)),
            hint=_("Add ?table= and one of these names: {names}.").format(names=", ".join(names[:8])),
            file=path.name,
        )
    if table not in names:
        raise TableError(
            _("'{name}' has no table '{table}'.").format(name=path.name, table=table),
            hint=nearest(table, names),
            file=path.name,
        )
    return table


def _names(run: _Runner) -> tuple[str, ...]:
    """Return the tables and views, except those with a damaged name, which cannot be requested."""
    found = run.all(_TABLES if run.is_sqlite else _OF_DUCKDB)
    return tuple(name for (name,) in found if isinstance(name, str))


class _Runner:
    """Runner of statements in their own thread; turns errors of SQLite into one sentence."""

    def __init__(self, connection: Any, file: str, monitor: Monitor) -> None:
        self.is_sqlite = isinstance(connection, sqlite3.Connection)
        self._connection, self._file, self._monitor = connection, file, monitor
        self._at_work = threading.Lock()

    def __call__(self, statement: str) -> Any:
        """Run a statement."""
        return self.guard(lambda: self._connection.execute(statement))

    def all(self, statement: str) -> list[Any]:
        """Run a statement and return its rows."""
        return self.guard(lambda: self._connection.execute(statement).fetchall())

    def columns_of(self, table: str) -> list[tuple[Any, Any]]:
        """Return the columns of a table with their declared types, if the database does not enforce them."""
        if not self.is_sqlite:
            return []
        self._connection.set_authorizer(None)
        try:
            quoted = table.replace("'", "''")
            return self.all(f"SELECT name, type FROM pragma_table_xinfo('{quoted}')")
        finally:
            self._connection.set_authorizer(_allow)

    def guard(self, act: Callable[[], Answer]) -> Answer:
        """Run a database operation; if it ignores being cancelled, its thread ends by itself."""
        answers: list[Answer] = []
        errors: list[BaseException] = []

        def work() -> None:
            with self._at_work:
                try:
                    answers.append(act())
                except BaseException as error:
                    errors.append(error)

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        try:
            while worker.is_alive():
                worker.join(_LOOK)
                if worker.is_alive():
                    self._monitor.step(0, 1, _("Reading {file}").format(file=self._file))
        except BaseException:
            self._connection.interrupt()
            raise
        if not errors:
            return answers[0]
        if isinstance(error := errors[0], _REPORTED):
            raise refused(self._file, error) from None
        raise error

    def close(self) -> None:
        """Close the file, now or once a cancelled statement has ended."""

        def work() -> None:
            with self._at_work:
                self._connection.close()

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        worker.join(_PATIENCE)


@contextmanager
def _opened(path: Path, monitor: Monitor) -> Iterator[_Runner]:
    checked_path(path)
    alone = _seen_alone(path)
    is_duckdb = path.suffix.lower() == f".{DUCKDB}"
    connection: Any
    try:
        connection = duckdb.connect(path, read_only=True, config=_CLOSED) if is_duckdb else connected(path)
    except (sqlite3.Error, duckdb.Error) as error:
        raise refused(path.name, error) from None
    run = _Runner(connection, path.name, monitor)
    try:
        if run.is_sqlite:
            run("PRAGMA trusted_schema = OFF")  # a crafted file brings no functions along
            hold_to_reading(connection)
        yield run
        if alone != _seen_alone(path) and alone is not None:
            raise refused(path.name, sqlite3.OperationalError("locked"))
    finally:
        run.close()


def connected(path: Path) -> sqlite3.Connection:
    """Open a file for reading only, without checking that it is a database."""
    mode = "mode=ro" if _seen_alone(path) is None else "mode=ro&immutable=1"
    connection = sqlite3.connect(
        f"file:{quote(path.absolute().as_posix())}?{mode}",
        uri=True,
        isolation_level=None,
        timeout=_PATIENCE,
        check_same_thread=False,  # one thread after the other
    )
    connection.text_factory = _text
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    return connection


def hold_to_reading(connection: sqlite3.Connection) -> None:
    """Allow statements of a connection to read tables and compute, and nothing else."""
    connection.set_authorizer(_allow)


def _seen_alone(path: Path) -> tuple[int, int] | None:
    """Return the state of a file that uses a write-ahead log and has none; None for any other file.

    Such a file is opened as immutable: otherwise SQLite would create two files next to it, and fail if it may
    not.
    """
    try:
        with path.open("rb") as stream:
            has_log = stream.read(20)[18:] == b"\2\2"
        if not has_log or Path(f"{path}-wal").exists():
            return None
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _text(raw: bytes) -> str | Undecodable:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return Undecodable()


def _allow(action: int, first: str | None, second: str | None, _database: str | None, _by: str | None) -> int:
    """Allow a statement to read tables and compute, and nothing else."""
    if action == sqlite3.SQLITE_PRAGMA and (first, second) == ("data_version", None):
        return sqlite3.SQLITE_OK  # queried by full-text tables themselves
    if action not in _READING or (action == sqlite3.SQLITE_FUNCTION and second in _REFUSED_FUNCTIONS):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def refused(file: str, error: Exception) -> TableError:
    """Return an error of SQLite in a sentence."""
    text = str(error)
    if "authoriz" in text or "prohibited" in text:
        problem, hint = _("the query does more than read"), _("Write a single SELECT, or WITH … SELECT.")
    elif "one statement at a time" in text:
        problem, hint = (
            _("the query contains several statements"),
            _("Write a single SELECT, or WITH … SELECT."),
        )
    elif re.search("not a (valid DuckDB )?database|malformed", text) or isinstance(error, UnicodeError):
        problem = _("it is not a database of its ending, or it is damaged or encrypted")
        hint = _("Choose another file, or export the table as CSV.")
    elif re.search("locked|busy|lock on file", text):
        problem, hint = _("another program is writing to it"), _("Try again when it has finished.")
    else:
        problem, hint = text[:300].rstrip("."), _("Check the names of tables and columns.")
    return TableError(_("'{file}': {problem}.").format(file=file, problem=problem), hint=hint, file=file)
