"""What undo steps keep of tables: every version comes back, and only the one of now is whole."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymizer_gui.session import Session
from anonymizer_gui.session.column_change import ColumnChange
from engine.project import Project
from engine.table import ReadOptions, Table
from engine.table.table import Column
from engine.table.types import DataType

WORDS = st.sampled_from(["a", "b", "c", "1", "02", "10", "?"])


def column_of(texts: list[str], name: str = "x") -> Column:
    labels = tuple(sorted(set(texts)))
    codes = np.array([labels.index(text) for text in texts], dtype=np.int32)
    return Column(
        name,
        DataType(),
        labels,
        codes,
        False,
        np.full(len(labels), np.nan),
    )


def texts_of(column: Column) -> list[str]:
    return [column.text(record) for record in range(column.codes.size)]


def project_of(*columns: Column) -> Project:
    return Project("people", None, ReadOptions(), Table(tuple(columns)))


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=30))
def test_either_version_of_a_column_comes_from_the_other(pairs: list[tuple[str, str]]) -> None:
    before, after = column_of([a for a, _ in pairs]), column_of([b for _, b in pairs])
    change = ColumnChange.of(before, after)
    for found, wanted in ((change.after(before), after), (change.before(after), before)):
        assert found.labels == wanted.labels
        assert found.codes.tolist() == wanted.codes.tolist()
        assert found.codes.dtype == np.int32


def test_of_values_that_are_merged_only_their_records_are_kept() -> None:
    texts = ["a"] * 50 + ["b"] * 3 + ["c"] * 40
    before, after = column_of(texts), column_of(["a" if text == "b" else text for text in texts])
    assert ColumnChange.of(before, after).n_exceptions == 3


@given(st.lists(st.lists(WORDS, min_size=4, max_size=4), min_size=1, max_size=6), st.data())
def test_every_table_comes_back_wherever_a_person_jumps(tables: list[list[str]], data: st.DataObject) -> None:
    session = Session()
    other = column_of(["p", "q", "p", "q"], "y")
    session.open_project(project_of(column_of(["a", "a", "b", "b"]), other))
    wanted = [["a", "a", "b", "b"], *tables]
    for number, texts in enumerate(tables):
        session.edit(f"step {number}", project_of(column_of(texts), other))
    for _ in range(6):
        step = data.draw(st.integers(0, len(tables)))
        session.go_to_step(step)
        table = cast(Project, session.project).table
        assert texts_of(table.columns[0]) == wanted[step]
        assert table.columns[1] is other


def test_a_table_that_the_release_holds_comes_back_as_the_same_object() -> None:
    session = Session()
    made_with = project_of(column_of(["a", "b"]))
    session.open_project(made_with)
    session.edit("Replace", project_of(column_of(["b", "b"])))
    session.undo()
    assert session.project is made_with


def test_steps_that_change_every_cell_of_a_million_records_take_little_memory() -> None:
    n_records, n_labels, n_steps = 1_000_000, 100, 40
    labels = tuple(f"{number:03}" for number in range(n_labels))
    codes = (np.arange(n_records) % n_labels).astype(np.int32)
    column = Column("x", DataType(), labels, codes, False, np.full(n_labels, np.nan))
    del codes
    session = Session()
    session.open_project(project_of(column))
    del column
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(n_steps):
            now = cast(Project, session.project).table.columns[0]
            turned = replace(now, labels=now.labels[::-1], codes=np.int32(n_labels - 1) - now.codes)
            session.edit(f"step {number}", project_of(turned))
            del now, turned
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    table = 4 * n_records
    assert after - before < table + n_steps * 100_000
    session.go_to_step(0)
    assert cast(Project, session.project).table.columns[0].text(7) == "007"
