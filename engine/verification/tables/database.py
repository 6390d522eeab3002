"""A database of the verification's own (DuckDB), which reads the files of a claim and nothing else.

It reads plain text and Parquet itself. Every other file is read by another library, and its texts are loaded.
"""

from __future__ import annotations

import codecs
import math
import operator
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pandas as pd

from engine.verification.claims import Limits, Reading, ReleaseClaim
from engine.verification.findings import MOST_ROWS, UnverifiableError, refuse_many_rows, refuse_many_values
from engine.verification.readers.claimed_files import (
    check_counts,
    check_manifest,
    readings_of_release,
    released_files,
)
from engine.verification.readers.collecting import Vocabularies, Vocabulary
from engine.verification.readers.formats import ROW_LABELS, has_keys, is_text
from engine.verification.readers.reading import (
    GZIP,
    Layout,
    layout_of,
    read_pieces,
    taken_columns,
)
from engine.verification.readers.regular import n_regular_lines
from engine.verification.shifts import moved
from engine.verification.tables.columns import (
    compared_of,
    first_missing,
    is_numbered,
    keyed_moves,
    needed_columns,
    refuse_other_columns,
)
from engine.verification.tables.place import LETTERS, ORIGINAL, RELEASE, Place, listed, quoted
from engine.words import _

_Found = TypeVar("_Found")
Change = Callable[[pd.DataFrame, int], pd.DataFrame]  # of records, given the number of the first of them
_FETCHED = 100_000
SMALL = 100_000  # records of whose tables every statement ends at once
_PARQUET = {"BOOLEAN", "DOUBLE", "DATE", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"}
_PARQUET |= {
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "VARCHAR",
}  # have one text per value in any reader
_PLAIN_ENDS = "(?s)[!-~](.*[!-~])?"
_HARMLESS = "^[0-9A-Za-z]"  # the start of a cell that no spreadsheet runs
_DOUBLES = 2**53  # below it every whole number is a double, and a division rounds only once
_MACROS = (
    # The double nearest to a fraction.
    f"quotient(a, b) AS CASE WHEN abs(a) < {_DOUBLES} AND b < {_DOUBLES} THEN a::DOUBLE / b::DOUBLE "
    "ELSE exact_quotient(a, b) END",
    # The logarithm of a fraction; of nearly equal numbers, without loss of digits.
    "log_ratio(a, b) AS CASE WHEN a > 2 * b OR b > 2 * a THEN ln(a::DOUBLE / b::DOUBLE) "
    "ELSE 2 * atanh((a - b)::DOUBLE / (a + b)::DOUBLE) END",
)
_CLOSED = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
}


class UnsuitedError(Exception):
    """Raised if the database might not read a file unchanged."""


class Database(Place):
    """The open database.

    Parameters
    ----------
    reads_files : bool
        Whether it reads the files itself, if it reads them like any other reader.
    """

    order = "place"

    def __init__(self, connection: duckdb.DuckDBPyConnection, *, reads_files: bool = True) -> None:
        self._connection, self._reads_files = connection, reads_files
        self.progress = lambda done, total, text: None

    def read(self, claim: ReleaseClaim, known: Vocabularies) -> None:
        """Make the tables of the original and of the release.

        Raises
        ------
        UnverifiableError
            A file cannot be read, or is not as the manifest of the release says.
        UnsuitedError
            The database might not read a file unchanged.
        """
        self.at(0, _("Reading the original"), until=20)
        self.compared = compared_of(claim)
        self.is_numbered = is_numbered(claim)
        self.names, _unused = self._read(claim, ORIGINAL, claim.readings, known)
        self.at(20, _("Reading the release"), until=40)
        check_manifest(claim.released.path, self.report)
        written = readings_of_release(claim, self.names)
        self.released_names, counts = self._read(claim, RELEASE, written, known)
        self.released = written[0]
        if claim.released.path.is_dir():
            check_counts(claim.released.path, counts)

    def _read(
        self, claim: ReleaseClaim, table: str, readings: Sequence[Reading], known: Vocabularies
    ) -> tuple[list[str], list[int]]:
        """Make a table of files; return its columns and the records of each file."""
        if self._reads_files:
            return self._read_itself(claim, table, readings, known)
        return self._load(table, readings, known, _moving_dates(claim, known) if table == ORIGINAL else None)

    # What single records decide

    def records(self, table: str, known: Vocabularies) -> pd.DataFrame:
        """Return the codes of all records of a table, in its order."""
        letter, names = LETTERS[table], self.names if table == ORIGINAL else self.released_names
        cells = listed(f"{letter}{place}" for place in range(len(names)))
        found = self.frame(f"SELECT {cells} FROM {table}")
        columns = {}
        for name, (_unused, cells_of) in zip(names, found.items(), strict=True):
            if not self.is_numbered(name):
                vocabulary = known.setdefault(name, Vocabulary())
                places, texts = pd.factorize(cells_of)
                codes = pd.Series([vocabulary.code(text) for text in texts], dtype="int32")
                cells_of = pd.Series(codes.array.take(places))
            columns[name] = cells_of
        return pd.DataFrame(columns, copy=False)

    def choose(self, places: Sequence[int]) -> None:
        """Let the original be some of its records, by their positions."""
        self.send("chosen", pd.DataFrame({"place": pd.Series(places, dtype="int64")}))
        chosen = f"SELECT * FROM {ORIGINAL} SEMI JOIN chosen USING (place) ORDER BY place"
        self.make(ORIGINAL, f"SELECT * REPLACE (row_number() OVER () - 1 AS place) FROM ({chosen})")

    def replace(self, name: str, codes: pd.Series[int], texts: Sequence[str]) -> None:
        """Let original records have other cells in a column."""
        cell = f"b{self.names.index(name)}"
        cells = codes if self.is_numbered(name) else pd.Series([texts[code] for code in codes.tolist()])
        self.send("replaced", pd.DataFrame({"cell": cells.reset_index(drop=True)}))
        self.make(
            ORIGINAL,
            f"SELECT own.* REPLACE (replaced.cell AS {cell}) FROM {ORIGINAL} AS own POSITIONAL JOIN replaced",
        )

    def do(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Execute a statement; return its rows."""
        return self._call(lambda: self._connection.execute(query, list(values)).fetchall())

    def frame(self, query: str) -> pd.DataFrame:
        """Return whole numbers; at most as many rows as memory is meant to hold."""
        limited = f"{query} LIMIT {MOST_ROWS + 1}"
        found = self._call(lambda: self._connection.execute(limited).fetchnumpy())
        columns = {name: pd.Series(numbers, copy=False) for name, numbers in found.items()}
        frame = pd.DataFrame(columns, copy=False)
        refuse_many_rows(len(frame))
        return frame

    def fetched(self, query: str) -> Iterable[list[tuple[Any, ...]]]:
        """Yield the rows of a query, many at once."""
        self._call(partial(self._connection.execute, query))
        while rows := self._call(partial(self._connection.fetchmany, _FETCHED)):
            yield rows

    def make(self, table: str, query: str) -> None:
        """Make a table of the rows of a query."""
        self.do(f"CREATE OR REPLACE TABLE {table} AS {query}")

    def send(self, table: str, rows: pd.DataFrame) -> None:
        """Make a table of rows."""
        self._take(f"CREATE OR REPLACE TABLE {table} AS FROM further", rows)

    def _take(self, statement: str, rows: pd.DataFrame) -> None:
        """Execute a statement that reads rows as the table `further`."""

        def work() -> None:
            self._connection.register("further", rows)
            self._connection.execute(statement)
            self._connection.unregister("further")

        self._call(work)

    def define(self, name: str, function: Callable[..., float], kinds: Sequence[str]) -> None:
        """Define a function of statements that Python computes, in place of one of the same name."""
        with suppress(duckdb.InvalidInputException):
            self._connection.remove_function(name)
        self._connection.create_function(name, function, list(kinds), "DOUBLE")

    def make_map(
        self, table: str, query: str, due: Callable[[Sequence[Any]], list[Any]], kind: str, most_of: str = ""
    ) -> bool:
        """Make a table of each `value` of a query, and what is `due` for it."""
        self.make("found", query)
        ((n_values,),) = self.rows("SELECT count(*) FROM found")
        if most_of:
            refuse_many_values(most_of, n_values)
        self.do(f"CREATE OR REPLACE TABLE dues (due {kind})")
        for start in range(0, n_values, _FETCHED):
            part = f"FROM found WHERE rowid BETWEEN {start} AND {start + _FETCHED - 1}"
            values = [value for (value,) in self.rows(f"SELECT value {part} ORDER BY rowid")]
            column = pd.Series(due(values), dtype="int32" if kind == "INTEGER" else object)
            self._take("INSERT INTO dues FROM further", pd.DataFrame({"due": column}))
        self.make(table, "FROM found POSITIONAL JOIN dues")
        return bool(n_values)

    def _call(self, work: Callable[[], _Found]) -> _Found:
        """Let the database work, once progress was reported."""
        self.report()
        try:
            return work()
        except duckdb.Error as error:
            if self._reads_files and not isinstance(error, duckdb.OutOfMemoryException):
                raise UnsuitedError from None
            kind = type(error).__name__  # the message may contain values
            raise UnverifiableError(
                _("The database of the verification cannot hold the tables ({kind}).").format(kind=kind)
            ) from None

    def part(self) -> float:
        """Return the part of the present statement that is done, asked from another thread."""
        with suppress(duckdb.ConnectionException):  # it was just closed
            return max(0.0, self._connection.query_progress() / 100)
        return 0.0

    def interrupt(self) -> None:
        """Interrupt the present statement, asked from another thread."""
        with suppress(duckdb.ConnectionException):
            self._connection.interrupt()

    def _load(
        self,
        table: str,
        readings: Sequence[Reading],
        known: Vocabularies,
        change: Change | None,
    ) -> tuple[list[str], list[int]]:
        """Load files that are one table, in their order, and that another library reads.

        `change` returns what texts of records are compared as, which the database cannot compute.
        """
        letter = LETTERS[table]
        names, counts, n_records = list[str](), list[int](), 0
        for reading in readings:
            n_before = n_records
            for piece in read_pieces(reading, known, lambda part: self.report(), self.is_numbered):
                if not names and len(piece.columns):
                    names = list(piece.columns)
                    kinds = ("INTEGER" if self.is_numbered(name) else "VARCHAR" for name in names)
                    made = [f"{letter}{place} {kind}" for place, kind in enumerate(kinds)]
                    self.do(f"CREATE TABLE {table} ({listed([*made, 'place BIGINT'])})")
                if has_keys(reading.path) and sorted(piece.columns) == sorted(names):
                    piece = piece[names]  # records of JSON have their keys in any order
                refuse_other_columns(readings[0].path, names, reading.path, list(piece.columns))
                if change is not None:
                    piece = change(piece, n_records)
                rows = piece.set_axis([f"{letter}{place}" for place in range(len(names))], axis=1)
                rows = rows.assign(place=range(n_records, n_records + len(piece)))
                n_records += len(piece)
                if len(piece):
                    try:
                        self._take(f"INSERT INTO {table} FROM further", rows)
                    except UnicodeError as error:
                        raise UnverifiableError(
                            _("The file '{name}' cannot be read: {error}.").format(
                                name=reading.path.name, error=error
                            )
                        ) from None
            counts.append(n_records - n_before)
        return names, counts

    def _read_itself(
        self,
        claim: ReleaseClaim,
        table: str,
        readings: Sequence[Reading],
        known: Vocabularies,
    ) -> tuple[list[str], list[int]]:
        """Read files that are one table, in their order."""
        letter = LETTERS[table]
        layouts, reading = [self._layout(own) for own in readings], readings[0]
        layout = layouts[0]
        names = [name for _unused, name in layout.taken]
        for own, other in zip(readings, layouts, strict=True):
            refuse_other_columns(reading.path, names, own.path, [name for _unused, name in other.taken])
        if any(other != layout for other in layouts):
            raise UnsuitedError
        counts = [self._count(own, layout.width, may_have_mark=table == ORIGINAL) for own in readings]
        numbers = {place: number for number, (place, _unused) in enumerate(layout.taken)}
        columns = [
            f"{letter}{numbers[place]}" if place in numbers else f"x{place}" for place in range(layout.width)
        ]
        source, values = _source(readings, columns)
        if not is_text(reading):
            schemas = [self.do("DESCRIBE FROM read_parquet(?)", [_path(own)]) for own in readings]
            if any(other != schemas[0] for other in schemas):
                raise UnsuitedError
        taken = listed(f"{letter}{number}" for number in range(len(names)))
        self.do(
            f"CREATE TABLE raw AS SELECT {taken}, row_number() OVER () - 1 AS place FROM {source}", values
        )
        types = [str(row[1]) for row in self.do("DESCRIBE raw")][:-1]
        if not set(types) <= _PARQUET or self.rows("SELECT count(*) FROM raw") != [(sum(counts),)]:
            raise UnsuitedError
        needed = needed_columns(claim, names) if table == ORIGINAL else names
        chosen = {
            name: (f"{letter}{number}", _may_change(reading, name, f"{letter}{number}", types[number]))
            for number, name in enumerate(names)
            if name in needed
        }
        self.make_values(table, "raw", reading, chosen, known)
        self.do("DROP TABLE raw")
        return names, counts

    def _layout(self, reading: Reading) -> Layout:
        """Return the columns of a file that the database reads itself."""
        path = reading.path.resolve()
        if reading.leave_out is not None or reading.folders:
            raise UnsuitedError
        if any(mark in str(path) for mark in "*?[]{}"):  # patterns of several files
            raise UnsuitedError
        if is_text(reading):
            if not _can_be_read(reading):
                raise UnsuitedError
            return layout_of(reading)
        if (reading.format or path.suffix.lower().removeprefix(".")) != "parquet" or reading.skip:
            raise UnsuitedError
        parts = self.do("SELECT name, num_children FROM parquet_schema(?)", [str(path)])[1:]
        if any(n_children for _unused, n_children in parts) or any(
            ROW_LABELS.fullmatch(name) for name, _unused in parts
        ):
            raise UnsuitedError
        names = [reading.plain(name.strip() if reading.trim else name) for name, _unused in parts]
        return Layout(len(names), taken_columns(reading, names))

    def _count(self, reading: Reading, width: int, *, may_have_mark: bool) -> int:
        """Return the records of a file: its lines, if any reader reads them alike, or what Parquet says."""
        if not is_text(reading):
            return int(self.do("SELECT num_rows FROM parquet_file_metadata(?)", [_path(reading)])[0][0])
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
    files = (*claim.files, *released_files(claim.released.path)) if reads_files else ()
    with ExitStack() as closing:
        spilled = ""
        if not is_small:
            folder = tempfile.TemporaryDirectory(prefix="judging-", dir=limits.folder)
            spilled = str(Path(closing.enter_context(folder)) / "spilled")
        # In memory, what does not fit is written to the folder; a file would be written in any case.
        database = closing.enter_context(duckdb.connect(":memory:", config=options))
        for setting in (
            f"memory_limit = '{limits.memory // 1_000_000} MB'",
            f"temp_directory = {quoted(spilled)}",
            f"allowed_paths = [{listed(quoted(str(path.resolve())) for path in files)}]",
            f"allowed_directories = [{quoted(spilled) if spilled else ''}]",
            "preserve_insertion_order = true",
            "enable_progress_bar = true",  # which counts, and is not shown
            "enable_progress_bar_print = false",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            database.execute(f"SET {setting}")
        found = Database(database, reads_files=reads_files)
        found.define("exact_quotient", operator.truediv, ["HUGEINT", "HUGEINT"])
        found.define("psi", psi, ["HUGEINT"])
        for words in _MACROS:
            database.execute(f"CREATE MACRO {words}")
        yield found


_steps = [-0.5772156649015329 - math.log(2)]  # Euler's constant


def psi(count: int) -> float:
    """Return what takes the place of the logarithm of a count in Grassberger's estimator."""
    while len(_steps) <= count // 2:
        _steps.append(_steps[-1] + 2 / (2 * len(_steps) - 1))
    return _steps[count // 2]


def _moving_dates(claim: ReleaseClaim, known: Vocabularies) -> Change | None:
    """Return what moves dates by keys in original records, which no statement can; None if none move."""
    moves = keyed_moves(claim)
    if not moves or claim.subset is not None:  # records are numbered once they are chosen
        return None
    return partial(moved, moves, known, claim.person, first_missing(claim, claim.person))


def _may_change(reading: Reading, name: str, cell: str, kind: str) -> str:
    """Return the condition that a cell may mean another text than its own."""
    if kind != "VARCHAR" or name in reading.forms:
        return "true"
    texts = [*reading.missing, *reading.column_missing.get(name, ())]
    texts += [old for column, old, _new in reading.replacements if column == name]
    parts = [f"{cell} IS NULL"]
    if texts:
        parts.append(f"{cell} IN ({listed(map(quoted, texts))})")
    if reading.trim:
        parts.append(f"NOT regexp_full_match({cell}, '{_PLAIN_ENDS}')")
    if reading.safe_cells:
        parts.append(f"NOT regexp_matches({cell}, '{_HARMLESS}')")
    return " OR ".join(parts)


def _can_be_read(reading: Reading) -> bool:
    try:
        with reading.path.open("rb") as file:
            is_packed = file.read(2) == GZIP
    except OSError:
        return False
    mark = reading.delimiter
    is_usual = len(mark) == 1 and mark.isascii() and not mark.isalnum()
    is_plain = not reading.comment and not reading.skip and not is_packed
    return is_plain and is_usual and codecs.lookup(reading.encoding).name == "utf-8"


def _source(readings: Sequence[Reading], columns: Sequence[str]) -> tuple[str, list[Any]]:
    """Return what reads files, and the values bound to it."""
    reading, paths = readings[0], [_path(reading) for reading in readings]
    if not is_text(reading):
        return f"read_parquet(?, hive_partitioning = false) AS cells({listed(columns)})", [paths]
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
