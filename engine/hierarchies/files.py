"""Hierarchy files: one line per value, a label for each level; read, checked and written.

Names of levels stand in a first line that begins with `level names`. Its last field is the top label, so a
program that knows no names reads one more value, and the lines remain a tree.
"""

from __future__ import annotations

import io
from pathlib import Path

from engine.errors import HierarchyError, TableError
from engine.files import atomic_write
from engine.hierarchies.hierarchy import Hierarchy
from engine.table import dialect
from engine.table.long_records import refuse_long_records
from engine.table.options import ReadOptions
from engine.table.sources import load
from engine.table.writing import write_records
from engine.words import N_, _

Line = tuple[int, list[str]]  # its number, its fields

NAMES = "level names"  # not translated: files are read in every language
NEEDS_LINES = N_(
    "A hierarchy needs one line per value: the value, then a label for each level; or a builder."
)


def read_hierarchy(
    path: Path | str, *, delimiter: str | None = None, encoding: str | None = None
) -> Hierarchy:
    """Read a table of values and labels, whose first line may name the levels.

    Parameters
    ----------
    path : Path or str
    delimiter : str, optional
        Detected if absent, a semicolon in doubt.
    encoding : str, optional
        Detected if absent: a byte order mark or valid UTF-8.

    Raises
    ------
    HierarchyError
        The file cannot be read or is not a tree; names file, line, column and both values of what is wrong
        first, and has all of it in its context as `problems`.
    """
    path = Path(path)
    names, lines = split_names(read_lines(path, delimiter=delimiter, encoding=encoding))
    hierarchy = Hierarchy.from_rows(
        [row for _unused, row in lines], source=path.name, line_numbers=[number for number, _unused in lines]
    )
    return hierarchy.with_level_names(names)


def split_names(lines: list[Line]) -> tuple[list[str], list[Line]]:
    """Return the names of levels 1, 2, ... that the first line has, if any, and the other lines."""
    if len(lines) > 1 and lines[0][1][0] == NAMES:
        return lines[0][1][1:], lines[1:]
    return [], lines


def read_lines(path: Path, *, delimiter: str | None = None, encoding: str | None = None) -> list[Line]:
    """Read the lines of a hierarchy file, each with its number, as they are.

    Raises
    ------
    HierarchyError
        The file cannot be read, or is empty.
    """
    try:
        refuse_long_records(path, ReadOptions(encoding=encoding, delimiter=delimiter))
        source = load(path, encoding)
        separator = delimiter or dialect.detect_delimiter(dialect.sample(source.data)) or ";"
        return list(dialect.records(source.data.decode("utf-8"), separator, path.name))
    except TableError as error:
        hint = _(NEEDS_LINES) if error.context.get("is_empty") else error.hint
        raise HierarchyError(error.problem, hint=hint, **error.context) from error


def write_hierarchy(hierarchy: Hierarchy, path: Path | str, delimiter: str = ";") -> None:
    """Write a hierarchy as `read_hierarchy` reads it; the target is replaced only when all is on disk.

    Quotation marks are written only where needed, also where a reader that detects the delimiter would
    take another one, as for the values 1,5 and 2,5 alone in their lines. Names that a builder proposed are
    written like those of the user, because the file does not name the builder.
    """
    columns = [(level.labels, level.codes) for level in hierarchy.levels]
    head, text = _names_line(hierarchy), io.BytesIO()
    write_records(text, head, columns, delimiter)
    if (dialect.detect_delimiter(dialect.sample(text.getvalue())) or delimiter) != delimiter:
        text = io.BytesIO()
        write_records(text, head, columns, delimiter, unsafe="".join(dialect.DELIMITERS))
    with atomic_write(path) as file:
        file.write(text.getvalue())


def _names_line(hierarchy: Hierarchy) -> tuple[str, ...]:
    """Return the line of names; empty without names, unless a value could be mistaken for it."""
    names = [level.name or level.proposed for level in hierarchy.levels[1:]]
    if not any(names) and hierarchy.values[:1] != (NAMES,):
        return ()
    return (NAMES, *names[:-1], names[-1] or hierarchy.top_label or "") if names else (NAMES,)
