"""Recipes and projects on tables that are not text: read, released, verified, saved and opened again."""

from __future__ import annotations

import csv
import datetime as dt
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from engine.errors import ExportError, RecipeError, VerificationError
from engine.pipeline import anonymize, export_release
from engine.project.recipe.files import read_recipe, write_recipe
from engine.project.storage.file import open_project, save_project
from engine.records.options import ExportOptions
from tests.formats import write_excel, write_parquet, write_spss, write_workbook
from tests.project_differences import project_differences

pytestmark = pytest.mark.usefixtures("work_here")

PEOPLE: dict[str, list[Any]] = {
    "age": [21, 25, 34, 38, 50, 25],
    "visit": [dt.date(2020, 2, 29)] * 3 + [dt.date(2021, 1, 1)] * 3,
    "illness": ["flu", "cold", None, "flu", "cold", "flu"],
    "weight": [70.5, 81.0, 60.25, 70.5, 70.5, 90.0],
}
WRITERS = {".xlsx": write_excel, ".parquet": write_parquet, ".sav": write_spss}
AGE = "21;20-29;*\n25;20-29;*\n34;30-39;*\n38;30-39;*\n50;50-59;*\n"


def recipe(folder: Path, data: str, more: str = "") -> Path:
    (folder / "age.csv").write_text(AGE, encoding="utf-8")
    path = folder / "people.toml"
    path.write_text(
        f'format = 1\n[data]\npath = "{data}"\n{more}\n'
        '[roles]\nquasi_identifying = ["age"]\nsensitive = ["illness"]\nothers = "insensitive"\n'
        '[hierarchies."age"]\npath = "age.csv"\n'
        '[[privacy]]\nmodel = "k_anonymity"\nk = 2\n'
        "[transformation]\nsuppression_limit = 0.2\n",
        encoding="utf-8",
    )
    return path


@pytest.fixture(params=WRITERS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    made = WRITERS[request.param](tmp_path / f"people{request.param}", PEOPLE)
    return recipe(tmp_path, made.name)


def test_a_release_of_such_a_table_is_text_and_verified(path: Path, tmp_path: Path) -> None:
    """Age by decades: 20-29 has three records, 30-39 two, 50-59 one, which is suppressed."""
    project = read_recipe(path)
    verdict = export_release(project, anonymize(project).release, tmp_path / "out.csv")
    assert verdict.ok
    assert verdict.measured["suppressed"] == 1
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [
        ["age", "visit", "illness", "weight"],
        ["20-29", "2020-02-29", "flu", "70.5"],
        ["20-29", "2020-02-29", "cold", "81"],
        ["30-39", "2020-02-29", "", "60.25"],
        ["30-39", "2021-01-01", "flu", "70.5"],
        ["*", "*", "*", "*"],  # one record does not meet k = 2
        ["20-29", "2021-01-01", "flu", "90"],
    ]


def test_the_recipe_written_reads_the_same_project(path: Path, tmp_path: Path) -> None:
    project = read_recipe(path)
    write_recipe(project, tmp_path / "again.toml")
    assert project_differences(read_recipe(tmp_path / "again.toml"), project) == ()


def test_a_saved_project_opens_unchanged_and_releases_its_table(path: Path, tmp_path: Path) -> None:
    project = read_recipe(path)
    save_project(project, tmp_path / "people.anon")
    opened, _, _ = open_project(tmp_path / "people.anon")
    assert project_differences(opened, project) == ()
    assert export_release(opened, anonymize(opened).release, tmp_path / "out.csv").ok
    write_recipe(opened, tmp_path / "apart.toml")  # with the table as text next to it
    assert project_differences(read_recipe(tmp_path / "apart.toml"), project) == ()


def test_a_table_that_changed_since_is_not_released(path: Path, tmp_path: Path) -> None:
    project = read_recipe(path)
    release = anonymize(project).release
    changed = {**PEOPLE, "weight": [1.0, *PEOPLE["weight"][1:]]}
    source = project.source
    WRITERS[source.suffix](source, changed)
    with pytest.raises(ExportError, match="changed since it was opened"):
        export_release(project, release, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_a_release_is_not_given_the_ending_of_another_format(path: Path, tmp_path: Path) -> None:
    project = read_recipe(path)
    with pytest.raises(ExportError, match=r"another format \(Excel workbooks"):
        export_release(project, anonymize(project).release, tmp_path / "out.xlsx", options=ExportOptions())


def test_the_sheet_of_a_recipe_is_read_verified_and_written_again(tmp_path: Path) -> None:
    rows = [list(PEOPLE), *zip(*PEOPLE.values(), strict=True)]
    write_workbook(tmp_path / "people.xlsx", ("Notes", [["nothing"], [1]]), ("2024", rows))
    project = read_recipe(recipe(tmp_path, "people.xlsx", 'sheet = "2024"'))
    assert project.table.n_records == 6
    assert export_release(project, anonymize(project).release, tmp_path / "out.csv").ok
    write_recipe(project, tmp_path / "again.toml")
    assert 'sheet = "2024"' in (tmp_path / "again.toml").read_text(encoding="utf-8")
    assert read_recipe(tmp_path / "again.toml").options.sheet == "2024"


def test_an_unknown_key_next_to_the_sheet_is_an_error(tmp_path: Path) -> None:
    write_excel(tmp_path / "people.xlsx", PEOPLE)
    with pytest.raises(RecipeError, match="sheets"):
        read_recipe(recipe(tmp_path, "people.xlsx", 'sheets = "2024"'))


def test_the_verifier_does_not_confirm_a_workbook_of_other_cells(tmp_path: Path, monkeypatch: Any) -> None:
    """What the program believes it read is changed, so that the file itself must be the measure."""
    write_excel(tmp_path / "people.xlsx", PEOPLE)
    project = read_recipe(recipe(tmp_path, "people.xlsx"))
    release = anonymize(project).release
    book = openpyxl.load_workbook(tmp_path / "people.xlsx")
    book["People"]["D2"] = 71.5
    book.save(tmp_path / "people.xlsx")
    monkeypatch.setattr("engine.pipeline.export._refuse_changed_source", lambda _project, _monitor: None)
    with pytest.raises(VerificationError, match=r"Record 1, column 'weight': the file has '70.5'"):
        export_release(project, release, tmp_path / "out.csv")
