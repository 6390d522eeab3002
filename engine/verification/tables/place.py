"""Place of both tables of a verification, and conversion of their cells to values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from engine.verification.claims import Compared, Reading, ReleaseClaim
from engine.verification.readers.collecting import Vocabularies, Vocabulary
from engine.verification.readers.file_cells import texts_of
from engine.verification.readers.reading import Progress
from engine.words import _

ORIGINAL, RELEASE = "verification_original", "verification_release"
LETTERS = {ORIGINAL: "b", RELEASE: "r"}  # before their columns


class Place(ABC):
    """Place of both tables, which answers statements: the database of the verification, or a cluster.

    The tables are `ORIGINAL` and `RELEASE`, with the columns `b0`, `b1`, ... and `r0`, `r1`, ... in the order
    of their names, if they are needed, and the `place` of each record. Cells are values: codes of
    vocabularies, or texts.

    Attributes
    ----------
    compared : {"records", "multiset", "counts"}
        Whether records are compared in their order, or how often each occurs.
    released : Reading
        How the release was read, with the cells that a spreadsheet would run.
    is_numbered : callable
        Returns whether the values of a column are codes.
    progress : callable
        Receives the progress of the verification; may raise to stop it.
    order : str
        What keeps the order of records in tables; empty if they have none.
    """

    compared: Compared
    names: list[str]
    released_names: list[str]
    released: Reading
    is_numbered: Callable[[str], bool]
    order = ""
    progress: Progress
    _moment = (0, 0, "")

    @abstractmethod
    def fetched(self, query: str) -> Iterable[list[tuple[Any, ...]]]:
        """Yield the rows of a query, many at once."""

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return [row for rows in self.fetched(query) for row in rows]

    @abstractmethod
    def frame(self, query: str) -> pd.DataFrame:
        """Return the rows of a query of whole numbers."""

    @abstractmethod
    def make(self, table: str, query: str) -> None:
        """Make a table of the rows of a query."""

    @abstractmethod
    def send(self, table: str, rows: pd.DataFrame) -> None:
        """Make a table of rows."""

    @abstractmethod
    def make_map(
        self, table: str, query: str, due: Callable[[Sequence[Any]], list[Any]], kind: str, most_of: str = ""
    ) -> bool:
        """Make a table of each `value` of a query, and what is `due` for it; return whether it has rows.

        Parameters
        ----------
        most_of : str, optional
            Column of whose values there are too many if memory cannot hold them.
        """

    @abstractmethod
    def read(self, claim: ReleaseClaim, known: Vocabularies) -> None:
        """Make the tables of the original and of the release; extend vocabularies by their texts.

        Raises
        ------
        UnverifiableError
            A table cannot be read.
        """

    def at(self, percent: int, text: str, until: int = 0) -> None:
        """Say how far the verification is, and how far the next statement brings it."""
        self._moment = (percent, until, text)
        self.report()

    def report(self, part: float = 0.0) -> None:
        """Say it again, with the part of the statement that is done; may raise to stop."""
        start, until, text = self._moment
        self.progress(max(start, int(start + part * (until - start))), 100, text)

    def make_values(
        self,
        table: str,
        raw: str,
        reading: Reading,
        columns: Mapping[str, tuple[str, str]],
        known: Vocabularies,
    ) -> None:
        """Make a table of values from one of cells as read.

        Parameters
        ----------
        columns : dict of str to (str, str)
            By name: what the cells are called in both tables, and the condition by which a cell may have
            another text than its own.
        known : dict of str to Vocabulary
            Extended by the texts of numbered columns.
        """
        cells, joins = ["place"], list[str]()
        for name, (cell, condition) in columns.items():
            own, values = f"{table}_{cell}", f"SELECT DISTINCT {cell} AS value FROM {raw}"
            if self.is_numbered(name):
                numbered = partial(_codes, reading.cleaner(name), known.setdefault(name, Vocabulary()))
                is_mapped = self.make_map(own, values, numbered, "INTEGER", name)
                usual = "-1"
            else:
                changed = partial(_texts, reading.cleaner(name))
                is_mapped = self.make_map(own, f"{values} WHERE {condition}", changed, "VARCHAR")
                usual = f"CAST(raw.{cell} AS VARCHAR)"
            if is_mapped:
                joins.append(f"LEFT JOIN {own} ON {own}.value IS NOT DISTINCT FROM raw.{cell}")
                usual = f"coalesce({own}.due, {usual})"
            cells.append(f"{usual} AS {cell}")
        order = f"ORDER BY {self.order}" if joins and self.order else ""
        self.make(table, f"SELECT {listed(cells)} FROM {raw} AS raw {' '.join(joins)} {order}")


def _texts(clean: Callable[[str | None], str], values: Sequence[Any]) -> list[str]:
    return [clean(text) for text in texts_of(values, _("True"), _("False"))]


def _codes(clean: Callable[[str | None], str], vocabulary: Vocabulary, values: Sequence[Any]) -> list[int]:
    return [vocabulary.code(text) for text in _texts(clean, values)]


def listed(parts: Iterable[str]) -> str:
    """Return parts of a statement with commas."""
    return ", ".join(parts)


def quoted(text: str) -> str:
    """Return a text in a statement of the database."""
    return "'" + text.replace("'", "''") + "'"
