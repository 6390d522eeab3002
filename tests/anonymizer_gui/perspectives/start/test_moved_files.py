"""A recipe whose files were moved: the error offers to locate each file."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.project.recipe.files import read_recipe
from tests.window_driver import Driver

RECIPE = """format = 1
[data]
path = "old/people.csv"
[roles]
quasi_identifying = ["sex"]
[hierarchies.sex]
path = "old/sex.csv"
"""


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    recipe = tmp_path / "r.toml"
    recipe.write_text(RECIPE)
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "people.csv").write_text("age,sex\n30,f\n41,m\n")
    (tmp_path / "new" / "sex.csv").write_text("f;*\nm;*\n")
    return recipe


def test_a_recipe_names_the_missing_file_and_is_read_with_those_that_moved(moved: Path) -> None:
    new = moved.parent / "new"
    with pytest.raises(InputError) as table:
        read_recipe(moved)
    assert table.value.context["missing"] == "old/people.csv"
    found = {"old/people.csv": new / "people.csv"}
    with pytest.raises(InputError) as hierarchy:
        read_recipe(moved, moved=found)
    assert hierarchy.value.context["missing"] == "old/sex.csv"
    project = read_recipe(moved, moved={**found, "old/sex.csv": new / "sex.csv"})
    assert project.source == new / "people.csv"
    assert project.hierarchies["sex"].path == new / "sex.csv"


def test_each_missing_file_can_be_found_until_the_recipe_opens(driver: Driver, moved: Path) -> None:
    driver.drop(moved)
    banner = driver.window.banner
    for name in ("people.csv", "sex.csv"):
        driver.wait(lambda name=name: banner._action.text() == f"Locate {name}…")  # type: ignore[misc]
        driver.wait(banner._action.isVisible)
        driver.answer_file_dialog(moved.parent / "new" / name)
        driver.click(banner._action)
    driver.wait(lambda: driver.session.project is not None)
    assert driver.session.project.quasi_identifying == ("sex",)  # type: ignore[union-attr]
    assert not banner.isVisible()
