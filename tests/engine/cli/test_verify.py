"""`anonymizer verify`: what a broken release is caught by, and the exit codes of a gate."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from engine.cli import main
from tests.engine.cli.running import Command

COMMAND = "verify"
HOSPITAL = Path(__file__).resolve().parents[3] / "resources" / "examples" / "hospital"
Lines = list[str]


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """The recipe of the hospital example, in a folder of its own."""
    shutil.copytree(HOSPITAL, tmp_path / "hospital")
    return tmp_path / "hospital" / "recipe.toml"


def released(recipe: Path, name: str = "released.csv") -> Path:
    """A release of the recipe."""
    path = recipe.parent / name
    assert main(["anonymize", str(recipe), "--out", str(path), "--quiet"]) == 0
    return path


# What else is noticed, tests of the verification say.
BROKEN: dict[str, tuple[Callable[[Lines], Lines], str]] = {
    "a value below the level": (
        lambda lines: [lines[0], lines[1].replace("20-29", "29"), *lines[2:]],
        "the file has '29'",
    ),
    "a sensitive value": (
        lambda lines: [lines[0], lines[1].replace("Cancer", "Flu"), *lines[2:]],
        "column 'disease': the file has 'Flu', but the original has 'Cancer'",
    ),
    "nothing": (lambda lines: [], "is empty"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_release_ends_with_1_and_says_why(recipe: Path, run: Command, name: str) -> None:
    path = released(recipe)
    change, words = BROKEN[name]
    lines = change(path.read_text(encoding="utf-8").splitlines())
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    code, printed, errors = run(path, "--recipe", recipe, "--quiet")
    assert (code, printed) == (1, "")
    assert "does not keep what 'recipe.toml' promises" in errors
    assert words in errors


def test_a_release_is_verified_in_the_format_of_its_name(recipe: Path, run: Command) -> None:
    found = run.json(released(recipe, "released.xlsx"), "--recipe", recipe)
    assert found["verified"] is True
    assert found["problems"] == []
    assert (found["records"], found["kept"], found["k"]) == (13, 13, 3)
    assert found["l"] == {"religion": 2, "disease": 3}


def test_a_release_in_parts_is_verified_as_one(recipe: Path, run: Command) -> None:
    folder = recipe.parent / "parts"
    assert main(["anonymize", str(recipe), "--out", f"{folder}/", "--quiet"]) == 0
    assert run.json(folder, "--recipe", recipe)["kept"] == 13
    (part,) = folder.glob("*.csv")
    text = part.read_text(encoding="utf-8")
    part.write_text(text.replace("Cancer", "Flu", 1), encoding="utf-8")
    assert run(folder, "--recipe", recipe)[0] == 1


def test_a_recipe_that_asks_for_more_is_not_kept(recipe: Path, run: Command) -> None:
    path = released(recipe)
    recipe.write_text(recipe.read_text(encoding="utf-8").replace("k = 3", "k = 4"), encoding="utf-8")
    code, _printed, errors = run(path, "--recipe", recipe)
    assert code == 1
    assert "1 of 3 classes does not meet k-anonymity with k = 4" in errors


def test_a_release_above_the_suppression_limit_is_not_kept(recipe: Path, run: Command) -> None:
    text = recipe.read_text(encoding="utf-8")
    recipe.write_text(text.replace("limit = 0.1", "limit = 0.5").replace("k = 3", "k = 4"), encoding="utf-8")
    path = recipe.with_name("released.csv")
    assert main(["anonymize", str(recipe), "--out", str(path), "--node", "2,0,2", "--quiet"]) == 0
    n_stars = path.read_text(encoding="utf-8").count("*,*,*,*")
    assert n_stars > 1
    assert run.json(path, "--recipe", recipe)["suppressed"] == n_stars
    recipe.write_text(text.replace("k = 3", "k = 4"), encoding="utf-8")
    code, _printed, errors = run(path, "--recipe", recipe)
    assert code == 1
    assert f"Suppressed records: {n_stars}, above the limit of 1" in errors


@pytest.mark.parametrize(
    "section",
    [
        'suppressed_records = "remove"\nshuffle = true\n',
        '\n[recoding]\nmethod = "mondrian"\n',
        '\n[microaggregation."age"]\nfunction = "mean"\n',
        '\n[microaggregation."age"]\nfunction = "median"\ngrouping = true\n',
    ],
)
def test_every_kind_of_release_is_verified_without_its_node(recipe: Path, run: Command, section: str) -> None:
    text = (
        recipe.read_text(encoding="utf-8").replace("k = 3", "k = 4").replace("= 0.1\n", f"= 0.5\n{section}")
    )
    recipe.write_text(text, encoding="utf-8")
    path = released(recipe)
    assert run.json(path, "--recipe", recipe)["k"] >= 4
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines[:-2], lines[-1].replace(",", ",x", 1), ""]), encoding="utf-8")
    assert run(path, "--recipe", recipe)[0] == 1


def test_a_node_may_be_demanded(recipe: Path, run: Command) -> None:
    path = released(recipe)
    assert run(path, "--recipe", recipe, "--node", "2,0,2", "--quiet") == (0, "", "")
    assert run(path, "--recipe", recipe, "--node", "3,0,2", "--quiet")[0] == 1


def test_another_original_takes_the_place_of_the_recipes_table(
    recipe: Path, run: Command, tmp_path: Path
) -> None:
    path = released(recipe)
    moved = tmp_path / "moved.csv"
    (recipe.parent / "hospital.csv").rename(moved)
    code, _printed, errors = run(path, "--recipe", recipe)
    assert code == 2
    assert "Give the table that the file was released from with --original." in errors
    assert run(path, "--recipe", recipe, "--original", moved, "--quiet") == (0, "", "")
    text = moved.read_text(encoding="utf-8")
    moved.write_text(text.replace("Cancer", "TB", 1), encoding="utf-8")
    assert run(path, "--recipe", recipe, "--original", moved, "--quiet")[0] == 1


def test_a_release_that_does_not_exist_is_bad_input(recipe: Path, run: Command) -> None:
    code, _printed, errors = run(recipe.parent / "none.csv", "--recipe", recipe)
    assert (code, errors.count("does not exist")) == (2, 1)


def test_conditions_and_problems_are_listed_together(recipe: Path, run: Command) -> None:
    path = released(recipe)
    found = run.json(path, "--recipe", recipe, "--require", "k >= 3 and suppressed <= 5 %")
    assert found["required"] == [
        {"condition": "k >= 3 and suppressed <= 5 %", "met": True, "values": {"k": 3, "suppressed": 0}}
    ]
    text = path.read_text(encoding="utf-8").replace("Cancer", "Flu", 1)
    path.write_text(text, encoding="utf-8")
    code, _printed, errors = run(path, "--recipe", recipe, "--require", "k >= 30")
    assert code == 1
    assert "the original has 'Cancer'" in errors
    assert "k >= 30: k is 3" in errors


def test_a_workbook_with_the_originals_on_a_second_sheet_is_refused(recipe: Path, run: Command) -> None:
    path = released(recipe, "released.xlsx")
    book = openpyxl.load_workbook(path)
    sheet = book.create_sheet("raw")
    for line in (recipe.parent / "hospital.csv").read_text(encoding="utf-8").splitlines():
        sheet.append(line.split(","))
    sheet.sheet_state = "hidden"
    book.properties.lastModifiedBy = "Ann Example"
    book.save(path)
    code, printed, errors = run(path, "--recipe", recipe, "--format", "json")
    found = json.loads(printed)
    assert code == 1
    assert not found["verified"]
    assert "sheet 'raw' (hidden)" in errors
    (own,) = [own for own in found["besides"] if own["refused"]]
    assert (own["kind"], own["place"]) == ("sheet", "'raw' (hidden)")
    assert "Ramsha" in own["shown"]
    assert any("Ann Example" in words for words in found["notes"])
    assert main(["report", str(recipe), "--release", str(path), "--out", str(path.with_suffix(".html"))]) == 2
    del book["raw"]
    book.save(path)
    assert run(path, "--recipe", recipe, "--quiet")[0] == 0
