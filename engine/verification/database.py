"""Both files in a database of the verification's own (DuckDB), which groups and compares them on disk."""

from __future__ import annotations

import codecs
import tempfile
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pandas as pd

from engine.verification.blocks import can_be_divided
from engine.verification.cells import STAR, Vocabularies
from engine.verification.claims import ReleaseClaim
from engine.verification.counted import (
    Due,
    Paired,
    TextColumn,
    UnsuitedError,
    Wrong,
    coded_columns,
    compared_of,
    refuse_many_values,
    refuse_other_columns,
    unchanged_columns,
    unchanged_sets,
)
from engine.verification.formats import ROW_LABELS, texts_of
from engine.verification.limits import Limits
from engine.verification.reading import GZIP, Layout, Progress, Reading, Vocabulary, layout_of, taken_columns
from engine.verification.regular import is_regular
from engine.verification.release_check import reading_of_original, reading_of_release
from engine.verification.tally import MOST_ROWS, Numbering, refuse_many_rows
from engine.words import _

_Found = TypeVar("_Found")
_POLL = 0.1  # seconds between two looks at progress
_FETCHED = 200_000
_GROUPED = 100_000  # distinct texts of a column that are grouped before they are compared
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


@dataclass
class _Side:
    """One of both tables: its columns by number, as texts or places in their values."""

    table: str
    names: list[str]
    types: list[str]
    cleaners: list[Callable[[str | None], str]]
    codes: dict[int, pd.Series[int]] = field(default_factory=dict)  # by column: code of each place

    def cell(self, name: str) -> str:
        """Return the column of the table that has the cells of a column."""
        place = self.names.index(name)
        return f"{self.table}{'i' if place in self.codes else 't'}{place}"


class DatabaseCounter:
    """Counter of both files by DuckDB, which reads them anew and can reach nothing else.

    Parameters
    ----------
    claim : ReleaseClaim
    known : dict of str to Vocabulary
        Extended by the texts of the columns that models read.
    progress : callable
    database : DuckDBPyConnection
        From `opened`.

    Raises
    ------
    UnsuitedError
        The database might not read a file as it is.
    """

    def __init__(
        self,
        claim: ReleaseClaim,
        known: Vocabularies,
        progress: Progress,
        database: duckdb.DuckDBPyConnection,
    ) -> None:
        self._claim, self._known, self._progress, self._database = claim, known, progress, database
        self.compared = compared_of(claim)
        if self.compared == "multiset":
            raise UnsuitedError
        self._at(0, _("Reading the original"))
        originals = [reading_of_original(claim, path.resolve()) for path in claim.files]
        layouts = [self._layout(reading) for reading in originals]
        self.names, *others = ([name for _unused, name in layout.taken] for layout in layouts)
        for path, names in zip(claim.files[1:], others, strict=True):
            refuse_other_columns(claim.files[0], self.names, path, names)
        self._coded = coded_columns(claim, self.names)
        self.released = reading_of_release(claim, self.names)
        written = self._layout(self.released)
        self.released_names = [name for _unused, name in written.taken]
        for reading, layout in zip(originals, layouts, strict=True):
            self._refuse_irregular(reading, layout, may_have_mark=True)
        self._refuse_irregular(self.released, written, may_have_mark=False)
        self._before = self._loaded("b", originals, layouts)
        self._at(20, _("Reading the released file"))
        self._after = self._loaded("r", [self.released], [written])
        self._at(40, _("Recomputing the classes of the original"))

    def tuples(self) -> tuple[pd.DataFrame, pd.Series[int]]:
        """Return the distinct original records in the columns that models read, and their counts."""
        cells = [self._before.cell(name) for name in self._coded]
        found = self._frame(f"SELECT {_list(cells)}, count(*) AS n FROM b GROUP BY ALL")
        self._rows = found[cells]
        self._n_due = found["n"]
        return self._as_codes(self._before, self._coded, found), found["n"]

    def values_of(self, name: str) -> Mapping[str, int]:
        """Return the distinct original texts of a column, with their counts."""
        counted: dict[str, int] = {}
        cell = self._before.cell(name)
        self._call(partial(self._database.execute, f"SELECT {cell}, count(*) FROM b GROUP BY ALL"))
        for rows in self._fetched():
            values, counts = zip(*rows, strict=True)
            for text, count in zip(self._texts(self._before, name, values), counts, strict=True):
                counted[text] = counted.get(text, 0) + count
        return counted

    def pair(self, due: Due) -> Paired:
        """Compare the released records with the original ones, given what is expected of each tuple."""
        suppressed = due.suppressed
        claim, wrong = self._claim, Wrong(self._claim, self.released_names)
        coded = [name for name in self._coded if name in self.released_names]
        own, other = (
            [side.cell(name) for name in names]
            for side, names in ((self._before, self._coded), (self._after, coded))
        )
        is_removed = claim.suppressed_records == "remove"
        n_released = int(self._value("SELECT count(*) FROM r"))
        if n_released != int((self._n_due[~suppressed] if is_removed else self._n_due).sum()):
            found = self._frame(
                f"SELECT {_list([*other, 'count(*) AS n', 'min(rowid) AS first'])} FROM r GROUP BY ALL"
            )
            released = self._as_codes(self._after, coded, found)
            return Paired(n_released, found["n"].iloc[:0], released, found["n"], found["first"], wrong)
        self._put_side_by_side(suppressed, own, is_removed=is_removed)
        self._at(60, _("Comparing every cell"))
        columns = _list([*own, *other, "count(*) AS n", "min(place) AS first"])
        found = self._frame(f"SELECT {columns} FROM pairs GROUP BY ALL").sort_values(
            "first", ignore_index=True
        )
        tuples = Numbering(self._rows).of(found[own])
        released = self._as_codes(self._after, coded, found)
        for name in self.released_names:
            if name not in self._coded:
                self._compare_texts(TextColumn(claim, name), wrong)
        sets = {names: self._singled_out(names) for names in unchanged_sets(claim, self.released_names)}
        expected = claim.expected.unchanged
        unchanged = unchanged_columns(claim, self.released_names)
        shares = {
            (name, determined): self._share(name, determined)
            for name, determined in (expected.determines if expected else ())
            if name in unchanged and name not in self._coded and determined in claim.quasi_identifying
        }
        return Paired(n_released, tuples, released, found["n"], found["first"], wrong, sets, shares)

    def _put_side_by_side(self, suppressed: pd.Series[bool], own: list[str], *, is_removed: bool) -> None:
        """Make the view of all pairs, in the order of both files."""
        left, hidden = "b", ", false AS hidden"
        if suppressed.any():
            rows = self._rows[suppressed.tolist()]
            columns = _list(f"unnest(?) AS {name}" for name in own)
            self._do(f"CREATE TABLE lost AS SELECT {columns}", [rows[name].tolist() for name in own])
            # Joins lose the order of the records, so it is restored by their numbers.
            if is_removed:
                self._do(
                    f"CREATE TABLE kept AS SELECT b.* FROM b ANTI JOIN lost USING ({_list(own)}) "
                    "ORDER BY b.rowid"
                )
                left = "kept"
            else:
                self._do(
                    "CREATE TABLE marks AS SELECT lost.is_lost IS NOT NULL AS hidden FROM b "
                    f"LEFT JOIN (SELECT *, true AS is_lost FROM lost) AS lost USING ({_list(own)}) "
                    "ORDER BY b.rowid"
                )
                left, hidden = "b POSITIONAL JOIN marks", ""
        self._do(f"CREATE VIEW pairs AS SELECT *, r.rowid AS place{hidden} FROM {left} POSITIONAL JOIN r")

    def _compare_texts(self, column: TextColumn, wrong: Wrong) -> None:
        """Compare the cells of a column that no model reads."""
        after = self._after.cell(column.name)
        before = "NULL" if column.is_constant else self._before.cell(column.name)
        is_varied = int(self._value(f"SELECT approx_count_distinct({after}) FROM r")) > _GROUPED
        query = (
            f"SELECT {before}, {after}, hidden, 1, place FROM pairs"
            if is_varied
            else f"SELECT {before}, {after}, hidden, count(*), min(place) FROM pairs GROUP BY ALL"
        )
        self._call(partial(self._database.execute, query))
        for rows in self._fetched():
            own, written, hidden, counts, numbers = zip(*rows, strict=True)
            texts = [""] * len(own) if column.is_constant else self._texts(self._before, column.name, own)
            wrong.compare(
                column,
                pd.Series(texts, dtype=object),
                pd.Series(self._texts(self._after, column.name, written), dtype=object),
                pd.Series(hidden, dtype=bool),
                pd.Series(numbers, dtype="int64"),
                pd.Series(counts, dtype="int64"),
            )
        column.refuse_equal_codes()

    def _singled_out(self, names: Sequence[str]) -> tuple[int, int]:
        """Count the records with values in some columns that no other record, or no other person, has."""
        columns, person = _list(map(self._after.cell, names)), self._claim.person
        alone = self._value(f"SELECT count(*) FROM (SELECT 1 FROM r GROUP BY {columns} HAVING count(*) = 1)")
        if not person:
            return int(alone), 0
        self._add_codes(self._before, person)
        of_one = self._value(
            f"SELECT coalesce(sum(n), 0) FROM (SELECT count(*) AS n FROM pairs "
            f"JOIN {_codes_of(self._before, person)} AS m ON m.place = pairs.{self._before.cell(person)} "
            f"GROUP BY {columns} HAVING count(DISTINCT m.code) = 1)"
        )
        return int(alone), int(of_one)

    def _share(self, own: str, determined: str) -> float:
        """Return the share of a dependency, as `Recount.share`."""
        self._add_codes(self._before, determined)
        all_star = self._are_stars()
        self._do(
            f"CREATE OR REPLACE TABLE found AS SELECT {self._after.cell(own)} AS own, m.code AS was, "
            f"{self._after.cell(determined)} AS label, count(*) AS n FROM pairs "
            f"JOIN {_codes_of(self._before, determined)} AS m "
            f"ON m.place = pairs.{self._before.cell(determined)} "
            f"WHERE NOT (hidden AND {all_star}) GROUP BY ALL"
        )
        covers = "label IN (SELECT label FROM found GROUP BY label HAVING count(DISTINCT was) > 1)"
        fixed = "own IN (SELECT own FROM found GROUP BY own HAVING count(DISTINCT was) = 1)"
        covered = self._value(f"SELECT coalesce(sum(n), 0) FROM found WHERE {covers}")
        both = self._value(f"SELECT coalesce(sum(n), 0) FROM found WHERE {covers} AND {fixed}")
        return int(both) / int(covered) if covered else 0.0

    def _are_stars(self) -> str:
        """Return the condition that all quasi-identifiers of the file are `*`."""
        parts = []
        for name in self._claim.quasi_identifying:
            star = self._known[name].code(STAR)
            codes = self._after.codes[self.released_names.index(name)]
            places = codes.index[codes == star].tolist()
            parts.append(f"{self._after.cell(name)} IN ({_list(map(str, places))})" if places else "false")
        return " AND ".join(parts) or "false"

    def _add_codes(self, side: _Side, name: str) -> None:
        """Make the table of the code of each place of a column."""
        codes = side.codes[side.names.index(name)]
        self._do(
            f"CREATE TABLE IF NOT EXISTS {_codes_of(side, name)} AS "
            "SELECT unnest(?) AS place, unnest(?) AS code",
            [codes.index.tolist(), codes.tolist()],
        )

    def _layout(self, reading: Reading) -> Layout:
        """Return the columns of a file.

        Raises
        ------
        UnsuitedError
            The file is of a kind that the database reads differently, or not at all.
        """
        path = reading.path.resolve()
        if any(mark in str(path) for mark in "*?[]{}"):  # patterns of several files
            raise UnsuitedError
        if reading.is_text:
            if not _can_be_read(reading):
                raise UnsuitedError
            return layout_of(reading)
        if (reading.format or path.suffix.lower().removeprefix(".")) != "parquet" or reading.skip:
            raise UnsuitedError
        parts = self._rows_of("SELECT name, num_children FROM parquet_schema(?)", [str(path)])[1:]
        if any(n_children for _unused, n_children in parts) or any(
            ROW_LABELS.fullmatch(name) for name, _unused in parts
        ):
            raise UnsuitedError
        names = [reading.plain(name.strip() if reading.trim else name) for name, _unused in parts]
        return Layout(len(names), taken_columns(reading, names))

    def _refuse_irregular(self, reading: Reading, layout: Layout, *, may_have_mark: bool) -> None:
        """Raise UnsuitedError for a text that readers might read differently."""
        if reading.is_text and not is_regular(
            reading.path,
            reading.delimiter,
            reading.quote,
            layout.width,
            may_have_mark=may_have_mark,
            step=self._report,
        ):
            raise UnsuitedError

    def _loaded(self, table: str, readings: Sequence[Reading], layouts: Sequence[Layout]) -> _Side:
        """Read files into a table, in their order."""
        names = [name for _unused, name in layouts[0].taken]
        for number, (reading, layout) in enumerate(zip(readings, layouts, strict=True)):
            places = [place for place, _unused in layout.taken]
            source, values = _source(reading, layout, table)
            columns = _list(f"c{place} AS t{number}" for number, place in enumerate(places))
            start = f"INSERT INTO raw{table}" if number else f"CREATE TABLE raw{table} AS"
            self._do(f"{start} SELECT {columns} FROM {source}", values)
        described = self._rows_of(f"DESCRIBE raw{table}")
        types = [str(row[1]) for row in described]
        if not set(types) <= _PARQUET or not self._value(f"SELECT count(*) FROM raw{table}"):
            raise UnsuitedError
        side = _Side(table, names, types, [readings[0].cleaner(name) for name in names])
        cells = []
        for place, name in enumerate(names):
            cell, kind = f"t{place}", types[place]
            if table == "r" and kind == "VARCHAR":
                cell = f"coalesce({cell}, '')"  # the file has no other missing cells
            if name in self._coded:
                cell = self._numbered(side, place, cell)
            cells.append(f"{cell} AS {side.cell(name)}")
        self._do(f"CREATE TABLE {table} AS SELECT {_list(cells)} FROM raw{table}")
        self._do(f"DROP TABLE raw{table}")
        return side

    def _numbered(self, side: _Side, place: int, cell: str) -> str:
        """Number the values of a column; return what gives the number of a cell."""
        table, name = side.table, side.names[place]
        values, kind = f"values{table}{place}", f"kind{table}{place}"
        self._do(
            f"CREATE TABLE {values} AS SELECT v, v::VARCHAR AS k, row_number() OVER () - 1 AS n FROM "
            f"(SELECT DISTINCT {cell} AS v FROM raw{table}) WHERE v IS NOT NULL"
        )
        n_values = int(self._value(f"SELECT count(*) FROM {values}"))
        refuse_many_values(name, n_values)
        self._do(f"CREATE TYPE {kind} AS ENUM (SELECT k FROM {values} ORDER BY n)")
        found = [row[0] for row in self._rows_of(f"SELECT v FROM {values} ORDER BY n")]
        self._do(f"DROP TABLE {values}")
        vocabulary = self._known.setdefault(name, Vocabulary())
        texts = self._texts(side, name, [*found, None])
        side.codes[place] = pd.Series([vocabulary.code(text) for text in texts], dtype="int32")
        return f"coalesce(enum_code(({cell})::VARCHAR::{kind})::INTEGER, {n_values})"

    def _texts(self, side: _Side, name: str, values: Sequence[Any]) -> list[str]:
        """Return the cleaned text of each value of a column."""
        place = side.names.index(name)
        clean = side.cleaners[place]
        if side.types[place] != "VARCHAR":
            values = texts_of(values, _("True"), _("False"))
        found = {value: clean(value) for value in set(values)}
        return [found[value] for value in values]

    def _as_codes(self, side: _Side, names: Collection[str], found: pd.DataFrame) -> pd.DataFrame:
        """Return codes of some columns, given the places of their cells."""
        columns = {}
        for name in names:
            codes = side.codes[side.names.index(name)]
            columns[name] = pd.Series(codes.array.take(found[side.cell(name)].array))
        return pd.DataFrame(columns, index=found.index, copy=False)

    def _at(self, percent: int, text: str) -> None:
        self._place = (percent, text)
        self._report()

    def _report(self) -> None:
        self._progress(self._place[0], 100, self._place[1])

    def _do(self, query: str, values: Sequence[Any] = ()) -> None:
        self._call(lambda: self._database.execute(query, list(values)).fetchall())

    def _rows_of(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._call(lambda: self._database.execute(query, list(values)).fetchall())

    def _value(self, query: str) -> Any:
        return self._rows_of(query)[0][0]

    def _frame(self, query: str) -> pd.DataFrame:
        """Return whole numbers; at most as many rows as memory is meant to hold."""
        found = self._call(lambda: self._database.execute(f"{query} LIMIT {MOST_ROWS + 1}").fetchnumpy())
        frame = pd.DataFrame({name: pd.Series(numbers) for name, numbers in found.items()}, copy=False)
        refuse_many_rows(len(frame))
        return frame

    def _fetched(self) -> Iterable[list[tuple[Any, ...]]]:
        """Yield the rows of the last statement, many at once."""
        while rows := self._call(partial(self._database.fetchmany, _FETCHED)):
            yield rows

    def _call(self, work: Callable[[], _Found]) -> _Found:
        """Let the database work while progress is reported; interrupt it if that raises."""
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
                self._report()
        except BaseException:
            self._database.interrupt()
            thread.join()
            raise
        thread.join()
        if failed and isinstance(failed[0], duckdb.Error):
            raise UnsuitedError from None  # its message may contain values
        if failed:
            raise failed[0]
        return found[0]


@contextmanager
def opened(claim: ReleaseClaim, limits: Limits) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a new database that can read the files of a claim and nothing else, and remove it afterwards.

    Raises
    ------
    UnsuitedError
        It cannot be opened.
    """
    with tempfile.TemporaryDirectory(prefix="judging-", dir=limits.folder) as folder, ExitStack() as closing:
        own, spilled = Path(folder) / "judge.duckdb", Path(folder) / "spilled"
        files = [path.resolve() for path in (*claim.files, claim.released)]
        try:
            database = closing.enter_context(duckdb.connect(str(own), config=dict(_CLOSED)))
            for setting in (
                f"memory_limit = '{limits.memory // 1_000_000} MB'",
                f"temp_directory = {_quoted(spilled)}",
                f"allowed_paths = [{_list(map(_quoted, files))}]",
                f"allowed_directories = [{_quoted(spilled)}]",
                "preserve_insertion_order = true",
                "enable_external_access = false",
                "lock_configuration = true",
            ):
                database.execute(f"SET {setting}")
        except duckdb.Error:
            raise UnsuitedError from None
        yield database


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


def _source(reading: Reading, layout: Layout, table: str) -> tuple[str, list[Any]]:
    """Return what reads a file, its columns named by number, and the values bound to it."""
    path, columns = str(reading.path.resolve()), [f"c{place}" for place in range(layout.width)]
    if not reading.is_text:
        return f"(FROM read_parquet(?, hive_partitioning = false)) AS t({_list(columns)})", [path]
    types = _list(f"'{column}': 'VARCHAR'" for column in columns)
    texts = _list(f"'{column}'" for column in columns)
    options = (
        f"auto_detect = false, header = {str(reading.has_header).lower()}, columns = {{{types}}}, "
        f"force_not_null = [{texts}], strict_mode = true, null_padding = false, "
        "delim = ?, quote = ?, escape = ?"
    )
    return f"read_csv(?, {options})", [path, reading.delimiter, reading.quote, reading.quote]


def _codes_of(side: _Side, name: str) -> str:
    return f"codes{side.table}{side.names.index(name)}"


def _list(parts: Iterable[str]) -> str:
    return ", ".join(parts)


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
