"""`anonymizer schema`: the JSON Schema of recipes, and of the JSON that commands print."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from engine.cli.console import Format, show
from engine.cli.names import COMMANDS
from engine.errors import InputError, nearest
from engine.shipped import resources_path

RECIPE, REPORT = "recipe", "report"


def schema(
    what: Annotated[str, typer.Argument(metavar="WHAT", help="recipe, or the name of a command.")],
) -> None:
    """Print the JSON Schema of recipes, or of the JSON that a command prints.

    For example: anonymizer schema recipe > recipe.schema.json. An editor with a TOML extension completes and
    checks a recipe whose first line is #:schema ./recipe.schema.json.
    """
    show(_schema(what), (), Format.JSON, quiet=False, titles=())


def _schema(what: str) -> dict[str, Any]:
    if what == RECIPE:
        from engine.project.recipe.schema import recipe_schema  # loads all families

        return recipe_schema()
    if what == REPORT:
        return _shipped(REPORT)
    return of_command(what)


def of_command(name: str) -> dict[str, Any]:
    """Return the schema of a command's JSON, with the definitions that it refers to.

    Raises
    ------
    InputError
        There is no such command, or it prints no JSON.
    """
    shipped = _shipped("commands")
    definitions = shipped["$defs"]
    if name not in COMMANDS or name not in definitions:
        known = [RECIPE, REPORT, *(command for command in COMMANDS if command in definitions)]
        raise InputError(f"There is no schema of '{name}'.", hint=nearest(name, known))
    needed: dict[str, Any] = {}
    waiting = list(_referred(definitions[name]))
    while waiting:
        other = waiting.pop()
        if other not in needed:
            needed[other] = definitions[other]
            waiting += _referred(definitions[other])
    return {
        "$schema": shipped["$schema"],
        "title": f"Output of anonymizer {name} --format json",
        **definitions[name],
        "$defs": {other: needed[other] for other in definitions if other in needed},
    }


def _referred(value: Any) -> Iterator[str]:
    """Yield the names of the definitions that a part of a schema refers to."""
    for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
        if key == "$ref":
            yield entry.rpartition("/")[2]
        elif isinstance(entry, dict | list):
            yield from _referred(entry)


def _shipped(name: str) -> dict[str, Any]:
    path = resources_path() / "help" / f"{name}.schema.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
