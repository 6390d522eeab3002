"""SQLite files, by the standard library: opened to be read, and held to reading by the database itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from engine.errors import CancelledError, TableError, nearest
from engine.monitor import Monitor
from engine.table.columns_taken import TakenColumn
from engine.table.database_address import DatabaseAddress
from engine.table.database_rows import BLOCK, Undecodable, gathered
from engine.table.raw import RawTable
from engine.table.sources import checked_path

_STEPS = 20_000  # of the database's own machine, between two looks at the monitor: some milliseconds
_PATIENCE = 0.3  # seconds that another program may hold the file
_READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
_REFUSED_FUNCTIONS = ("load_extension", "fts3_tokenizer", "readfile", "writefile", "edit")
_TABLES = (
    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
    "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
)
Answer = TypeVar("Answer")


def table_names(path: Path, monitor: Monitor) -> tuple[str, ...]:
    """Return the names of the tables and views of a file.

    Raises
    ------
    TableError
        It cannot be read, or is no SQLite file.
    """
    with _opened(path, monitor) as run:
        return _names(run)


def read_sqlite(
    address: DatabaseAddress,
    monitor: Monitor,
    *,
    take: Sequence[TakenColumn] = (),
    trim: bool = False,
    missing: Collection[str] = ("",),
    limit: int | None = None,
) -> RawTable:
    """Return the columns of a table or of what a query gives.

    Rows come in the order of the file, or of the query. Whole numbers, others and texts are told apart
    as they are stored; texts of dates are dates.

    Parameters
    ----------
    address : DatabaseAddress
        Its file is looked for relative to the working directory.
    monitor : Monitor
    take : sequence of TakenColumn
    trim : bool
    missing : collection of str
    limit : int, optional
        How many rows are read at most.

    Raises
    ------
    TableError
        The file cannot be read, has no such table, or the query is none, fails, or does not only read.
    CancelledError
        The monitor asks to stop; also in the midst of a query.
    """
    path = address.path
    with _opened(path, monitor) as run:
        declared: tuple[str, ...] = ()
        if address.query:
            statement = address.query
        else:
            table = _existing(path, address.table, _names(run))
            declared = tuple(kind if isinstance(kind, str) else "" for _, kind in run.columns_of(table))
            statement = f'SELECT * FROM "{table.replace(chr(34), chr(34) * 2)}"'
        cursor = run(statement)
        if cursor.description is None:
            raise TableError(
                f"'{path.name}': the query gives no table.",
                hint="Write a single SELECT, or WITH … SELECT.",
                file=path.name,
            )
        names = [column[0] for column in cursor.description]
        blocks = _blocks(run, cursor, monitor, path.name, limit)
        return gathered(
            names,
            blocks,
            file=path.name,
            monitor=monitor,
            take=take,
            trim=trim,
            missing=missing,
            declared=declared,
        )


def _existing(path: Path, table: str, names: tuple[str, ...]) -> str:
    if not names:
        raise TableError(f"'{path.name}' has no tables.", hint="Choose another file.", file=path.name)
    if not table and len(names) == 1:
        return names[0]
    if not table:
        raise TableError(
            f"'{path.name}' has {len(names)} tables, and none is named.",
            hint=f"Add ?table= and its name, one of {', '.join(names[:8])}.",
            file=path.name,
        )
    if table not in names:
        raise TableError(f"'{path.name}' has no table '{table}'.", hint=nearest(table, names), file=path.name)
    return table


def _names(run: _Runner) -> tuple[str, ...]:
    """The tables and views; one whose name is damaged cannot be asked for."""
    return tuple(name for (name,) in run.all(_TABLES) if isinstance(name, str))


class _Runner:
    """Runs statements; what the database says of them becomes one sentence."""

    def __init__(self, connection: sqlite3.Connection, file: str, monitor: Monitor) -> None:
        self._connection, self._file, self._monitor = connection, file, monitor
        self._cancelled: CancelledError | None = None
        connection.set_progress_handler(self._look, _STEPS)

    def __call__(self, statement: str) -> sqlite3.Cursor:
        """Run one."""
        return self.guard(lambda: self._connection.execute(statement))

    def all(self, statement: str) -> list[Any]:
        """Run one, and return its rows."""
        return self.guard(lambda: self._connection.execute(statement).fetchall())

    def columns_of(self, table: str) -> list[tuple[Any, Any]]:
        """The columns of a table, and the types declared for them."""
        self._connection.set_authorizer(None)
        try:
            return self.all(f"SELECT name, type FROM pragma_table_info({_text_literal(table)})")
        finally:
            self._connection.set_authorizer(_allow)

    def guard(self, act: Callable[[], Answer]) -> Answer:
        """Do something with the database."""
        try:
            return act()
        except (sqlite3.Error, sqlite3.Warning, OverflowError, MemoryError, UnicodeError) as error:
            if self._cancelled is not None:
                raise self._cancelled from None
            raise _refused(self._file, error) from None

    def _look(self) -> int:
        try:
            self._monitor.step(0, 1, f"Reading {self._file}")
        except CancelledError as error:
            self._cancelled = error
            return 1
        return 0


def _text_literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _blocks(
    run: _Runner, cursor: sqlite3.Cursor, monitor: Monitor, file: str, limit: int | None
) -> Iterator[list[Any]]:
    done = 0
    while limit is None or done < limit:
        size = BLOCK if limit is None else min(BLOCK, limit - done)
        rows = run.guard(lambda size=size: cursor.fetchmany(size))  # type: ignore[misc]
        if not rows:
            return
        done += len(rows)
        monitor.step(0, 1, f"Reading {file}, row {done:,}")
        yield rows


@contextmanager
def _opened(path: Path, monitor: Monitor) -> Iterator[_Runner]:
    checked_path(path)
    place = quote(path.absolute().as_posix())
    try:
        connection = sqlite3.connect(
            f"file:{place}?mode=ro", uri=True, isolation_level=None, timeout=_PATIENCE
        )
    except sqlite3.Error as error:
        raise _refused(path.name, error) from None
    try:
        connection.text_factory = _text
        run = _Runner(connection, path.name, monitor)
        run("PRAGMA trusted_schema = OFF")  # a crafted file brings no functions along
        connection.set_authorizer(_allow)
        yield run
    finally:
        connection.close()


def _text(raw: bytes) -> str | Undecodable:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return Undecodable()


def _allow(action: int, first: str | None, second: str | None, _database: str | None, _by: str | None) -> int:
    """Let a statement read tables and compute, and nothing else."""
    if action not in _READING or (action == sqlite3.SQLITE_FUNCTION and second in _REFUSED_FUNCTIONS):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _refused(file: str, error: Exception) -> TableError:
    told = str(error)
    if "authoriz" in told or "prohibited" in told:
        problem, hint = "the statement does more than read", "Write a single SELECT, or WITH … SELECT."
    elif "one statement at a time" in told:
        problem, hint = "there are several statements", "Write a single SELECT, or WITH … SELECT."
    elif "not a database" in told or "malformed" in told or isinstance(error, UnicodeError):
        problem = "it is no SQLite database, or it is damaged or encrypted"
        hint = "Choose another file, or export the table as CSV."
    elif "locked" in told or "busy" in told:
        problem, hint = "another program is writing it", "Try again when that has ended."
    else:
        problem, hint = told[:300].rstrip("."), "Look at the names of tables and columns in it."
    return TableError(f"'{file}': {problem}.", hint=hint, file=file)
