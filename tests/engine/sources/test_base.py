"""A table whose source counts its records: labels by today's rules, tuples joined, records refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from engine.errors import TableError
from engine.monitor import SILENT, Monitor
from engine.sources.base import Order, SourceColumn, ValueCounts, cut_values, remote_reading, value_counts
from engine.table import Table, retype
from engine.table.counting import counted_table
from engine.table.options import ReadOptions, Replacement
from engine.table.raw import RawColumn, RawTable
from engine.table.reading import tabled
from engine.table.remote import (
    CountedTuples,
    ManyPlaces,
    RemoteColumn,
    Vocabulary,
    labels_of,
    n_labels,
    texts_of,
    vocabulary_of,
)
from engine.table.text_chunks import Texts
from engine.table.types import DataType, Kind

ROWS = (("7", " x", None), ("07", "x", ""), ("7", "x", "b"), ("NA", " x", "b"), ("7", "x", None))


class Listed:
    """A source over a few rows."""

    name, order, n_records, place, state = "listed", Order.NONE, len(ROWS), "in a list", "5"
    kind, spilled_bytes, most_shown = "list", 0, 0
    columns = (SourceColumn("n"), SourceColumn("s"), SourceColumn("e"))

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
        codes = [
            np.array([own[found[i]] for found in counts], dtype=np.int32)
            for i, own in enumerate(vocabulary.values())
        ]
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
    assert (table.n_records, table.is_stored, table.is_remote) == (5, True, True)
    found = counted_table(table, ["n", "e"])
    assert [column.codes.tolist() for column in found.columns] == [[0, 0, 1], [0, 1, 0]]
    assert found.counts is not None
    assert found.counts.tolist() == [1, 3, 1]


def test_a_changed_type_keeps_the_records_in_the_source() -> None:
    column = table_of(Listed(), missing=("NA", "")).column("n")
    changed = retype(column, DataType(Kind.TEXT))
    assert isinstance(changed, RemoteColumn)
    assert changed.labels == ("07", "7", "NA")
    found = counted_table(Table((changed,)), ["n"])
    assert found.counts is not None
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
    assert found.texts == ("more than 1\u202f000 different values",)
    assert found.counts.tolist() == [70, 2]


def test_roles_are_suggested_from_the_counts_of_values() -> None:
    from engine.qi_detection.suggest import suggest_roles

    assert [found.column for found in suggest_roles(table_of(Listed()))] == ["n", "s", "e"]


@pytest.mark.parametrize("has_empty", [True, False])
def test_many_texts_have_the_labels_that_a_dict_gives_them(has_empty: bool) -> None:
    texts = ["b", "", "\uffff", "\U0001f600", "a", "e\u0301", "\u00e9", "\0"]
    keys: list[str | None] = [*texts, None] if has_empty else [*texts]
    labels = np.array([3, 1, 0, 2, 4, 5, 6, 7, 8][: len(keys)], dtype=np.int32)
    many = vocabulary_of(Texts(texts), labels)
    plain = vocabulary_of(texts, labels)
    assert dict(many) == plain == dict(zip(keys, labels.tolist(), strict=True))
    assert isinstance(many, ManyPlaces)
    assert (len(many), n_labels(many)) == (len(plain), n_labels(plain))
    assert labels_of(many, Texts(["a", "\U0001f600"])).tolist() == [4, 2]
    assert labels_of(many, ["a", "\U0001f600"]).tolist() == [4, 2]
    for unknown in (Texts(["a", "c"]), ["c"], [] if has_empty else [None]):
        if unknown:
            with pytest.raises(TableError, match="changed"):
                labels_of(many, unknown)
    chosen = np.arange(9) % 2 == 0
    assert set(texts_of(many, chosen)) == set(texts_of(plain, chosen))
    again = many.recoded(np.arange(9, dtype=np.int32)[::-1])
    assert dict(again) == {text: 8 - label for text, label in plain.items()}


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
