"""Both files in the database of the verification, grouped and compared while they are read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pandas as pd

from engine.verification.cells import STAR, Vocabularies
from engine.verification.claimed_files import reading_of_original, readings_of_release
from engine.verification.claims import ReleaseClaim
from engine.verification.counted import (
    Due,
    Paired,
    TextColumn,
    UnsuitedError,
    Wrong,
    coded_columns,
    compared_of,
    is_order_drawn,
    moves_of,
    persons_of,
    refuse_other_columns,
    unchanged_columns,
    unchanged_sets,
)
from engine.verification.database import Database, Side, listed
from engine.verification.file_cells import texts_of
from engine.verification.findings import refuse_many_values
from engine.verification.parts import check_counts, check_manifest
from engine.verification.reading import Progress, Reading, Vocabulary
from engine.verification.tally import Numbering
from engine.words import _

_LOOKED_AT = 200_000  # records from which the number of values is estimated
_VARIED = 20_000  # distinct values among them of a column that is not grouped by
_PLAIN_ENDS = "(?s)[!-~](.*[!-~])?"
_ALL = "18446744073709551616::UHUGEINT"  # 2 ** 64
HARMLESS = "^[0-9A-Za-z]"  # the start of a cell that no spreadsheet runs


class DatabaseCounter:
    """Counter of both files by DuckDB, which reads them side by side and groups equal pairs.

    Cells that are the same in both files are kept once. Columns of very many values are left out of the
    pairs where they are the same and nothing is due to change, and are compared record by record otherwise.

    Parameters
    ----------
    claim : ReleaseClaim
    known : dict of str to Vocabulary
        Extended by the texts of the columns that models read.
    progress : callable
    database : Database
        From `opened`.

    Raises
    ------
    UnsuitedError
        The database might not read a file as it is.
    """

    def __init__(
        self, claim: ReleaseClaim, known: Vocabularies, progress: Progress, database: Database
    ) -> None:
        self._claim, self._known, self._database = claim, known, database
        self.compared = compared_of(claim)
        database.progress = progress
        database.at(0, _("Reading the original"))
        self._kinds: dict[str, tuple[str, int]] = {}
        originals = [reading_of_original(claim, path.resolve()) for path in claim.files]
        layouts = [database.layout(reading) for reading in originals]
        self.names, *others = ([name for _unused, name in layout.taken] for layout in layouts)
        for path, names in zip(claim.files[1:], others, strict=True):
            refuse_other_columns(claim.files[0], self.names, path, names)
        self._coded = coded_columns(claim, self.names)
        check_manifest(claim.released, database.report)
        written = readings_of_release(claim, self.names)
        self.released = written[0]
        parts = [database.layout(reading) for reading in written]
        self.released_names = [name for _unused, name in parts[0].taken]
        self._before = database.side("b", originals, layouts, may_have_mark=True)
        self._after = database.side("r", written, parts, may_have_mark=False)
        self._n_before = None if self._before.is_text else database.count_parquet(originals)
        self._n_after = None if self._after.is_text else database.count_parquet(written)
        if claim.released.is_dir():
            check_counts(claim.released, [self._count(reading) for reading in written])
        self._texts = {
            name: TextColumn(claim, name)
            for name in self.released_names
            if name not in self._coded and name in self.names
        }
        self._left, self._left_values = self._before.source, self._before.values
        self._moves = {name: own for name in self._coded if (own := moves_of(claim, name)) is not None}
        if self._moves and not claim.person:
            raise UnsuitedError  # moved by the number of the record, which tuples do not have
        self._find_varied()

    def _count(self, reading: Reading) -> int:
        layout = self._database.layout(reading)
        side = self._database.side("r", [reading], [layout], may_have_mark=False)
        return int(self._database.value(f"SELECT count(*) FROM {side.source}", side.values))

    def _find_varied(self) -> None:
        """Decide which columns have too many values to be grouped by."""
        self._varied: set[str] = set()  # compared record by record
        self._same: set[str] = set()  # left out of the pairs where both cells are the same
        estimated = {}
        for side in (self._before, self._after):
            names = [name for name in self._texts if name in side.names]
            if names:
                cells = listed(f"approx_count_distinct({side.cell(name)})" for name in names)
                columns = listed(f"{side.letter}_{side.names.index(name)}" for name in names)
                limited = f"(SELECT {columns} FROM {side.source} LIMIT {_LOOKED_AT})"
                found = self._database.rows(f"SELECT {cells} FROM {limited}", side.values)[0]
                for name, number in zip(names, found, strict=True):
                    estimated[side.letter, name] = number
        for name, column in self._texts.items():
            if column.moves is not None:
                self._varied.add(name)
                continue
            if column.is_constant:
                n_values = estimated["r", name]
            else:
                n_values = max(estimated["b", name], estimated["r", name])
            if n_values <= _VARIED:
                continue
            is_usual = column.rule is None and column.blank is None and self._are_texts(name)
            (self._same if is_usual else self._varied).add(name)

    def _are_texts(self, name: str) -> bool:
        return all(side.types[side.names.index(name)] == "VARCHAR" for side in (self._before, self._after))

    def tuples(self) -> tuple[pd.DataFrame, pd.Series[int]]:
        """Return the distinct original records in the columns that models read, and their counts."""
        self._database.at(5, _("Reading the original"), until=40)
        if self._is_arranged:
            self._group_original(self._coded)
            return self._counted("original", "")
        self._group_pairs(self._n_before)
        return self._counted("(FROM pairs WHERE NOT no_b)", "ORDER BY min(first)")

    def _counted(self, table: str, order: str) -> tuple[pd.DataFrame, pd.Series[int]]:
        """Return the distinct original records of a table, and their counts."""
        cells = [self._before.column(name) for name in self._coded]
        grouped = f"GROUP BY {listed(cells)}" if cells else ""
        found = self._database.frame(
            f"SELECT {listed([*cells, 'sum(n)::BIGINT AS n'])} FROM {table} {grouped} {order}"
        )
        if not len(found) or not found["n"].iloc[0]:
            raise UnsuitedError
        self._rows, self._n_due = found[cells], found["n"].astype("int64")
        self._database.at(40, _("Recomputing the classes of the original"))
        return self._with_moved(self._as_codes(self._before, self._coded, found)), self._n_due

    @property
    def _is_arranged(self) -> bool:
        """Return whether the file does not have all records of the original in their order."""
        return self._claim.suppressed_records == "remove" or is_order_drawn(self._claim)

    def _with_moved(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return tuples with the dates that a key moves as they are due in the file."""
        for name, moves in self._moves.items():
            known, persons = self._known[name], persons_of(self._claim, self._known, rows[self._claim.person])
            before = [known.texts[code] for code in rows[name].tolist()]
            due = [known.code(text) for text in moves.due(before, persons.tolist())]
            rows = rows.assign(**{name: pd.Series(due, index=rows.index, dtype="int32")})
        return rows

    def _wanted(self) -> list[str]:
        """Return the original columns that the expected records depend on."""
        return [
            *self._coded,
            *(name for name, column in self._texts.items() if not column.is_constant),
        ]

    def values_of(self, name: str) -> Mapping[str, int]:
        """Return the distinct original texts of a column, with their counts."""
        counted: dict[str, int] = {}
        side = self._before
        query = f"SELECT {side.cell(name)}, count(*) FROM {side.source} GROUP BY ALL"
        for rows in self._database.fetched(query, side.values):
            values, counts = zip(*rows, strict=True)
            for text, count in zip(self._cleaned(side, name, values), counts, strict=True):
                counted[text] = counted.get(text, 0) + count
        return counted

    def pair(self, due: Due) -> Paired:
        """Compare the released records with the original ones, given what is expected of each tuple."""
        self._fix_texts(due)
        self._mark_lost(due.suppressed)
        is_removed = self._claim.suppressed_records == "remove"
        n_due = int((self._n_due[~due.suppressed] if is_removed else self._n_due).sum())
        if self._is_arranged:
            if due.start is not None or due.suppressed.any():
                self._arrange(due.start)
            self._group_pairs(n_due)
        if is_removed:
            self._database.do("CREATE VIEW judged AS SELECT *, false AS hidden FROM pairs")
        else:
            self._database.do(f"CREATE TABLE judged AS SELECT * FROM {self._with_hidden('pairs')}")
        self._database.at(60, _("Comparing every cell"))
        wrong = Wrong(self._claim, self.released_names)
        coded = [name for name in self._coded if name in self.released_names]
        own, other = (
            [side.column(name) for name in names]
            for side, names in ((self._before, self._coded), (self._after, coded))
        )
        n_released = int(self._database.value("SELECT coalesce(sum(n), 0) FROM pairs WHERE NOT no_r"))
        if n_released != n_due:
            return self._released_alone("pairs WHERE NOT no_r", "min(first)", n_released)
        columns = listed([*own, *other])
        found = self._database.frame(
            f"SELECT {listed([*own, *other, 'sum(n)::BIGINT AS n', 'min(first) AS first'])} FROM judged "
            f"{f'GROUP BY {columns}' if columns else ''} ORDER BY min(first)"
        )
        tuples = Numbering(self._rows).of(found[own])
        released = self._as_codes(self._after, coded, found)
        for column in self._texts.values():
            self._compare_texts(column, wrong)
        counts, numbers = found["n"].astype("int64"), found["first"]
        return Paired(n_released, tuples, released, counts, numbers, wrong, *self._exposed())

    def _fix_texts(self, due: Due) -> None:
        for name, texts in due.texts.items():
            self._texts[name].fixed = texts

    def _released_alone(self, table: str, first: str, n_released: int) -> Paired:
        """Return the records of a file whose original ones are not known."""
        coded = [name for name in self._coded if name in self.released_names]
        cells = [self._after.column(name) for name in coded]
        grouped = f"GROUP BY {listed(cells)}" if cells else ""
        found = self._database.frame(
            f"SELECT {listed([*cells, 'sum(n)::BIGINT AS n', f'{first} AS first'])} FROM {table} {grouped} "
            "ORDER BY first"
        )
        released, counts = self._as_codes(self._after, coded, found), found["n"].astype("int64")
        wrong = Wrong(self._claim, self.released_names)
        return Paired(n_released, counts.iloc[:0], released, counts, found["first"], wrong)

    def _exposed(
        self,
    ) -> tuple[dict[tuple[str, ...], tuple[int, int]], dict[tuple[str, str], float]]:
        """Return what unchanged columns single out, and the claimed dependencies of further columns."""
        claim, expected = self._claim, self._claim.expected.unchanged
        unchanged = unchanged_columns(claim, self.released_names)
        sets = {names: self._singled_out(names) for names in unchanged_sets(claim, self.released_names)}
        shares = {
            (name, determined): self._share(name, determined)
            for name, determined in (expected.determines if expected else ())
            if name in unchanged and name not in self._coded and determined in claim.quasi_identifying
        }
        return sets, shares

    # Tables of both files

    def _group_original(self, names: Collection[str]) -> None:
        """Make the table of the distinct original records in some columns."""
        side = self._before
        cells = [f"{side.cell(name)} AS {side.column(name)}" for name in names]
        self._database.do(
            f"CREATE TABLE raw AS SELECT {listed([*cells, 'count(*) AS n'])} FROM {side.source} GROUP BY ALL",
            side.values,
        )
        numbered = [self._numbered_column(side, name, "raw", side.column(name)) for name in names]
        self._database.do(f"CREATE TABLE original AS SELECT {listed([*numbered, 'n'])} FROM raw")
        self._database.do("DROP TABLE raw")

    def _group_pairs(self, n_left: int | None) -> None:
        """Make the table of the distinct pairs of records that stand side by side."""
        before, after = self._before, self._after
        keys, values = [], list[Any]()
        specials = []
        for name in sorted(self._same):
            words, bound = self._special(name, before.cell(name))
            if self._claim.safe_cells:
                words = f"{words} OR NOT regexp_matches({after.cell(name)}, '{HARMLESS}')"
            specials.append(f"({words})")
            values += bound
        special_of = {name: f"s{number}" for number, name in enumerate(sorted(self._same))}
        plain = [name for name in self._wanted() if name not in self._varied]
        for name in plain:
            cell = before.cell(name)
            if name in special_of:
                differs = f"{special_of[name]} OR {after.cell(name)} IS DISTINCT FROM {cell}"
                cell = f"CASE WHEN {differs} THEN {cell} END"
            keys.append(f"{cell} AS {before.column(name)}")
        joined: dict[str, str] = {}  # released cells by name, that are written if they differ
        for name in self.released_names:
            if name in self._varied:
                continue
            cell = after.cell(name)
            differs = f"{cell} IS DISTINCT FROM {before.cell(name)}"
            if name in special_of:
                cell = f"CASE WHEN {special_of[name]} OR {differs} THEN {cell} END"
            elif name in plain and self._are_texts(name):
                cell = f"CASE WHEN {differs} THEN {cell} END"
                joined[name] = f"coalesce({after.column(name)}, {before.column(name)})"
            keys.append(f"{cell} AS {after.column(name)}")
        ends = [
            f"{letter}_0 IS NULL" if number is None else f"place > {number}"
            for letter, number in (("b", n_left), ("r", self._n_after))
        ]
        if not before.is_text and n_left is None:
            raise UnsuitedError
        each = listed([f"{words} AS s{number}" for number, words in enumerate(specials)])
        self._database.do(
            f"CREATE TABLE raw AS SELECT {listed([*keys, f'{ends[0]} AS no_b', f'{ends[1]} AS no_r'])}, "
            f"count(*) AS n, min(place) - 1 AS first FROM (SELECT *, {each}{', ' if each else ''}"
            f"row_number() OVER () AS place FROM {self._left} POSITIONAL JOIN {after.source}) GROUP BY ALL",
            [*values, *self._left_values, *after.values],
        )
        columns = [self._numbered_column(before, name, "raw", before.column(name)) for name in plain]
        for name in self.released_names:
            if name not in self._varied:
                cell = joined.get(name, after.column(name))
                columns.append(self._numbered_column(after, name, "raw", cell))
        self._database.do(
            f"CREATE TABLE pairs AS SELECT {listed([*columns, 'no_b', 'no_r', 'n', 'first'])} FROM raw"
        )
        self._database.do("DROP TABLE raw")

    def _special(self, name: str, cell: str) -> tuple[str, list[str]]:
        """Return the condition that an original cell may mean another text than its own, and bound values."""
        claim = self._claim
        texts = [*claim.missing, *claim.column_missing.get(name, ())]
        texts += [old for column, old, _new in claim.replacements if column == name]
        parts = [f"{cell} IS NULL"]
        if texts:
            parts.append(f"{cell} IN ({listed('?' for _text in texts)})")
        if claim.trim:
            parts.append(f"NOT regexp_full_match({cell}, '{_PLAIN_ENDS}')")
        return " OR ".join(parts), texts

    def _numbered_column(self, side: Side, name: str, table: str, cell: str) -> str:
        """Return a column of a table with the numbers of its values if models read it, else its texts."""
        column = side.column(name)
        if name not in self._coded:
            return f"{cell} AS {column}"
        if column not in self._kinds:
            self._number_values(side, name, table, cell)
        return f"{self._number(side, name, cell)} AS {column}"

    def _number_values(self, side: Side, name: str, table: str, cell: str) -> None:
        """Number the values of a column of a table."""
        database, column, place = self._database, side.column(name), side.names.index(name)
        database.do(
            f"CREATE TABLE found AS SELECT v, v::VARCHAR AS k, row_number() OVER () - 1 AS number FROM "
            f"(SELECT DISTINCT {cell} AS v FROM {table}) WHERE v IS NOT NULL"
        )
        values = [row[0] for row in database.rows("SELECT v FROM found ORDER BY number")]
        refuse_many_values(name, len(values))
        database.do(f"CREATE TYPE kind{column} AS ENUM (SELECT k FROM found ORDER BY number)")
        database.do("DROP TABLE found")
        self._kinds[column] = (f"kind{column}", len(values))
        vocabulary = self._known.setdefault(name, Vocabulary())
        texts = self._cleaned(side, name, [*values, None])
        side.codes[place] = pd.Series([vocabulary.code(text) for text in texts], dtype="int32")

    def _number(self, side: Side, name: str, cell: str) -> str:
        """Return what gives the number of a cell."""
        kind, n_values = self._kinds[side.column(name)]
        return f"coalesce(enum_code(({cell})::VARCHAR::{kind})::INTEGER, {n_values})"

    def _mark_lost(self, suppressed: pd.Series[bool]) -> None:
        """Make the table of the suppressed tuples."""
        self._is_any_lost = bool(suppressed.any()) and bool(self._coded)
        if bool(suppressed.any()) and not self._coded:
            raise UnsuitedError
        if self._is_any_lost:
            rows = self._rows[suppressed.tolist()]
            columns = listed(f"{name} INTEGER" for name in rows.columns)
            self._database.do(f"CREATE TABLE lost ({columns})")
            self._database.insert("lost", [rows[name] for name in rows.columns])

    def _with_hidden(self, table: str) -> str:
        """Return a table, or each record, with whether it is suppressed."""
        if not self._is_any_lost:
            return f"(SELECT *, false AS hidden FROM {table})"
        own = listed(self._rows.columns)
        return (
            f"(SELECT own.*, lost.is_lost IS NOT NULL AS hidden FROM {table} AS own "
            f"LEFT JOIN (SELECT *, true AS is_lost FROM lost) AS lost USING ({own}))"
        )

    def _arrange(self, start: int | None) -> None:
        """Make the table of the original records that the file is due to have, in the order of the file."""
        side = self._before
        numbers = [
            f"{self._number(side, name, side.cell(name))} AS {side.column(name)}" for name in self._coded
        ]
        cells = [f"b_{side.names.index(name)}" for name in self._wanted()]
        cells = list(dict.fromkeys(["b_0", *cells]))
        kept = f"(SELECT {listed([*cells, *numbers])}, row_number() OVER () - 1 AS origin FROM {side.source})"
        place, order = "origin + 1", "origin"  # which a join loses
        if self._is_any_lost and self._claim.suppressed_records == "remove":
            kept += f" ANTI JOIN lost USING ({listed(self._rows.columns)})"
            place = "row_number() OVER (ORDER BY origin)"
        if start is not None:
            kept = _with_drawn(f"SELECT {listed(cells)}, origin, {place} AS drawn FROM {kept}", start)
            order = "drawn"
        self._database.do(
            f"CREATE TABLE kept AS SELECT {listed([*cells, 'origin'])} FROM {kept} ORDER BY {order}",
            side.values,
        )
        self._left, self._left_values = "kept", []

    def _each_record(self) -> tuple[str, list[Any]]:
        """Return what has every pair of records once, and the values bound to it."""
        before, after = self._before, self._after
        columns = []
        for side, names in ((before, self._wanted()), (after, self.released_names)):
            for name in names:
                cell = side.cell(name)
                number = self._number(side, name, cell) if name in self._coded else cell
                columns.append(f"{number} AS {side.column(name)}")
        origin = "origin" if self._left == "kept" else "row_number() OVER () - 1"
        each = (
            f"(SELECT {listed(columns)}, 1 AS n, row_number() OVER () - 1 AS first, {origin} AS origin "
            f"FROM {self._left} POSITIONAL JOIN {after.source})"
        )
        values = [*self._left_values, *after.values]
        if self._claim.suppressed_records == "remove":
            return f"(SELECT *, false AS hidden FROM {each})", values
        return self._with_hidden(each), values

    def _judged(self, names: Collection[str]) -> tuple[str, list[Any]]:
        """Return what has some columns of all pairs."""
        if self._varied.isdisjoint(names) and self._same.isdisjoint(names):
            return "judged", []
        return self._each_record()

    # What is asked of them

    def _compare_texts(self, column: TextColumn, wrong: Wrong) -> None:
        """Compare the cells of a column that no model reads."""
        after = self._after.column(column.name)
        before = "NULL" if column.is_constant else self._before.column(column.name)
        if column.name in self._varied:
            table, values = self._each_record()
            person = self._before.column(self._claim.person) if self._claim.person else "NULL"
            query = f"SELECT {before}, {after}, hidden, n, first, origin, {person} FROM {table}"
        else:  # in a column of very many values, cells without a text here are the same
            values = []
            some = f"WHERE {after} IS NOT NULL" if column.name in self._same else ""
            keys = listed([*([] if column.is_constant else [before]), after, "hidden"])
            query = (
                f"SELECT {before}, {after}, hidden, sum(n)::BIGINT, min(first), 0, NULL FROM judged {some} "
                f"GROUP BY {keys}"
            )
        for rows in self._database.fetched(query, values):
            own, written, hidden, counts, numbers, origins, whose = zip(*rows, strict=True)
            texts = [""] * len(own) if column.is_constant else self._cleaned(self._before, column.name, own)
            cells = pd.Series(texts, dtype=object)
            found = pd.Series(self._cleaned(self._after, column.name, written), dtype=object)
            marks, places = pd.Series(hidden, dtype=bool), pd.Series(numbers, dtype="int64")
            if column.moves is not None:
                cells = wrong.move(column, cells, found, marks, places, self._persons(whose, origins))
            wrong.compare(column, cells, found, marks, places, pd.Series(counts, dtype="int64"))
        column.refuse_equal_codes()

    def _persons(self, numbers: Sequence[Any], origins: Sequence[int]) -> pd.Series[str]:
        """Return the person of each record, given the numbers of its cells, or those of the records."""
        person = self._claim.person
        if not person:
            return pd.Series([str(origin + 1) for origin in origins], dtype=object)
        codes = self._before.codes[self._before.names.index(person)]
        return persons_of(self._claim, self._known, pd.Series(codes.array.take(list(numbers))))

    def _singled_out(self, names: Sequence[str]) -> tuple[int, int]:
        """Count the records with values in some columns that no other record, or no other person, has."""
        columns, person = listed(map(self._after.column, names)), self._claim.person
        table, values = self._judged(names)
        alone = self._database.value(
            f"SELECT count(*) FROM (SELECT 1 FROM {table} GROUP BY {columns} HAVING sum(n) = 1)", values
        )
        if not person:
            return int(alone), 0
        codes = self._add_codes(self._before, person)
        of_one = self._database.value(
            f"SELECT coalesce(sum(n), 0) FROM (SELECT sum(n) AS n FROM {table} AS own "
            f"JOIN {codes} AS m ON m.number = own.{self._before.column(person)} "
            f"GROUP BY {columns} HAVING count(DISTINCT m.code) = 1)",
            values,
        )
        return int(alone), int(of_one)

    def _share(self, own: str, determined: str) -> float:
        """Return the share of a dependency, as `Recount.share`."""
        codes, all_star = self._add_codes(self._before, determined), self._are_stars()
        table, values = self._judged([own])
        before, label = (side.column(determined) for side in (self._before, self._after))
        self._database.do(
            f"CREATE OR REPLACE TABLE found AS SELECT {self._after.column(own)} AS own, m.code AS was, "
            f"{label} AS label, sum(n) AS n FROM {table} AS pair "
            f"JOIN {codes} AS m ON m.number = pair.{before} WHERE NOT (hidden AND {all_star}) GROUP BY ALL",
            values,
        )
        covers = "label IN (SELECT label FROM found GROUP BY label HAVING count(DISTINCT was) > 1)"
        fixed = "own IN (SELECT own FROM found GROUP BY own HAVING count(DISTINCT was) = 1)"
        covered = self._database.value(f"SELECT coalesce(sum(n), 0) FROM found WHERE {covers}")
        both = self._database.value(f"SELECT coalesce(sum(n), 0) FROM found WHERE {covers} AND {fixed}")
        self._database.do("DROP TABLE found")
        return int(both) / int(covered) if covered else 0.0

    def _are_stars(self) -> str:
        """Return the condition that all quasi-identifiers of the file are `*`."""
        parts = []
        for name in self._claim.quasi_identifying:
            star = self._known[name].code(STAR)
            codes = self._after.codes[self.released_names.index(name)]
            numbers = codes.index[codes == star].tolist()
            parts.append(
                f"{self._after.column(name)} IN ({listed(map(str, numbers))})" if numbers else "false"
            )
        return " AND ".join(parts) or "false"

    def _add_codes(self, side: Side, name: str) -> str:
        """Make the table of the code of each number of a column; return its name."""
        codes, table = side.codes[side.names.index(name)], f"codes{side.column(name)}"
        self._database.do(f"CREATE OR REPLACE TABLE {table} (number INTEGER, code INTEGER)")
        self._database.insert(table, [codes.index.to_series(), codes])
        return table

    def _cleaned(self, side: Side, name: str, values: Sequence[Any]) -> list[str]:
        """Return the cleaned text of each value of a column."""
        place = side.names.index(name)
        clean = side.cleaners[place]
        if side.types[place] != "VARCHAR":
            values = texts_of(values, _("True"), _("False"))
        found = {value: clean(value) for value in set(values)}
        return [found[value] for value in values]

    def _as_codes(self, side: Side, names: Collection[str], found: pd.DataFrame) -> pd.DataFrame:
        """Return codes of some columns, given the numbers of their cells."""
        columns = {}
        for name in names:
            codes = side.codes[side.names.index(name)]
            columns[name] = pd.Series(codes.array.take(found[side.column(name)].array))
        return pd.DataFrame(columns, index=found.index, copy=False)


def _with_drawn(query: str, start: int) -> str:
    """Return a table in which a place, counted from 1, is the number that SplitMix64 draws for it instead."""
    steps = [f"drawn::UHUGEINT * 11400714819323198485::UHUGEINT + {start}::UHUGEINT"]
    for shift, factor in ((30, 13787848793156543929), (27, 10723151780598845931), (31, 1)):
        steps.append(f"xor(drawn, drawn >> {shift})::UHUGEINT * {factor}::UHUGEINT")
    for words in steps:
        query = f"SELECT * REPLACE ((({words}) % {_ALL})::UBIGINT AS drawn) FROM ({query})"
    return f"({query})"
