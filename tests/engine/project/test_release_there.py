"""A release that a cluster writes: fetched to be compared, or counted there if its records are many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.errors import VerificationError
from engine.monitor import SILENT
from engine.pipeline import anonymize, export_release, summary
from engine.project import Project
from engine.project.recipe.files import read_recipe
from engine.records.remote import remote_reading
from engine.verification.claims import Limits, ReleaseClaim
from engine.verification.readers.collecting import Vocabularies
from engine.verification.tables.database import Database, opened
from tests.conftest import BEST_OF_CLINIC
from tests.fake_cluster import FakeCluster, Rows


class FakePlace(Database):
    """The files of a fake cluster, in the database of the verification."""

    def __init__(self, tables: Any, closing: ExitStack) -> None:
        self._tables, self._open = tables, closing

    def read(self, claim: ReleaseClaim, known: Vocabularies) -> None:
        original = replace(claim.original, path=self._tables.original)
        released = replace(claim.released, path=self._tables.released)
        there = replace(claim, original=original, released=released, order="none")
        database = self._open.enter_context(opened(there, Limits()))
        super().__init__(database._connection)
        super().read(there, known)
        self.compared = "counts"


@pytest.fixture
def closing() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def source(examples: Path, monkeypatch: pytest.MonkeyPatch, closing: ExitStack) -> FakeCluster:
    made = partial(FakePlace, closing=closing)
    monkeypatch.setattr("engine.verification.tables.cluster.Cluster", made)
    found = FakeCluster(examples / "clinic" / "clinic.csv")
    found.is_fetched = False
    return found


def on_cluster(examples: Path, source: FakeCluster) -> tuple[Project, Project]:
    memory = read_recipe(examples / "clinic" / "recipe.toml")
    table = remote_reading(source, memory.options, SILENT).table
    return memory, replace(memory, table=table, source=None, database="sc://spark.example/?table=people")


@pytest.mark.parametrize("suppressed", ["star", "remove"])
def test_many_records_are_counted_there_and_none_is_fetched(
    suppressed: str, examples: Path, source: FakeCluster
) -> None:
    memory, remote = on_cluster(examples, source)
    after = replace(memory.transformation, suppressed_records=suppressed)
    memory, remote = replace(memory, transformation=after), replace(remote, transformation=after)
    outcome = anonymize(remote, BEST_OF_CLINIC)
    verdict = export_release(remote, outcome.release, "/data/out")
    assert (verdict.ok, verdict.judge, verdict.compared) == (True, "cluster", "counts")
    assert verdict.how == "The records were counted by the cluster, in any order."
    due = summary(memory, anonymize(memory, BEST_OF_CLINIC), verified=True)
    found = summary(remote, outcome, verified=True)
    for key in ("unchanged", "suppressed", "k", "l", "t", "metrics"):
        assert found[key] == due[key]
    assert outcome.release.stored.compares_some


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda rows: [(*rows[0][:-1], "other"), *rows[1:]], "1 record of the file is not expected"),
        (lambda rows: rows[1:], "1 expected record is missing"),
        (lambda rows: [*rows, rows[0]], "1 record of the file is not expected"),
    ],
    ids=["cell", "missing", "twice"],
)
def test_a_damaged_release_is_told(
    damage: Callable[[Rows], Rows], said: str, examples: Path, source: FakeCluster
) -> None:
    _memory, remote = on_cluster(examples, source)
    release = anonymize(remote, BEST_OF_CLINIC).release
    source.damage = damage
    with pytest.raises(VerificationError, match=said):
        export_release(remote, release, "/data/out")
