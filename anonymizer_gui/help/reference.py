"""Reference pages made of declarations: all commands, and all keys of a recipe."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from engine.cli.usage import USAGE
from engine.params import LARGEST
from engine.project.recipe.data import value_text
from engine.project.recipe.schema import recipe_schema
from engine.project.recipe.section import KEYS
from engine.words import N_, _

_KINDS = {
    "string": N_("a text"),
    "boolean": N_("true or false"),
    "integer": N_("a whole number"),
    "number": N_("a number"),
    "array": N_("a list"),
    "object": N_("a table of keys"),
}


def commands_page() -> str:
    """Return the page of all commands in Markdown, each as its own help says."""
    pages = json.loads(USAGE.read_text(encoding="utf-8"))
    sections = (f"## anonymizer {command}\n\n```text\n{page}```" for command, page in pages.items())
    about = _("Every command with what it says when --help follows its name. Commands are in English.")
    return "\n\n".join(["# " + _("Commands"), about, *sections])


def recipe_page() -> str:
    """Return the page of all tables and keys of a recipe in Markdown."""
    schema = recipe_schema()
    parts = [
        "# " + _("Keys of a recipe"),
        _("Every table of a recipe with its keys, and the keys of every member that it may name."),
    ]
    for table in KEYS[""]:
        parts += [f"## {table}", *_described(schema["properties"][table], schema["definitions"])]
    return "\n\n".join(parts)


def _described(own: dict[str, Any], definitions: dict[str, Any]) -> Iterator[str]:
    """Yield the paragraphs of a table: its keys, those of every member that it may name, or its kind."""
    inner = own.get("items") or own.get("additionalProperties") or own
    forms = [form for form in inner.get("oneOf", ()) if "$ref" in form or "properties" in form]
    for form in forms:
        member = definitions[form["$ref"].rpartition("/")[2]] if "$ref" in form else form
        if "$ref" in form:
            yield "### " + form["$ref"].rpartition(".")[2]
            yield member.get("description", member["title"])
        yield from _keys(member)
    if not forms:
        yield from _keys(inner)


def _keys(table: dict[str, Any]) -> Iterator[str]:
    if "properties" in table:
        yield "\n".join(_line(key, own) for key, own in table["properties"].items())
    else:
        yield _values(table)


def _line(key: str, own: dict[str, Any]) -> str:
    said = own.get("description") or own.get("title", "")
    facts = [_values(own)]
    if own.get("default") not in (None, "", [], {}):
        facts.append(_("default {value}").format(value=f"`{value_text(own['default'])}`"))
    return f"- `{key}` ({', '.join(facts)})" + (f": {said}" if said else "")


def _values(own: dict[str, Any]) -> str:
    """Return the values that a key may have, in words."""
    if "const" in own or "enum" in own:
        return ", ".join(f"`{value_text(value)}`" for value in own.get("enum", [own.get("const")]))
    kind = own.get("type", "string" if "anyOf" in own else "object")
    if kind in ("integer", "number") and {"minimum", "maximum"} <= own.keys():
        bounds = {"minimum": own["minimum"], "maximum": own["maximum"]}
        if kind == "integer" and bounds == {"minimum": 0, "maximum": LARGEST}:
            return _("a whole number of at least 0")
        if own["minimum"] == own["maximum"]:
            return f"`{own['minimum']}`"
        if kind == "integer":
            return _("a whole number from {minimum} to {maximum}").format(**bounds)
        return _("a number from {minimum:g} to {maximum:g}").format(**bounds)
    return _(_KINDS[kind])
