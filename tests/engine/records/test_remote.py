"""What is asked of a server or cluster: values, tuples, pages, and records that come to this machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from engine.advice.columns import singled_out_together
from engine.errors import CancelledError, TableError
from engine.monitor import SILENT, Monitor
from engine.project import Project
from engine.records import Table, retype
from engine.records.chunks import Texts
from engine.records.counting import counted_table
from engine.records.disk.fetched import records_here
from engine.records.options import ReadOptions, Replacement
from engine.records.raw import RawColumn, RawTable
from engine.records.reading import tabled
from engine.records.remote import (
    CountedTuples,
    Order,
    SourceColumn,
    ValueCounts,
    Vocabulary,
    cut_values,
    remote_reading,
    value_counts,
)
from engine.records.types import DataType, Kind
from tests.stopping import Stopping

ROWS = (("7", " x", None), ("07", "x", ""), ("7", "x", "b"), ("NA", " x", "b"), ("7", "x", None))


class Listed:
    """A source over a few rows."""

    name, order, n_records, place, state = "listed", Order.NONE, len(ROWS), "in a list", "5"
    kind, spilled_bytes, most_shown = "list", 0, 0
    columns = (SourceColumn("n"), SourceColumn("s"), SourceColumn("e"))
    empty = RawTable("listed", ())

    def __init__(self, rows: Sequence[tuple[str | None, ...]] = ROWS) -> None:
        self.rows = rows

    def labels(self, columns: Sequence[str], monitor: Monitor) -> Mapping[str, ValueCounts]:
        found = {}
        for place, column in enumerate(self.columns):
            counts = Counter(row[place] for row in self.rows)
            found[column.name] = value_counts(counts)
        return {name: found[name] for name in columns}

    def tuples(self, vocabulary: Mapping[str, Vocabulary], monitor: Monitor) -> CountedTuples:
        places = [[c.name for c in self.columns].index(name) for name in vocabulary]
        counts = Counter(tuple(row[place] for place in places) for row in self.rows)
        codes = [own.of([found[i] for found in counts]) for i, own in enumerate(vocabulary.values())]
        return CountedTuples(tuple(vocabulary), tuple(codes), np.array(list(counts.values()), dtype=np.int64))

    def page(
        self,
        first: int,
        count: int,
        columns: Sequence[str],
        where: Mapping[str, Sequence[str | None]] | None = None,
        monitor: Monitor = SILENT,
    ) -> list[tuple[str | None, ...]]:
        return list(self.rows[first : first + count])

    def singled_out(self, columns: Sequence[str], monitor: Monitor) -> int:
        return 0

    def fingerprint(self, monitor: Monitor) -> str:
        return str(len(self.rows))


def table_of(source: Listed, **options: object) -> Table:
    return remote_reading(source, ReadOptions(**options), SILENT).table  # type: ignore[arg-type]


def test_missing_tokens_trimming_and_replacements_are_applied_to_distinct_texts() -> None:
    changes = (Replacement("n", "07", "7"),)
    table = table_of(Listed(), missing=("NA", ""), trim=True, replacements=changes)
    assert [column.labels for column in table.columns] == [("7", "NA"), ("x",), ("b", "NA")]
    assert [column.counts.tolist() for column in table.columns] == [[4, 1], [5], [2, 3]]
    assert (table.n_records, table.columns[0].home is None, table.columns[0].cells) == (5, False, None)
    found = counted_table(table, ["n", "e"])
    assert [column.codes.tolist() for column in found.columns] == [[0, 0, 1], [0, 1, 0]]
    assert found.counts.tolist() == [1, 3, 1]


def test_a_changed_type_keeps_the_records_in_the_source() -> None:
    column = table_of(Listed(), missing=("NA", "")).column("n")
    changed = retype(column, DataType(Kind.TEXT))
    assert changed.labels == ("07", "7", "NA")
    found = counted_table(Table((changed,)), ["n"])
    assert found.counts.tolist() == changed.counts.tolist() == [1, 3, 1]


def test_asking_for_records_is_refused_by_name() -> None:
    column = table_of(Listed()).column("s")
    for ask in (lambda: column.codes, lambda: column.text(0), lambda: column.take(np.array([0]))):
        with pytest.raises(TableError, match=r"every record of column 's'.*stay in 'listed'"):
            ask()


def test_a_table_that_changed_since_its_labels_is_refused() -> None:
    source = Listed()
    table = table_of(source)
    source.rows = (*ROWS[:-1], ("07", "x", None))
    with pytest.raises(TableError, match="The table changed while it was read"):
        counted_table(table, ["n", "s"])


def test_a_cut_column_says_so() -> None:
    found = cut_values(1000, 70, 2)
    assert (*found.texts, found.counts.tolist()) == ("more than 1\u202f000 different values", [70, 2])


def test_roles_are_suggested_from_the_counts_of_values() -> None:
    from engine.qi_detection.suggest import suggest_roles

    assert [found.column for found in suggest_roles(table_of(Listed()))] == ["n", "s", "e"]


@pytest.mark.parametrize("n_asked", [2, 5_000])
@pytest.mark.parametrize("has_empty", [True, False])
def test_few_and_many_texts_are_found_and_others_refused(n_asked: int, has_empty: bool) -> None:
    texts = ["b", "", "\uffff", "\U0001f600", "a", "e\u0301", "\u00e9", "\0"]
    keys: list[str | None] = [*texts, None] if has_empty else [*texts]
    labels = np.array([3, 1, 0, 2, 4, 5, 6, 7, 8][: len(keys)], dtype=np.int32)
    for own in (Vocabulary(texts, labels), Vocabulary(Texts(texts), labels)):
        assert (len(own), own.n_labels, own.has_empty) == (len(keys), labels.max() + 1, has_empty)
        assert own.of(keys).tolist() == labels.tolist()
        asked = [keys[i % len(keys)] for i in range(n_asked)]
        assert own.of(asked).tolist() == [labels[i % len(keys)] for i in range(n_asked)]
        assert own.of(Texts(["a", "\U0001f600"] * n_asked)).tolist() == [4, 2] * n_asked
        for unknown in ("c", "c" if has_empty else None):
            with pytest.raises(TableError, match="changed"):
                own.of([*asked, unknown])
        chosen = np.arange(9) % 2 == 0
        assert set(own.texts_of(chosen)) == set(np.array(keys, dtype=object)[chosen[labels]])
        again = own.recoded(np.arange(9, dtype=np.int32)[::-1])
        assert again.of(keys).tolist() == (8 - labels).tolist()


@pytest.mark.parametrize(
    "options",
    [
        ReadOptions(),
        ReadOptions(missing=("NA", "")),
        ReadOptions(missing=()),
        ReadOptions(trim=True),
        ReadOptions(missing=("x",), replacements=(Replacement("a", "7", "8"),)),
    ],
)
def test_texts_held_by_arrow_are_cleaned_like_others(options: ReadOptions) -> None:
    texts = ["7", " b", "NA", "10", "b"]
    every = np.array([3, -1, 0, 1, 2, 4, 3], dtype=np.int32)
    for n in (5, 2):
        codes = np.clip(every, -1, n - 1)
        plain, held = (
            tabled(RawTable("t", (RawColumn("a", own, codes),)), options, SILENT).table.column("a")
            for own in (texts[:n], Texts(texts[:n]))
        )
        assert (held.labels, held.codes.tolist()) == (plain.labels, plain.codes.tolist())
        assert (held.data_type, held.has_missing) == (plain.data_type, plain.has_missing)


class Fetched(Listed):
    """Notes which columns are fetched, and waits until it may go on."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[str]] = []
        self.has_begun, self.may_end = Event(), Event()

    def coded(self, vocabulary: Mapping[str, Vocabulary], monitor: Monitor) -> Mapping[str, np.ndarray]:  # type: ignore[type-arg]
        self.asked.append(list(vocabulary))
        self.has_begun.set()
        assert self.may_end.wait(20)
        places = {column.name: place for place, column in enumerate(self.columns)}
        return {
            name: own.of([row[places[name]] for row in self.rows]).astype(np.uint8)
            for name, own in vocabulary.items()
        }

    def singled_out(self, columns: Sequence[str], monitor: Monitor) -> int:
        self.asked.append(["alone", *columns])
        places = [[column.name for column in self.columns].index(name) for name in columns]
        return list(Counter(tuple(row[at] for at in places) for row in self.rows).values()).count(1)


def opened(options: ReadOptions = ReadOptions()) -> tuple[Fetched, Table]:
    source = Fetched()
    return source, remote_reading(source, options, SILENT).table


def test_threads_that_ask_at_once_share_one_fetch_and_a_waiting_one_can_stop() -> None:
    source, table = opened()
    with ThreadPoolExecutor() as threads:
        first = threads.submit(records_here, table)
        assert source.has_begun.wait(20)
        second = threads.submit(records_here, table)
        with pytest.raises(CancelledError):
            records_here(table, Stopping())
        source.may_end.set()
        assert first.result(20) is second.result(20) is records_here(table)
    assert source.asked == [["n", "s", "e"]]


def test_some_of_fetched_columns_are_not_fetched_again_and_others_are() -> None:
    source, table = opened()
    source.may_end.set()
    whole = records_here(table)
    some = Table((table.columns[2], table.columns[0]))
    assert records_here(some).columns == (whole.columns[2], whole.columns[0])
    assert source.asked == [["n", "s", "e"]]
    source, table = opened()
    source.may_end.set()
    records_here(Table(table.columns[:2]))
    records_here(table)
    assert source.asked == [["n", "s"], ["n", "s", "e"]]


@pytest.mark.parametrize(
    ("trim", "n", "asked"), [(False, 3, ["alone", "n", "s"]), (True, 2, ["n", "s"])], ids=["apart", "joined"]
)
def test_a_source_counts_records_that_columns_single_out_unless_its_texts_are_joined(
    trim: bool, n: int, asked: list[str]
) -> None:
    options = ReadOptions(trim=trim)
    source, table = opened(options)
    source.may_end.set()
    project = Project("t", None, options, table)
    assert singled_out_together(project, ("n", "s")) == n
    assert source.asked == [asked]
