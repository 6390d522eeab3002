"""[release] of a recipe decides the bytes of a text file: for commands, verification and project files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.cli import main
from engine.errors import RecipeError
from engine.params import describe
from engine.pipeline import anonymize, export_release
from engine.project.edits import set_export
from engine.project.project import Project
from engine.project.recipe.files import read_recipe, recipe_text
from engine.project.storage.file import open_project, save_project
from engine.records.options import ExportOptions

RECIPE = """\
[data]
path = "people.csv"

[roles]
quasi_identifying = ["age"]
insensitive = ["illness"]

[hierarchies.age]
builder = "suppress"

[[privacy]]
model = "k_anonymity"
k = 2
"""
RELEASE = """
[release]
delimiter = "\\t"
encoding = "utf-16"
quoting = "all"
line_end = "crlf"
header = false
safe_cells = true
"""
WRITTEN = ExportOptions(
    delimiter="\t", encoding="utf-16", quoting="all", line_end="crlf", header=False, safe_cells=True
)
EXPECTED = '"31"\t"flu"\r\n"31"\t"\'=1+1"\r\n"52"\t"flu"\r\n"52"\t"cold"\r\n'.encode("utf-16")


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text("age,illness\n31,flu\n31,=1+1\n52,flu\n52,cold\n", encoding="utf-8")
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE + RELEASE, encoding="utf-8")
    return path


def command(*words: object) -> int:
    return main([*map(str, words), "--quiet"])


def test_a_command_writes_and_verifies_as_the_recipe_says(recipe: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    assert command("anonymize", recipe, "--out", out) == 0
    assert out.read_bytes() == EXPECTED
    assert command("verify", out, "--recipe", recipe) == 0
    recipe.write_text(RECIPE, encoding="utf-8")
    assert command("verify", out, "--recipe", recipe) == 1


def test_options_of_the_command_take_precedence(recipe: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    words = [
        "--delimiter",
        ";",
        "--encoding",
        "utf-8",
        "--quoting",
        "minimal",
        "--line-end",
        "lf",
        "--header",
    ]
    assert command("anonymize", recipe, "--out", out, *words, "--no-safe-cells") == 0
    assert out.read_bytes() == b"age;illness\n31;flu\n31;=1+1\n52;flu\n52;cold\n"
    assert command("verify", out, "--recipe", recipe) == 1
    assert command("verify", out, "--recipe", recipe, *words, "--no-safe-cells") == 0


def test_a_tab_may_be_typed_as_in_a_text_of_code(recipe: Path, tmp_path: Path) -> None:
    recipe.write_text(RECIPE, encoding="utf-8")
    out = tmp_path / "out.csv"
    assert command("anonymize", recipe, "--out", out, "--delimiter", "\\t") == 0
    assert out.read_bytes().startswith(b"age\tillness\n")


def test_recipe_project_file_and_command_give_the_same_bytes(recipe: Path, tmp_path: Path) -> None:
    project = read_recipe(recipe)
    assert project.export == WRITTEN
    save_project(project, tmp_path / "people.anon")
    opened = replace(open_project(tmp_path / "people.anon").project, source=project.source)
    assert opened.export == WRITTEN
    again = tmp_path / "again.toml"
    again.write_text(recipe_text(opened, tmp_path), encoding="utf-8")
    assert command("anonymize", again, "--out", tmp_path / "again.csv") == 0
    outcome = anonymize(opened)
    export_release(opened, outcome.release, tmp_path / "engine.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "engine.csv").read_bytes() == EXPECTED


@pytest.mark.parametrize("setting", describe(ExportOptions), ids=lambda setting: setting.name)
def test_a_recipe_has_every_option_but_the_kind_of_file_and_folders(
    recipe: Path, tmp_path: Path, setting: object
) -> None:
    project: Project = set_export(read_recipe(recipe), WRITTEN)
    text = recipe_text(project, tmp_path)
    name = getattr(setting, "name", "")
    is_chosen_with_place = name in ("kind", "partition_by")  # and not stored
    assert (f"\n{name} = " in text.partition("[release]")[2].partition("\n\n")[0]) != is_chosen_with_place


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('delimiter = ";;"', "[release]: 'delimiter' cannot be \";;\"."),
        ('line_end = "cr"', "[release]: 'line_end' cannot be \"cr\"."),
        ('encoding = "utf-99"', "[release]: Unknown encoding 'utf-99'."),
        ('quote = "all"', "unknown key 'quote' in [release]."),
        ('kind = "xlsx"', "unknown key 'kind' in [release]."),
    ],
)
def test_what_no_file_can_be_written_with_is_refused(
    recipe: Path, tmp_path: Path, line: str, problem: str
) -> None:
    recipe.write_text(f"{RECIPE}\n[release]\n{line}\n", encoding="utf-8")
    with pytest.raises(RecipeError) as raised:
        read_recipe(recipe)
    assert problem in raised.value.problem
