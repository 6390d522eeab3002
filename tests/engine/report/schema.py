"""A check of values against the few words of JSON Schema that the schemas of reports and commands use."""

from __future__ import annotations

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


def follows(
    value: Any, schema: dict[str, Any], root: dict[str, Any] | None = None, path: str = "$"
) -> list[str]:
    """What is wrong with a value, each with its place; nothing where it follows the schema."""
    root = root or schema
    if "$ref" in schema:
        return follows(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, path)
    if "oneOf" in schema:
        fitting = [option for option in schema["oneOf"] if not follows(value, option, root, path)]
        return [] if len(fitting) == 1 else [f"{path} fits {len(fitting)} of the forms"]
    problems = []
    if "const" in schema and value != schema["const"]:
        problems.append(f"{path} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        problems.append(f"{path} is none of {schema['enum']}")
    if "type" in schema and not _is_of(value, schema["type"]):
        return [*problems, f"{path} is no {schema['type']}"]
    if isinstance(value, dict):
        known = schema.get("properties", {})
        problems += [f"{path} lacks {name}" for name in schema.get("required", ()) if name not in value]
        for name, entry in value.items():
            if name in known:
                problems += follows(entry, known[name], root, f"{path}.{name}")
            elif (others := schema.get("additionalProperties", True)) is False:
                problems.append(f"{path} has {name}, which is not known")
            elif others is not True:
                problems += follows(entry, others, root, f"{path}.{name}")
    if isinstance(value, list) and "items" in schema:
        for i, entry in enumerate(value):
            problems += follows(entry, schema["items"], root, f"{path}[{i}]")
    return problems


def _is_of(value: Any, types: str | list[str]) -> bool:
    names = [types] if isinstance(types, str) else types
    kinds = tuple(kind for name in names for kind in _TYPES[name])
    return isinstance(value, kinds) and (not isinstance(value, bool) or "boolean" in names)
