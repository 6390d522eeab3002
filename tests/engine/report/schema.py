"""A check of values against the few words of JSON Schema that the schemas of reports and commands use."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_LIMITS: dict[str, tuple[Any, Callable[[Any, Any], bool]]] = {
    "minimum": ((int, float), operator.ge),
    "maximum": ((int, float), operator.le),
    "exclusiveMinimum": ((int, float), operator.gt),
    "minLength": (str, lambda text, n: len(text) >= n),
    "maxLength": (str, lambda text, n: len(text) <= n),
    "pattern": (str, lambda text, pattern: re.search(pattern, text) is not None),
    "minItems": (list, lambda items, n: len(items) >= n),
    "maxItems": (list, lambda items, n: len(items) <= n),
    "uniqueItems": (list, lambda items, _is_asked: len(set(map(str, items))) == len(items)),
    "minProperties": (dict, lambda table, n: len(table) >= n),
    "maxProperties": (dict, lambda table, n: len(table) <= n),
}
_WORDS = {
    *("$schema", "$defs", "definitions", "$ref", "title", "description", "default"),
    *("oneOf", "anyOf", "allOf", "const", "enum", "type", "items"),
    *("properties", "required", "additionalProperties", "dependencies"),
    *_LIMITS,
}  # fmt: skip


def follows(
    value: Any, schema: dict[str, Any], root: dict[str, Any] | None = None, path: str = "$"
) -> list[str]:
    """What is wrong with a value, each with its place; nothing where it follows the schema."""
    root = root or schema
    unknown = set(schema) - _WORDS
    assert not unknown, f"no check of {unknown}"
    if "$ref" in schema:
        family, name = schema["$ref"].removeprefix("#/").split("/")
        return follows(value, root[family][name], root, path)
    problems = []
    for word, most in (("oneOf", 1), ("anyOf", len(schema.get("anyOf", ())))):
        if word in schema:
            fitting = [option for option in schema[word] if not follows(value, option, root, path)]
            if not 1 <= len(fitting) <= most:
                problems.append(f"{path} fits {len(fitting)} of the forms")
    for part in schema.get("allOf", ()):
        problems += follows(value, part, root, path)
    if "const" in schema and value != schema["const"]:
        problems.append(f"{path} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        problems.append(f"{path} is none of {schema['enum']}")
    if "type" in schema and not _is_of(value, schema["type"]):
        return [*problems, f"{path} is no {schema['type']}"]
    problems += [
        f"{path} is out of {word}"
        for word in _LIMITS
        if word in schema
        and isinstance(value, _LIMITS[word][0])
        and not _LIMITS[word][1](value, schema[word])
    ]
    if isinstance(value, dict):
        problems += _of_table(value, schema, root, path)
    if isinstance(value, list) and "items" in schema:
        for i, entry in enumerate(value):
            problems += follows(entry, schema["items"], root, f"{path}[{i}]")
    return problems


def _of_table(value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], path: str) -> list[str]:
    known = schema.get("properties", {})
    problems = [f"{path} lacks {name}" for name in schema.get("required", ()) if name not in value]
    for name, entry in value.items():
        if name in known:
            problems += follows(entry, known[name], root, f"{path}.{name}")
        elif (others := schema.get("additionalProperties", True)) is False:
            problems.append(f"{path} has {name}, which is not known")
        elif others is not True:
            problems += follows(entry, others, root, f"{path}.{name}")
    for name, needed in schema.get("dependencies", {}).items():
        problems += follows(value, needed, root, path) if name in value else []
    return problems


def _is_of(value: Any, types: str | list[str]) -> bool:
    names = [types] if isinstance(types, str) else types
    kinds = tuple(kind for name in names for kind in _TYPES[name])
    return isinstance(value, kinds) and (not isinstance(value, bool) or "boolean" in names)
