"""Analyses of single records of a table in a server or on a cluster: of all that are few, or of a sample."""

from __future__ import annotations

import csv
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.advice.columns import singled_out_together
from engine.errors import InputError
from engine.findings.base import all_analyses, analysis_of
from engine.findings.risk.linkage import link
from engine.findings.sample import sampled
from engine.findings.subject import Subject
from engine.monitor import SILENT
from engine.numbers import as_exact_count
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.edits import set_roles
from engine.project.recipe.files import read_recipe
from engine.recoding import make_release
from engine.records import Role, Table
from engine.records.databases.address import DatabaseAddress, file_url
from engine.records.opening import open_database
from engine.records.options import SERVER
from engine.records.remote import remote_reading
from tests.fake_cluster import FakeCluster


def in_database(path: Path, project: Project, folder: Path) -> Table:
    """Return the table of a text file as it is in a database."""
    with path.open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    with closing(sqlite3.connect(folder / "people.db")) as connection, connection:
        quoted = [f'"{name}" TEXT' for name in names]
        connection.execute(f"CREATE TABLE people ({', '.join(quoted)})")
        connection.executemany(f"INSERT INTO people VALUES ({', '.join('?' * len(names))})", rows)
    address = DatabaseAddress(file_url(folder / "people.db"), "people")
    return open_database(address, replace(project.options, source=SERVER))[0]


@pytest.fixture(scope="module", params=["cluster", pytest.param("server", marks=pytest.mark.thorough)])
def subjects(
    request: pytest.FixtureRequest, examples: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Subject, Subject]:
    """Return a release of records in memory, and of the same elsewhere; a column is insensitive."""
    memory = set_roles(read_recipe(examples / "clinic" / "recipe.toml"), ["length of stay"], Role.INSENSITIVE)
    path = examples / "clinic" / "clinic.csv"
    if request.param == "cluster":
        source = FakeCluster(path)
        source.is_fetched = False
        table = remote_reading(source, memory.options, SILENT).table
    else:
        table = in_database(path, memory, tmp_path_factory.mktemp("database"))
    return of(memory), of(replace(memory, table=table, source=None))


def of(project: Project) -> Subject:
    problem = compile_problem(project)
    node = tuple(max(attribute.maximum - 1, 0) for attribute in problem.attributes)
    return Subject(project, make_release(project, problem, node))


def test_a_second_table_is_linked_with_all_records_or_a_sample(
    subjects: tuple[Subject, Subject], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, there = subjects
    other = memory.project.table.take(np.arange(0, 2000, 40))
    pairs = {name: name for name in ("age", "sex", "length of stay")}
    assert link(replace(there), other, pairs).tables() == link(memory, other, pairs).tables()
    monkeypatch.setattr("engine.records.table.MOST_READ", 500)
    some = link(replace(there), other, pairs)
    assert f"sample of {as_exact_count(2000)} records, seed 0" in some.statement().caption
    assert link(replace(there), other, pairs).tables() == some.tables()


def test_a_sample_is_drawn_again_and_keeps_what_is_suppressed(
    subjects: tuple[Subject, Subject], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.records.table.MOST_READ", 500)
    memory, there = subjects
    some, sample = sampled(replace(there), 3)
    again, other = sampled(replace(there), 3)[0], sampled(replace(there), 4)[0]
    records = [[one.input.record(i) for i in range(one.n_records)] for one in (some, again, other)]
    assert records[0] == records[1] != records[2]
    assert sample.n_records == some.n_records == pytest.approx(500, abs=80)
    suppressed = dict(
        zip((memory.input.record(i) for i in range(2000)), memory.release.suppressed.tolist(), strict=True)
    )
    assert [suppressed[record] for record in records[0]] == some.release.suppressed.tolist()


def test_persons_are_drawn_with_all_their_records(
    subjects: tuple[Subject, Subject], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.records.table.MOST_READ", 700)
    there = of(replace(subjects[1].project, person="postal code"))
    some, _sample = sampled(there)
    of_some, of_all = (one.project.table.column("postal code") for one in (some, there))
    everyone = dict(zip(of_all.labels, of_all.counts.tolist(), strict=True))
    assert 0 < some.n_records <= 700
    assert [everyone[label] for label in of_some.labels] == of_some.counts.tolist()


def test_what_cannot_be_of_a_sample_is_refused(subjects: tuple[Subject, Subject]) -> None:
    there = subjects[1]
    for kind in all_analyses():
        if kind.needs_records and not kind.samples_records:
            analysis = analysis_of(kind.key)
            assert "stay in '" in analysis.why_not_at_once(there)
            with pytest.raises(InputError, match="needs single records"):
                analysis.run(there)


def test_records_singled_out_by_several_columns_are_counted_there(subjects: tuple[Subject, Subject]) -> None:
    memory, there = (subject.project for subject in subjects)
    for names in (memory.table.names[1:4], ("age", "length of stay")):
        assert singled_out_together(there, names) == singled_out_together(memory, names)
