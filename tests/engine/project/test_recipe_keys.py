"""Keys of recipes that came later: what they say comes back, and what no reader obeys is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ExportError, RecipeError
from engine.pipeline import anonymize, export_release
from engine.project import Project
from engine.project.recipe.data import read_data_options, table_text
from engine.project.recipe.files import read_recipe, recipe_text
from engine.project.recipe.reading import parse
from engine.records.columns_taken import TakenColumn
from engine.records.options import ReadOptions, Replacement

TABLE = "name,age,illness\nAnn,31,flu\nBob,31,cold\nCem,52,flu\nDee,52,flu\n"
RECIPE = """\
format = 1
[data]
path = "people.csv"
[roles]
identifying = ["name"]
quasi_identifying = ["age"]
insensitive = ["illness"]
[[privacy]]
model = "k_anonymity"
k = 2
"""
ASKED: dict[str, Any] = {
    "quote": "'",
    "comment": "#",
    "skip_lines": 2,
    "thousands": " ",
    "ragged": "fill",
    "take": (TakenColumn("age", "Age"), TakenColumn(3, "illness")),
    "column_missing": {"age": ("99", "0")},
    "replacements": (Replacement("illness", "fluu", "flu"), Replacement("age", "1", None)),
}


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")
    path = tmp_path / "people.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


@pytest.fixture
def project(recipe: Path) -> Project:
    return read_recipe(recipe)


def data_of(text: str) -> ReadOptions:
    return read_data_options(parse(text, "people.toml").section("data"))


def test_every_choice_of_reading_comes_back_from_a_recipe(project: Project, tmp_path: Path) -> None:
    asked = replace(project, options=replace(project.options, **ASKED))
    found = data_of(recipe_text(asked, tmp_path))
    assert {name: getattr(found, name) for name in ASKED} == ASKED


def test_a_recipe_over_a_table_the_program_writes_itself_asks_for_nothing_of_its_file(
    project: Project, tmp_path: Path
) -> None:
    asked = replace(project, options=replace(project.options, **ASKED), source=None)
    found = data_of(recipe_text(asked, tmp_path))
    assert {name: getattr(found, name) for name in ASKED} == {
        name: getattr(ReadOptions(), name) for name in ASKED
    } | {"column_missing": ASKED["column_missing"]}  # they say which of its cells are not values


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('columns = [{source = "age"}, {source = 0, name = "x"}]', "[data.columns 2]: 'source' is missing"),
        ("columns = [{source = 1}]", "[data.columns 1]: 'name' is missing or is not a text"),
        ('columns = ["age"]', "'columns' cannot be"),
        ('columns = [{sauce = "age"}]', "[data.columns 1]: unknown key 'sauce'"),
        ('replace = [{column = "age", new = "1"}]', "[data.replace 1]: 'old' is missing"),
        ('column_missing = {age = "99"}', "'age' cannot be"),
        ('ragged = "cut"', "'ragged' cannot be \"cut\""),
        ("skip_lines = -1", "'skip_lines' cannot be -1"),
    ],
)  # fmt: skip
def test_a_mistake_in_how_a_table_is_read_is_named(text: str, problem: str) -> None:
    with pytest.raises(RecipeError) as raised:
        data_of(f'[data]\npath = "people.csv"\n{text}\n')
    assert problem in raised.value.problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[identifiers.nam]\nrule = "drop"', "[identifiers]: the table has no column 'nam'"),
        ('[identifiers.name]\nrule = "maske"', "unknown rule for columns 'maske'"),
        ('[identifiers.name]\nrule = "mask"\ncharacter = "xx"', "Character cannot be 'xx'"),
        ('[identifiers.name]\nrule = "drop"\nlength = 3', "Unknown parameter 'length'"),
        ("[transformation]\nlength = 3", "unknown key 'length' in [transformation]"),
    ],
)
def test_a_mistake_in_a_rule_is_named(recipe: Path, text: str, problem: str) -> None:
    recipe.write_text(f"{RECIPE}{text}\n", encoding="utf-8")
    with pytest.raises(RecipeError) as raised:
        read_recipe(recipe)
    assert problem in raised.value.problem


def test_no_file_is_written_over_unless_that_is_allowed(project: Project, tmp_path: Path) -> None:
    path, release = tmp_path / "out.csv", anonymize(project).release
    path.write_text("before", encoding="utf-8")
    with pytest.raises(ExportError, match="already exists"):
        export_release(project, release, path, overwrite=False)
    assert path.read_text(encoding="utf-8") == "before"
    assert export_release(project, release, path).ok


def test_texts_that_are_absent_are_left_out_of_a_table() -> None:
    assert table_text("[a]", {"b": 1, "c": None, "d": ["x"]}) == '[a]\nb = 1\nd = ["x"]'
