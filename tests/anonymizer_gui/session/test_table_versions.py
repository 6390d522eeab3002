"""Table versions in undo steps: every version is restored, and only the current one is complete."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from anonymizer_gui.session import Session
from anonymizer_gui.session.step_packer import StepPacker
from anonymizer_gui.session.table_versions import TableVersions
from engine.project import Project
from engine.project.edits import set_column
from engine.project.replacing import replace_values
from engine.records import ReadOptions, Table
from engine.records.opening import open_table
from engine.records.options import DISK
from engine.records.table import Column
from engine.records.types import DataType, Kind, ValueCoding
from engine.records.values import retype

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


def pack(session: Session) -> None:
    for loose in session.tables.loose:
        session.tables.replace(loose, session.tables.store(loose))


def numbers_of(n_records: int, n_labels: int, start: int) -> Column:
    codes = ((np.arange(n_records) * 7919 + start) % n_labels).astype(np.int32)
    labels = tuple(f"{number:03}" for number in range(n_labels))
    return Column("x", DataType(), labels, codes, False, np.full(n_labels, np.nan))


@given(st.lists(st.lists(WORDS, min_size=4, max_size=4), min_size=1, max_size=6), st.data())
def test_every_table_is_restored_after_any_jump(tables: list[list[str]], data: st.DataObject) -> None:
    session = Session()
    packs = data.draw(st.booleans())
    other = column_of(["p", "q", "p", "q"], "y")
    session.open_project(project_of(column_of(["a", "a", "b", "b"]), other))
    wanted = [["a", "a", "b", "b"], *tables]
    for number, texts in enumerate(tables):
        session.edit(f"step {number}", project_of(column_of(texts), other))
        if packs:
            pack(session)
    for _ in range(6):
        step = data.draw(st.integers(0, len(tables)))
        session.go_to_step(step)
        table = cast(Project, session.project).table
        assert texts_of(table.columns[0]) == wanted[step]
        assert table.columns[1] is other


def test_a_table_held_by_the_release_is_restored_as_the_same_object() -> None:
    session = Session()
    made_with = project_of(column_of(["a", "b"]))
    session.open_project(made_with)
    session.edit("Replace", project_of(column_of(["b", "b"])))
    session.history.undo()
    assert session.project is made_with


def test_a_restored_table_keeps_what_its_file_said_of_it() -> None:
    session, coding = Session(), ValueCoding("Age of the person")
    column = replace(column_of(["a", "b"]), coding=coding)
    made = project_of(column)
    session.open_project(replace(made, table=replace(made.table, is_typed=True)))
    session.edit("Replace", project_of(column_of(["b", "b"])))
    pack(session)
    del made, column
    gc.collect()
    session.history.undo()
    table = cast(Project, session.project).table
    assert (table.columns[0].coding, table.is_typed) == (coding, True)


def turned(now: Column) -> Column:
    """Return the same texts with other codes."""
    return replace(now, labels=now.labels[::-1], codes=np.int32(len(now.labels) - 1) - now.codes)


def memory_of_steps(
    first: Column, n_steps: int, change: Callable[[int, Column], Column]
) -> tuple[int, Session]:
    """Return the additional memory in use after a number of steps, and the session."""
    session = Session()
    session.open_project(project_of(first))
    del first
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(n_steps):
            now = cast(Project, session.project).table.columns[0]
            session.edit(f"step {number}", project_of(change(number, now)))
            del now
            pack(session)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return after - before, session


def test_steps_that_change_every_cell_of_a_million_records_take_little_memory() -> None:
    n_records, n_steps = 1_000_000, 40
    taken, session = memory_of_steps(numbers_of(n_records, 100, 0), n_steps, lambda _number, now: turned(now))
    assert taken < 4 * n_records + n_steps * 100_000
    session.go_to_step(0)
    assert cast(Project, session.project).table.columns[0].text(7) == f"{7919 * 7 % 100:03}"


@pytest.mark.parametrize("growth", [0, 1], ids=["other cells", "other records"])
def test_steps_that_reimport_a_table_take_little_memory_and_are_restored(growth: int) -> None:
    n_records, n_steps = 300_000, 8

    def other(number: int, _now: Column) -> Column:
        return numbers_of(n_records + growth * (number + 1), 100, number + 1)

    taken, session = memory_of_steps(numbers_of(n_records, 100, 0), n_steps, other)
    assert taken < 4 * n_records + n_steps * 100_000
    for step in (0, 3, n_steps):
        session.go_to_step(step)
        column = cast(Project, session.project).table.columns[0]
        wanted = numbers_of(n_records + growth * step, 100, step)
        assert column.labels == wanted.labels
        assert np.array_equal(column.codes, wanted.codes)


def test_the_files_of_tables_in_undo_steps_are_private_and_deleted_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANONYMIZER_SCRATCH_DIR", str(tmp_path / "scratch"))
    _, session = memory_of_steps(numbers_of(50, 10, 0), 2, lambda number, _now: numbers_of(60, 10, number))
    (folder,) = (tmp_path / "scratch").glob("undo-*")
    assert folder.stat().st_mode & 0o077 == 0
    session.close_project()
    gc.collect()
    assert not folder.exists()


def test_an_edit_holds_the_window_up_no_longer_for_many_values(qtbot: QtBot) -> None:
    """Columns are written in a task."""
    session = Session()
    packer = StepPacker(session)
    session.open_project(project_of(column_of(["a", "b", "c"])))
    session.edit("Turn", project_of(turned(column_of(["a", "b", "c"]))))
    (loose,) = session.tables.loose  # unpacked until a task runs
    assert session.runner.running("undo") is not None
    qtbot.waitUntil(lambda: not session.runner.is_busy)
    assert session.tables.loose == ()
    session.history.undo()
    assert texts_of(cast(Project, session.project).table.columns[0]) == ["a", "b", "c"]
    assert loose is not None
    session.runner.shutdown()
    del packer


def test_a_column_without_space_for_its_file_stays_in_memory(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(TableVersions, "store", full)
    session = Session()
    packer = StepPacker(session)
    session.open_project(project_of(column_of(["a", "b"])))
    session.edit("Read again", project_of(column_of(["a", "b", "c"])))
    qtbot.waitUntil(lambda: not session.runner.is_busy)
    session.history.undo()
    assert texts_of(cast(Project, session.project).table.columns[0]) == ["a", "b"]
    session.runner.shutdown()
    del packer


def test_versions_of_a_table_in_files_stay_there(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n" + "".join(f"{20 + i % 9},{'fm'[i % 2]}\n" for i in range(500)))
    reading = open_table(path, ReadOptions(source=DISK))
    first = Project("people", path, reading.options, reading.table)
    second = replace_values(first, "sex", {"f": "female"})
    third = set_column(second, retype(second.table.column("age"), DataType(Kind.TEXT)))
    session = Session()
    session.open_project(first)
    session.edit("Replace", second)
    session.edit("Retype", third)
    assert session.tables.loose == ()
    for wanted in (second, first):
        session.history.own.undo()
        assert session.project.stored is not None
        for column in wanted.table.columns:
            now = session.project.table.column(column.name)
            assert now.codes.dtype == np.uint8
            assert texts_of(now) == texts_of(column)
