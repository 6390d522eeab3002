"""A database of the verification's own (DuckDB), which reads the files of a claim and nothing else.

It reads plain text and Parquet itself. Every other file is read by another library, and its texts are loaded.
"""

from __future__ import annotations

import codecs
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pandas as pd

from engine.verification.claims import Limits, ReleaseClaim
from engine.verification.counters.counted import refuse_other_columns
from engine.verification.findings import UnverifiableError
from engine.verification.grouping import MOST_ROWS, refuse_many_rows
from engine.verification.readers.blocks import can_be_divided
from engine.verification.readers.collecting import Vocabulary
from engine.verification.readers.formats import ROW_LABELS, has_keys
from engine.verification.readers.parts import released_files
from engine.verification.readers.reading import (
    GZIP,
    Layout,
    Progress,
    Reading,
    layout_of,
    read_pieces,
    taken_columns,
)
from engine.verification.readers.regular import n_regular_lines
from engine.words import _

_Found = TypeVar("_Found")
Change = Callable[[pd.DataFrame, int], pd.DataFrame]  # of records, given the number of the first of them
_POLL = 0.1  # seconds between two looks at progress
_AGAIN = 0.05  # seconds until an interrupted statement is interrupted again
_FETCHED = 100_000
_INSERTED = 100_000
SMALL = 100_000  # records of whose tables every statement ends at once
_PARQUET = {"BOOLEAN", "DOUBLE", "DATE", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"}
_PARQUET |= {
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "VARCHAR",
}  # have one text per value in any reader
_CLOSED = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
}


class UnsuitedError(Exception):
    """Raised if the database might not read a file as it is."""


@dataclass
class Side:
    """The original or the release: where it is read from, and its columns.

    Attributes
    ----------
    letter : str
        "b" for what was before, "r" for what was released.
    names, types : list of str
        Of its columns, of which number 3 has cells `b_3`.
    cleaners : list of callable
        What turns a cell of each column into its value.
    source, values : str and list
        What reads the records in their order, and the values bound to it.
    is_text : bool
    counts : list of int
        Records of each file.
    codes : dict of int to Series of int
        By column number: the code of each of its values, by the number of the value.
    is_loaded : bool
        Whether its cells are those that another library has read: codes of columns that models read, which
        are their numbers too, and values of the others.
    """

    letter: str
    names: list[str]
    types: list[str]
    cleaners: list[Callable[[str | None], str]]
    source: str
    values: list[Any]
    is_text: bool
    counts: list[int]
    codes: dict[int, pd.Series[int]] = field(default_factory=dict)
    is_loaded: bool = False

    def column(self, name: str) -> str:
        """Return the name of a column in the tables that are made of the files."""
        return f"{self.letter}{self.names.index(name)}"

    def cell(self, name: str) -> str:
        """Return a cell as it is read; the release has no missing ones."""
        place = self.names.index(name)
        cell = f"{self.letter}_{place}"
        return f"coalesce({cell}, '')" if self.letter == "r" and self.types[place] == "VARCHAR" else cell


class Database:
    """The open database: it works in a thread of its own while progress is reported.

    Parameters
    ----------
    connection : DuckDBPyConnection
    reads_files : bool
        Whether it reads the files itself, as far as it reads them like any other reader.
    is_small : bool
        Whether statements end at once, so that no thread is started for each.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, *, reads_files: bool = True, is_small: bool = False
    ) -> None:
        self._connection, self.reads_files, self._is_small = connection, reads_files, is_small
        self.progress: Progress = lambda done, total, text: None
        self._place, self._shown = (0, 0, ""), 0

    def at(self, percent: int, text: str, until: int = 0) -> None:
        """Say how far the verification is, and how far the next statement brings it."""
        self._place = (percent, until, text)
        self.report()

    def report(self, part: float = 0.0) -> None:
        """Say it again, with the part of the statement that is done; may raise to stop."""
        start, until, text = self._place
        self._shown = max(self._shown, start, int(start + part * (until - start)))
        self.progress(self._shown, 100, text)

    def do(self, query: str, values: Sequence[Any] = ()) -> None:
        """Execute a statement."""
        self.rows(query, values)

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a statement."""
        return self._call(lambda: self._connection.execute(query, list(values)).fetchall())

    def value(self, query: str, values: Sequence[Any] = ()) -> Any:
        """Return the only cell of the only row."""
        return self.rows(query, values)[0][0]

    def frame(self, query: str, values: Sequence[Any] = ()) -> pd.DataFrame:
        """Return whole numbers; at most as many rows as memory is meant to hold."""
        limited = f"{query} LIMIT {MOST_ROWS + 1}"
        found = self._call(lambda: self._connection.execute(limited, list(values)).fetchnumpy())
        columns = {name: pd.Series(numbers, copy=False) for name, numbers in found.items()}
        frame = pd.DataFrame(columns, copy=False)
        refuse_many_rows(len(frame))
        return frame

    def fetched(self, query: str, values: Sequence[Any] = ()) -> Iterable[list[tuple[Any, ...]]]:
        """Yield the rows of a statement, many at once."""
        self._call(partial(self._connection.execute, query, list(values)))
        while rows := self._call(partial(self._connection.fetchmany, _FETCHED)):
            yield rows

    def close(self) -> None:
        """Give back all memory, which the database keeps if tables are only removed."""
        self._connection.close()

    def insert(self, table: str, columns: Sequence[pd.Series[Any]]) -> None:
        """Insert rows into a table, given its columns."""
        marks = listed("unnest(?)" for _unused in columns)
        for start in range(0, len(columns[0]), _INSERTED):
            part = [column.iloc[start : start + _INSERTED].tolist() for column in columns]
            self.do(f"INSERT INTO {table} SELECT {marks}", part)

    def _call(self, work: Callable[[], _Found]) -> _Found:
        """Let the database work while progress is reported; interrupt it if that raises."""
        try:
            if not self._is_small:
                return self._patiently(work)
            self.report()
            return work()
        except duckdb.Error as error:
            if self.reads_files and not isinstance(error, duckdb.OutOfMemoryException):
                raise UnsuitedError from None
            kind = type(error).__name__  # the message may contain values
            raise UnverifiableError(
                _("The database of the verification cannot hold the tables ({kind}).").format(kind=kind)
            ) from None

    def _patiently(self, work: Callable[[], _Found]) -> _Found:
        found: list[_Found] = []
        failed: list[BaseException] = []
        done = threading.Event()

        def run() -> None:
            try:
                found.append(work())
            except BaseException as error:
                failed.append(error)
            finally:
                done.set()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            while not done.wait(_POLL):
                self.report(max(0.0, self._connection.query_progress() / 100))
        except BaseException:
            while thread.is_alive():  # an interrupt before the statement begins is lost
                self._connection.interrupt()
                thread.join(_AGAIN)
            raise
        thread.join()
        if failed:
            raise failed[0]
        return found[0]

    def load(
        self,
        letter: str,
        readings: Sequence[Reading],
        known: dict[str, Vocabulary],
        coded: Callable[[str], bool],
        change: Change | None = None,
    ) -> Side:
        """Load files that are one table, in their order, and that another library reads.

        Parameters
        ----------
        letter : str
        readings : sequence of Reading
        known : dict of str to Vocabulary
            Extended by the texts of coded columns.
        coded : callable
            Returns whether a column is loaded as codes; others are texts.
        change : callable, optional
            Returns what texts of records are compared as, which the database cannot compute.
        """
        names, columns, types = list[str](), list[str](), list[str]()
        counts, n_records, table = list[int](), 0, f"loaded_{letter}"
        for reading in readings:
            n_before = n_records
            for piece in read_pieces(reading, known, lambda part: self.report(), coded):
                if not names and len(piece.columns):
                    names = list(piece.columns)
                    columns = [f"{letter}_{place}" for place in range(len(names))]
                    types = ["INTEGER" if coded(name) else "VARCHAR" for name in names]
                    made = zip(columns, types, strict=True)
                    self.do(f"CREATE TABLE {table} ({listed(f'{own} {kind}' for own, kind in made)})")
                if has_keys(reading.path) and sorted(piece.columns) == sorted(names):
                    piece = piece[names]  # records of JSON have their keys in any order
                refuse_other_columns(readings[0].path, names, reading.path, list(piece.columns))
                if change is not None:
                    piece = change(piece, n_records)
                n_records += len(piece)
                self._is_small = self._is_small and n_records <= SMALL
                if len(piece):
                    self._append(table, piece.set_axis(columns, axis=1), reading.path)
            counts.append(n_records - n_before)
        cleaners: list[Callable[[str | None], str]] = [_as_loaded for _unused in names]
        side = Side(letter, names, types, cleaners, table, [], False, counts, is_loaded=True)
        for place, name in enumerate(names):
            if types[place] == "INTEGER":
                side.codes[place] = pd.Series(range(len(known[name].texts)), dtype="int32")
        return side

    def _append(self, table: str, rows: pd.DataFrame, path: Path) -> None:
        def work() -> None:
            self._connection.register("further", rows)
            self._connection.execute(f"INSERT INTO {table} FROM further")
            self._connection.unregister("further")

        try:
            self._call(work)
        except UnicodeError as error:
            raise UnverifiableError(
                _("The file '{name}' cannot be read: {error}.").format(name=path.name, error=error)
            ) from None

    def make(self, table: str, query: str, rows: pd.DataFrame) -> None:
        """Make a table of a query that reads the given rows as `further`."""

        def work() -> None:
            self._connection.register("further", rows)
            self._connection.execute(f"CREATE OR REPLACE TABLE {table} AS {query}")
            self._connection.unregister("further")

        self._call(work)

    def read(self, letter: str, readings: Sequence[Reading], *, may_have_mark: bool) -> Side:
        """Return the columns of files that are one table, in their order, and that the database reads itself.

        Raises
        ------
        UnsuitedError
            The files differ in what is not read, or the database might not read them as they are.
        """
        layouts, reading = [self._layout(own) for own in readings], readings[0]
        layout = layouts[0]
        names = [name for _unused, name in layout.taken]
        for own, other in zip(readings, layouts, strict=True):
            refuse_other_columns(reading.path, names, own.path, [name for _unused, name in other.taken])
        if any(other != layout for other in layouts):
            raise UnsuitedError
        counts = [self._count(own, layout.width, may_have_mark=may_have_mark) for own in readings]
        numbers = {place: number for number, (place, _unused) in enumerate(layout.taken)}
        columns = [
            f"{letter}_{numbers[place]}" if place in numbers else f"{letter}x{place}"
            for place in range(layout.width)
        ]
        source, values = _source(readings, columns, letter)
        if not reading.is_text:
            schemas = [self.rows("DESCRIBE FROM read_parquet(?)", [_path(own)]) for own in readings]
            if any(other != schemas[0] for other in schemas):
                raise UnsuitedError
        described = self.rows(f"DESCRIBE SELECT {listed(columns)} FROM {source}", values)
        kinds = {str(row[0]): str(row[1]) for row in described}
        types = [kinds[f"{letter}_{number}"] for number in range(len(names))]
        if not set(types) <= _PARQUET:
            raise UnsuitedError
        cleaners = [reading.cleaner(name) for name in names]
        return Side(letter, names, types, cleaners, source, values, reading.is_text, counts)

    def _layout(self, reading: Reading) -> Layout:
        """Return the columns of a file that the database reads itself."""
        path = reading.path.resolve()
        if any(mark in str(path) for mark in "*?[]{}"):  # patterns of several files
            raise UnsuitedError
        if reading.is_text:
            if not _can_be_read(reading):
                raise UnsuitedError
            return layout_of(reading)
        if (reading.format or path.suffix.lower().removeprefix(".")) != "parquet" or reading.skip:
            raise UnsuitedError
        parts = self.rows("SELECT name, num_children FROM parquet_schema(?)", [str(path)])[1:]
        if any(n_children for _unused, n_children in parts) or any(
            ROW_LABELS.fullmatch(name) for name, _unused in parts
        ):
            raise UnsuitedError
        names = [reading.plain(name.strip() if reading.trim else name) for name, _unused in parts]
        return Layout(len(names), taken_columns(reading, names))

    def _count(self, reading: Reading, width: int, *, may_have_mark: bool) -> int:
        """Return the records of a file: its lines, if any reader reads them alike, or what Parquet says."""
        if not reading.is_text:
            return int(self.value("SELECT num_rows FROM parquet_file_metadata(?)", [_path(reading)]))
        marks = (reading.delimiter, reading.quote)
        n_lines = n_regular_lines(reading.path, *marks, width, may_have_mark=may_have_mark, step=self.report)
        if not n_lines:
            raise UnsuitedError
        return n_lines - reading.has_header


@contextmanager
def opened(claim: ReleaseClaim, limits: Limits, *, reads_files: bool = True) -> Iterator[Database]:
    """Open a new database that can read the files of a claim and nothing else, and remove it afterwards.

    If it does not read files, it can read none.
    """
    is_small = not reads_files and claim.expected.records <= SMALL
    options: dict[str, Any] = {**_CLOSED, "threads": 1} if is_small else {**_CLOSED}
    files = (*claim.files, *released_files(claim.released)) if reads_files else ()
    with ExitStack() as closing:
        spilled = ""
        if not is_small:
            folder = tempfile.TemporaryDirectory(prefix="judging-", dir=limits.folder)
            spilled = str(Path(closing.enter_context(folder)) / "spilled")
        # In memory, what does not fit is written to the folder; a file would be written in any case.
        database = closing.enter_context(duckdb.connect(":memory:", config=options))
        for setting in (
            f"memory_limit = '{limits.memory // 1_000_000} MB'",
            f"temp_directory = {_quoted(spilled)}",
            f"allowed_paths = [{listed(_quoted(str(path.resolve())) for path in files)}]",
            f"allowed_directories = [{_quoted(spilled) if spilled else ''}]",
            "preserve_insertion_order = true",
            "enable_progress_bar = true",  # which counts, and is not shown
            "enable_progress_bar_print = false",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            database.execute(f"SET {setting}")
        yield Database(database, reads_files=reads_files, is_small=is_small)


def _as_loaded(text: str | None) -> str:
    """Return the value of a cell that was loaded as its value."""
    return text or ""


def _can_be_read(reading: Reading) -> bool:
    try:
        with reading.path.open("rb") as file:
            is_packed = file.read(2) == GZIP
    except OSError:
        return False
    is_plain = not reading.comment and not reading.skip and not is_packed
    return (
        is_plain
        and codecs.lookup(reading.encoding).name == "utf-8"
        and can_be_divided(reading.delimiter, reading.encoding)
    )


def _source(readings: Sequence[Reading], columns: Sequence[str], letter: str) -> tuple[str, list[Any]]:
    """Return what reads files, and the values bound to it."""
    reading, paths = readings[0], [_path(reading) for reading in readings]
    if not reading.is_text:
        return f"read_parquet(?, hive_partitioning = false) AS {letter}({listed(columns)})", [paths]
    types = listed(f"'{column}': 'VARCHAR'" for column in columns)
    texts = listed(f"'{column}'" for column in columns)
    options = (
        f"auto_detect = false, header = {str(reading.has_header).lower()}, columns = {{{types}}}, "
        f"force_not_null = [{texts}], strict_mode = true, null_padding = false, "
        "delim = ?, quote = ?, escape = ?"
    )
    return f"read_csv(?, {options})", [paths, reading.delimiter, reading.quote, reading.quote]


def _path(reading: Reading) -> str:
    return str(reading.path.resolve())


def listed(parts: Iterable[str]) -> str:
    """Return parts of a statement with commas."""
    return ", ".join(parts)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
