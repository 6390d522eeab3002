"""Records of no order in the database of the verification: every one as often as expected."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from engine.verification.counters.counted import (
    Due,
    Paired,
    TextColumn,
    Wrong,
    exposed,
    unmatched,
)
from engine.verification.counters.database import Side, listed
from engine.verification.counters.pairs import DatabaseCounter
from engine.verification.counters.tables import HARMLESS
from engine.verification.findings import refuse_many_values
from engine.words import _


class UnorderedCounter(DatabaseCounter):
    """Counter that compares the distinct records of both files, and how often each occurs."""

    def _find_varied(self) -> None:
        """All columns are grouped by."""
        self._varied, self._same = set(), set()

    def tuples(self) -> tuple[pd.DataFrame, pd.Series[int]]:
        """Return the distinct original records in the columns that models read, and their counts."""
        self._group_original(self._wanted())
        return self._counted("original", "")

    def _pair(self, due: Due) -> Paired:
        """Compare the records as multisets, given what is expected of each tuple."""
        database, after = self._database, self._after
        self._fix_texts(due)
        self._read_released()
        n_released = int(database.value("SELECT coalesce(sum(n), 0) FROM released"))
        database.at(60, _("Comparing every cell"))
        self._expect(due)
        cells = listed(map(after.column, self.released_names))
        extra, lacking = database.rows(
            "SELECT coalesce(sum(greatest(s, 0)), 0), coalesce(sum(greatest(-s, 0)), 0) FROM ("
            f"SELECT sum(n) AS s FROM (SELECT {cells}, n FROM released UNION ALL "
            f"SELECT {cells}, -n FROM judged) GROUP BY {cells})"
        )[0]
        if extra or lacking:
            alone = self._released_alone("released", "0", n_released)
            return replace(alone, differing=unmatched(int(extra), -1, int(lacking), -1))
        wrong = Wrong(self._claim, self.released_names)
        left = exposed(self._claim, self.released_names, self._singled_out, self._share)
        return self._paired_as_due(n_released, due, wrong, left)

    def _judged(self, names: Collection[str]) -> tuple[str, list[Any]]:
        return "judged", []

    def _read_released(self) -> None:
        """Make the table of the distinct records of the file, with codes in the columns that models read."""
        database, side = self._database, self._after
        cells = listed(f"{side.cell(name)} AS {side.column(name)}" for name in self.released_names)
        database.do(
            f"CREATE TABLE raw AS SELECT {cells}, count(*) AS n FROM {side.source} GROUP BY ALL", side.values
        )
        numbered = [
            self._numbered_column(side, name, "raw", side.column(name)) for name in self.released_names
        ]
        database.do(f"CREATE TABLE numbered AS SELECT {listed(numbered)}, n FROM raw")
        database.do("DROP TABLE raw")
        columns, joins = [], ""
        for place, name in enumerate(self.released_names):
            column = side.column(name)
            if name in self._coded:
                codes = self._add_codes(side, name)
                joins += f" JOIN {codes} ON {codes}.number = own.{column}"
                columns.append(f"{codes}.code AS {column}")
            elif self._claim.safe_cells or side.types[place] != "VARCHAR":
                texts = self._changed(side, name, "numbered", self._unsafe(side, name), [], None)
                joins += f" LEFT JOIN {texts} ON {texts}.value IS NOT DISTINCT FROM own.{column}"
                columns.append(f"coalesce({texts}.due, own.{column}::VARCHAR) AS {column}")
            else:
                columns.append(f"own.{column} AS {column}")
        database.do(f"CREATE TABLE released AS SELECT {listed(columns)}, n FROM numbered AS own{joins}")
        database.do("DROP TABLE numbered")

    def _unsafe(self, side: Side, name: str) -> str:
        is_text = side.types[side.names.index(name)] == "VARCHAR"
        return f"NOT regexp_matches({side.column(name)}, '{HARMLESS}')" if is_text else "true"

    def _expect(self, due: Due) -> None:
        """Make the table of the expected records, next to the numbers of their original ones."""
        database, before, after = self._database, self._before, self._after
        assert due.labels is not None, "levels do not vary by record"
        own = list(self._rows.columns)
        labels = [after.column(name) for name in due.labels.columns]
        columns = listed([*(f"{name} INTEGER" for name in (*own, *labels)), "hidden BOOLEAN"])
        database.do(f"CREATE TABLE due ({columns})")
        parts = [*(self._rows[name] for name in own), *(due.labels[name] for name in due.labels.columns)]
        database.insert("due", [*parts, due.suppressed])
        cells = [
            *(f"original.{name} AS {name}" for name in own),
            *(f"due.{label} AS {label}" for label in labels),
        ]
        values: list[Any] = []
        same = " AND ".join(f"original.{name} = due.{name}" for name in own) or "true"
        joins = f"JOIN due ON {same}"
        for name, column in self._texts.items():
            if column.is_constant:
                (text,) = (column.due([""]) or {}).values()
                values += [text if column.blank is None else column.blank, text]
                cells.append(
                    f"CASE WHEN due.hidden THEN ?::VARCHAR ELSE ?::VARCHAR END AS {after.column(name)}"
                )
                continue
            condition, bound = (
                ("true", []) if column.rule is not None else self._special(name, before.column(name))
            )
            if before.types[before.names.index(name)] != "VARCHAR":
                condition, bound = "true", []
            texts = self._changed(before, name, "original", condition, bound, column)
            cell = f"coalesce({texts}.due, original.{before.column(name)}::VARCHAR)"
            if column.blank is not None:
                cell = f"CASE WHEN due.hidden THEN ?::VARCHAR ELSE {cell} END"
                values.append(column.blank)
            cells.append(f"{cell} AS {after.column(name)}")
            joins += (
                f" LEFT JOIN {texts} ON {texts}.value IS NOT DISTINCT FROM original.{before.column(name)}"
            )
        some = " WHERE NOT due.hidden" if self._is_removed else ""
        database.do(
            f"CREATE TABLE judged AS SELECT {listed(cells)}, original.n AS n, due.hidden AS hidden "
            f"FROM original {joins}{some}",
            values,
        )
        for place, name in enumerate(self.released_names):
            if name in self._coded:  # the cells of both tables are codes now
                after.codes[place] = pd.Series(range(len(self._known[name].texts)), dtype="int32")

    def _changed(
        self,
        side: Side,
        name: str,
        table: str,
        condition: str,
        bound: Sequence[Any],
        column: TextColumn | None,
    ) -> str:
        """Make the table of the texts that some values of a column stand for, or become; return its name."""
        cell, made = side.column(name), f"texts{side.column(name)}"
        kind = side.types[side.names.index(name)]
        changed: dict[Any, str] = {}
        query = f"SELECT DISTINCT {cell} FROM {table} WHERE {condition}"
        for rows in self._database.fetched(query, bound):
            values = [value for (value,) in rows]
            texts = pd.Series(self._cleaned(side, name, values), dtype=object)
            if column is not None:
                texts, _usual = column.cells(texts, pd.Series(False, index=texts.index))
            changed.update(
                (own, text) for own, text in zip(values, texts.tolist(), strict=True) if own != text
            )
            refuse_many_values(name, len(changed))
        if column is not None:
            column.refuse_equal_codes()
        self._database.do(f"CREATE TABLE {made} (value {kind}, due VARCHAR)")
        if changed:
            parts = (list(changed), list(changed.values()))
            self._database.insert(made, [pd.Series(part, dtype=object) for part in parts])
        return made
