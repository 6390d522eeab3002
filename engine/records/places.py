"""Places of a table in files: a file, a folder of files, a pattern, or a list of files of one folder.

A list is a pattern too: `people/{2023,2024}.csv` names two files in this order.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote, unquote

from engine.errors import TableError
from engine.records.table_files import JSON_ENDINGS, PARQUET_ENDINGS, TEXT_ENDINGS, exists
from engine.words import _

LISTED = (*TEXT_ENDINGS, *PARQUET_ENDINGS, *JSON_ENDINGS)
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"  # of the program that began to name folders so
_MARK = re.compile(r"[\[\]{},*?]")  # characters of a name that mean something in a pattern
_PLAIN = re.compile(r"\[([\[\]{},*?])\]")  # one of them, meant as itself


def files_of(place: Path | str) -> tuple[Path, ...]:
    """Return the files of a path: the file itself, or those of a folder, a pattern or a list.

    They are in the order of their names by code point, or of their folders if these are named like region=N;
    listed ones are in the order of the list, whether they exist or not.

    Raises
    ------
    TableError
        There is none.
    """
    path = Path(place)
    if not is_several(place):
        return (path,)
    if exists(path):
        found = _by_name(p for p in path.iterdir() if p.name.lower().endswith(LISTED) and p.is_file())
        parts = () if found else path.glob("*=*/**/*")  # as in region=N/part-0.parquet
        found += sorted(p for p in parts if p.name.lower().endswith(PARQUET_ENDINGS) and p.is_file())
    else:
        found = [file for name in _alternatives(path.name) for file in _matches(path.parent, name)]
    if not found:
        raise TableError(
            _("'{path}' has no files of text, Parquet or JSON lines.").format(path=path.name),
            hint=_("Give the path of a file, of a folder of files, or a pattern such as people/*.parquet."),
            file=path.name,
        )
    return tuple(dict.fromkeys(found))


def has_column_folders(place: Path) -> bool:
    """Return whether a path is a folder of folders named like region=N."""
    return os.path.isdir(place) and any(path.is_dir() for path in place.glob("*=*"))


def folder_of(column: str, text: str) -> str:
    """Return the name of a folder of the records with a text in a column."""
    return f"{quote(column, safe='')}={quote(text, safe='') or _NO_VALUE}"


def cells_of_folders(place: Path | str, file: Path) -> dict[str, str | None]:
    """Return the cells that folders named like region=N give all records of a file in them, by column."""
    parts = file.relative_to(place).parent.parts if file.is_relative_to(place) else ()
    cells = (part.partition("=") for part in parts)
    return {unquote(name): None if text == _NO_VALUE else unquote(text) for name, _sign, text in cells}


def is_several(place: Path | str) -> bool:
    """Return whether a path names a folder, a pattern or a list instead of a file."""
    path = Path(place)
    return path.is_dir() if exists(path) else is_pattern(str(place))


def is_pattern(text: str) -> bool:
    """Return whether a text that names no file is a pattern or a list."""
    return glob.has_magic(text) or _list_in(Path(text).name) is not None


def is_there(place: Path | str) -> bool:
    """Return whether a file or folder exists, or a pattern matches something."""
    path = Path(place)
    if exists(path):
        return True
    names = _alternatives(path.name) if is_pattern(str(place)) else ()
    return any(exists(file) for name in names for file in _matches(path.parent, name))


def place_of_files(files: Sequence[Path]) -> Path:
    """Return the place that lists files of one folder, by name.

    Raises
    ------
    TableError
        They are in several folders, or one is not of text, Parquet or JSON lines.
    """
    files = _by_name(iter(files))
    for file in files:
        if not file.name.lower().endswith(LISTED) or (exists(file) and file.is_dir()):
            raise TableError(
                _("'{name}' cannot be opened together with other files.").format(name=file.name),
                hint=_("Choose files of text, Parquet or JSON lines with the same columns, or one file."),
                file=file.name,
            )
    return place_in_order(files)


def place_in_order(files: Sequence[Path]) -> Path:
    """Return the place that lists files of one folder in the given order: the file itself if it is one.

    Raises
    ------
    TableError
        They are in several folders.
    """
    for file in files:
        if file.parent != files[0].parent:
            raise TableError(
                _("'{first}' and '{other}' are in different folders.").format(
                    first=files[0].name, other=file.name
                ),
                hint=_("Put the files of a table into one folder."),
                file=file.name,
            )
    if len(files) == 1:
        return files[0]
    names = [_MARK.sub(lambda mark: f"[{mark[0]}]", file.name) for file in files]
    return files[0].parent / ("{" + ",".join(names) + "}")


def _by_name(files: Iterator[Path]) -> list[Path]:
    return sorted(files, key=lambda path: path.name)


def _matches(folder: Path, name: str) -> list[Path]:
    """Return the files of a folder that a pattern matches; a name without one is itself, if there or not."""
    if not glob.has_magic(_PLAIN.sub("", name)) and (exists(folder) or not glob.has_magic(str(folder))):
        return [folder / _PLAIN.sub(r"\1", name)]
    return _by_name(path for path in map(Path, glob.glob(str(folder / name))) if path.is_file())


def _alternatives(name: str) -> list[str]:
    """Return the patterns that a name with lists in braces stands for, in their order."""
    found = _list_in(name)
    if found is None:
        return [name]
    start, stop, parts = found
    return [name[:start] + part + rest for part in parts for rest in _alternatives(name[stop:])]


def _list_in(name: str) -> tuple[int, int, list[str]] | None:
    """Return where the first list in braces begins and ends, and its parts; None if there is none."""
    start, place, parts, part = -1, 0, [""], 0
    while place < len(name):
        plain = _PLAIN.match(name, place)
        text = plain[0] if plain else name[place]
        if start < 0:
            start = place if text == "{" else -1
        elif text == "}":
            return start, place + 1, parts
        elif text == ",":
            parts.append("")
            part += 1
        else:
            parts[part] += text
        place += len(text)
    return None
