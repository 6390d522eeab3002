"""A table on a cluster, counted there by Spark Connect, whose release the cluster writes itself.

Values come as Arrow arrays and become text here, never by a cast on the cluster. In all that the cluster is
asked, columns have numbers instead of names, and values are compared with tables that are sent along: no text
of the data is part of a statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import ExportError, TableError
from engine.kernels.arrays import Codes
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_exact_count
from engine.records.chunks import numbers
from engine.records.clusters.frames import (
    charset,
    fetch,
    fingerprint_of,
    not_in_utf8,
    refuse_filled_there,
    remove_empty_here,
    texts_of_column,
    written_frame,
)
from engine.records.clusters.session import ClusterSession
from engine.records.databases.address import DatabaseAddress
from engine.records.options import ALL, CLUSTER, PARQUET, ExportOptions
from engine.records.plan import PlannedSuppression, ReleasePlan
from engine.records.raw import RawColumn, RawTable
from engine.records.remote import (
    BothThere,
    Cells,
    CountedTuples,
    Order,
    SourceColumn,
    Target,
    ValueCounts,
    Vocabulary,
    changed_remotely,
    cut_values,
    value_counts,
)
from engine.records.text.reader import Layout
from engine.records.text.writing import safe
from engine.words import _

MOST_FETCHED = 20_000_000  # records that come to this machine
MOST_SHOWN = 10_000  # records of a table, and of what a filter finds
_BROADCAST = 200_000  # rows of a table that is sent to every part of the cluster
_COUNT = "count"


@dataclass(frozen=True, eq=False)
class _Values:
    """The different values of a column as the cluster has them, and the text of each."""

    values: Any  # an Arrow array; null for cells without a value
    texts: tuple[str | None, ...]


@dataclass(frozen=True, eq=False)
class Chosen:
    """The columns of a table that are read.

    Attributes
    ----------
    empty : RawTable
        How the table or its files are read, and where the columns are in them.
    texts : frozenset of str
        Columns of texts.
    layout : Layout or None
        How text files are divided into records.
    on : callable
        Returns the records in a session, columns by number.
    """

    empty: RawTable
    texts: frozenset[str]
    layout: Layout | None
    on: Callable[[Any], Any]


@dataclass(eq=False)
class ClusterSource:
    """A table on a cluster.

    Attributes
    ----------
    state : str
        Fingerprint when it was opened.
    again : callable
        Opens another session, for a verification.
    """

    session: ClusterSession
    address: DatabaseAddress
    columns: tuple[SourceColumn, ...]
    n_records: int
    state: str
    again: Callable[[Monitor], ClusterSession]
    chosen: Chosen
    _frame: Any
    _most: int
    _must_be_utf8: bool
    _known: dict[str, _Values] = field(default_factory=dict)
    _pages: dict[Any, list[tuple[str | None, ...]]] = field(default_factory=dict)

    order = Order.NONE
    kind = CLUSTER
    spilled_bytes = 0
    most_shown = MOST_SHOWN

    @property
    def name(self) -> str:
        """Name of the cluster in messages."""
        return self.session.name

    @property
    def empty(self) -> RawTable:
        """Properties of the table without its columns."""
        return self.chosen.empty

    @property
    def place(self) -> str:
        """Place of the records, for headings."""
        return _("on a cluster")

    def labels(self, columns: Sequence[str], monitor: Monitor) -> Mapping[str, ValueCounts]:
        """Return the different values of columns, counted in one pass over the records."""
        large = self._large(columns, monitor)
        usual = [name for name in columns if name not in large]
        found = self._counted_together(usual, monitor) if usual else {}
        for name in large:
            found[name] = self._counted(name, monitor)
        return {name: found[name] for name in columns}

    def tuples(self, vocabulary: Mapping[str, Vocabulary], monitor: Monitor) -> CountedTuples:
        """Count the distinct combinations of the columns that have a vocabulary.

        Raises
        ------
        TableError
            The table changed in the meantime.
        """
        names = tuple(vocabulary)
        frame = self._frame.groupBy(*map(self._id, names)).count()
        text = _("Counting distinct combinations of {n} records").format(n=as_exact_count(self.n_records))
        found = self.session.run(frame.toArrow, monitor, _escaped(text))
        codes = [self._codes(name, found.column(self._id(name)), vocabulary[name]) for name in names]
        counts = numbers(found.column(_COUNT).combine_chunks()).astype(np.int64)
        return CountedTuples(names, tuple(codes), counts).of_all(self.n_records)

    def page(
        self,
        first: int,
        count: int,
        columns: Sequence[str],
        where: Mapping[str, Sequence[str | None]] | None = None,
        monitor: Monitor = SILENT,
    ) -> list[tuple[str | None, ...]]:
        """Return the texts of some of the first `MOST_SHOWN` records, or of the matches of a filter."""
        wanted = tuple((name, tuple(texts)) for name, texts in (where or {}).items())
        key = (tuple(columns), wanted)
        if key not in self._pages:
            self._pages.clear()
            self._pages[key] = self._first_records(tuple(columns), wanted, monitor)
        return self._pages[key][first : first + count]

    def singled_out(self, columns: Sequence[str], monitor: Monitor) -> int:
        """Return the records that are alone in their combination of columns."""
        groups = self._frame.groupBy(*map(self._id, columns)).count()
        return int(self.session.run(lambda: groups.filter(groups[_COUNT] == 1).count(), monitor))

    def fingerprint(self, monitor: Monitor) -> str:
        """Return a text that differs once a file of the table has another name, size or time."""
        return fingerprint_of(self.session, self._frame, monitor)

    def coded(self, vocabulary: Mapping[str, Vocabulary], monitor: Monitor) -> Mapping[str, Cells]:
        """Return the label of each record, per column; the cluster sends small integers in any order.

        Raises
        ------
        TableError
            There are more records than come to this machine.
        """
        self._refuse_many()
        found = self._coded(self._frame, vocabulary, monitor)
        if any(len(own) != self.n_records for own in found.values()):
            raise changed_remotely()
        return found

    def some_coded(
        self,
        vocabulary: Mapping[str, Vocabulary],
        monitor: Monitor,
        *,
        share: float = 1.0,
        seed: int = 0,
        where: Mapping[str, Sequence[str | None]] | None = None,
    ) -> Mapping[str, Cells]:
        """Return the label of each of some records, per column, in any order."""
        frame = self._where(tuple((where or {}).items()))
        if share < 1:
            frame = frame.sample(fraction=share, seed=seed)
        return self._coded(frame, vocabulary, monitor)

    def _coded(
        self, frame: Any, vocabulary: Mapping[str, Vocabulary], monitor: Monitor
    ) -> Mapping[str, Cells]:
        functions, cells = self._functions, []
        for name, own in vocabulary.items():
            cell = functions.col(self._id(name)).isNull().cast("tinyint")
            if own:
                n = own.n_labels
                labels = self._by_value(name, own, range(n))
                frame = self._joined(frame, name, None, {f"t{self._id(name)}": labels}, how="left")
                kind = "tinyint" if n <= 1 << 7 else "smallint" if n <= 1 << 15 else "int"
                cell = functions.col(f"t{self._id(name)}").cast(kind)
            cells.append(cell)
        chosen = frame.select(*(cell.alias(f"t{place}") for place, cell in enumerate(cells)))
        found = self.session.run(chosen.toArrow, monitor, _("Fetching records"))
        if any(column.null_count for column in found.columns):
            raise changed_remotely()
        return {
            name: numbers(column.combine_chunks())
            for name, column in zip(vocabulary, found.columns, strict=True)
        }

    def write(
        self, plan: ReleasePlan, vocabulary: Mapping[str, Vocabulary], target: Target, monitor: Monitor
    ) -> None:
        """Let the cluster write a release as CSV or Parquet parts into a folder that does not exist yet.

        Raises
        ------
        ExportError
            A column has too many different values.
        TableError
            The folder exists, or the cluster cannot write to it.
        CancelledError
            The cluster removes what it began to write.
        """
        for column in plan.columns:
            if not column.is_coded:
                raise ExportError(
                    _("'{name}' has too many different values for a cluster to write.").format(
                        name=column.name
                    ),
                    hint=_("Drop the column or replace it with *."),
                    column=column.name,
                )
        frame = self._released(plan, vocabulary, target.options)
        path, text = str(target.path), _("The cluster writes the release")
        refuse_filled_there(self.session, path, monitor)
        # a stopped attempt may have left an empty folder
        writer = frame.write.mode("append")
        try:
            if target.options.kind == PARQUET:
                self.session.run(lambda: writer.parquet(path), monitor, text)
            else:
                settings = _csv_settings(target, len(frame.columns))
                self.session.run(lambda: writer.options(**settings).csv(path), monitor, text)
        except BaseException:
            remove_empty_here(self.address, path)
            raise

    def read_back(
        self, target: Target, names: Sequence[str], original: Path, written: Path, monitor: Monitor
    ) -> None:
        """Read the records and a written release in another session, each into a Parquet file here.

        Raises
        ------
        TableError
            There are more records than come to this machine, or they cannot be read.
        """
        self._refuse_many()
        session = self.again(monitor)
        try:
            own = [column.name for column in self.columns]
            fetch(session, self.chosen.on(session.spark), own, original, PartMonitor(monitor, 0, 2))
            frame = session.run(lambda: written_frame(session.spark, target), monitor)
            found = session.run(lambda: frame.columns, monitor)
            has_names = target.options.kind == PARQUET or target.has_header
            fetch(session, frame, found if has_names else names, written, PartMonitor(monitor, 1, 2))
        finally:
            session.close()

    @property
    def is_fetched(self) -> bool:
        """Return whether its records may be copied to this machine."""
        return self.n_records <= MOST_FETCHED

    @contextmanager
    def both_there(self, target: Target, names: Sequence[str], monitor: Monitor) -> Iterator[BothThere]:
        """Open the records and a written release in another session."""
        session = self.again(monitor)
        try:
            frame = session.run(lambda: written_frame(session.spark, target), monitor)
            found = session.run(lambda: frame.columns, monitor)
            has_names = target.options.kind == PARQUET or target.has_header
            yield BothThere(
                self.chosen.on(session.spark),
                tuple(column.name for column in self.columns),
                frame,
                tuple(found if has_names else names),
                session.spark.createDataFrame,
                lambda work, step: session.run(work, _Steps(step)),
            )
        finally:
            session.close()

    def count_alone(
        self,
        plan: ReleasePlan,
        vocabulary: Mapping[str, Vocabulary],
        sets: Sequence[Sequence[str]],
        monitor: Monitor,
    ) -> tuple[int, list[tuple[int, int]]]:
        """Count the written records that some written columns single out, for each set of them."""
        functions, text = self._functions, _("Counting records that unchanged columns single out")
        names = [column.name for column in plan.columns]
        people = [] if plan.person is None else [self._id(plan.person)]
        frame = self._released(plan, vocabulary, ExportOptions(safe_cells=False), people)
        frame = frame.toDF(*(f"w{place}" for place in range(len(names))), *people)
        one, counts = functions.col(_COUNT), [functions.count(functions.lit(1)).alias(_COUNT)]
        if plan.person is not None:
            own = vocabulary[plan.person]
            labels = self._by_value(plan.person, own, range(own.n_labels))
            frame = self._joined(frame, plan.person, None, {"person": labels}, how="left")
            counts.append(functions.countDistinct("person").alias("persons"))
        n_written, found = 0, []
        for done, chosen in enumerate(sets):
            groups = frame.groupBy(*(f"w{names.index(name)}" for name in chosen)).agg(*counts)
            alone = functions.sum(functions.when(one == 1, one)).alias("alone")
            sums = [functions.sum(one).alias("all"), alone]
            if people:
                is_one = functions.col("persons") == 1
                sums.append(functions.sum(functions.when(is_one, one)).alias("of_one"))
            row = self.session.run(groups.agg(*sums).toArrow, PartMonitor(monitor, done, len(sets)), text)
            n_written, n_alone, *of_one = (int(column[0].as_py() or 0) for column in row.columns)
            found.append((n_alone, of_one[0] if of_one else 0))
        return n_written, found

    def _refuse_many(self) -> None:
        if self.is_fetched:
            return
        raise TableError(
            _("This needs the {n} records in one place, and those of '{name}' stay on the cluster.").format(
                n=as_exact_count(self.n_records), name=self.name
            ),
            hint=_("Up to {n} records are fetched. Use a smaller table.").format(
                n=as_exact_count(MOST_FETCHED)
            ),
        )

    def _id(self, name: str) -> str:
        return f"c{[column.name for column in self.columns].index(name)}"

    def _large(self, columns: Sequence[str], monitor: Monitor) -> list[str]:
        """Return the columns that may have more different values than are listed."""
        if self.n_records <= self._most:
            return []
        functions = self._functions
        about = self._frame.agg(*(functions.approx_count_distinct(self._id(name), 0.02) for name in columns))
        text = _("Estimating the numbers of different values")
        found = self.session.run(about.toArrow, monitor, text)
        return [
            name for place, name in enumerate(columns) if 1.2 * found.column(place)[0].as_py() > self._most
        ]

    def _counted_together(self, names: Sequence[str], monitor: Monitor) -> dict[str, ValueCounts]:
        """Count the values of several columns in one pass."""
        import pyarrow as pa
        from pyarrow import compute

        functions, ids = self._functions, [self._id(name) for name in names]
        counted = self._frame.groupingSets([[own] for own in ids], *ids).agg(
            functions.count(functions.lit(1)).alias(_COUNT), functions.grouping_id().alias("set")
        )
        found = self.session.run(counted.toArrow, monitor, _("Counting the values of all columns"))
        values = {}
        for place, (name, own) in enumerate(zip(names, ids, strict=True)):
            # the bits of a set are the columns that are not in it
            number = 2 ** len(ids) - 1 - 2 ** (len(ids) - 1 - place)
            chosen = found.filter(compute.equal(found.column("set"), pa.scalar(number, pa.int64())))
            values[name] = self._listed(name, chosen.column(own), chosen.column(_COUNT))
        return values

    def _counted(self, name: str, monitor: Monitor) -> ValueCounts:
        """Count the values of a column that may have too many."""
        own, functions = self._id(name), self._functions
        counted = self._frame.groupBy(own).count().limit(self._most + 1)
        text = _("Counting the values of {column}").format(column=name)
        found = self.session.run(counted.toArrow, monitor, _escaped(text))
        if found.num_rows <= self._most:
            return self._listed(name, found.column(own), found.column(_COUNT))
        present = self._frame.agg(functions.count(own).alias(_COUNT))
        n_values = int(self.session.run(present.toArrow, monitor).column(_COUNT)[0].as_py())
        return cut_values(self._most, n_values, self.n_records - n_values)

    def _listed(self, name: str, values: Any, counts: Any) -> ValueCounts:
        """Keep the values of a column, and return their texts."""
        raw = self._as_texts(name, values)
        texts = tuple(None if code < 0 else raw.texts[code] for code in raw.codes.tolist())
        self._known[name] = _Values(values.combine_chunks(), texts)
        declared = raw.data_type
        self.columns = tuple(SourceColumn(c.name, declared) if c.name == name else c for c in self.columns)
        place: dict[str | None, int] = {}
        merged = [place.setdefault(text, len(place)) for text in texts]
        joined = np.zeros(len(place), dtype=np.int64)
        np.add.at(joined, merged, numbers(counts.combine_chunks()).astype(np.int64))
        return value_counts(dict(zip(place, joined.tolist(), strict=True)))

    def _as_texts(self, name: str, values: Any) -> RawColumn:
        layout = self.chosen.layout
        raw = texts_of_column(name, values, self.chosen.texts, layout)
        if layout is not None and self._must_be_utf8 and any("\ufffd" in text for text in raw.texts):
            raise not_in_utf8(self.name)
        return raw

    def _codes(self, name: str, values: Any, vocabulary: Vocabulary) -> Codes:
        """Return the label of each value that the cluster sent."""
        from pyarrow import compute

        known = self._known[name]
        label = vocabulary.of(known.texts)
        places = compute.index_in(values, value_set=known.values).combine_chunks()
        if places.null_count:
            raise changed_remotely()
        return np.asarray(label[numbers(places)])

    def _first_records(
        self,
        columns: tuple[str, ...],
        wanted: tuple[tuple[str, tuple[str | None, ...]], ...],
        monitor: Monitor,
    ) -> list[tuple[str | None, ...]]:
        frame = self._where(wanted).select(*map(self._id, columns)).limit(self.most_shown)
        found = self.session.run(frame.toArrow, monitor, _("Fetching records"))
        texts_of = []
        for place, name in enumerate(columns):
            raw = self._as_texts(name, found.column(place))
            texts_of.append([None if code < 0 else raw.texts[code] for code in raw.codes.tolist()])
        return list(zip(*texts_of, strict=True))

    def _where(self, wanted: Sequence[tuple[str, Sequence[str | None]]]) -> Any:
        """Return the records with one of some texts in each of some columns."""
        frame = self._frame
        for name, texts in wanted:
            chosen = set(texts)
            met = np.array([text in chosen for text in self._known[name].texts], dtype=np.bool_)
            frame = self._joined(frame, name, met, {}, how="left_semi")
        return frame

    def _released(
        self,
        plan: ReleasePlan,
        vocabulary: Mapping[str, Vocabulary],
        options: ExportOptions,
        further: Sequence[str] = (),
    ) -> Any:
        """Return the released records as the cluster will make them, and further original columns."""
        is_safe, is_parquet = options.safe_cells, options.kind == PARQUET
        functions, frame = self._functions, self._frame
        listed = plan.suppressed
        compared = {} if listed is None else dict(zip(listed.columns, listed.code_of, strict=True))
        written = {column.name: column for column in plan.columns}
        for name in dict.fromkeys([*written, *compared]):
            given: dict[str, Any] = {}
            column = written.get(name)
            if column is not None and not _is_constant(column.code_of, column.labels):
                labels = [safe(text) if is_safe else text for text in column.labels]
                given[f"t{self._id(name)}"] = self._by_value(
                    name, vocabulary[name], [labels[code] for code in column.code_of.tolist()]
                )
            if name in compared:
                given[f"k{self._id(name)}"] = self._by_value(name, vocabulary[name], compared[name].tolist())
            if given:
                frame = self._joined(frame, name, None, given, how="left")
        hidden = None
        if plan.suppressed is not None:
            frame = self._with_listed(frame, plan.suppressed)
            is_listed = functions.col("listed").isNotNull()
            hidden = ~is_listed if plan.suppressed.are_kept else is_listed
            if plan.removes:
                frame, hidden = frame.filter(~hidden), None
        cells = []
        for column in plan.columns:
            labels = [safe(text) if is_safe else text for text in column.labels]
            if _is_constant(column.code_of, column.labels):
                cell = functions.lit(labels[int(column.code_of[0])])
            else:
                cell = functions.col(f"t{self._id(column.name)}")
            if hidden is not None and column.hidden >= 0:
                cell = functions.when(hidden, functions.lit(labels[column.hidden])).otherwise(cell)
            if is_parquet:  # an empty text is a cell without a value, as in every Parquet file of a release
                cell = functions.nullif(cell, functions.lit(""))
            cells.append(cell.alias(safe(column.name) if is_safe else column.name))
        return frame.select(*cells, *further)

    def _by_value(self, name: str, vocabulary: Vocabulary, of_label: Sequence[Any]) -> list[Any]:
        """Return what goes with each value of a column, given what goes with each label."""
        return [of_label[label] for label in vocabulary.of(self._known[name].texts).tolist()]

    def _joined(self, frame: Any, name: str, met: Any, given: Mapping[str, list[Any]], *, how: str) -> Any:
        """Join what goes with the values of a column, which are sent to the cluster as a table."""
        import pyarrow as pa

        own, values = self._id(name), self._known[name].values
        if met is not None:
            values = values.filter(pa.array(met))
        key = f"v{own}"
        sent = pa.table({key: values, **{column: pa.array(found) for column, found in given.items()}})
        table = self._sent(sent)
        joined = frame.join(table, self._functions.col(own).eqNullSafe(self._functions.col(key)), how)
        return joined if how == "left_semi" else joined.drop(key)

    def _with_listed(self, frame: Any, suppressed: PlannedSuppression) -> Any:
        """Join the listed combinations; `listed` is 1 for their records, else null."""
        import pyarrow as pa

        functions, ids = self._functions, [self._id(name) for name in suppressed.columns]
        listed = {f"l{own}": pa.array(codes) for own, codes in zip(ids, suppressed.listed, strict=True)}
        n_listed = len(suppressed.listed[0])
        table = self._sent(pa.table({**listed, "listed": pa.array(np.ones(n_listed, dtype=np.int32))}))
        equal = None
        for own in ids:
            one = functions.col(f"k{own}") == functions.col(f"l{own}")
            equal = one if equal is None else equal & one
        return frame.join(table, equal, "left")

    def _sent(self, table: Any) -> Any:
        frame = self.session.spark.createDataFrame(table)
        return self._functions.broadcast(frame) if table.num_rows <= _BROADCAST else frame

    @property
    def _functions(self) -> Any:
        from pyspark.sql.connect import functions

        return functions


class _Steps:
    """A monitor of a function."""

    def __init__(self, step: Callable[..., None]) -> None:
        self._step = step

    def step(self, done: int, total: int, text: str = "") -> None:
        """Pass it on."""
        self._step(done, total, text)


def _csv_settings(target: Target, n_columns: int) -> dict[str, Any]:
    options = target.options
    # with a single column, an empty cell would be an empty line, which is not a record
    is_quoted = options.quoting == ALL or n_columns == 1
    return {
        "sep": options.delimiter or target.delimiter,
        "header": target.has_header,
        "encoding": charset(options.encoding),
        "lineSep": options.line_break,
        "quoteAll": options.quoting == ALL,
        "escape": '"',
        "emptyValue": '""' if is_quoted else "",
        "ignoreLeadingWhiteSpace": False,
        "ignoreTrailingWhiteSpace": False,
    }


def _is_constant(code_of: Codes, labels: Sequence[str]) -> bool:
    return bool(len(code_of)) and len({labels[code] for code in np.unique(code_of).tolist()}) == 1


def _escaped(text: str) -> str:
    """Return a finished text that `ClusterSession.run` shows unchanged."""
    return text.replace("{", "{{").replace("}", "}}")
