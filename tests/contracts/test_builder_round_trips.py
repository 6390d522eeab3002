"""Every hierarchy builder is restored from a recipe and a project file, with the hierarchy it builds."""

from __future__ import annotations

import os
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ProjectFileError
from engine.hierarchies.builders.base import BuilderContext, builders
from engine.hierarchies.files import read_hierarchy, write_hierarchy
from engine.project import AttributeHierarchy, Project, edits
from engine.project.pins_and_runs import ProjectState
from engine.project.recipe.files import read_recipe, recipe_text, write_recipe
from engine.project.storage.file import open_project, save_project

RECIPE = """\
format = 1
[data]
path = "people.csv"
[roles]
quasi_identifying = ["zip", "age", "visit", "job"]
"""
PEOPLE = '''\
zip,age,visit,job,state,part
01067,31,2024-03-07,nurse,Saxony,East
01069,35,1999-12-31,"clerk; ""senior""",Saxony,East
80331,52,2021-01-01,nurse,Bavaria,South
80333,,2021-01-02,farmer,Bavaria,South
'''
JOBS = [{"all work": [{"health": ["nurse"]}, 'clerk; "senior"']}, {"land": ["farmer"]}]
MADE: list[tuple[str, str, dict[str, Any]]] = [
    ("age", "intervals", {"width": 5, "merge": [2], "top": 50}),
    ("age", "rounding", {"bases": [10, 50]}),
    ("age", "top_bottom", {"share": 0.25}),
    ("zip", "masking", {"character": "#"}),
    ("job", "grouping", {"groups": [{"a;b": ["nurse", 'clerk; "senior"']}]}),
    ("job", "suppress", {}),
    ("visit", "dates", {"granularities": ["week_of_month", "week"], "bottom": 2000}),
    ("visit", "dates", {"format": "%d. %B %Y", "input_formats": ["%d/%m/%Y", "%Y-%m-%d"]}),
    ("zip", "taxonomy", {"from_column": "state", "further_columns": ["part"]}),
    ("zip", "taxonomy", {"path": "more/places.csv", "from_column": "province", "key_column": "plz"}),
    ("job", "taxonomy", {"tree": JOBS}),
    ("job", "frequency", {"levels": 1, "label": 'the "rest"'}),
    ("zip", "table", {"path": "more/levels.csv", "direction": "value_last"}),
]
IDS = [f"{key}-{number}" for number, (_, key, _) in enumerate(MADE)]
each_builder = pytest.mark.parametrize(("column", "key", "values"), MADE, ids=IDS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    (folder / "more").mkdir(parents=True)
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (folder / "people.toml").write_text(RECIPE, encoding="utf-8")
    places = "id,plz,province\n1,01067,Sachsen\n2,01069,Sachsen\n3,80331,Bayern\n4,80333,Bayern\n"
    (folder / "more" / "places.csv").write_text(places, encoding="utf-8")
    (folder / "more" / "levels.csv").write_text("S|01067\nS|01069\nB|80331\nB|80333\n", encoding="utf-8")
    return folder


def with_builder(folder: Path, column: str, key: str, values: dict[str, Any]) -> Project:
    """Return the project that a recipe in the folder with this builder would give."""
    project = read_recipe(folder / "people.toml")
    builder = builders.create(key, **values)
    hierarchy = builder.build(project.table.column(column), BuilderContext(project.table, folder))
    if builder.paths:
        values = {**values, "path": str(folder / values["path"])}
        builder = builders.create(key, **values)
    return edits.set_hierarchy(project, column, AttributeHierarchy(hierarchy, builder=builder))


def test_every_builder_has_an_example() -> None:
    assert {key for _, key, _ in MADE} == set(builders)


@each_builder
def test_a_builder_is_restored_from_a_recipe(
    folder: Path, column: str, key: str, values: dict[str, Any]
) -> None:
    before = with_builder(folder, column, key, values).hierarchies[column]
    for place in (folder / "again.toml", folder / "more" / "again.toml", folder.parent / "again.toml"):
        write_recipe(with_builder(folder, column, key, values), place)
        after = read_recipe(place).hierarchies[column]
        assert after.hierarchy.rows() == before.hierarchy.rows()
        assert normalized(after.builder) == normalized(before.builder)
        assert not (place.parent / "again-files").exists()


def normalized(builder: Any) -> Any:
    """Return the builder with its paths in one form."""
    return replace(builder, **{name: os.path.normpath(path) for name, path in builder.paths.items()})


@each_builder
def test_a_recipe_names_files_from_its_own_folder(
    folder: Path, column: str, key: str, values: dict[str, Any]
) -> None:
    project = with_builder(folder, column, key, values)
    text = recipe_text(project, folder)
    assert str(folder) not in text
    if "path" in values:
        assert f'path = "{values["path"]}"' in text
        moved = folder.rename(folder.with_name("there"))
        (moved / "people.toml").write_text(text, encoding="utf-8")
        again = read_recipe(moved / "people.toml").hierarchies[column]
        assert again.hierarchy.rows() == project.hierarchies[column].hierarchy.rows()


@each_builder
def test_a_project_file_keeps_the_hierarchy_and_no_path(
    folder: Path, column: str, key: str, values: dict[str, Any]
) -> None:
    project = with_builder(folder, column, key, values)
    path = folder / "people.anon"
    save_project(project, path, ProjectState())
    (folder / "more" / "places.csv").unlink()
    (folder / "more" / "levels.csv").unlink()
    before, after = project.hierarchies[column], open_project(path)[0].hierarchies[column]
    assert after.hierarchy.rows() == before.hierarchy.rows()
    assert after.builder == (None if "path" in values else before.builder)
    assert after.path is None
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            data = archive.read(member)
            assert b"places.csv" not in data
            assert b"levels.csv" not in data


def test_a_project_file_that_names_another_file_is_refused(folder: Path) -> None:
    project = with_builder(folder, "job", "suppress", {})
    save_project(project, folder / "people.anon", ProjectState())
    with (
        zipfile.ZipFile(folder / "people.anon") as archive,
        zipfile.ZipFile(folder / "changed.anon", "w") as changed,
    ):
        for member in archive.namelist():
            data = archive.read(member)
            data = data.replace(b'"format": 3', b'"format": 1')  # no checksum detects it
            data = data.replace(b'builder = "suppress"', b'builder = "table"\npath = "/etc/hosts"')
            changed.writestr(member, data)
    with pytest.raises(ProjectFileError, match="is read from another file"):
        open_project(folder / "changed.anon")


@each_builder
def test_a_built_hierarchy_is_restored_from_a_table(
    folder: Path, column: str, key: str, values: dict[str, Any]
) -> None:
    hierarchy = with_builder(folder, column, key, values).hierarchies[column].hierarchy
    write_hierarchy(hierarchy, folder / "out.csv")
    assert read_hierarchy(folder / "out.csv").rows() == hierarchy.rows()
