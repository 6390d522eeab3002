"""The examples of the program agree with their notes."""

from __future__ import annotations

import ast
import csv
import json
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from engine.cli import main
from engine.hierarchies.builders.base import builders
from engine.records.opening.files import read_csv

NAMES = ["adult", "hospital", "clinic", "survey"]


def rows(path: Path, delimiter: str) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def test_adult_is_arx_adult_with_the_hours_of_the_full_table(examples, tables):
    ours = rows(examples / "adult" / "adult.csv", ";")
    arx = rows(tables / "adult_arx.csv", ";")
    nine = list(arx[0])
    complete = [row for row in rows(tables / "adult.csv", ",") if all(row[name] != "?" for name in nine)]
    assert list(ours[0]) == [*nine, "hours-per-week"]
    assert [[row[name] for name in nine] for row in ours] == [list(row.values()) for row in arx]
    assert [list(row.values()) for row in ours] == [
        [row[name] for name in [*nine, "hours-per-week"]] for row in complete
    ]


def test_adult_has_the_hierarchies_of_arx(examples, tables):
    for theirs in sorted((tables / "hierarchies" / "adult_arx").iterdir()):
        ours = examples / "adult" / "hierarchies" / theirs.name.removeprefix("adult_hierarchy_")
        assert ours.read_bytes() == theirs.read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_every_value_of_a_quasi_identifying_column_is_in_its_hierarchy(examples, name):
    folder = examples / name
    recipe = tomllib.loads((folder / "recipe.toml").read_text(encoding="utf-8"))
    columns = {column.name: column for column in read_csv(folder / recipe["data"]["path"]).columns}
    for column_name, entry in recipe["hierarchies"].items():
        column, parameters = columns[column_name], dict(entry)
        if "builder" in entry:
            builder = builders[parameters.pop("builder")](**parameters)
            assert builder.accepts(column)
            assert builder.build(column).levels[-1].labels == ("*",)
        else:
            with (folder / entry["path"]).open(encoding="utf-8", newline="") as file:
                lines = list(csv.reader(file, delimiter=";"))
            assert set(column.labels) <= {line[0] for line in lines}
            assert {line[-1] for line in lines} == {"*"}


@pytest.mark.parametrize("name", NAMES)
def test_every_file_and_column_a_recipe_names_exists(examples, name):
    folder = examples / name
    recipe = tomllib.loads((folder / "recipe.toml").read_text(encoding="utf-8"))
    table = rows(folder / recipe["data"]["path"], recipe["data"]["delimiter"])
    roles = [columns for role, columns in recipe["roles"].items() if role != "person"]
    named = [column for columns in roles for column in columns]
    assert set(named) <= set(table[0])
    assert len(named) == len(set(named))
    assert set(recipe["hierarchies"]) == set(recipe["roles"]["quasi_identifying"])
    for hierarchy in recipe["hierarchies"].values():
        assert "builder" in hierarchy or (folder / hierarchy["path"]).is_file()
    assert {model["column"] for model in recipe["privacy"] if "column" in model} <= set(
        recipe["roles"]["sensitive"]
    )


@pytest.mark.parametrize("name", ["clinic", "survey"])
def test_an_invented_table_is_reproduced_by_its_script(examples, tmp_path, name):
    folder = examples / name
    subprocess.run([sys.executable, examples / f"make_{name}.py", tmp_path], check=True)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.csv"))
    assert made == sorted(path.relative_to(folder) for path in folder.rglob("*.csv"))
    for path in made:
        assert (tmp_path / path).read_bytes() == (folder / path).read_bytes()


def gates(examples: Path) -> list[list[str]]:
    """The commands of the example hooks and of the example workflow, in their order."""
    hooks = yaml.safe_load((examples / "pipeline" / "pre-commit-config.yaml").read_text(encoding="utf-8"))
    workflow = yaml.safe_load((examples / "pipeline" / "workflow.yml").read_text(encoding="utf-8"))
    lines = [step.get("run", "") for step in workflow["jobs"]["release"]["steps"]]
    lines += [hook["entry"] for repository in hooks["repos"] for hook in repository["hooks"]]
    return [shlex.split(line)[1:] for line in lines if line.startswith("anonymizer ")]


def test_the_gates_of_the_pipeline_example_let_its_release_pass_and_no_other(
    examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(examples / "hospital", tmp_path / "repository")
    monkeypatch.chdir(tmp_path / "repository")
    commands = gates(examples)
    assert [words[0] for words in commands] == ["anonymize", "verify", "risk", "utility", "verify", "check"]
    assert [main(words) for words in commands] == [0] * len(commands)
    shutil.copy("hospital.csv", "released.csv")
    assert [main(words) for words in commands[1:]] == [1, 1, 0, 1, 1]


@pytest.mark.parametrize("name", ["release", "measuring"])
def test_a_notebook_runs_and_its_last_values_can_be_shown(examples: Path, tmp_path: Path, name: str) -> None:
    """Cells run as one script: a kernel of Jupyter would need thirty packages more."""
    notebook = json.loads((examples / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    assert all(cell["outputs"] == [] for cell in notebook["cells"] if cell["cell_type"] == "code")
    lines = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            *body, last = ast.parse("".join(cell["source"])).body
            lines += map(ast.unparse, body)
            is_value = isinstance(last, ast.Expr)
            lines.append(f"shown({ast.unparse(last)})" if is_value else ast.unparse(last))
    script = tmp_path / "cells.py"
    script.write_text("\n".join([SHOWN, *lines]), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script], cwd=examples / "notebooks", capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("<table") >= 4


SHOWN = """
def shown(value):
    print(value._repr_html_() if hasattr(value, '_repr_html_') else value)
"""
