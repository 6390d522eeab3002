"""Both files in the database of the verification, grouped and compared while they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from engine.verification.claims import STAR
from engine.verification.counters.counted import (
    Due,
    Exposed,
    Paired,
    TextColumn,
    Wrong,
    exposed,
    persons_of,
)
from engine.verification.counters.database import UnsuitedError, listed
from engine.verification.counters.tables import DatabaseTables
from engine.verification.grouping import Numbering
from engine.words import _


class DatabaseCounter(DatabaseTables):
    """Counter of both files by DuckDB, which reads them side by side and groups equal pairs."""

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
        found = found[found["n"].notna()]  # without a column and a record there is a sum of nothing
        self._rows, self._n_due = found[cells], found["n"].astype("int64")
        self._database.at(40, _("Recomputing the classes of the original"))
        return self._as_codes(self._before, self._coded, found), self._n_due

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
        """Compare the released records with the original ones, and close the database."""
        paired = self._pair(due)
        self._database.close()
        if paired.n_released != sum(self._after.counts):
            raise UnsuitedError  # the database read the file in another way
        return paired

    def _pair(self, due: Due) -> Paired:
        """Compare the released records with the original ones, given what is expected of each tuple."""
        self._fix_texts(due)
        self._mark_lost(due.suppressed)
        n_due = int((self._n_due[~due.suppressed] if self._is_removed else self._n_due).sum())
        n_due = n_due if due.kept is None else len(due.kept)
        if self._is_arranged:
            if due.start is not None or due.suppressed.any() or due.kept is not None:
                self._arrange(due.start, due.kept)
            self._group_pairs(n_due)
        if due.labels is None and not self._is_removed and self._claim.expected.suppressed:
            self._hidden = self._are_stars()  # of levels that vary, the file alone tells what is suppressed
        if (self._is_any_lost or self._hidden) and not self._is_removed:
            self._database.do(f"CREATE TABLE judged AS FROM {self._with_hidden('pairs')}")
            self._database.do("DROP TABLE pairs")
        else:
            self._database.do("CREATE VIEW judged AS SELECT *, false AS hidden FROM pairs")
        self._database.at(60, _("Comparing every cell"))
        n_released = int(self._database.value("SELECT coalesce(sum(n), 0) FROM judged WHERE NOT no_r"))
        if n_released != n_due:
            return self._released_alone("judged WHERE NOT no_r", "min(first)", n_released)
        wrong = Wrong(self._claim, self.released_names)
        for column in self._texts.values():
            self._compare_texts(column, wrong)
        left = exposed(self._claim, self.released_names, self._singled_out, self._share)
        coded = [name for name in self._coded if name in self.released_names]
        if self._is_by_tuple(due, coded):
            return self._paired_as_due(n_released, due, wrong, left)
        own, other = (
            [side.column(name) for name in names]
            for side, names in ((self._before, self._coded), (self._after, coded))
        )
        columns = listed([*own, *other, *(["first"] if self._is_each else [])])
        found = self._database.frame(
            f"SELECT {listed([*own, *other, 'sum(n)::BIGINT AS n', 'min(first) AS first'])} FROM judged "
            f"{f'GROUP BY {columns}' if columns else ''} ORDER BY min(first)"
        )
        tuples = Numbering(self._rows).of(found[own])
        released = self._as_codes(self._after, coded, found)
        return Paired(n_released, tuples, released, found["n"].astype("int64"), found["first"], wrong, *left)

    @property
    def _is_removed(self) -> bool:
        return self._claim.suppressed_records == "remove"

    def _is_by_tuple(self, due: Due, coded: Sequence[str]) -> bool:
        """Return whether the file has what is due of each original tuple."""
        if due.labels is None or self._is_each:
            return False
        return self._are_originals() and all(self._is_as_due(name, due) for name in coded)

    def _are_originals(self) -> bool:
        """Return whether the original records were the same when they were read again for the pairs."""
        if not self._is_arranged or not self._coded:
            return True
        cells = listed(self._rows.columns)
        lost = self._without_lost if self._is_any_lost and self._is_removed else ""
        query = f"SELECT sum(n * hash({cells})::HUGEINT) FROM"
        before, again = (self._database.value(f"{query} {table}") for table in (f"original {lost}", "judged"))
        return bool(before == again)

    def _is_as_due(self, name: str, due: Due) -> bool:
        """Return whether original value and suppression decide each cell of a column, and the file has it.

        If so in all columns that models read, the pairs are the original tuples with what is due of them,
        and are not counted again.
        """
        before, after = self._before.column(name), self._after.column(name)
        assert due.labels is not None, "levels do not vary by record"
        n_values = len(self._before.codes[self._before.names.index(name)])
        expected = pd.Series(-1, index=range(2 * n_values + 2)).to_numpy(copy=True)
        places, labels = (2 * self._rows[before] + due.suppressed).to_numpy(), due.labels[name].to_numpy()
        expected[places] = labels
        if (expected[places] != labels).any():
            return False
        found = self._database.frame(
            f"SELECT {before}, {after}, hidden::INTEGER AS hidden FROM judged GROUP BY ALL"
        )
        codes = self._as_codes(self._after, [name], found)[name].to_numpy()
        return bool((expected[(2 * found[before] + found["hidden"]).to_numpy()] == codes).all())

    def _paired_as_due(self, n_released: int, due: Due, wrong: Wrong, left: Exposed) -> Paired:
        """Return the pairs of a file that has what is due of each original tuple."""
        assert due.labels is not None, "levels do not vary by record"
        numbers = pd.Series(range(len(due.labels)), dtype="int64")
        counts, labels = self._n_due, due.labels
        if self._is_removed and due.suppressed.any():
            kept = ~due.suppressed.to_numpy()
            numbers, counts = (part[kept].reset_index(drop=True) for part in (numbers, counts))
            labels = labels[kept].reset_index(drop=True)
        return Paired(n_released, numbers, labels, counts, numbers, wrong, *left)

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

    # What is asked of them

    def _compare_texts(self, column: TextColumn, wrong: Wrong) -> None:
        """Compare the cells of a column that no model reads."""
        after = self._after.column(column.name)
        before = "NULL" if column.is_constant else self._before.column(column.name)
        if column.name in self._varied or self._is_each:
            table, values = ("judged", []) if self._is_each else self._each_record()
            person = self._before.column(self._claim.person) if self._claim.person else "NULL"
            query = f"SELECT {before}, {after}, hidden, n, first, {person} FROM {table}"
        else:  # in a column of very many values, cells without a text here are the same
            values = []
            some = f"WHERE {after} IS NOT NULL" if column.name in self._same else ""
            keys = listed([*([] if column.is_constant else [before]), after, "hidden"])
            query = (
                f"SELECT {before}, {after}, hidden, sum(n)::BIGINT, min(first), NULL FROM judged {some} "
                f"GROUP BY {keys}"
            )
        for rows in self._database.fetched(query, values):
            own, written, hidden, counts, numbers, whose = zip(*rows, strict=True)
            texts = [""] * len(own) if column.is_constant else self._cleaned(self._before, column.name, own)
            cells = pd.Series(texts, dtype=object)
            found = pd.Series(self._cleaned(self._after, column.name, written), dtype=object)
            marks, places = pd.Series(hidden, dtype=bool), pd.Series(numbers, dtype="int64")
            if column.moves is not None:
                wrong.move(column, cells, found, marks, places, self._persons(whose))
                cells = found
            wrong.compare(column, cells, found, marks, places, pd.Series(counts, dtype="int64"))
        column.refuse_equal_codes()

    def _persons(self, numbers: Sequence[Any]) -> pd.Series[str] | None:
        """Return the person of each record, given the numbers of its cells; None without persons."""
        person = self._claim.person
        if not person:
            return None
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
        """Return the share of a dependency, as of `UnchangedClaim.determines`."""
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
