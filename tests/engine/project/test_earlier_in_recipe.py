"""The ledger of a project in its recipe and its file: [[earlier]], relative to either."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cli import main
from engine.errors import InputError, RecipeError
from engine.privacy.earlier import Earlier
from engine.project.ledger.joint import earlier_releases
from engine.project.recipe.files import read_recipe, recipe_text
from engine.project.recipe.reuse import apply_recipe
from engine.project.storage.file import open_project, save_project

CLINIC = Path(__file__).parents[3] / "resources" / "examples" / "clinic"
EARLIER = '\n[[earlier]]\npath = "office/people.ledger"\nattacker = "aligned"\nk = 3\nl = 2\n'


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    shutil.copytree(CLINIC, tmp_path / "clinic")
    (tmp_path / "clinic" / "office").mkdir()
    path = tmp_path / "clinic" / "recipe.toml"
    path.write_text(path.read_text(encoding="utf-8") + EARLIER, encoding="utf-8")
    return path


def test_a_ledger_is_kept_in_recipe_and_project_seen_from_each(recipe: Path, tmp_path: Path) -> None:
    project = read_recipe(recipe)
    earlier, place = project.requirement.earlier, recipe.parent / "office" / "people.ledger"
    assert earlier is not None
    assert (Path(earlier.path), earlier.attacker, earlier.k, earlier.l) == (place, "aligned", 3, 2)
    text = recipe_text(project, tmp_path)
    assert 'path = "clinic/office/people.ledger"' in text
    assert "shuffle = false" in text, "written, since its default depends on the ledger"
    other = tmp_path / "again.toml"
    other.write_text(text, encoding="utf-8")
    assert read_recipe(other).requirement == project.requirement

    saved = tmp_path / "projects" / "clinic.anon"
    saved.parent.mkdir()
    save_project(project, saved)
    found = open_project(saved).project.requirement.earlier
    assert found is not None
    assert Path(found.path).resolve() == place.resolve()
    assert replace(found, path="x") == replace(earlier, path="x")
    assert str(tmp_path).encode() not in saved.read_bytes()


def test_two_ledgers_or_one_without_path_are_refused(recipe: Path) -> None:
    text = recipe.read_text(encoding="utf-8")
    for wrong in (text + EARLIER, text.replace('path = "office/people.ledger"\n', "")):
        recipe.write_text(wrong, encoding="utf-8")
        with pytest.raises(RecipeError, match="must name one ledger"):
            read_recipe(recipe)
    recipe.write_text(text.replace("k = 3\nl = 2", "kk = 3"), encoding="utf-8")
    with pytest.raises(RecipeError, match="kk"):
        read_recipe(recipe)


def test_the_recipe_alone_keeps_the_ledger_and_shuffles_beside_its_releases(recipe: Path) -> None:
    first, node = read_recipe(recipe), "1,5,0,3,2"
    assert (first.transformation.shuffle, earlier_releases(first)) == (False, 0)
    assert (
        main(["anonymize", str(recipe), "--out", str(recipe.parent / "a.csv"), "--node", node, "--quiet"])
        == 0
    )
    second = read_recipe(recipe)
    assert (second.transformation.shuffle, earlier_releases(second)) == (True, 1)
    assert apply_recipe(recipe, CLINIC / "clinic.csv")[0].transformation.shuffle
    text = recipe.read_text(encoding="utf-8")
    ordered = text.replace("[transformation]", "[transformation]\nshuffle = false")
    recipe.write_text(ordered, encoding="utf-8")
    assert not read_recipe(recipe).transformation.shuffle
    (recipe.parent / "office" / "people.ledger.key").unlink()
    with pytest.raises(InputError, match="cannot be read"):
        earlier_releases(replace(first, requirement=second.requirement))
    assert earlier_releases(replace(first, requirement=replace(first.requirement, earlier=None))) == 0
    gone = Earlier(str(recipe.parent / "office" / "other.ledger"))
    assert earlier_releases(replace(first, requirement=replace(first.requirement, earlier=gone))) == 0
