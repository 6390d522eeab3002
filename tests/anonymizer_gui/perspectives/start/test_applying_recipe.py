"""A recipe applied to another table in the window: located files, changes, and servers."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.window_driver import Driver

RECIPE = """
[data]
path = "june.csv"
delimiter = ";"
[data.types]
"name" = "text"
"age" = "integer"
"zip" = "text"
[roles]
identifying = ["name"]
quasi_identifying = ["age", "zip"]
[hierarchies."zip"]
builder = "table"
path = "codes/zip.csv"
[[privacy]]
model = "k_anonymity"
k = 2
"""
JULY = "name;age;zip;phone\nDan;33;10;1\nEve;38;20;2\n"


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    (tmp_path / "july.csv").write_text(JULY)
    (tmp_path / "codes").mkdir()
    (tmp_path / "codes" / "zip.csv").write_text("10;*\n20;*\n")
    path = tmp_path / "monthly.toml"
    path.write_text(RECIPE)
    return path


def test_the_table_of_next_month_opens_with_the_settings_of_this_one(driver: Driver, recipe: Path) -> None:
    driver.apply_recipe(recipe, recipe.parent / "july.csv")
    dialog: Any = driver.dialog("changesDialog")
    assert "monthly.toml" in dialog.windowTitle()
    new = next(row for row in dialog.table.texts.texts() if row[0] == "New column")
    assert new[1] == "phone"
    assert "No role: nothing can be released until you assign one." in new[2]
    assert driver.session.project is None
    driver.click(driver.button(dialog, "takeOverButton"))
    driver.wait(lambda: driver.session.project is not None)
    project = driver.session.project
    assert (project.source, project.name) == (recipe.parent / "july.csv", "july")
    assert (project.quasi_identifying, project.undecided) == (("age", "zip"), ("phone",))
    assert driver.session.saved.is_modified


def test_a_file_of_a_builder_in_the_folder_of_the_recipe_is_found(driver: Driver, recipe: Path) -> None:
    (recipe.parent / "codes" / "zip.csv").rename(recipe.parent / "zip.csv")
    driver.apply_recipe(recipe, recipe.parent / "july.csv")
    banner = driver.window.banner
    driver.wait(lambda: banner._action.text() == "Use zip.csv from there")
    driver.click(banner._action)
    dialog = driver.dialog("changesDialog")
    driver.click(driver.button(dialog, "takeOverButton"))
    driver.wait(lambda: driver.session.project is not None)
    builder = driver.session.project.hierarchies["zip"].builder  # type: ignore[union-attr]
    assert builder.paths == {"path": str(recipe.parent / "zip.csv")}


def test_a_table_that_the_recipe_cannot_read_is_read_with_chosen_settings(
    driver: Driver, recipe: Path
) -> None:
    (recipe.parent / "july.csv").write_text(JULY.replace(";", "|"))
    driver.apply_recipe(recipe, recipe.parent / "july.csv")
    banner = driver.window.banner
    driver.wait(lambda: banner._action.text() == "Change import settings…")
    driver.click(banner._action)
    asked: Any = driver.dialog("openDialog")
    driver.wait(lambda: asked.reading is not None)
    driver.click(driver.button(asked, "openDialogButton"))
    driver.click(driver.button(driver.dialog("changesDialog"), "takeOverButton"))
    driver.wait(lambda: driver.session.project is not None)
    assert driver.session.project.quasi_identifying == ("age", "zip")  # type: ignore[union-attr]


def test_a_recipe_is_applied_to_a_table_of_a_database(driver: Driver, recipe: Path) -> None:
    connection = sqlite3.connect(recipe.parent / "registry.db")
    with connection:
        connection.execute("CREATE TABLE july (name TEXT, age INTEGER, zip TEXT)")
        connection.execute("INSERT INTO july VALUES ('Dan', 33, '10')")
    connection.close()
    driver.apply_recipe(recipe, recipe.parent / "registry.db")
    asked: Any = driver.dialog("databaseDialog")
    driver.wait(asked.open_button.isEnabled)  # its only table is shown immediately
    driver.click(asked.open_button)
    driver.click(driver.button(driver.dialog("changesDialog"), "takeOverButton"))
    driver.wait(lambda: driver.session.project is not None)
    assert driver.session.project.database.endswith("registry.db?table=july")  # type: ignore[union-attr]


def test_a_recipe_with_a_server_connects_only_after_confirmation(driver: Driver, recipe: Path) -> None:
    recipe.write_text(RECIPE.replace("june.csv", "postgresql://steward@db.invalid/town?table=june"))
    driver.drop(recipe)
    banner = driver.window.banner
    driver.wait(lambda: banner._action.text() == "Connect…")
    assert "was not queried" in banner.problem()
    driver.click(banner._action)
    asked: Any = driver.dialog("databaseDialog")
    assert asked.place.text() == "postgresql://steward@db.invalid/town"
    assert asked.tables.count() == 0
    driver.click(asked.cancel_button)
    assert driver.session.project is None
