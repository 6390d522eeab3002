"""Hierarchy files: one line per value, a label for each level; read, checked and written."""

from __future__ import annotations

import io
from pathlib import Path

from engine.errors import HierarchyError, TableError
from engine.files import atomic_write
from engine.hierarchies.hierarchy import Hierarchy
from engine.records.table_files import load
from engine.records.text import dialect
from engine.records.text.writing import write_records
from engine.words import N_, _

NEEDS_LINES = N_(
    "A hierarchy needs one line per value: the value, then a label for each level; or a builder."
)


def read_hierarchy(
    path: Path | str, *, delimiter: str | None = None, encoding: str | None = None
) -> Hierarchy:
    """Read a table of values and labels without header.

    Parameters
    ----------
    delimiter : str, optional
        Detected if absent, a semicolon in doubt.
    encoding : str, optional
        Detected if absent: a byte order mark or valid UTF-8.

    Raises
    ------
    HierarchyError
        The file cannot be read or is not a tree; names file, line, column and both values of the first
        problem, and has all of them in its context as `problems`.
    """
    path = Path(path)
    lines = read_lines(path, delimiter=delimiter, encoding=encoding)
    return Hierarchy.from_rows(
        [row for _unused, row in lines], source=path.name, line_numbers=[number for number, _unused in lines]
    )


def read_lines(
    path: Path, *, delimiter: str | None = None, encoding: str | None = None
) -> list[tuple[int, list[str]]]:
    """Read the lines of a hierarchy file, each with its number, unchanged.

    Raises
    ------
    HierarchyError
        The file cannot be read, or is empty.
    """
    try:
        source = load(path, encoding)
        separator = delimiter or dialect.detect_delimiter(dialect.sample(source.data)) or ";"
        return list(dialect.records(source.data.decode("utf-8"), separator, path.name))
    except TableError as error:
        hint = _(NEEDS_LINES) if error.context.get("is_empty") else error.hint
        raise HierarchyError(error.problem, hint=hint, **error.context) from error


def write_hierarchy(hierarchy: Hierarchy, path: Path | str, delimiter: str = ";") -> None:
    """Write a hierarchy as `read_hierarchy` reads it; the target is replaced only when all is on disk.

    Quotation marks are written only where needed, also if a reader that detects the delimiter would
    take another one, as for the values 1,5 and 2,5 alone in their lines.
    """
    columns = [(level.labels, level.codes) for level in hierarchy.levels]
    text = io.BytesIO()
    write_records(text, (), columns, delimiter)
    if (dialect.detect_delimiter(dialect.sample(text.getvalue())) or delimiter) != delimiter:
        text = io.BytesIO()
        write_records(text, (), columns, delimiter, unsafe="".join(dialect.DELIMITERS))
    with atomic_write(path) as file:
        file.write(text.getvalue())
