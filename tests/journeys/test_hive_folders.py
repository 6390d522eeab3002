"""Parquet files in folders named like region=N, as Spark and DuckDB have them: read, written, verified."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from engine.cli import main
from engine.errors import ExportError, TableError, VerificationError
from engine.pipeline import anonymize, export, export_release, verify_promises
from engine.project.recipe.files import read_recipe
from engine.project.storage.file import open_project, save_project
from engine.records.opening import open_beginning, open_table
from engine.records.options import ReadOptions

ROWS = [(20 + i % 20, ("N", "S/W", None, "07")[i % 4], ("flu", "cold", "gout")[i % 3]) for i in range(240)]
RECIPE = """
[data]
path = "people"
[roles]
quasi_identifying = ["age", "region"]
sensitive = ["illness"]
[hierarchies.age]
builder = "intervals"
width = 5
[hierarchies.region]
builder = "suppress"
[[privacy]]
model = "k_anonymity"
k = 5
"""


def folder_of(path: Path, rows: list[Any] = ROWS, by: str = "region") -> Path:
    with duckdb.connect() as made:
        made.execute("CREATE TABLE people (age INTEGER, region VARCHAR, illness VARCHAR)")
        made.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
        made.execute(f"COPY people TO '{path}' (FORMAT parquet, PARTITION_BY ({by}))")
    (path / "_SUCCESS").write_text("")
    return path


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    folder_of(tmp_path / "people")
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE)
    return path


def test_folders_give_their_cells_as_texts_in_a_stable_order(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = recipe.with_name("people")
    table = open_table(place).table
    assert table.names == ("age", "illness", "region")
    region = table.column("region")
    found = [table.record(row) for row in range(table.n_records)]
    assert [row[2] for row in found[::60]] == ["07", "N", "S/W", ""]  # by the names of the folders
    assert sorted(found) == sorted((str(age), illness, land or "") for age, land, illness in ROWS)
    assert not region.data_type.is_numeric
    assert open_beginning(place, ReadOptions()).table.names == table.names
    flat = recipe.with_name("people.csv")
    flat.write_text("age,region,illness\n" + "".join(f"{a},{r or ''},{i}\n" for a, r, i in ROWS))
    measured = []
    for own in (place, flat):
        assert main(["risk", str(own), "--qi", "age", "--qi", "region", "--format", "json"]) == 0
        measured.append(json.loads(capsys.readouterr().out))
        del measured[-1]["not_assessed"]  # columns of tables in files are looked at less closely
    assert measured[0] == measured[1]


def test_a_release_of_folders_is_verified_against_them(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = recipe.with_name("out.csv")
    assert main(["anonymize", str(recipe), "--out", str(out), "--quiet"]) == 0
    assert main(["verify", str(out), "--recipe", str(recipe), "--quiet"]) == 0
    lines = out.read_text().splitlines()
    assert lines[0] == "age,illness,region"
    assert len(lines) == 241
    (recipe.with_name("people") / "region=N").rename(recipe.with_name("people") / "region=P")
    project = read_recipe(recipe)
    assert not verify_promises(project, out).ok  # the cells of region are those of the folders
    capsys.readouterr()


def test_a_release_is_written_into_folders_and_verified_from_them(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, flat = recipe.with_name("out"), recipe.with_name("out.csv")
    words = ("anonymize", str(recipe), "--quiet", "--out")
    assert main([*words, f"{out}/", "--partition-by", "illness"]) == 0
    assert main([*words, str(flat)]) == 0
    parts = sorted(path.name for path in out.iterdir())
    assert parts == ["_manifest.json", "illness=cold", "illness=flu", "illness=gout"]
    with duckdb.connect() as read:
        of = "SELECT age, region, illness FROM read_"
        folders = read.execute(f"{of}parquet('{out}/*/*.parquet', hive_partitioning = true)").fetchall()
        one_file = read.execute(f"{of}csv('{flat}', all_varchar = true)").fetchall()
    assert sorted(map(str, folders)) == sorted(map(str, one_file))
    verify = ("verify", str(out), "--recipe", str(recipe), "--quiet")
    assert main(verify) == 0
    manifest = json.loads((out / "_manifest.json").read_text())
    (out / "illness=cold").rename(out / "illness=chill")
    assert main(verify) == 1  # the manifest lists another folder
    for part in manifest["parts"]:
        part["name"] = part["name"].replace("cold", "chill")
    (out / "_manifest.json").write_text(json.dumps(manifest))
    capsys.readouterr()
    assert main(verify) == 1
    assert "80 records of the file are not expected" in capsys.readouterr().err


def test_folders_of_missing_and_unusual_texts_are_read_back_and_failures_leave_none(
    recipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = RECIPE.replace('quasi_identifying = ["age", "region"]', 'quasi_identifying = ["age"]')
    head, _, tail = text.partition('[hierarchies.region]\nbuilder = "suppress"\n')
    recipe.write_text(head.replace("[hierarchies.age]", 'insensitive = ["region"]\n[hierarchies.age]') + tail)
    released = anonymize(project := read_recipe(recipe)).release
    options = replace(project.export, kind="parquet", partition_by="region")
    out = recipe.with_name("out")
    verdict = export_release(project, released, out, options=options, in_parts=True)
    assert verdict.ok
    assert verdict.compared == "multiset"
    assert (out / "region=S%2FW").is_dir()
    assert (out / "region=__HIVE_DEFAULT_PARTITION__").is_dir()
    assert open_table(out).table.column("region").labels == ("07", "N", "S/W", "")
    other = recipe.with_name("other")
    monkeypatch.setattr(export, "judge_file", lambda *_: replace(verdict, ok=False, problems=("no",)))
    with pytest.raises(VerificationError):
        export_release(project, released, other, options=options, in_parts=True)
    assert not other.exists()
    with pytest.raises(ExportError, match="Only a folder"):
        export_release(project, released, other / "x.parquet", options=options)
    unknown = replace(options, partition_by="land")
    with pytest.raises(ExportError, match="no column 'land'"):
        export_release(project, released, other, options=unknown, in_parts=True)


def test_a_project_finds_its_folders_again(recipe: Path) -> None:
    project = read_recipe(recipe)
    path = recipe.with_name("people.anon")
    save_project(project, path)
    again = open_project(path).project
    assert again.table.names == project.table.names
    assert export_release(again, anonymize(again).release, recipe.with_name("again.csv")).ok


def test_folders_of_other_columns_are_refused(tmp_path: Path) -> None:
    place = folder_of(tmp_path / "people")
    (place / "region=N").rename(place / "land=N")
    with pytest.raises(TableError, match="different columns"):
        open_table(place)


def test_the_only_column_of_a_release_may_be_that_of_the_folders(tmp_path: Path) -> None:
    place = folder_of(tmp_path / "people", by="region, illness")
    table = open_table(place, ReadOptions()).table
    assert table.names == ("age", "region", "illness")
    assert sum(table.column("illness").counts) == 240
