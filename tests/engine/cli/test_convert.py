"""`anonymizer convert`: from an ARX project to a recipe with its files, and back to files for ARX."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from engine.cli import main
from engine.hierarchies.files import read_hierarchy
from engine.project.recipe.files import read_recipe
from engine.records import ReadOptions
from engine.records.opening.files import read
from tests.arx_projects import arx_project, configuration, java_rows
from tests.engine.cli.running import Command

COMMAND = "convert"


def test_a_project_becomes_a_recipe_with_its_files_and_a_list(run: Command, tmp_path: Path) -> None:
    config = configuration(researchSubset=java_rows([0, 1, 2, 3, 4, 5], 8))
    project = arx_project(tmp_path, models=("2-anonymity", "new-model"), config=config)
    found = run.json(project, "--out", tmp_path / "made")
    names = [str(Path(file).relative_to(tmp_path / "made")) for file in found["files"]]
    assert names == [
        "recipe.toml",
        *(f"recipe-files/{name}.csv" for name in ("data", "age", "sex", "subset")),
        "not-taken-over.txt",
    ]
    assert all(Path(file).is_file() for file in found["files"])
    assert found["source"] == "clinic.deid"
    listed = [loss["what"] for loss in found["not_taken_over"]]
    assert listed[0] == "Privacy model “new-model”"
    written = (tmp_path / "made" / "not-taken-over.txt").read_text(encoding="utf-8").splitlines()
    assert [line.split(": ")[0] for line in written] == listed
    assert read_recipe(tmp_path / "made" / "recipe.toml").records.n_records == 6


def test_the_recipe_can_be_released(run: Command, tmp_path: Path) -> None:
    run.json(arx_project(tmp_path), "--out", tmp_path / "made")
    assert main(["anonymize", str(tmp_path / "made/recipe.toml"), "--out", str(tmp_path / "r.csv")]) == 0


def test_the_list_is_printed_as_a_table(run: Command, tmp_path: Path) -> None:
    code, printed, errors = run(arx_project(tmp_path, measure="Other"), "--out", tmp_path / "made")
    assert (code, errors) == (0, "")
    assert "Utility measure" in printed
    assert "recipe.toml" in printed
    assert run(arx_project(tmp_path), "--out", tmp_path / "two", "--quiet")[1] == ""


@pytest.mark.parametrize("name", ["recipe.toml", "not-taken-over.txt", "recipe-files/data.csv"])
def test_existing_files_are_replaced_only_on_request(run: Command, tmp_path: Path, name: str) -> None:
    project, there = arx_project(tmp_path), tmp_path / "made" / name
    there.parent.mkdir(parents=True)
    there.write_text("mine", encoding="utf-8")
    code, _printed, errors = run(project, "--out", tmp_path / "made")
    assert code == 2
    assert "already exists" in errors
    assert there.read_text(encoding="utf-8") == "mine"
    assert run(project, "--out", tmp_path / "made", "--overwrite")[0] == 0
    assert there.read_text(encoding="utf-8") != "mine"


def test_a_recipe_becomes_files_that_arx_imports(run: Command, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(
        "age,sex,illness\n31,f,flu\n36,m,\n58,f,cold;\n71,m,gout\n", encoding="utf-8"
    )
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        '[data]\npath = "people.csv"\n[roles]\nquasi_identifying = ["age", "sex"]\nsensitive = ["illness"]\n'
        '[hierarchies."age"]\nbuilder = "intervals"\nwidth = 10\nmerge = [2]\nmax_level = 2\n'
        '[hierarchies."sex"]\nbuilder = "suppress"\n'
        '[[privacy]]\nmodel = "k_anonymity"\nk = 2\n'
        '[[privacy]]\nmodel = "alpha_k_anonymity"\nalpha = 0.5\nk = 2\ncolumn = "illness"\n'
        '[[privacy]]\nmodel = "t_closeness"\ncolumn = "illness"\nt = 0.5\ndistance = "equal"\n'
        "[transformation]\nsuppression_limit = 0.125\n[search.weights]\nage = 2\n",
        encoding="utf-8",
    )
    found = run.json(recipe, "--out", tmp_path / "arx")
    assert [Path(file).name for file in found["files"]] == ["data.csv", "age.csv", "sex.csv", "import.txt"]
    data = tmp_path / "arx" / "data.csv"
    assert stat.S_IMODE(data.stat().st_mode) == 0o600
    again = read(data, ReadOptions(delimiter=";", missing=("NULL",))).table
    assert [again.record(number) for number in range(4)] == [
        ("31", "f", "flu"),
        ("36", "m", "NULL"),
        ("58", "f", "cold;"),
        ("71", "m", "gout"),
    ]
    assert again.column("illness").has_missing
    project = read_recipe(recipe)
    for column, entry in project.hierarchies.items():
        written = read_hierarchy(tmp_path / "arx" / "hierarchies" / f"{column}.csv", delimiter=";")
        assert [level.labels for level in written.levels] == [
            level.labels for level in entry.hierarchy.levels
        ]
    text = (tmp_path / "arx" / "import.txt").read_text(encoding="utf-8").splitlines()
    assert "   age: Integer, Quasi-identifying, hierarchies/age.csv, levels 0 to 2" in text
    assert "   2-anonymity" in text
    assert "   0.5-closeness with equal distance for attribute 'illness'" in text
    assert any(line.endswith("ARX has no such model") for line in text)
    assert any("12.5 %" in line for line in text)
    assert "   weight of age: 2" in text


def test_another_file_and_a_damaged_one_are_refused(run: Command, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n", encoding="utf-8")
    assert "neither an ARX project nor a recipe" in run(tmp_path / "a.csv", "--out", tmp_path / "x")[2]
    (tmp_path / "a.deid").write_bytes(b"PK")
    code, _printed, errors = run(tmp_path / "a.deid", "--out", tmp_path / "x")
    assert code == 2
    assert "not a complete zip archive" in errors
    (tmp_path / "a.ahs").write_bytes(b"\xac\xed")
    assert "Export hierarchy" in run(tmp_path / "a.ahs", "--out", tmp_path / "x")[2]
    assert not (tmp_path / "x").exists()


def test_a_folder_that_cannot_be_made_is_refused(run: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    code, _printed, errors = run(arx_project(tmp_path), "--out", tmp_path / "file" / "made")
    assert code == 2
    assert "could not be created" in errors


def test_the_output_is_json(run: Command, tmp_path: Path) -> None:
    _code, printed, _errors = run(arx_project(tmp_path), "--out", tmp_path / "made", "--format", "json")
    assert set(json.loads(printed)) == {"source", "files", "not_taken_over"}


def test_other_commands_name_the_way_from_arx(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    project = arx_project(tmp_path)
    assert main(["check", str(project), "--qi", "age"]) == 2
    assert "anonymizer convert" in capsys.readouterr().err
    table, hierarchy = tmp_path / "t.csv", tmp_path / "age.ahs"
    table.write_text("age,sex\n31,f\n", encoding="utf-8")
    hierarchy.write_bytes(b"\xac\xed\x00\x05")
    assert main(["hierarchy", str(table), "--column", "age", "--check", str(hierarchy)]) == 2
    assert "Export hierarchy" in capsys.readouterr().err
