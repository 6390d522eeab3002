"""Both tables on the cluster that has them, grouped and compared there: only counts come to this machine.

Distinct values become text here by the code of the verification, and are sent back as numbers. Records are
compared as multisets of these numbers, each counted exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import pandas as pd

from engine.verification.claims import STAR, Compared, ReleaseClaim
from engine.verification.counters.counted import (
    Due,
    Paired,
    TextColumn,
    Wrong,
    coded_columns,
    exposed,
    unmatched,
)
from engine.verification.findings import UnverifiableError, refuse_many_values
from engine.verification.readers.claimed_files import reading_of_original, readings_of_release
from engine.verification.readers.collecting import Vocabularies, Vocabulary
from engine.verification.readers.file_cells import objects_of, texts_of
from engine.verification.readers.reading import Progress, Reading
from engine.words import _

_BROADCAST = 200_000  # rows of a table that is sent to every part of the cluster


class Tables(Protocol):
    """The original and a written release in a session with the cluster that was not used to write.

    Attributes
    ----------
    original, released : DataFrame of Spark
        Columns in the order of the names.
    names, released_names : sequence of str
    send : callable
        Makes a DataFrame of Spark from an Arrow table.
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


class ClusterCounter:
    """Counter of both tables by the cluster.

    Parameters
    ----------
    claim : ReleaseClaim
    known : dict of str to Vocabulary
        Extended by the texts of the columns that models read.
    progress : callable
    tables : Tables
    """

    compared: Compared = "counts"
    is_read = False

    def __init__(self, claim: ReleaseClaim, known: Vocabularies, progress: Progress, tables: Tables) -> None:
        self._claim, self._known, self._progress, self._tables = claim, known, progress, tables
        self._done, self._said = 0, _("Reading the original")
        self.names = list(tables.names)
        self.released = readings_of_release(claim, self.names)[0]
        self.released_names = [self.released.plain(name) for name in tables.released_names]
        self._coded = coded_columns(claim, self.names)
        self._texts = {
            name: TextColumn(claim, name)
            for name in self.released_names
            if name not in self._coded and name in self.names
        }
        self._own: dict[str, Vocabulary] = {}  # of columns that no model reads
        reading = reading_of_original(claim, claim.original)
        self._before = _Side("o", tables.original, self.names, reading, self._ask)
        self._after = _Side("r", tables.released, self.released_names, self.released, self._ask)

    def tuples(self) -> tuple[pd.DataFrame, pd.Series[int]]:
        """Return the distinct original records in the columns that models read, and their counts."""
        frame, columns = self._before.frame, []
        for name in self._coded:
            columns.append(f"k{self._before.number(name)}")
            vocabulary = self._vocabulary(name)
            codes = [vocabulary.code(text) for text in self._before.texts(name)]
            frame = self._joined(frame, self._before, name, codes, columns[-1])
        self._numbered = frame
        self._at(30, _("Reading the original"))
        self._rows = self._ask(_grouped(frame, columns).toArrow)
        found = self._rows.to_pandas()
        if not len(found) or (found < 0).any(axis=None):
            raise UnverifiableError(_("The table changed while it was read."))
        self._n_due = found["n"].astype("int64")
        self._at(40, _("Recomputing the classes of the original"))
        codes_of = {name: found[own].astype("int32") for name, own in zip(self._coded, columns, strict=True)}
        return pd.DataFrame(codes_of, index=found.index), self._n_due

    def values_of(self, name: str) -> Mapping[str, int]:
        """Return the distinct original texts of a column, with their counts."""
        counted: dict[str, int] = {}
        texts = self._before.texts(name)
        for text, count in zip(texts, self._before.counts(name), strict=True):
            counted[text] = counted.get(text, 0) + count
        return counted

    def pair(self, due: Due) -> Paired:
        """Compare the multisets of records, given what is expected of each tuple."""
        assert due.labels is not None, "levels do not vary by record"
        for name, texts in due.texts.items():
            self._texts[name].fixed = texts
        self._at(45, _("Reading the release"))
        self._found = self._released()
        n_released = sum(self._after.counts(self.released_names[0]))
        self._at(60, _("Comparing every cell"))
        self._judged = self._expected(due)
        cells = [self._due_cell(name) for name in self.released_names]
        extra, lacking = self._differing(cells)
        wrong = Wrong(self._claim, self.released_names)
        if extra or lacking:
            coded = [name for name in self._coded if name in self.released_names]
            alone = self._ask(_grouped(self._found, [self._due_cell(name) for name in coded]).toArrow)
            found = alone.to_pandas()
            released = pd.DataFrame(
                {name: found[self._due_cell(name)].astype("int32") for name in coded}, index=found.index
            )
            counts = found["n"].astype("int64")
            numbers = pd.Series(range(len(counts)), dtype="int64")
            sentences = unmatched(extra, -1, lacking, -1)
            return Paired(n_released, counts.iloc[:0], released, counts, numbers, wrong, differing=sentences)
        kept = (~due.suppressed if self._is_removed else due.suppressed | True).tolist()
        numbers = pd.Series(range(len(kept)), dtype="int64")[kept].reset_index(drop=True)
        counts = self._n_due[kept].reset_index(drop=True)
        labels = due.labels[kept].reset_index(drop=True)
        self._at(80, _("Counting records that unchanged columns single out"))
        return Paired(
            n_released,
            numbers,
            labels,
            counts,
            numbers,
            wrong,
            *exposed(self._claim, self.released_names, self._singled_out, self._share),
        )

    @property
    def _is_removed(self) -> bool:
        return self._claim.suppressed_records == "remove"

    # Tables of both sides

    def _released(self) -> Any:
        """Return the released records as numbers of their texts."""
        frame = self._after.frame
        for name in self.released_names:
            vocabulary = self._vocabulary(name)
            codes = [vocabulary.code(text) for text in self._after.texts(name)]
            frame = self._joined(frame, self._after, name, codes, self._due_cell(name))
        return frame

    def _expected(self, due: Due) -> Any:
        """Return what the original records must have become, as numbers of the texts."""
        from pyspark.sql.connect import functions

        keys = [f"k{self._before.number(name)}" for name in self._coded]
        sent = self._rows.select(keys).rename_columns([f"t{key}" for key in keys])
        assert due.labels is not None, "levels do not vary by record"
        for name in due.labels.columns:
            sent = sent.append_column(self._due_cell(name), [due.labels[name].tolist()])
        sent = sent.append_column("hidden", [due.suppressed.tolist()])
        table, frame = self._sent(sent), self._numbered
        same = None
        for key in keys:
            one = functions.col(key) == functions.col(f"t{key}")
            same = one if same is None else same & one
        frame = frame.crossJoin(table) if same is None else frame.join(table, same, "left")
        for name, column in self._texts.items():
            cell, vocabulary = self._due_cell(name), self._vocabulary(name)
            if column.is_constant:
                (text,) = (column.due([""]) or {}).values()
                frame = frame.withColumn(cell, functions.lit(vocabulary.code(text)))
            else:
                texts = pd.Series(self._before.texts(name), dtype=object)
                texts, _usual = column.cells(texts, pd.Series(False, index=texts.index))
                column.refuse_equal_codes()
                codes = [vocabulary.code(text) for text in texts]
                frame = self._joined(frame, self._before, name, codes, cell)
            if column.blank is not None:
                blank = functions.lit(vocabulary.code(column.blank))
                own = functions.col(cell)
                frame = frame.withColumn(cell, functions.when(functions.col("hidden"), blank).otherwise(own))
        return frame.filter(~functions.col("hidden")) if self._is_removed else frame

    def _differing(self, cells: Sequence[str]) -> tuple[int, int]:
        """Count the records that only the release has, and those that only the expected ones have."""
        from pyspark.sql.connect import functions

        n, zero = functions.col("n"), functions.lit(0)
        found = _grouped(self._found, cells)
        due = _grouped(self._judged, cells).withColumn("n", -n)
        balance = found.unionByName(due).groupBy(*cells).agg(functions.sum("n").alias("n"))
        both = balance.agg(
            functions.sum(functions.greatest(n, zero)).alias("extra"),
            functions.sum(functions.greatest(-n, zero)).alias("lacking"),
        )
        ((extra, lacking),) = self._rows_of(both)
        return int(extra or 0), int(lacking or 0)

    # What is asked of them

    def _singled_out(self, names: Sequence[str]) -> tuple[int, int]:
        """Count the records with values in some columns that no other record, or no other person, has."""
        from pyspark.sql.connect import functions

        cells, person = list(map(self._due_cell, names)), self._claim.person
        alone = _grouped(self._found, cells).filter(functions.col("n") == 1)
        n_alone = int(self._ask(alone.count))
        if not person:
            return n_alone, 0
        persons = functions.countDistinct(f"k{self._before.number(person)}").alias("persons")
        counted = self._judged.groupBy(*cells).agg(functions.count(functions.lit(1)).alias("n"), persons)
        of_one = counted.filter(functions.col("persons") == 1).agg(functions.sum("n").alias("n"))
        ((n_of_one,),) = self._rows_of(of_one)
        return n_alone, int(n_of_one or 0)

    def _share(self, own: str, determined: str) -> float:
        """Return the share of a dependency, as of `UnchangedClaim.determines`."""
        from pyspark.sql.connect import functions

        cell, label = self._due_cell(own), self._due_cell(determined)
        was, n = f"k{self._before.number(determined)}", functions.col("n")
        all_star = functions.lit(True)
        for name in self._claim.quasi_identifying:
            star = self._vocabulary(name).code(STAR)
            all_star = all_star & (functions.col(self._due_cell(name)) == star)
        kept = self._judged.filter(~(functions.col("hidden") & all_star))
        found = kept.groupBy(cell, was, label).agg(functions.count(functions.lit(1)).alias("n"))
        several, one = functions.countDistinct(was) > 1, functions.countDistinct(was) == 1
        covers = found.groupBy(label).agg(several.alias("covers"))
        fixes = found.groupBy(cell).agg(one.alias("fixes"))
        covers_label, fixes_own = functions.col("covers"), functions.col("fixes")
        counted = (
            found.join(covers, label)
            .join(fixes, cell)
            .agg(
                functions.sum(functions.when(covers_label, n)).alias("covered"),
                functions.sum(functions.when(covers_label & fixes_own, n)).alias("both"),
            )
        )
        ((covered, both),) = self._rows_of(counted)
        return int(both or 0) / int(covered) if covered else 0.0

    def _vocabulary(self, name: str) -> Vocabulary:
        known = self._known if name in self._coded else self._own
        return known.setdefault(name, Vocabulary())

    def _due_cell(self, name: str) -> str:
        return f"d{self.released_names.index(name)}"

    def _joined(self, frame: Any, side: _Side, name: str, codes: Sequence[int], column: str) -> Any:
        """Add a column with the number that goes with each value of a column of a side; -1 for others."""
        from pyspark.sql.connect import functions

        own = side.cell(name)
        values = side.values(name).rename_columns(["value"]).append_column(column, [list(codes)])
        same = functions.col(own).eqNullSafe(functions.col("value"))
        joined = frame.join(self._sent(values), same, "left").drop("value")
        return joined.withColumn(column, functions.coalesce(functions.col(column), functions.lit(-1)))

    def _sent(self, table: Any) -> Any:
        from pyspark.sql.connect import functions

        frame = self._tables.send(table)
        return functions.broadcast(frame) if table.num_rows <= _BROADCAST else frame

    def _rows_of(self, frame: Any) -> list[tuple[Any, ...]]:
        found = self._ask(frame.toArrow)
        return list(zip(*(column.to_pylist() for column in found.columns), strict=True))

    def _at(self, done: int, text: str) -> None:
        self._done, self._said = done, text

    def _ask(self, work: Callable[[], Any]) -> Any:
        def tell(*_unused: Any) -> None:
            self._progress(self._done, 100, self._said)

        return self._tables.ask(work, tell)


class _Side:
    """A table on the cluster, with the distinct values of its columns as far as they were asked for."""

    def __init__(
        self,
        letter: str,
        frame: Any,
        names: Sequence[str],
        reading: Reading,
        ask: Callable[[Callable[[], Any]], Any],
    ) -> None:
        self._letter, self._names, self._reading, self._ask = letter, list(names), reading, ask
        self.frame = frame.toDF(*(f"{letter}{place}" for place in range(len(self._names))))
        self._values: dict[str, tuple[Any, list[str], list[int]]] = {}

    def number(self, name: str) -> int:
        """Return the place of a column."""
        return self._names.index(name)

    def cell(self, name: str) -> str:
        """Return what a column is called in `frame`."""
        return f"{self._letter}{self.number(name)}"

    def values(self, name: str) -> Any:
        """Return the distinct values of a column as an Arrow table."""
        return self._listed(name)[0]

    def texts(self, name: str) -> list[str]:
        """Return the text that each of them means."""
        return self._listed(name)[1]

    def counts(self, name: str) -> list[int]:
        """Return the records of each of them."""
        return self._listed(name)[2]

    def _listed(self, name: str) -> tuple[Any, list[str], list[int]]:
        if name not in self._values:
            cell = self.cell(name)
            found = self._ask(_grouped(self.frame, [cell]).toArrow)
            refuse_many_values(name, found.num_rows)
            values = found.column(cell).to_pandas(types_mapper=pd.ArrowDtype)
            clean = self._reading.cleaner(name)
            texts = [clean(text) for text in texts_of(list(objects_of(values)), _("True"), _("False"))]
            self._values[name] = (found.select([cell]), texts, found.column("n").to_pylist())
        return self._values[name]


def _grouped(frame: Any, columns: Sequence[str]) -> Any:
    """Return the distinct combinations of columns with their numbers of records, `n`."""
    from pyspark.sql.connect import functions

    return frame.groupBy(*columns).agg(functions.count(functions.lit(1)).alias("n"))
