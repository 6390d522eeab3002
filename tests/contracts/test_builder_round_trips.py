"""Every hierarchy builder is restored from a recipe and a project file, with the hierarchy it builds."""

from __future__ import annotations

import os
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ProjectFileError
from engine.hierarchies.builders.base import builders
from engine.project import Project
from engine.project.pins_and_runs import ProjectState
from engine.project.recipe.files import read_recipe, recipe_text, write_recipe
from engine.project.storage.file import open_project, save_project
from tests.contracts.make_saved_files import BUILT, built, write_inputs

RECIPE = """\
format = 1
[data]
path = "people.csv"
[roles]
quasi_identifying = ["zip", "age", "visit", "job", "salary"]
"""
MADE = BUILT[:14]  # every builder once, and those that read other columns or files
IDS = [f"{key}-{number}" for number, (_, key, _) in enumerate(MADE)]
each_builder = pytest.mark.parametrize(("column", "key", "values"), MADE, ids=IDS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    write_inputs(folder)
    (folder / "people.toml").write_text(RECIPE, encoding="utf-8")
    return folder


def with_builder(folder: Path, column: str, key: str, values: dict[str, Any]) -> Project:
    """Return the project that a recipe in the folder with this builder would give."""
    return built(read_recipe(folder / "people.toml"), folder, column, key, values)


def test_every_builder_has_an_example() -> None:
    assert {key for _, key, _ in MADE} == set(builders)


@each_builder
def test_a_builder_is_restored_from_a_recipe(
    folder: Path, column: str, key: str, values: dict[str, Any]
) -> None:
    before = with_builder(folder, column, key, values).hierarchies[column]
    for place in (folder / "again.toml", folder / "tables" / "again.toml", folder.parent / "again.toml"):
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
    (folder / "tables" / "places.csv").unlink()
    (folder / "tables" / "levels.csv").unlink()
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
