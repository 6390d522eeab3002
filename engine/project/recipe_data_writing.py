"""How the table of a project is read, as [data] of a recipe."""

from __future__ import annotations

from typing import Any

from engine.project.project import Project
from engine.project.toml_text import quoted, table_text, value_text
from engine.table import Column, DataType, Kind
from engine.table.reading import REFUSE


def data_blocks(project: Project, path: str, encoding: str | None) -> list[str]:
    """Return the tables of [data]; the text file that the program writes itself needs few of them."""
    options = project.options
    # Then the text file that the program writes is what is read.
    is_own = project.source is None and not project.is_in_database
    values: dict[str, Any] = {
        "path": path,
        "sheet": None if is_own else options.sheet,
        "delimiter": options.delimiter or ("," if is_own else None),
        "encoding": encoding,
        "decimal": options.decimal,
        "header": options.header is not False if is_own else options.header,
        "missing": list(options.missing),
        "trim": options.trim or None,
    }
    if is_own:
        return [table_text("[data]", values), _types(project), *_column_missing(project)]
    values |= {
        "quote": options.quote,
        "comment": options.comment or None,
        "skip_lines": options.skip_lines or None,
        "thousands": options.thousands or None,
        "ragged": options.ragged if options.ragged != REFUSE else None,
    }
    blocks = [table_text("[data]", values), _types(project), *_column_missing(project)]
    blocks += [table_text("[[data.columns]]", {"source": c.source, "name": c.name}) for c in options.take]
    blocks += [
        table_text("[[data.replace]]", {"column": r.column, "old": r.old, "new": r.new})
        for r in options.replacements
    ]
    return blocks


def _column_missing(project: Project) -> list[str]:
    tokens = project.options.column_missing
    lines = [f"{quoted(column)} = {value_text(list(texts))}" for column, texts in tokens.items()]
    return ["\n".join(["[data.column_missing]", *lines])] if lines else []


def _types(project: Project) -> str:
    mark = project.options.decimal or "."
    lines = [f"{quoted(c.name)} = {_type(c, mark)}" for c in project.table.columns]
    return "\n".join(["[data.types]", *lines])


def _type(column: Column, mark: str) -> str:
    data_type: DataType = column.data_type
    word = data_type.kind.value
    if data_type.kind is Kind.ORDERED:
        return value_text({"type": word, "values": list(data_type.values)})
    if data_type.kind is Kind.DECIMAL:
        own = data_type.format or "."
        return value_text(word if own == mark else {"type": word, "format": own})
    return value_text({"type": word, "format": data_type.format} if data_type.format else word)
