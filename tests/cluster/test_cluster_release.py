"""A release of a table on a real cluster: written there, read back, verified; by Python and by command."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyarrow import dataset
from typer.testing import CliRunner

from engine.cli.app import app
from engine.errors import ExportError, VerificationError
from engine.pipeline import anonymize, export_release, summary
from engine.project import Project
from engine.project.recipe.files import read_recipe
from engine.records.options import CSV, PARQUET, ExportOptions
from tests.spark import SparkServer

pytestmark = pytest.mark.cluster
EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
RUNS = ("seconds", "efficiency", "source", "spilled_bytes")


def on_cluster(spark: SparkServer, example: str, folder: Path) -> Path:
    """Return the recipe of an example whose table is on the cluster."""
    text = (EXAMPLES / example / "recipe.toml").read_text(encoding="utf-8")
    table = EXAMPLES / example / f"{example}.csv"
    text = text.replace(f'path = "{example}.csv"', f'path = "{spark.address(path=str(table))}"')
    path = folder / "recipe.toml"
    hierarchies = (EXAMPLES / example / "hierarchies").as_posix()
    path.write_text(text.replace('"hierarchies/', f'"{hierarchies}/'), encoding="utf-8")
    return path


def written_records(place: Path, kind: str) -> Counter[tuple[str, ...]]:
    if kind == PARQUET:
        columns = dataset.dataset(place).to_table().columns
        return Counter(zip(*([cell or "" for cell in c.to_pylist()] for c in columns), strict=True))
    found: Counter[tuple[str, ...]] = Counter()
    for path in place.glob("part-*"):
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file, delimiter=";")
            next(rows)
            found.update(map(tuple, rows))
    return found


def due_records(project: Project) -> tuple[Counter[tuple[str, ...]], dict[str, Any]]:
    outcome = anonymize(project)
    release = outcome.release
    rows = release.rows()
    cells = [[column.labels[code] for code in column.codes[rows].tolist()] for column in release.columns]
    figures = summary(project, outcome, verified=True)
    return Counter(zip(*cells, strict=True)), {k: v for k, v in figures.items() if k not in RUNS}


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (CSV, {}),
        (PARQUET, {"suppressed_records": "remove"}),
        (CSV, {"blank_suppressed": True}),
    ],
)
def test_a_release_is_written_by_the_cluster_and_verified(
    kind: str, change: dict[str, Any], spark: SparkServer, tmp_path: Path
) -> None:
    memory = read_recipe(EXAMPLES / "clinic" / "recipe.toml")
    memory = replace(memory, transformation=replace(memory.transformation, **change))
    remote = read_recipe(on_cluster(spark, "clinic", tmp_path), may_connect=True)
    remote = replace(remote, transformation=memory.transformation)
    assert remote.remote is not None
    outcome = anonymize(remote)
    place = tmp_path / "out; 'x' %s"
    options = ExportOptions(kind=kind, delimiter=";")
    verdict = export_release(remote, outcome.release, str(place), options=options)
    assert (verdict.ok, verdict.compared) == (True, "multiset")
    due, figures = due_records(memory)
    assert written_records(place, kind) == due
    found = summary(remote, outcome, verified=True)
    assert {key: value for key, value in found.items() if key not in RUNS} == figures
    with pytest.raises(ExportError, match="with files in it"):
        export_release(remote, outcome.release, str(place), options=options)


def test_a_release_that_the_cluster_changed_is_not_verified(
    spark: SparkServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = read_recipe(on_cluster(spark, "clinic", tmp_path), may_connect=True)
    source = remote.remote
    outcome = anonymize(remote)
    write = type(source).write

    def wrong(self: Any, plan: Any, *others: Any) -> None:
        first = plan.columns[-1]
        changed = replace(first, labels=(first.labels[0], *first.labels[:-1]))
        write(self, replace(plan, columns=(*plan.columns[:-1], changed)), *others)

    monkeypatch.setattr(type(source), "write", wrong)
    place = tmp_path / "out"
    with pytest.raises(VerificationError, match="Remove that folder"):
        export_release(remote, outcome.release, str(place))


def test_a_recipe_runs_by_command_without_its_token_anywhere(
    spark: SparkServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANONYMIZER_SPARK_TOKEN", "s3cret-token")
    recipe = on_cluster(spark, "clinic", tmp_path)
    place, figures, report = tmp_path / "out", tmp_path / "figures.json", tmp_path / "report.json"
    named = ["--out", str(place), "--summary", str(figures), "--report", str(report)]
    run = CliRunner().invoke(app, ["anonymize", str(recipe), *named])
    assert run.exit_code == 0, run.output
    found = json.loads(figures.read_text(encoding="utf-8"))
    assert (found["source"], found["compared"], found["verified"]) == ("cluster", "multiset", True)
    assert any(place.glob("part-*.csv"))
    assert str(place) in report.read_text(encoding="utf-8")
    said = "".join((run.output, *capfd.readouterr(), spark.log))
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"s3cret-token" in text for text in [said.encode(), *written])
