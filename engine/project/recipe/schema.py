"""JSON Schema of recipes, derived from the declarations that read them.

Draft 7, which the TOML extensions of editors understand.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, get_args, get_type_hints

from engine.hierarchies.builders.base import builders
from engine.params import (
    LARGEST,
    Choice,
    Choices,
    ColumnRef,
    ColumnRefs,
    Entries,
    FilePath,
    Flag,
    Integer,
    Integers,
    MemberKey,
    Param,
    Real,
    Reals,
    Text,
    Texts,
    default_of,
    describe,
    stored_in,
)
from engine.privacy import Requirement
from engine.privacy.base import privacy_models
from engine.privacy.earlier import Earlier
from engine.project.answers import Answers
from engine.project.attack_settings import AttackSettings
from engine.project.deciding import OTHERS
from engine.project.project import SearchSettings
from engine.project.recipe.reading import MODEL_TABLES, OF_SEARCH, WAYS
from engine.project.recipe.section import BESIDE, BESIDE_BUILDERS, FORMAT, IN_RECIPE, KEYS
from engine.project.statement import StatementAnswers
from engine.recoding import Transformation, recoding_methods
from engine.recoding.aggregation import aggregate_functions
from engine.recoding.rules import column_rules
from engine.records import Kind, Role
from engine.records.options import ExportOptions, ReadOptions
from engine.registry import Registry
from engine.structured_params import Groups, NumbersByColumn, TextsByColumn, Tree
from engine.utility import utility_metrics

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_PATH: Schema = {"type": "string", "minLength": 1}
_PAIR: Schema = {"type": "array", "minItems": 2, "maxItems": 2}
_PLAIN: Mapping[Any, Schema] = {str: _TEXT, int: {"type": "integer"}}


def schema_of(setting: Param) -> Schema:
    """Return the schema of the values that a setting accepts in files."""
    form = next(FORMS[kind] for kind in type(setting).__mro__ if kind in FORMS)
    return form(setting)


def _listed(items: Schema, **limits: Any) -> Schema:
    return {"type": "array", "items": items, **limits}


def _real(setting: Real) -> Schema:
    bounds = {"minimum": setting.minimum, "maximum": setting.maximum}
    return {"type": "number", **{word: bound for word, bound in bounds.items() if math.isfinite(bound)}}


def _text(setting: Text) -> Schema:
    found = dict(_TEXT)
    if setting.refused:
        found["pattern"] = f"^[^{re.escape(setting.refused)}]*$"
    if not setting.length:
        return found
    exact = {**found, "minLength": setting.length, "maxLength": setting.length}
    return {"anyOf": [exact, {"const": "\\t"}]} if setting.length == 1 else exact


def _keys(setting: Choice | Choices) -> Schema:
    return {"enum": [key for key, _unused in setting.options]}


def _entries(setting: Entries) -> Schema:
    hints = get_type_hints(setting.kind)
    fields = dataclasses.fields(setting.kind)
    properties = {field.name: _of_type(hints[field.name]) for field in fields}
    needed = [field.name for field in fields if field.default is dataclasses.MISSING]
    row = {"type": "array", "minItems": len(needed), "maxItems": len(fields)}
    return _listed({"anyOf": [_table(properties), row]})


def _of_type(hint: Any) -> Schema:
    forms = [_PLAIN[kind] for kind in get_args(hint) or (hint,) if kind in _PLAIN]
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


FORMS: Mapping[type, Callable[[Any], Schema]] = {
    Param: lambda _setting: {},
    Integer: lambda setting: _count(setting.minimum) | {"maximum": setting.maximum},
    Real: _real,
    Flag: lambda _setting: {"type": "boolean"},
    Text: _text,
    Choice: _keys,
    Choices: lambda setting: _listed(_keys(setting), minItems=1, uniqueItems=True),
    MemberKey: lambda setting: {"enum": list(setting.members)},
    ColumnRef: lambda _setting: _TEXT,
    ColumnRefs: lambda _setting: _TEXTS,
    Texts: lambda _setting: _TEXTS,
    FilePath: lambda _setting: {"type": "string", "pattern": r"\S"},
    Integers: lambda setting: _listed(schema_of(Integer(minimum=setting.minimum)), maxItems=setting.most),
    Reals: lambda _setting: _listed({"type": "number"}),
    Entries: _entries,
    TextsByColumn: lambda _setting: _tables(_TEXTS),
    NumbersByColumn: lambda setting: _tables({"type": "number", "minimum": 0, "maximum": setting.maximum}),
    Groups: lambda _setting: _listed({"anyOf": [_tables({"type": "array"}), _listed(_PAIR)]}),
    Tree: lambda _setting: {"$ref": "#/definitions/tree"},
}


def _nested_groups() -> Iterable[tuple[str, Schema]]:
    """Yield the definitions of nested groups, which refer to each other."""
    tables = _tables({"$ref": "#/definitions/group"})
    value = {"type": ["string", "integer"]}
    values = _listed({"anyOf": [value, tables, _PAIR]})
    yield "tree", {"anyOf": [tables, {**values, "minItems": 1}]}
    yield "group", {"anyOf": [{**tables, "minProperties": 1}, {**values, "minItems": 1}]}


def recipe_schema() -> Schema:
    """Return the schema of recipes; it refuses every key that the reader refuses."""
    sums = utility_metrics[OF_SEARCH]
    tables = {
        "format": {"type": "integer", "minimum": 1, "maximum": FORMAT},
        "plugins": _tables(_TEXT),
        "data": _settings(ReadOptions, required=["path"], path=_PATH, types=_tables(_type())),
        "roles": _roles(),
        "hierarchies": _tables(_hierarchy()),
        "privacy": _listed(_one_of("privacy")),
        "sensitive": _table({"others_as_qi": {"type": "boolean"}}),
        "questionnaire": _settings(Answers),
        "population": _ways(
            "population", {"sampling_fraction": _FRACTION, "size": {**_count(1), "maximum": LARGEST}}
        ),
        "subset": _ways("subset", {"filter": _TEXT, "fraction": _FRACTION, "seed": _count(0)})
        | {"dependencies": {"seed": {"anyOf": [{"required": ["fraction"]}, {"required": ["size"]}]}}},
        "earlier": {"type": "array", "maxItems": 1, "items": _settings(Earlier, required=["path"])},
        "transformation": _settings(Requirement, Transformation),
        "release": _settings(ExportOptions),
        "identifiers": _tables(_one_of("rule")),
        "rules": _tables(_one_of("rule")),
        "search": _settings(SearchSettings, **{OF_SEARCH: _table(_declared(sums, describe(sums)))}),
        "recoding": {"oneOf": [_table({"method": {"const": "none"}}), *_one_of("method")["oneOf"]]},
        "microaggregation": _tables(_one_of("function")),
        "attack_test": _settings(AttackSettings),
        "statement": _settings(StatementAnswers),
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Recipe of Anonymizer",
        **_table({key: tables[key] for key in KEYS[""]} | dict(_earlier_tables())),
        "definitions": {**dict(_definitions()), **dict(_nested_groups())},
    }


_FAMILIES: Mapping[str, tuple[Registry[Any], str]] = {
    "privacy": (privacy_models, "model"),
    "builder": (builders, "builder"),
    "rule": (column_rules, "rule"),
    "method": (recoding_methods, "method"),
    "function": (aggregate_functions, "function"),
}
_FRACTION: Schema = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}


def _definitions() -> Iterable[tuple[str, Schema]]:
    for family, (registry, word) in _FAMILIES.items():
        beside = _beside_builders() if registry is builders else {}
        for key, kind in registry.items():
            properties = {word: {"const": key}, **_declared(kind, describe(kind)), **beside}
            needed = [d.name for d in describe(kind) if isinstance(d, ColumnRef) and not d.may_be_empty]
            required = [word, *(needed if registry is privacy_models else ())]
            yield f"{family}.{key}", {**_said(kind), **_table(properties, required)}


def _one_of(family: str) -> Schema:
    return {"oneOf": [{"$ref": f"#/definitions/{family}.{key}"} for key in _FAMILIES[family][0]]}


def _table(properties: Mapping[str, Any], required: Iterable[str] = ()) -> Schema:
    found: Schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return found | ({"required": list(required)} if required else {})


def _tables(entry: Schema) -> Schema:
    """Return the schema of a table whose keys are columns or other names."""
    return {"type": "object", "additionalProperties": entry}


def _count(least: int) -> Schema:
    return {"type": "integer", "minimum": least}


def _said(kind: type[Any]) -> Schema:
    texts = {"title": kind.title, "description": getattr(kind, "summary", "") or getattr(kind, "meaning", "")}
    return {word: str(text) for word, text in texts.items() if text}


def _declared(kind: type[Any], settings: Iterable[Param], *, is_stored: bool = False) -> dict[str, Schema]:
    """Return the schemas of settings by their key in files, each with its help and default."""
    found = {}
    for setting in settings:
        texts = {"title": str(setting.label), "description": str(setting.help)}
        own = {**{word: text for word, text in texts.items() if text}, **schema_of(setting)}
        usual = default_of(kind, setting.name)
        if usual is not None and usual is not dataclasses.MISSING:
            own["default"] = _json(setting.plain(usual))
        found[setting.stored if is_stored else setting.name] = own
    return found


def _json(value: Any) -> Any:
    return [_json(entry) for entry in value] if isinstance(value, tuple | list) else value


def _settings(*kinds: type[Any], required: Iterable[str] = (), **beside: Schema) -> Schema:
    """Return the schema of a table of settings, with further keys.

    The parameters of a member are next to its key, and only those of the chosen member are known.
    """
    properties = dict(beside)
    forms: dict[str, list[Schema]] = {}
    needs: dict[str, list[Schema]] = {}
    for kind in kinds:
        known = stored_in(kind, IN_RECIPE)
        properties |= _declared(kind, known, is_stored=True)
        for setting in known:
            if isinstance(setting, MemberKey):
                _add_parameters(setting, default_of(kind, setting.name), forms, needs)
    found = _table({**properties, **{name: _any_of(own) for name, own in forms.items()}}, required)
    return found | ({"dependencies": {name: _any_of(own) for name, own in needs.items()}} if needs else {})


def _add_parameters(
    setting: MemberKey, usual: Any, forms: dict[str, list[Schema]], needs: dict[str, list[Schema]]
) -> None:
    """Add the parameters of all members: their schemas, and the members that each of them needs."""
    named: dict[str, list[str]] = {}
    for key, kind in setting.members.items():
        for name, own in _declared(kind, describe(kind)).items():
            named.setdefault(name, []).append(key)
            forms.setdefault(name, []).append(own)
    for name, keys in named.items():
        need: Schema = {"properties": {setting.stored: {"enum": keys}}}
        needs.setdefault(name, []).append(need if usual in keys else need | {"required": [setting.stored]})


def _any_of(forms: list[Schema]) -> Schema:
    different = [form for i, form in enumerate(forms) if form not in forms[:i]]
    return different[0] if len(different) == 1 else {"anyOf": different}


def _type() -> Schema:
    own = {"type": {"enum": [kind.value for kind in Kind]}, "format": _TEXT}
    values = {**_TEXTS, "uniqueItems": True}
    ordered = {**own, "type": {"const": Kind.ORDERED.value}, "values": values}
    words = [kind.value for kind in Kind if kind is not Kind.ORDERED]
    other = {**own, "type": {"enum": words}, "values": {"maxItems": 0}}
    return {"oneOf": [{"enum": words}, _table(ordered, ["type", "values"]), _table(other, ["type"])]}


def _earlier_tables() -> Iterable[tuple[str, Schema]]:
    """Yield the tables that earlier recipes have in place of a model of [[privacy]]."""
    for table, (key, parameters) in MODEL_TABLES.items():
        kind = privacy_models[key]
        names = {name: word for word, name in parameters.items()}
        declared = _declared(kind, describe(kind))
        properties = {names.get(name, name): own for name, own in declared.items()}
        if "share" in declared:
            properties["beta"] = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}
        entry = {"title": f"[[privacy]] {key}", **_table(properties)}
        yield table, _listed(entry) if table == "attackers" else entry


def _roles() -> Schema:
    roles = {role.value.replace("-", "_"): _TEXTS for role in Role}
    return _table(
        {key: roles.get(key, {"enum": list(OTHERS)} if key == "others" else _TEXT) for key in KEYS["roles"]}
    )


def _beside_builders() -> dict[str, Schema]:
    return {key: _TEXTS if key == "level_names" else _count(0) for key in BESIDE_BUILDERS}


def _hierarchy() -> Schema:
    of_file = _table({"path": _PATH, **_beside_builders()}, ["path"])
    return {"oneOf": [{"title": "File", **of_file}, *_one_of("builder")["oneOf"]]}


def _ways(name: str, own: Mapping[str, Schema]) -> Schema:
    """Return the schema of [population] or [subset], which are empty or have exactly one way."""
    beside = {d.stored: schema_of(d) for d in describe(ReadOptions) if d.stored in BESIDE}
    known = {"path": _PATH, "size": _count(1), **own, **beside}
    ways = [{"required": [way]} for way in WAYS[name]]
    only = {"dependencies": {key: {"required": ["path"]} for key in BESIDE}}
    return {
        **_table({key: known[key] for key in KEYS[name]}),
        "oneOf": [{"maxProperties": 0}, *ways],
        "allOf": [only],
    }
