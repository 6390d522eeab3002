"""The original and the release side by side, compared by SQL that a database and a cluster read alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from engine.verification.cells import wrong_cell
from engine.verification.claims import STAR, ReleaseClaim
from engine.verification.findings import SHOWN, UnverifiableError
from engine.verification.readers.collecting import Vocabularies
from engine.verification.tables.columns import (
    ReleasedColumn,
    coded_columns,
    is_order_drawn,
    persons_of,
    unchanged_columns,
    unchanged_sets,
    unmatched,
)
from engine.verification.tables.place import ORIGINAL, RELEASE, Place, listed, quoted
from engine.words import _

_DUE, _EACH, _KEPT, _CHOSEN = (f"verification_{own}" for own in ("due", "each", "kept", "chosen"))
_SMALL = 100_000  # records of a table of which every wrong one is named, of others the first with equal cells
_ALL = "18446744073709551616::UHUGEINT"  # 2 ** 64


@dataclass(frozen=True)
class Due:
    """Expected records of each distinct original tuple.

    Attributes
    ----------
    labels : DataFrame of int or None
        Codes of the expected cells, in the released columns that models read; None if levels vary by record.
    texts : mapping of str to mapping
        Expected text per original one of other columns that have pseudonyms.
    start : int or None
        Start of the numbers that put the records of a shuffled file in order; None if it is not shuffled.
    kept : sequence of int or None
        Positions of the original records that the file is due to have; None if suppression decides.
    """

    suppressed: pd.Series[bool]
    labels: pd.DataFrame | None
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    start: int | None = None
    kept: Sequence[int] | None = None


@dataclass(frozen=True)
class Paired:
    """The released records next to their original ones, counted.

    Attributes
    ----------
    n_released : int
        Records of the file.
    tuples : Series of int
        Per distinct pair: number of its original tuple. Empty if the file has not the expected number of
        records, or not the expected records in any order; the other attributes then describe the file alone.
    released : DataFrame of int
        Codes of its released cells, in columns that models read.
    counts, numbers : Series of int
        Its records, and the number of the first of them.
    wrong : list of (int, str, str)
        First wrong cells of the other columns: number of the record, column, sentence.
    singled_out : mapping
        Per set of unchanged columns: records that it singles out, alone or as one person.
    shares : mapping
        Claimed dependencies.
    differing : tuple of str
        Sentences on records that are in only one of both multisets; empty if order is compared.
    """

    n_released: int
    tuples: pd.Series[int]
    released: pd.DataFrame
    counts: pd.Series[int]
    numbers: pd.Series[int]
    wrong: list[tuple[int, str, str]] = field(default_factory=list)
    n_wrong: int = 0
    singled_out: Mapping[tuple[str, ...], tuple[int, int]] = field(default_factory=dict)
    shares: Mapping[tuple[str, str], float] = field(default_factory=dict)
    differing: tuple[str, ...] = ()


class ComparedTables:
    """Both tables of a claim.

    Parameters
    ----------
    known : dict of str to Vocabulary
        Extended by the texts of columns that have codes.
    place : Place
        It has read both tables.
    """

    def __init__(self, claim: ReleaseClaim, known: Vocabularies, place: Place) -> None:
        self._claim, self._known, self._place = claim, known, place
        self._names, self._released_names = place.names, place.released_names
        self._coded = coded_columns(claim, self._names)
        self._released_coded = [name for name in self._coded if name in self._released_names]
        self._others = {
            name: ReleasedColumn(claim, name)
            for name in self._released_names
            if name in self._names and name not in self._coded
        }

    def tuples(self) -> tuple[pd.DataFrame, pd.Series[int]]:
        """Return the distinct original records in the columns that models read, and their counts."""
        cells = [self._before(name) for name in self._coded]
        counted = "count(*) AS n, coalesce(min(place), 0) AS earliest"
        found = self._place.frame(
            f"SELECT {listed([*cells, counted])} FROM {ORIGINAL} GROUP BY ALL ORDER BY earliest"
        )
        found = found[found["n"] > 0].reset_index(drop=True)
        if (found[cells] < 0).any(axis=None):
            raise UnverifiableError(_("The table changed while it was read."))
        self._rows, self._n_due = found[cells], found["n"].astype("int64")
        self._place.at(40, _("Recomputing the classes of the original"))
        return found[cells].set_axis(self._coded, axis=1), self._n_due

    def values_of(self, name: str) -> Mapping[str, int]:
        """Return the distinct original texts of a column, with their counts."""
        rows = self._place.rows(f"SELECT {self._before(name)}, count(*) FROM {ORIGINAL} GROUP BY ALL")
        return {self._text(name, value): count for value, count in rows}

    def pair(self, due: Due) -> Paired:
        """Compare the released records with the original ones, given what is expected of each tuple."""
        place, is_ordered = self._place, self._place.compared == "records"
        rows = self._rows.assign(t=range(len(self._rows)), hidden=due.suppressed.tolist())
        if not is_ordered:
            assert due.labels is not None, "levels do not vary by record"
            labels = {f"d{self._after(str(name))[1:]}": due.labels[name] for name in due.labels}
            rows = rows.assign(**{name: codes.tolist() for name, codes in labels.items()})
        place.send(_DUE, rows)
        n_due = int((self._n_due[~due.suppressed] if self._is_removed else self._n_due).sum())
        n_due = n_due if due.kept is None else len(due.kept)
        n_released = int(place.rows(f"SELECT count(*) FROM {RELEASE}")[0][0])
        if is_ordered and n_released != n_due:
            return self._released_alone(n_released)
        place.at(60, _("Comparing every cell"))
        expected = self._expected(due.texts)
        wrong: tuple[list[tuple[int, str, str]], int] = ([], 0)
        if is_ordered:
            wrong = self._in_order(due, expected)
        else:
            self._make_in_no_order(expected)
            if differing := self._differing():
                return self._released_alone(n_released, differing)
        cells = [self._after(name) for name in self._released_coded]
        each = ["place AS one"] if is_ordered and n_released <= _SMALL else []
        counted = listed([*each, "t", *cells, "count(*) AS n", "min(place) AS earliest"])
        found = place.frame(f"SELECT {counted} FROM {_EACH} GROUP BY ALL ORDER BY earliest, t")
        place.at(80, _("Counting records that unchanged columns single out"))
        released = found[cells].set_axis(self._released_coded, axis=1).astype("int32")
        return Paired(
            n_released,
            found["t"],
            released,
            found["n"].astype("int64"),
            found["earliest"],
            *wrong,
            {names: self._singled_out(names) for names in unchanged_sets(self._claim, self._released_names)},
            self._shares(),
        )

    # Statements

    @property
    def _is_removed(self) -> bool:
        return self._claim.suppressed_records == "remove"

    def _before(self, name: str) -> str:
        return f"b{self._names.index(name)}"

    def _after(self, name: str) -> str:
        return f"r{self._released_names.index(name)}"

    def _text(self, name: str, value: Any) -> str:
        """Return the text of a value of a column."""
        return str(self._known[name].texts[value] if self._place.is_numbered(name) else value)

    def _value(self, name: str, text: str) -> Any:
        return self._known[name].code(text) if self._place.is_numbered(name) else text

    def _literal(self, name: str, text: str) -> str:
        """Return the value of a text in a statement."""
        return str(self._known[name].code(text)) if self._place.is_numbered(name) else quoted(text)

    def _released_alone(self, n_released: int, differing: tuple[str, ...] = ()) -> Paired:
        """Return the records of a file whose original ones are not known."""
        cells = [self._after(name) for name in self._released_coded]
        found = self._place.frame(
            f"SELECT {listed([*cells, 'count(*) AS n', 'coalesce(min(place), 0) AS earliest'])} "
            f"FROM {RELEASE} GROUP BY ALL ORDER BY earliest"
        )
        found = found[found["n"] > 0].reset_index(drop=True)
        released = found[cells].set_axis(self._released_coded, axis=1).astype("int32")
        counts = found["n"].astype("int64")
        return Paired(n_released, counts.iloc[:0], released, counts, found["earliest"], differing=differing)

    def _expected(self, fixed: Mapping[str, Mapping[str, str]]) -> dict[str, tuple[str, str]]:
        """Return the expected cell of each other column, and that of a record that is not suppressed."""
        found = {}
        for name, column in self._others.items():
            usual = f"own.{self._before(name)}"
            if column.is_constant:
                (text,) = column.due([""], fixed.get(name)).values()
                usual = self._literal(name, text)
            elif column.moves is not None:
                usual = (
                    f"own.{self._after(name)}"  # dates that the file alone shows are compared by themselves
                )
            elif column.rule is not None:
                usual = self._map_values(name, column, fixed.get(name))
            cell = usual
            if column.blank is not None:
                cell = f"CASE WHEN {self._hidden} THEN {self._literal(name, column.blank)} ELSE {usual} END"
            found[name] = (cell, usual)
        return found

    def _map_values(self, name: str, column: ReleasedColumn, fixed: Mapping[str, str] | None) -> str:
        """Make the table of the values that the rule of a column writes; return the expected cell."""
        table, cell = f"{_DUE}_{self._before(name)}", self._before(name)

        def due(values: Sequence[Any]) -> list[Any]:
            texts = [self._text(name, value) for value in values]
            found = column.due(texts, fixed)
            return [self._value(name, found[text]) for text in texts]

        kind = "INTEGER" if self._place.is_numbered(name) else "VARCHAR"
        self._place.make_map(table, f"SELECT DISTINCT {cell} AS value FROM {ORIGINAL}", due, kind, "")
        if column.rule is not None and column.rule.rule == "keyed_hash":
            ((n_values, n_codes),) = self._place.rows(f"SELECT count(*), count(DISTINCT due) FROM {table}")
            if n_codes < n_values:
                raise UnverifiableError(_("Two values of a column have the same code."))
        return f"{table}.due"

    @property
    def _hidden(self) -> str:
        """The condition that a record is suppressed; if levels vary by record, only the file shows it."""
        claim = self._claim
        if claim.node is None and not self._is_removed and claim.expected.suppressed:
            return self._are_stars("own.")
        return "due.hidden"

    def _are_stars(self, table: str = "") -> str:
        """Return the condition that all quasi-identifiers of the file are `*`."""
        names = self._claim.quasi_identifying
        parts = (f"{table}{self._after(name)} = {self._known[name].code(STAR)}" for name in names)
        return " AND ".join(parts) or "false"

    @property
    def _same(self) -> str:
        """The condition that a record is of a tuple."""
        return " AND ".join(f"own.{cell} = due.{cell}" for cell in self._rows.columns) or "true"

    def _joined(self, source: str) -> str:
        """Return original records next to what is due for their tuples and values."""
        joins = [f"{source} AS own JOIN {_DUE} AS due ON {self._same}"]
        for name, column in self._others.items():
            if column.rule is not None and not column.is_constant:
                table = f"{_DUE}_{self._before(name)}"
                joins.append(f"LEFT JOIN {table} ON {table}.value = own.{self._before(name)}")
        return " ".join(joins)

    # Records in their order

    def _in_order(
        self, due: Due, expected: Mapping[str, tuple[str, str]]
    ) -> tuple[list[tuple[int, str, str]], int]:
        """Make the table of the released records with the tuples of their originals; find wrong cells."""
        left = ORIGINAL
        if is_order_drawn(self._claim) or due.kept is not None or (due.suppressed.any() and self._is_removed):
            left = self._arrange(due)
        source = self._joined(
            f"(SELECT original.* EXCLUDE (place), release.* FROM {left} AS original "
            f"POSITIONAL JOIN {RELEASE} AS release)"
        )
        cells = ["own.place AS place", "due.t AS t", f"{self._hidden} AS hidden"]
        cells += [f"own.{self._after(name)}" for name in self._released_names]
        differs = {
            name: f"{cell} IS DISTINCT FROM own.{self._after(name)}"
            for name, (cell, _usual) in expected.items()
        }
        flags = [f"{words} AS w{self._after(name)}" for name, words in differs.items()]
        self._place.make(_EACH, f"SELECT {listed([*cells, *flags])} FROM {source}")
        sums = [f"count(*) FILTER (WHERE w{self._after(name)})" for name in differs]
        ((*counts, _n_records),) = self._place.rows(f"SELECT {listed([*sums, 'count(*)'])} FROM {_EACH}")
        first: list[tuple[int, str, str]] = []
        n_wrong = sum(counts)
        for name, count in zip(differs, counts, strict=True):
            cell, usual = expected[name]
            if count:
                first += self._wrong_cells(name, source, differs[name], cell, usual)
            if self._others[name].moves is not None:
                moved = self._moved(name, source)
                first, n_wrong = [*first, *moved[:SHOWN]], n_wrong + len(moved)
        return first, n_wrong

    def _wrong_cells(
        self, name: str, source: str, differs: str, cell: str, usual: str
    ) -> list[tuple[int, str, str]]:
        """Return number, column and sentence of the first wrong cells of a column."""
        # An identifying column never has its original cells, whatever the record.
        if name in self._claim.identifying and not self._others[name].is_constant:
            usual = f"own.{self._before(name)}"
        if name in self._claim.identifying and self._others[name].is_constant:
            usual = "NULL"
        rows = self._place.rows(
            f"SELECT own.place, own.{self._after(name)}, {cell}, {self._hidden} AND {cell} IS DISTINCT FROM "
            f"{usual} FROM {source} WHERE {differs} ORDER BY own.place LIMIT {SHOWN}"
        )
        return [
            (
                number,
                name,
                wrong_cell(
                    self._claim,
                    number,
                    name,
                    self._text(name, written),
                    self._text(name, due),
                    is_hidden=is_blank,
                ),
            )
            for number, written, due, is_blank in rows
        ]

    def _moved(self, name: str, source: str) -> list[tuple[int, str, str]]:
        """Return number, column and sentence of the dates that no key could have moved so."""
        column, person = self._others[name], self._claim.person
        moves = column.moves
        assert moves is not None, "dates of this column move"
        cells = [f"own.{self._before(name)}", f"own.{self._after(name)}"]
        cells.append(f"own.{self._before(person)}" if person else "0")
        shown = "" if column.blank is None else f"WHERE NOT ({self._hidden})"
        found = []
        query = f"SELECT own.place, {listed(cells)} FROM {source} {shown} ORDER BY own.place"
        for rows in self._place.fetched(query):
            numbers, before, after, codes = zip(*rows, strict=True)
            texts = [[self._text(name, value) for value in side] for side in (before, after)]
            persons = persons_of(self._claim, self._known, codes) if person else None
            for at, problem in moves.problems(texts[0], texts[1], persons):
                sentence = moves.sentence(numbers[at], texts[0][at], texts[1][at], problem)
                found.append((numbers[at], name, sentence))
        return found

    def _arrange(self, due: Due) -> str:
        """Make the table of the original records that the file is due to have, in the order of the file."""
        source, number = f"{ORIGINAL} AS own", "own.place + 1"
        if due.suppressed.any() and self._is_removed:
            source += f" JOIN {_DUE} AS due ON {self._same} AND NOT due.hidden"
            number = "row_number() OVER (ORDER BY own.place)"
        if due.kept is not None:
            self._place.send(_CHOSEN, pd.DataFrame({"place": pd.Series(due.kept, dtype="int64")}))
            source += f" SEMI JOIN {_CHOSEN} AS chosen ON chosen.place = own.place"
            number = "row_number() OVER (ORDER BY own.place)"
        query, order = f"SELECT own.* FROM {source}", "place"
        if due.start is not None:
            query, order = _with_drawn(f"SELECT own.*, {number} AS drawn FROM {source}", due.start), "drawn"
            query = f"SELECT * FROM {query}"
        drawn = "" if order == "place" else "EXCLUDE (drawn)"
        self._place.make(_KEPT, f"SELECT * {drawn} FROM ({query}) ORDER BY {order}")
        return _KEPT

    # Records in no order

    def _make_in_no_order(self, expected: Mapping[str, tuple[str, str]]) -> None:
        """Make the table of the records that are expected in any order."""
        cells = ["0 AS place", "due.t AS t", "due.hidden AS hidden"]
        for name in self._released_names:
            own = self._after(name)
            cells.append(f"{expected[name][0] if name in expected else f'due.d{own[1:]}'} AS {own}")
        some = " WHERE NOT due.hidden" if self._is_removed else ""
        self._place.make(_EACH, f"SELECT {listed(cells)} FROM {self._joined(ORIGINAL)}{some}")

    def _differing(self) -> tuple[str, ...]:
        """Return sentences on records that are in only one of both tables."""
        cells = listed(map(self._after, self._released_names))
        ((extra, lacking),) = self._place.rows(
            "SELECT coalesce(sum(greatest(s, 0)), 0), coalesce(sum(greatest(-s, 0)), 0) "
            f"FROM (SELECT sum(n) AS s FROM (SELECT {cells}, 1 AS n FROM {RELEASE} "
            f"UNION ALL SELECT {cells}, -1 AS n FROM {_EACH}) GROUP BY {cells})"
        )
        return unmatched(int(extra), int(lacking))

    # What unchanged columns show

    def _singled_out(self, names: Sequence[str]) -> tuple[int, int]:
        """Count the records with values in some columns that no other record, or no other person, has."""
        cells, person = listed(map(self._after, names)), self._claim.person
        source, persons = _EACH, "0"
        if person:
            source += f" JOIN {_DUE} AS due USING (t)"
            persons = f"count(DISTINCT due.{self._before(person)})"
        ((alone, of_one),) = self._place.rows(
            "SELECT count(*) FILTER (WHERE n = 1), coalesce(sum(n) FILTER (WHERE persons = 1), 0) FROM "
            f"(SELECT count(*) AS n, {persons} AS persons FROM {source} GROUP BY {cells})"
        )
        return int(alone), int(of_one)

    def _shares(self) -> dict[tuple[str, str], float]:
        """Return the claimed dependencies of quasi-identifiers on unchanged columns."""
        claimed = self._claim.expected.unchanged
        unchanged = unchanged_columns(self._claim, self._released_names)
        return {
            (own, determined): self._share(own, determined)
            for own, determined in (claimed.determines if claimed else ())
            if own in unchanged and determined in self._claim.quasi_identifying
        }

    def _share(self, own: str, determined: str) -> float:
        """Return the share of a dependency, as of `UnchangedClaim.determines`."""
        found = (
            f"(SELECT {self._after(own)} AS mine, due.{self._before(determined)} AS was, "
            f"{self._after(determined)} AS label, count(*) AS n "
            f"FROM {_EACH} AS pair JOIN {_DUE} AS due USING (t) "
            f"WHERE NOT (pair.hidden AND {self._are_stars()}) GROUP BY ALL)"
        )
        covers = f"SELECT label FROM {found} GROUP BY label HAVING count(DISTINCT was) > 1"
        fixes = f"SELECT mine FROM {found} GROUP BY mine HAVING count(DISTINCT was) = 1"
        ((covered, both),) = self._place.rows(
            f"SELECT coalesce(sum(n), 0), coalesce(sum(n) FILTER (WHERE fixes.mine IS NOT NULL), 0) "
            f"FROM {found} AS found JOIN ({covers}) AS covers ON covers.label = found.label "
            f"LEFT JOIN ({fixes}) AS fixes ON fixes.mine = found.mine"
        )
        return int(both) / int(covered) if covered else 0.0


def _with_drawn(query: str, start: int) -> str:
    """Return a table in which a place, counted from 1, is the number that SplitMix64 draws for it instead."""
    steps = [f"drawn::UHUGEINT * 11400714819323198485::UHUGEINT + {start}::UHUGEINT"]
    for shift, factor in ((30, 13787848793156543929), (27, 10723151780598845931), (31, 1)):
        steps.append(f"xor(drawn, drawn >> {shift})::UHUGEINT * {factor}::UHUGEINT")
    for words in steps:
        query = f"SELECT * REPLACE ((({words}) % {_ALL})::UBIGINT AS drawn) FROM ({query})"
    return f"({query})"
