"""Recipes and project files of tables from a database: read again, named relatively, never a password."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import ExportError, InputError, RecipeError, TableError
from engine.pipeline import anonymize, export_release
from engine.project.recipe.files import read_recipe, write_recipe
from engine.project.reimport import reimport
from engine.project.storage.file import open_project, save_project
from engine.records.databases.address import PASSWORD, Login, parse_address
from engine.records.databases.tables import read_database
from engine.records.options import ReadOptions

RECIPE = """
[data]
path = "sqlite:///data/people.db?table=people"

[roles]
identifying = ["name"]
quasi_identifying = ["age"]

[hierarchies."age"]
builder = "suppress"

[[privacy]]
model = "k_anonymity"
k = 2
"""
SERVER = "postgresql+psycopg://steward@db.invalid:5432/town?table=people"
SECRET = "hunter2-of-the-town"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    connection = sqlite3.connect(tmp_path / "data" / "people.db")
    with connection:
        connection.execute("CREATE TABLE people (name TEXT, age INTEGER)")
        connection.executemany("INSERT INTO people VALUES (?, ?)", [("Ann", 34), ("Bob", 34), ("Cid", None)])
    connection.close()
    (tmp_path / "recipe.toml").write_text(RECIPE)
    return tmp_path


def test_a_recipe_names_a_database_next_to_it_and_its_release_is_verified(folder: Path) -> None:
    project = read_recipe(folder / "recipe.toml")
    assert project.source is None
    assert project.database == parse_address(f"sqlite:///{folder}/data/people.db?table=people")[0].full
    assert (project.file, project.has_original) == (folder / "data" / "people.db", False)
    out = folder / "out.csv"
    verdict = export_release(project, anonymize(project).release, out)
    assert verdict.ok
    assert out.read_text() == "name,age\n*,*\n*,*\n*,*\n"


def test_a_release_never_takes_the_place_of_its_database(folder: Path) -> None:
    project = read_recipe(folder / "recipe.toml")
    before = project.file.read_bytes() if project.file else b""
    with pytest.raises(ExportError, match="is the original table"):
        export_release(project, anonymize(project).release, folder / "data" / "people.db")
    assert project.file.read_bytes() == before


def test_a_recipe_written_elsewhere_names_the_same_database_and_no_table_is_copied(folder: Path) -> None:
    project = read_recipe(folder / "recipe.toml")
    (folder / "other").mkdir()
    write_recipe(project, folder / "other" / "again.toml")
    assert (
        'path = "sqlite:///../data/people.db?table=people"' in (folder / "other" / "again.toml").read_text()
    )
    assert [path.name for path in (folder / "other").iterdir()] == ["again.toml"]
    again = read_recipe(folder / "other" / "again.toml")
    assert again.database == project.database
    assert again.table.names == project.table.names
    assert np.array_equal(again.table.column("age").codes, project.table.column("age").codes)


def test_a_database_that_was_moved_is_looked_for_by_the_path_the_recipe_gives(folder: Path) -> None:
    named = "sqlite:///data/people.db?table=people"
    moved = (folder / "data" / "people.db").rename(folder / "moved here.db")
    with pytest.raises(TableError) as refusal:
        read_recipe(folder / "recipe.toml")
    assert refusal.value.context["missing"] == named
    project = read_recipe(folder / "recipe.toml", moved={named: moved})
    assert project.file == moved


def test_a_server_is_not_asked_because_a_recipe_names_it(folder: Path) -> None:
    text = RECIPE.replace("sqlite:///data/people.db?table=people", SERVER)
    (folder / "recipe.toml").write_text(text)
    with pytest.raises(RecipeError, match="was not queried") as refusal:
        read_recipe(folder / "recipe.toml")
    assert refusal.value.context["database"] == SERVER


def test_a_command_asks_the_server_with_the_password_of_the_environment_and_never_shows_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "recipe.toml").write_text(RECIPE.replace("sqlite:///data/people.db?table=people", SERVER))
    monkeypatch.setenv(PASSWORD, SECRET)
    asked = []

    def answer(address: object, options: ReadOptions, login: Login, *_others: object) -> object:
        asked.append(login)
        own = parse_address(f"sqlite:///{folder}/data/people.db?table=people")[0]
        return read_database(own, options)

    monkeypatch.setattr("engine.project.recipe.files.open_database", answer)
    project = read_recipe(folder / "recipe.toml", may_connect=True)
    assert (asked, project.database, project.file) == ([Login(password=SECRET)], SERVER, None)
    write_recipe(project, folder / "saved.toml")
    save_project(project, folder / "saved.anon")
    for path in (folder / "saved.toml", folder / "saved.anon"):
        assert SECRET.encode() not in path.read_bytes()
    assert f'path = "{SERVER}"' in (folder / "saved.toml").read_text()


def test_a_password_in_a_recipe_is_refused_without_repeating_it(folder: Path) -> None:
    url = SERVER.replace("steward@", f"steward:{SECRET}@")
    (folder / "recipe.toml").write_text(RECIPE.replace("sqlite:///data/people.db?table=people", url))
    with pytest.raises(RecipeError, match="contains a password") as refusal:
        read_recipe(folder / "recipe.toml", may_connect=True)
    assert SECRET not in f"{refusal.value} {refusal.value.context}"


def test_a_project_file_holds_the_table_and_of_its_database_no_path(folder: Path) -> None:
    project = read_recipe(folder / "recipe.toml")
    save_project(project, folder / "saved.anon")
    with zipfile.ZipFile(folder / "saved.anon") as archive:
        about = json.loads(archive.read("project.json"))
        recipe = archive.read("recipe.toml").decode()
    assert about["database"] == "sqlite:///people.db?table=people"
    assert 'path = "table.parquet"' in recipe
    (folder / "data" / "people.db").unlink()
    opened = open_project(folder / "saved.anon").project
    assert opened.database == "sqlite:///people.db?table=people"
    assert (opened.is_in_database, opened.file, opened.table.n_records) == (False, None, 3)
    write_recipe(opened, folder / "own.toml")
    assert (folder / "own-files" / "data.csv").exists()
    assert read_recipe(folder / "own.toml").table.n_records == 3


def test_a_password_written_into_a_project_file_is_not_stored(folder: Path) -> None:
    project = replace(
        read_recipe(folder / "recipe.toml"), database=SERVER.replace("steward@", f"steward:{SECRET}@")
    )
    save_project(project, folder / "saved.anon")
    assert SECRET.encode() not in (folder / "saved.anon").read_bytes()
    assert open_project(folder / "saved.anon").project.database == SERVER


def test_another_reading_from_a_database_keeps_roles_and_says_what_changed(folder: Path) -> None:
    project = read_recipe(folder / "recipe.toml")
    connection = sqlite3.connect(folder / "data" / "people.db")
    with connection:
        connection.execute("INSERT INTO people VALUES ('Dora', 71)")
    connection.close()
    table, options = read_database(parse_address(project.database)[0])
    after, changes = reimport(project, table, options, None, database=project.database)
    assert (changes.n_before, changes.n_after, after.database) == (3, 4, project.database)
    assert after.roles == project.roles


def test_a_statement_that_changes_something_is_refused_in_a_recipe(folder: Path) -> None:
    text = RECIPE.replace("?table=people", "?query=DELETE%20FROM%20people")
    (folder / "recipe.toml").write_text(text)
    with pytest.raises(InputError, match="does more than read"):
        read_recipe(folder / "recipe.toml")
