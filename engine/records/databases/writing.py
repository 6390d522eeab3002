"""A release as a table of a database: made and filled in one transaction, which ends once it is verified."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from engine.errors import ExportError
from engine.monitor import Monitor
from engine.records.databases.address import SQLITE, DatabaseAddress, Login
from engine.records.databases.sqlite import connected as reading
from engine.records.databases.sqlite import refused
from engine.records.databases.tables import connected, database_tables, refuse_unnamed
from engine.records.table_files import checked_path, exists
from engine.scratch import scratch_folder
from engine.verification.readers.formats import write_rows
from engine.words import _

_BATCH = 2_000  # records sent at once
_LONGEST = 63  # bytes of a name in PostgreSQL, which cuts longer ones
_LARGEST = 2**63
# types of numbers by system: what makes a value of a text, and the text that is read back
_WHOLE = ("BIGINT", int, str)
_NUMBERS: dict[str, list[tuple[str, Callable[[str], Any], Callable[[Any], str]]]] = {
    SQLITE: [_WHOLE, ("REAL", float, lambda value: repr(value).removesuffix(".0"))],
    "postgresql": [_WHOLE, ("NUMERIC", Decimal, "{:f}".format)],
}  # only these systems make a table and its records in one transaction


def refuse_taken(address: DatabaseAddress, login: Login) -> None:
    """Raise `ExportError` for a table that exists, or a database that cannot make one at once."""
    refuse_unnamed(address)
    if address.system not in _NUMBERS or address.query:
        raise ExportError(
            _("'{name}': a release cannot be written there.").format(name=address.name),
            hint=_("Give a table of SQLite or PostgreSQL by ?table=, or write a file and load it there."),
        )
    is_new = address.is_file and not exists(address.path)
    if not is_new and address.table in database_tables(address, login):
        raise ExportError(
            _("'{name}' already has a table '{table}'.").format(name=address.name, table=address.table),
            hint=_("Choose another name, or drop that table first."),
        )


@contextmanager
def table_written(
    address: DatabaseAddress, login: Login, check: Callable[[Path], None], monitor: Monitor
) -> Iterator[BinaryIO]:
    """Open a file of JSON lines, whose records become a new table if nothing fails.

    Columns of numbers are numbers if the database gives back every digit; other cells are texts.

    Parameters
    ----------
    check : callable
        Called with the table as it is read back, as JSON lines, before the transaction ends; may raise.

    Raises
    ------
    ExportError, TableError
        The table exists, or the database refuses it. It is unchanged then, and after any error of the block.
    """
    refuse_taken(address, login)
    with scratch_folder("table") as folder:
        lines = folder / "lines"
        with lines.open("wb") as file:
            yield file
        with _opened(address, login, writes=True) as cursor:
            _fill(cursor, address, lines, monitor)
            check(_read(cursor, address, folder))


@contextmanager
def table_read(address: DatabaseAddress, login: Login) -> Iterator[Path]:
    """Read a written table into a temporary file of JSON lines."""
    refuse_unnamed(address)
    with scratch_folder("table") as folder, _opened(address, login) as cursor:
        yield _read(cursor, address, folder)


@contextmanager
def _opened(address: DatabaseAddress, login: Login, *, writes: bool = False) -> Iterator[Any]:
    """Yield a cursor in a transaction, which ends if the block does without an error."""
    if not address.is_file:
        with connected(address.url, login, address.name, writes=writes) as (_library, connection):
            yield connection.connection.cursor()
        return
    path, is_new = address.path, writes and not exists(address.path)
    if not writes:
        checked_path(path)
    try:
        with closing(sqlite3.connect(path, isolation_level=None) if writes else reading(path)) as connection:
            connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
            yield connection.cursor()
            connection.execute("COMMIT")
            is_new = False
    except sqlite3.Error as error:
        raise refused(path.name, error) from None
    finally:
        if is_new:
            path.unlink(missing_ok=True)


def _fill(cursor: Any, address: DatabaseAddress, lines: Path, monitor: Monitor) -> None:
    """Make the table, of the types of numbers that all cells of a column have, or else of texts."""
    fitting: dict[str, list[Any]] = {}
    for record in _records(lines):
        for name, cell in record.items():
            types = fitting.setdefault(name, _NUMBERS[address.system])
            if cell is not None:
                fitting[name] = [own for own in types if isinstance(cell, _Number) and _is_kept(own, cell)]
    if not address.is_file:
        for name in (address.table, *fitting):
            if len(name.encode()) > _LONGEST:
                raise ExportError(
                    _("'{name}' is too long a name for a table or column there.").format(name=name),
                    hint=_("Choose a shorter name, or write a file."),
                )
    chosen = [(types or [("TEXT", _as_text, str)])[0] for types in fitting.values()]
    declared = [f"{_quoted(name)} {own[0]}" for name, own in zip(fitting, chosen, strict=True)]
    table, mark = _table(address), "?" if address.is_file else "%s"
    cursor.execute(f"CREATE TABLE {table} ({', '.join(declared)})")
    table = table if address.is_file else table.replace("%", "%%")
    insert = f"INSERT INTO {table} VALUES ({', '.join([mark] * len(chosen))})"
    made = [make for _type, make, _text in chosen]
    records = (
        [None if cell is None else make(cell) for make, cell in zip(made, record.values(), strict=True)]
        for record in _records(lines)
    )
    while rows := list(islice(records, _BATCH)):
        monitor.step(0, 1, _("Writing {name}").format(name=address.name))
        cursor.executemany(insert, rows)


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


def _records(lines: Path) -> Iterator[dict[str, Any]]:
    with lines.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            yield json.loads(line, parse_int=_Number, parse_float=_Number)


def _is_kept(kind: tuple[str, Callable[[str], Any], Callable[[Any], str]], text: str) -> bool:
    """Return whether a type gives back the text of a number."""
    try:
        value = kind[1](text)
    except ValueError:
        return False
    return kind[2](value or abs(value)) == text and (kind[1] is not int or abs(value) < _LARGEST)


def _as_text(cell: Any) -> str:
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


def _read(cursor: Any, address: DatabaseAddress, folder: Path) -> Path:
    """Read the table in the order in which it was written; return a file of its name."""
    cursor.execute(f"SELECT * FROM {_table(address)} ORDER BY {'rowid' if address.is_file else 'ctid'}")
    path = folder / (re.sub(r"\W", "_", address.table)[:_LONGEST] + ".jsonl")
    write_rows([column[0] for column in cursor.description], cursor, path)
    return path


def _table(address: DatabaseAddress) -> str:
    return ".".join(_quoted(name) for name in (address.schema, address.table) if name)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
