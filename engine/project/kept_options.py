"""How the table of a project was read, as a project file keeps it for reading that table again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.table.reading import RAGGED, ReadOptions, Replacement, TakenColumn

_USUAL = ReadOptions()


def options_to_json(options: ReadOptions) -> dict[str, Any]:
    """Return what a recipe does not say of a table that lies in the project file; usual values left out."""
    values: dict[str, Any] = {
        "sheet": options.sheet,
        "quote": options.quote,
        "comment": options.comment,
        "skip_lines": options.skip_lines,
        "thousands": options.thousands,
        "ragged": options.ragged,
    }
    kept = {key: value for key, value in values.items() if value != getattr(_USUAL, key)}
    if options.take:
        kept["columns"] = [[column.source, column.name] for column in options.take]
    if options.column_missing:
        kept["column_missing"] = {name: list(tokens) for name, tokens in options.column_missing.items()}
    if options.replacements:
        kept["replace"] = [[r.column, r.old, r.new] for r in options.replacements]
    return kept


def options_from_json(options: ReadOptions, values: Any) -> ReadOptions:
    """Return the options with what was kept; what is no such value is passed over.

    They serve for reading the file again only, which shows and asks before it changes anything.
    """
    if not isinstance(values, dict):
        return options
    kinds = {"sheet": str, "quote": str, "comment": str, "thousands": str}
    kept: dict[str, Any] = {k: values[k] for k, kind in kinds.items() if isinstance(values.get(k), kind)}
    skip, ragged = values.get("skip_lines"), values.get("ragged")
    if type(skip) is int and skip >= 0:
        kept["skip_lines"] = skip
    if ragged in RAGGED:
        kept["ragged"] = ragged
    columns, replaced = _rows(values.get("columns"), 2), _rows(values.get("replace"), 3)
    if columns and all(type(s) in (int, str) and isinstance(n, str) for s, n in columns):
        kept["take"] = tuple(TakenColumn(source, name) for source, name in columns)
    if replaced and all(_are_texts(c, o) and (n is None or isinstance(n, str)) for c, o, n in replaced):
        kept["replacements"] = tuple(Replacement(*row) for row in replaced)
    missing = values.get("column_missing")
    if isinstance(missing, dict) and all(isinstance(t, list) and _are_texts(*t) for t in missing.values()):
        kept["column_missing"] = {name: tuple(tokens) for name, tokens in missing.items()}
    return replace(options, **kept)


def _rows(value: Any, length: int) -> list[list[Any]]:
    """A list of lists of one length, else an empty one."""
    rows = value if isinstance(value, list) else []
    return rows if all(isinstance(row, list) and len(row) == length for row in rows) else []


def _are_texts(*values: Any) -> bool:
    return all(isinstance(value, str) for value in values)
