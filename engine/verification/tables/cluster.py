"""Both tables on the cluster that holds them and answers statements: only counts are transferred.

Distinct values become text here by the code of the verification, and are sent back as numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import pandas as pd

from engine.verification.claims import Reading, ReleaseClaim
from engine.verification.findings import refuse_many_values
from engine.verification.readers.claimed_files import readings_of_release
from engine.verification.readers.collecting import Vocabularies
from engine.verification.readers.file_cells import objects_of
from engine.verification.tables.columns import needed_columns
from engine.verification.tables.place import LETTERS, ORIGINAL, RELEASE, Place
from engine.words import _

_BROADCAST = 200_000  # rows of a table that is sent to every part of the cluster


class Tables(Protocol):
    """The original and a written release in a session with the cluster that was not used to write.

    Attributes
    ----------
    original, released : DataFrame of Spark
        Columns in the order of the names.
    send : callable
        Makes a DataFrame of Spark from rows.
    ask : callable
        Does work with the cluster, and reports to the given callable until it is done.
    """

    @property
    def original(self) -> Any: ...
    @property
    def names(self) -> Sequence[str]: ...
    @property
    def released(self) -> Any: ...
    @property
    def released_names(self) -> Sequence[str]: ...
    @property
    def send(self) -> Callable[[Any], Any]: ...
    @property
    def ask(self) -> Callable[[Callable[[], Any], Callable[..., None]], Any]: ...


class Cluster(Place):
    """The cluster, by one more session."""

    compared = "counts"

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._session = tables.original.sparkSession

    def is_numbered(self, name: str) -> bool:
        """Return true: no text is compared there."""
        return True

    def read(self, claim: ReleaseClaim, known: Vocabularies) -> None:
        """Make the tables of the original and of the release."""
        tables = self._tables
        self.at(0, _("Reading the original"))
        self.names = list(tables.names)
        needed = needed_columns(claim, self.names)
        self._number(
            ORIGINAL,
            tables.original,
            claim.original,
            {name: place for place, name in enumerate(self.names) if name in needed},
            known,
        )
        self.at(20, _("Reading the release"))
        self.released = readings_of_release(claim, self.names)[0]
        self.released_names = [self.released.plain(name) for name in tables.released_names]
        places = {name: place for place, name in enumerate(self.released_names)}
        self._number(RELEASE, tables.released, self.released, places, known)

    def _number(
        self, table: str, frame: Any, reading: Reading, places: Mapping[str, int], known: Vocabularies
    ) -> None:
        """Make the table of the numbers of values from their cells."""
        from pyspark.sql.connect import functions

        letter, raw = LETTERS[table], f"{table}_raw"
        cells = frame.toDF(*(f"{letter}{place}" for place in range(len(frame.columns))))
        self._name(raw, cells.withColumn("place", functions.lit(0)))
        columns = {name: (f"{letter}{place}", "") for name, place in places.items()}
        self.make_values(table, raw, reading, columns, known)

    def fetched(self, query: str) -> Iterable[list[tuple[Any, ...]]]:
        """Yield the rows of a query."""
        yield list(zip(*(column.to_pylist() for column in self._found(query).columns), strict=True))

    def frame(self, query: str) -> pd.DataFrame:
        """Return the rows of a query of whole numbers."""
        frame: pd.DataFrame = self._found(query).to_pandas()
        return frame

    def make(self, table: str, query: str) -> None:
        """Name the rows of a query."""
        self._name(table, self._session.sql(query))

    def send(self, table: str, rows: Any) -> None:
        """Make a table of rows."""
        from pyspark.sql.connect import functions

        frame = self._tables.send(rows)
        self._name(table, functions.broadcast(frame) if len(rows) <= _BROADCAST else frame)

    def make_map(
        self, table: str, query: str, due: Callable[[Sequence[Any]], list[Any]], kind: str, most_of: str = ""
    ) -> bool:
        """Make a table of each `value` of a query, and what is `due` for it."""
        found = self._found(query)
        refuse_many_values(most_of, len(found))
        values = objects_of(found.column("value").to_pandas(types_mapper=pd.ArrowDtype))
        self.send(table, found.append_column("due", [due(list(values))]))
        return bool(len(found))

    def _found(self, query: str) -> Any:
        return self._ask(lambda: self._session.sql(query).toArrow())

    def _name(self, table: str, frame: Any) -> None:
        self._ask(lambda: frame.createOrReplaceTempView(table))

    def _ask(self, work: Callable[[], Any]) -> Any:
        return self._tables.ask(work, lambda *_unused: self.report())
