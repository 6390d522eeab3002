"""Parquet files in folders named like region=N, as Spark and DuckDB write them: read, released, verified."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from engine.cli import main
from engine.errors import TableError
from engine.pipeline import anonymize, export_release, verify_promises
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
