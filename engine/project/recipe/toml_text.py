"""Tables and values as TOML, every value on one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tomli_w


def table_text(title: str, values: Mapping[str, Any]) -> str:
    """A titled table; absent values (None) are left out."""
    lines = [f"{key} = {value_text(value)}" for key, value in values.items() if value is not None]
    return "\n".join([title, *lines])


def table_blocks(title: str, values: Mapping[str, Any]) -> list[str]:
    """A titled table, then the tables and lists of tables in it, each with a title of its own."""
    inner = {key: value for key, value in values.items() if _is_table(value)}
    blocks = [table_text(f"[{title}]", {key: v for key, v in values.items() if key not in inner})]
    for key, value in inner.items():
        if isinstance(value, Mapping):
            lines = [f"{quoted(name)} = {value_text(entry)}" for name, entry in value.items()]
            blocks.append("\n".join([f"[{title}.{key}]", *lines]))
        else:
            blocks += [table_text(f"[[{title}.{key}]]", entry) for entry in value]
    return blocks


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)
    )


def value_text(value: Any) -> str:
    """A value on one line, which tomli-w writes so for plain values only."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(value_text, value)) + "]"
    if isinstance(value, Mapping):
        pairs = (
            f"{key if key.isidentifier() and key.isascii() else quoted(key)} = {value_text(v)}"
            for key, v in value.items()
        )
        return "{" + ", ".join(pairs) + "}"
    return tomli_w.dumps({"v": value})[len("v = ") : -1]


def quoted(name: str) -> str:
    """A name as it stands in a title, whatever characters it has."""
    return value_text(name)
