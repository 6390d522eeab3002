"""Releases of a real cluster that are too large to be fetched: counted there, also if they are damaged."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.cli.app import app
from engine.errors import VerificationError
from engine.pipeline import anonymize, export_release, summary
from engine.project import Project
from engine.project.recipe.files import read_recipe
from engine.records.options import CSV, PARQUET, ExportOptions
from tests.cluster.test_cluster_release import RUNS, due_records, written_records
from tests.spark import SparkServer

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("stays")]
Rows = list[list[str]]
RECIPE = """
[data]
path = "{path}"
missing = ["", "?"]
[roles]
quasi_identifying = ["sex", "town"]
sensitive = ["ill"]
insensitive = ["day"]
identifying = ["name"]
[hierarchies."sex"]
builder = "suppress"
[hierarchies."town"]
builder = "suppress"
[[privacy]]
model = "k_anonymity"
k = 4
[transformation]
suppression_limit = 0.2
"""


@pytest.fixture
def stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no record come to this machine, as of tables with more than 20 million."""

    def refused(*_unused: Any, **_given: Any) -> None:
        raise AssertionError("records are fetched")

    monkeypatch.setattr("engine.records.clusters.source.MOST_FETCHED", 50)
    monkeypatch.setattr("engine.records.clusters.source.fetch", refused)


def small(spark: SparkServer, folder: Path) -> Path:
    """Return the recipe of a table of 100 records, one of which is suppressed."""
    rows = [["name", "sex", "town", "ill", "day"]]
    rows += [
        [f"p{i}", "fm"[i % 2], ("Brae", "?")[i % 5 == 0], f"case {i % 4}", f"2025-01-{1 + i % 9:02}"]
        for i in range(99)
    ]
    rows.append(["p99", "x", "Dell", '"odd, one"', ""])
    table, recipe = folder / "people.csv", folder / "people.toml"
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    text = RECIPE.replace("{path}", spark.address(path=str(table)))
    recipe.write_text(text, encoding="utf-8")
    return recipe


def compared(remote: Project, memory: Project, place: Path, kind: str) -> None:
    outcome = anonymize(remote)
    options = ExportOptions(kind=kind, delimiter=";")
    verdict = export_release(remote, outcome.release, str(place), options=options)
    assert (verdict.ok, verdict.compared, verdict.judge) == (True, "counts", "cluster")
    assert "counted by the cluster" in verdict.how
    due, figures = due_records(memory)
    assert written_records(place, kind) == due
    found = summary(remote, outcome, verified=True)
    assert {key: value for key, value in found.items() if key not in RUNS} == figures


@pytest.mark.parametrize(
    ("kind", "change"),
    [(PARQUET, {"suppressed_records": "remove"}), (CSV, {"blank_suppressed": True})],
)
def test_a_large_release_is_counted_by_the_cluster(
    kind: str, change: dict[str, Any], spark: SparkServer, tmp_path: Path
) -> None:
    remote = read_recipe(small(spark, tmp_path), may_connect=True)
    recipe = tmp_path / "memory.toml"
    text = (tmp_path / "people.toml").read_text(encoding="utf-8")
    recipe.write_text(
        text.replace(spark.address(path=str(tmp_path / "people.csv")), "people.csv"), encoding="utf-8"
    )
    memory = read_recipe(recipe)
    after = replace(memory.transformation, **change)
    assert anonymize(memory).release.n_suppressed == 1
    compared(
        replace(remote, transformation=after), replace(memory, transformation=after), tmp_path / "out", kind
    )


DAMAGES: dict[str, tuple[Callable[[Rows], Rows], str]] = {
    "one cell": (lambda rows: [[*rows[0][:3], "case 9", rows[0][4]], *rows[1:]], "1 record .* not expected"),
    "missing": (lambda rows: rows[1:], "1 expected record is missing"),
    "twice": (lambda rows: [*rows, rows[7]], "1 record of the file is not expected"),
    "not suppressed": (
        lambda rows: [[r[0], "x", "Dell", *r[3:]] if r[1] == "*" else r for r in rows],
        "1 record .* not expected",
    ),
}


def test_damages_of_a_large_release_are_told(
    spark: SparkServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = read_recipe(small(spark, tmp_path), may_connect=True)
    outcome = anonymize(remote)
    write = type(remote.remote).write
    chosen: list[Callable[[Rows], Rows]] = []

    def damaged(self: Any, plan: Any, vocabulary: Any, target: Any, monitor: Any) -> None:
        write(self, plan, vocabulary, target, monitor)
        (path,) = Path(target.path).glob("part-*.csv")
        with path.open(encoding="utf-8", newline="") as file:
            names, *rows = csv.reader(file)
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([names, *chosen[-1](rows)])
        for checksum in path.parent.glob(".*.crc"):
            checksum.unlink()

    monkeypatch.setattr(type(remote.remote), "write", damaged)
    for name, (damage, said) in DAMAGES.items():
        chosen.append(damage)
        with pytest.raises(VerificationError, match=said):
            export_release(remote, outcome.release, str(tmp_path / name))
    chosen.append(lambda rows: rows[::-1])
    assert export_release(remote, outcome.release, str(tmp_path / "other order")).ok


def test_summary_and_report_of_a_command_say_that_the_cluster_counted(
    spark: SparkServer, tmp_path: Path
) -> None:
    place, figures, report = tmp_path / "out", tmp_path / "figures.json", tmp_path / "report.json"
    named = ["--out", str(place), "--summary", str(figures), "--report", str(report)]
    run = CliRunner().invoke(app, ["anonymize", str(small(spark, tmp_path)), *named])
    assert run.exit_code == 0, run.output
    found = json.loads(figures.read_text(encoding="utf-8"))
    assert (found["compared"], found["judge"], found["verified"]) == ("counts", "cluster", True)
    assert "counted by the cluster" in report.read_text(encoding="utf-8")
