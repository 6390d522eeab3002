"""Tables that the database of the verification makes of both files, side by side."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

import pandas as pd

from engine.verification.claims import ReleaseClaim
from engine.verification.counters.counted import (
    TextColumn,
    compared_of,
    first_missing,
    is_coded,
    is_order_drawn,
    keyed_moves,
)
from engine.verification.counters.database import SMALL, Change, Database, Side, listed
from engine.verification.findings import refuse_many_values
from engine.verification.readers.claimed_files import reading_of_original, readings_of_release
from engine.verification.readers.collecting import Vocabularies, Vocabulary
from engine.verification.readers.file_cells import texts_of
from engine.verification.readers.parts import check_counts, check_manifest
from engine.verification.readers.reading import Progress
from engine.verification.shifts import moved
from engine.words import _

_LOOKED_AT = 200_000  # records from which the number of values is estimated
_VARIED = 20_000  # distinct values among them of a column that is not grouped by
_PLAIN_ENDS = "(?s)[!-~](.*[!-~])?"
_ALL = "18446744073709551616::UHUGEINT"  # 2 ** 64
HARMLESS = "^[0-9A-Za-z]"  # the start of a cell that no spreadsheet runs


class DatabaseTables:
    """Both files as tables of the database, and the pairs of records that stand side by side.

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
    """

    _rows: pd.DataFrame  # numbers of the distinct original tuples
    _is_any_lost: bool
    _hidden = ""  # condition by which released records are suppressed, if their originals do not tell

    def __init__(
        self, claim: ReleaseClaim, known: Vocabularies, progress: Progress, database: Database
    ) -> None:
        self._claim, self._known, self._database = claim, known, database
        self.compared = compared_of(claim)
        database.progress = progress
        database.at(0, _("Reading the original"))
        self._kinds: dict[str, tuple[str, int]] = {}
        originals = [reading_of_original(claim, path) for path in claim.files]
        self.is_read, chosen = not database.reads_files, is_coded(claim)
        if database.reads_files:
            self._before = database.read("b", originals, may_have_mark=True)
        else:
            self._before = database.load("b", originals, known, chosen, self._moving_dates(known))
        self.names = self._before.names
        self._coded = list(filter(chosen, self.names))
        check_manifest(claim.released, database.report)
        written = readings_of_release(claim, self.names)
        self.released = written[0]
        if database.reads_files:
            self._after = database.read("r", written, may_have_mark=False)
        else:
            self._after = database.load("r", written, known, chosen)
        self.released_names = self._after.names
        self._n_before, self._n_after = (
            None if side.is_text else sum(side.counts) for side in (self._before, self._after)
        )
        if claim.released.is_dir():
            check_counts(claim.released, self._after.counts)
        self._texts = {
            name: TextColumn(claim, name)
            for name in self.released_names
            if name not in self._coded and name in self.names
        }
        self._left, self._left_values = self._before.source, self._before.values
        sides = (self._before, self._after)
        # Of few records every wrong one is named, of others the first with the same cells.
        self._is_each = all(side.is_loaded and sum(side.counts) <= SMALL for side in sides)
        self._find_varied()

    def _moving_dates(self, known: Vocabularies) -> Change | None:
        """Return what moves dates by keys in original records, which no statement can; None if none move."""
        claim, moves = self._claim, keyed_moves(self._claim)
        if not moves or claim.subset is not None:  # records are numbered once they are chosen
            return None
        return partial(moved, moves, known, claim.person, first_missing(claim, claim.person))

    def _find_varied(self) -> None:
        """Decide which columns have too many values to be grouped by."""
        self._varied: set[str] = set()  # compared record by record
        self._same: set[str] = set()  # left out of the pairs where both cells are the same
        if self._is_each:
            return
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

    @property
    def _is_arranged(self) -> bool:
        """Return whether the file does not have all records of the original in their order."""
        return self._claim.suppressed_records == "remove" or is_order_drawn(self._claim)

    def records(self, side: Side, names: Sequence[str]) -> pd.DataFrame:
        """Return the codes of some columns of a loaded side, record by record."""
        found = self._database.frame(f"SELECT {listed(map(side.cell, names))} FROM {side.source}")
        columns = {}
        for name, (_unused, cells) in zip(names, found.items(), strict=True):
            if name not in self._coded:
                vocabulary = self._known.setdefault(name, Vocabulary())
                places, texts = pd.factorize(cells)
                codes = pd.Series([vocabulary.code(text) for text in texts], dtype="int32")
                cells = pd.Series(codes.array.take(places))
            columns[name] = cells
        return pd.DataFrame(columns, copy=False)

    def originals(self) -> pd.DataFrame:
        """Return the codes of all original records."""
        return self.records(self._before, self.names)

    def released_records(self) -> pd.DataFrame:
        """Return the codes of all released records."""
        return self.records(self._after, self.released_names)

    def choose(self, places: Sequence[int]) -> None:
        """Let the original be some of its records, by their positions."""
        side = self._before
        chosen = pd.DataFrame({"origin": pd.Series(places, dtype="int64")})
        query = (
            "SELECT * EXCLUDE (origin) FROM "
            f"(SELECT *, row_number() OVER () - 1 AS origin FROM {side.source}) "
            "SEMI JOIN further USING (origin) ORDER BY origin"
        )
        self._database.make("chosen", query, chosen)
        side.source, side.counts = "chosen", [len(places)]
        self._left, self._n_before = side.source, len(places)

    def replace(self, name: str, codes: pd.Series[int]) -> None:
        """Let original records have other cells in a column."""
        side, place = self._before, self.names.index(name)
        cell, texts = f"{side.letter}_{place}", self._known[name].texts
        cells = codes if name in self._coded else pd.Series([texts[code] for code in codes.tolist()])
        query = (
            f"SELECT own.* REPLACE (further.cell AS {cell}) FROM {side.source} AS own POSITIONAL JOIN further"
        )
        self._database.make(f"with_{cell}", query, pd.DataFrame({"cell": cells.reset_index(drop=True)}))
        side.source = self._left = f"with_{cell}"
        if name in self._coded:
            side.codes[place] = pd.Series(range(len(texts)), dtype="int32")

    def _wanted(self) -> list[str]:
        """Return the original columns that the expected records depend on."""
        return [
            *self._coded,
            *(name for name, column in self._texts.items() if not column.is_constant),
        ]

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
            elif name in plain and self._are_texts(name) and not after.is_loaded:
                cell = f"CASE WHEN {differs} THEN {cell} END"
                joined[name] = f"coalesce({after.column(name)}, {before.column(name)})"
            keys.append(f"{cell} AS {after.column(name)}")
        ends = [
            f"{letter}_0 IS NULL" if number is None else f"place > {number}"
            for letter, number in (("b", n_left), ("r", self._n_after))
        ]
        each = listed([f"{words} AS s{number}" for number, words in enumerate(specials)])
        table = "pairs" if after.is_loaded else "raw"
        counted = (
            "1::BIGINT AS n, place - 1 AS first"
            if self._is_each
            else "count(*) AS n, min(place) - 1 AS first"
        )
        grouped = "" if self._is_each else "GROUP BY ALL"
        self._database.do(
            f"CREATE TABLE {table} AS SELECT {listed([*keys, f'{ends[0]} AS no_b', f'{ends[1]} AS no_r'])}, "
            f"{counted} FROM (SELECT *, {each}{', ' if each else ''}"
            f"row_number() OVER () AS place FROM {self._left} POSITIONAL JOIN {after.source}) {grouped}",
            [*values, *self._left_values, *after.values],
        )
        if after.is_loaded:  # values have their numbers
            return
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
        if self._before.is_loaded:
            return "false", []
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
        if name not in self._coded or side.is_loaded:
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
        if side.is_loaded:
            return cell
        kind, n_values = self._kinds[side.column(name)]
        return f"coalesce(enum_code(({cell})::VARCHAR::{kind})::INTEGER, {n_values})"

    def _mark_lost(self, suppressed: pd.Series[bool]) -> None:
        """Make the table of the suppressed tuples."""
        self._is_any_lost = bool(suppressed.any())
        if self._is_any_lost and self._coded:
            rows = self._rows[suppressed.tolist()]
            columns = listed(f"{name} INTEGER" for name in rows.columns)
            self._database.do(f"CREATE TABLE lost ({columns})")
            self._database.insert("lost", [rows[name] for name in rows.columns])

    @property
    def _without_lost(self) -> str:
        """Return the end of a statement that leaves suppressed tuples out."""
        return f"ANTI JOIN lost USING ({listed(self._rows.columns)})" if self._coded else "WHERE false"

    def _with_hidden(self, table: str) -> str:
        """Return a table, or each record, with whether it is suppressed."""
        if self._hidden:
            return f"(SELECT *, {self._hidden} AS hidden FROM {table})"
        if not self._is_any_lost or not self._coded:  # without such columns, all are or none is
            return f"(SELECT *, {str(self._is_any_lost).lower()} AS hidden FROM {table})"
        own = listed(self._rows.columns)
        return (
            f"(SELECT own.*, lost.is_lost IS NOT NULL AS hidden FROM {table} AS own "
            f"LEFT JOIN (SELECT *, true AS is_lost FROM lost) AS lost USING ({own}))"
        )

    def _arrange(self, start: int | None, chosen: Sequence[int] | None) -> None:
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
            kept += f" {self._without_lost}"
            place = "row_number() OVER (ORDER BY origin)"
        if chosen is not None:
            own = pd.DataFrame({"origin": pd.Series(chosen, dtype="int64")})
            self._database.make("chosen_places", "FROM further", own)
            kept += " SEMI JOIN chosen_places USING (origin)"
            place = "row_number() OVER (ORDER BY origin)"
        if start is not None:
            kept = _with_drawn(f"SELECT {listed(cells)}, origin, {place} AS drawn FROM {kept}", start)
            order = "drawn"
        self._database.do(
            f"CREATE TABLE kept AS SELECT {listed(cells)} FROM {kept} ORDER BY {order}",
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
        each = (
            f"(SELECT {listed(columns)}, 1 AS n, row_number() OVER () - 1 AS first "
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
