"""The schema of recipes accepts what the reader accepts, and refuses keys and values that it refuses."""

from __future__ import annotations

import copy
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from engine import params, structured_params
from engine.errors import AnonymizerError
from engine.params import Param
from engine.project.recipe.files import read_recipe
from engine.project.recipe.schema import FORMS, recipe_schema
from engine.project.recipe.section import KEYS
from tests.engine.report.schema import follows

ROOT = Path(__file__).resolve().parents[3]
SAVED = ROOT / "tests" / "data" / "saved" / "recipes"
EXAMPLES = list((ROOT / "resources" / "examples").glob("*/recipe.toml"))
NEEDS_PLUGIN = "plugin"
SCHEMA = recipe_schema()
WRONG: tuple[Any, ...] = (-(10**12), True, "no such word", ["x", 3], {"no": "table"})
# Numbers that the reader compares with others of the recipe or of the table.
COMPARED = {"bases", "bottom", "maximum", "snap_bottom", "snap_top", "top", "source"}


def values_of(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every value in a recipe."""
    if place:
        yield place
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, entry in entries:
        yield from places(entry, (*place, key))


def at(values: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        values = values[key]
    return values


def kind_of(values: dict[str, Any], place: tuple[Any, ...]) -> str:
    """A place without names of columns, and with the member it is of, so that each kind is tried once."""
    within = at(values, place[:-1])
    members = [
        within[word]
        for word in ("model", "builder", "rule", "method", "function", "metric", "algorithm")
        if isinstance(within, dict) and word in within
    ]
    named = [str(key) for i, key in enumerate(place) if isinstance(key, str) and (i != 1 or len(place) == 2)]
    return f"{named} {members}"


def changed(values: dict[str, Any], place: tuple[Any, ...]) -> Iterator[dict[str, Any]]:
    """The recipe with a wrong value at a place, or with an unknown key in the table there."""
    for value in (
        *WRONG,
        *([{**at(values, place), "unknown_key": 1}] if isinstance(at(values, place), dict) else ()),
    ):
        found = copy.deepcopy(values)
        at(found, place[:-1])[place[-1]] = value
        yield found


def is_read(values: dict[str, Any], path: Path) -> bool:
    try:
        path.write_text(tomli_w.dumps(values), encoding="utf-8")
        read_recipe(path)
    except (AnonymizerError, ValueError):  # TOML has no number as large
        return False
    return True


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(SAVED, tmp_path_factory.mktemp("saved") / "recipes"))


def test_every_shipped_recipe_follows_the_schema() -> None:
    recipes = [*SAVED.glob("*.toml"), *SAVED.parent.glob("projects/*.toml"), *EXAMPLES]
    assert len(recipes) > 110
    for path in recipes:
        if path.parent.name != NEEDS_PLUGIN:
            assert follows(values_of(path), SCHEMA) == [], path.name


def test_members_of_a_plugin_that_is_not_installed_are_not_in_the_schema() -> None:
    (path,) = (path for path in EXAMPLES if path.parent.name == NEEDS_PLUGIN)
    assert follows(values_of(path), SCHEMA)


def test_the_schema_refuses_what_the_reader_refuses_and_nothing_else(folder: Path) -> None:
    """A wrong value or an unknown key at every kind of place; names of columns and files need the table."""
    seen, missed, n_refused = set(), set(), 0
    for path in sorted(SAVED.glob("*.toml")):
        values = values_of(path)
        for place in places(values):
            if (kind := kind_of(values, place)) in seen:
                continue
            seen.add(kind)
            for recipe in changed(values, place):
                problems = follows(recipe, SCHEMA)
                n_refused += bool(problems)
                if is_read(recipe, folder / "changed.toml"):
                    assert not problems, (path.name, place)
                elif not problems and not isinstance(at(recipe, place), str):
                    missed.add(next(key for key in reversed(place) if isinstance(key, str)))
    assert len(seen) > 200
    assert n_refused > 800
    assert missed == COMPARED | {"weights"}  # which has the names of columns


@pytest.mark.parametrize("table", KEYS[""][1:])
def test_every_table_refuses_unknown_keys_and_other_kinds(table: str) -> None:
    minimal = {"data": {"path": "people.csv"}}
    assert follows(minimal, SCHEMA) == []
    assert follows({**minimal, table: 3}, SCHEMA)
    if table != "plugins":
        own = minimal.get(table, {})
        wrong = [{"unknown_key": 1}] if table in ("privacy", "earlier") else {**own, "unknown_key": 1}
        assert follows({**minimal, table: wrong}, SCHEMA)


@pytest.mark.parametrize("module", [params, structured_params])
def test_every_kind_of_setting_has_a_schema(module: Any) -> None:
    kinds = [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Param)]
    assert len(kinds) >= 5
    for kind in kinds:
        assert kind is Param or next(known for known in kind.__mro__ if known in FORMS) is not Param, kind
