"""The library: hierarchies that the user saved by name, each a table of lines with the rule behind it.

The table is a hierarchy file like any other, called after the entry; a TOML file of the same
name says which column it was made for, by which builder, and how its levels are named.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import tomli_w

from engine.errors import AnonymizerError, HierarchyError
from engine.files import atomic_write, open_regular
from engine.hierarchies.builders.base import HierarchyBuilder, builders
from engine.hierarchies.files import read_hierarchy, write_hierarchy
from engine.hierarchies.hierarchy import Hierarchy
from engine.params import plain_values_of
from engine.words import _

_LINES, _RULE = ".csv", ".toml"
_UNSAFE = '<>:"/\\|?*%'
_RESERVED = {"CON", "PRN", "AUX", "NUL", *(f"{word}{n}" for word in ("COM", "LPT") for n in range(10))}
_LONGEST = 180  # bytes; file systems allow 255, and files are written beside with a longer name


@dataclass(frozen=True, eq=False)
class LibraryEntry:
    """A hierarchy of the library.

    Attributes
    ----------
    path : Path
        Of its lines.
    hierarchy : Hierarchy or None
        None where its lines cannot be read.
    builder : HierarchyBuilder or None
        The rule that built it.
    column : str
        The column it was made for, if that is known.
    problem : str
        Why lines or rule cannot be read; empty if all is well.
    """

    name: str
    path: Path
    hierarchy: Hierarchy | None = None
    builder: HierarchyBuilder | None = None
    column: str = ""
    problem: str = ""


def entries(folder: Path) -> tuple[LibraryEntry, ...]:
    """Read the library, by name; what is damaged is listed with the reason.

    Raises
    ------
    HierarchyError
        The folder cannot be read.
    """
    found = [_read(path) for path in _paths(folder)]
    return tuple(sorted(found, key=lambda entry: (_same(entry.name), entry.name)))


def entry_named(folder: Path, name: str) -> Path | None:
    """Return the lines saved under a name, in whatever case; None if there are none."""
    wanted = _same(name)
    return next((path for path in _paths(folder) if _same(_name(path)) == wanted), None)


def keep(
    folder: Path, name: str, hierarchy: Hierarchy, builder: HierarchyBuilder | None = None, column: str = ""
) -> Path:
    """Keep a hierarchy under a name; one that has the name is replaced.

    Parameters
    ----------
    folder : Path
        Created if it is absent.
    name : str
        Any text; spaces at its ends are not part of it.
    builder : HierarchyBuilder, optional
        What built it. A rule that names a file is not kept, since files move.
    column : str
        The column it was made for.

    Returns
    -------
    Path
        Where its lines are.

    Raises
    ------
    HierarchyError
        A name that is empty or too long.
    ExportError
        The folder cannot be written.
    """
    path = entry_named(folder, name) or folder / f"{file_stem(name)}{_LINES}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.with_name(path.stem + _RULE).unlink(missing_ok=True)  # no new lines under an old rule
    except OSError as error:
        raise _unusable(folder, error) from error
    write_hierarchy(hierarchy, path)
    said: dict[str, Any] = {"column": column} if column else {}
    names = [level.name or level.proposed for level in hierarchy.levels[1:]]
    if builder is not None and not builder.paths:
        said["rule"] = {"builder": builder.key, **plain_values_of(builder)}
        names = list(hierarchy.level_names)  # the rule proposes the others again
    if any(names):
        said["level_names"] = names
    if said:
        with atomic_write(path.with_name(path.stem + _RULE)) as file:
            file.write(tomli_w.dumps(said).encode())
    return path


def forget(path: Path) -> None:
    """Delete an entry.

    Parameters
    ----------
    path : Path
        Of its lines.

    Raises
    ------
    HierarchyError
        It cannot be deleted.
    """
    try:
        path.with_name(path.stem + _RULE).unlink(missing_ok=True)
        path.unlink(missing_ok=True)
    except OSError as error:
        raise _unusable(path, error) from error


def file_stem(name: str) -> str:
    """A file name without ending that every system allows, from which the name can be read again.

    Raises
    ------
    HierarchyError
        A name that is empty or too long.
    """
    name = unicodedata.normalize("NFC", name).strip()
    if not name:
        raise HierarchyError(_("A hierarchy in the library needs a name."), hint=_("Type a name."))
    safe = "".join(_escaped(c) if c in _UNSAFE or not c.isprintable() else c for c in name)
    if safe[-1] == ".":  # Windows drops it
        safe = safe[:-1] + _escaped(".")
    if safe[0] == "." or safe.split(".")[0].rstrip().upper() in _RESERVED:
        safe = _escaped(safe[0]) + safe[1:]
    if len(safe.encode("utf-8", "replace")) > _LONGEST:
        raise HierarchyError(_("The name is too long for a file."), hint=_("Choose a shorter name."))
    return safe


def _escaped(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "replace"))


def _name(path: Path) -> str:
    return unicodedata.normalize("NFC", unquote(path.stem))


def _same(name: str) -> str:
    """Return the form in which names that some systems confuse are equal."""
    return unicodedata.normalize("NFC", name).strip().casefold()


def _paths(folder: Path) -> Iterator[Path]:
    try:
        listed = sorted(folder.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise _unusable(folder, error) from error
    yield from (p for p in listed if p.suffix.lower() == _LINES and not p.name.startswith("."))


def _read(path: Path) -> LibraryEntry:
    column, builder, problem = "", None, ""
    names: tuple[str, ...] = ()
    try:
        column, builder, names = _read_notes(path.with_name(path.stem + _RULE))
    except AnonymizerError as error:
        problem = error.problem
    try:
        hierarchy = read_hierarchy(path).with_level_names(names)
        return LibraryEntry(_name(path), path, hierarchy, builder, column, problem)
    except AnonymizerError as error:
        return LibraryEntry(_name(path), path, None, None, column, error.problem)


def _read_notes(path: Path) -> tuple[str, HierarchyBuilder | None, tuple[str, ...]]:
    """Return the column, the rule and the names of levels in a file; nothing if it is absent."""
    try:
        with open_regular(path) as file:
            said = tomllib.loads(file.read().decode("utf-8"))
    except FileNotFoundError:
        return "", None, ()
    except (OSError, ValueError, RecursionError) as error:
        raise HierarchyError(
            _("{name} cannot be read: {error}.").format(name=path.name, error=error)
        ) from error
    column, rule, names = said.get("column", ""), said.get("rule"), said.get("level_names", [])
    are_names = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if not isinstance(column, str) or not isinstance(rule, (dict, type(None))) or not are_names:
        raise HierarchyError(_("{name} contains no column and no rule.").format(name=path.name))
    if rule is None:
        return column, None, tuple(names)
    values = {key: value for key, value in rule.items() if key != "builder"}
    try:
        return column, builders.create(str(rule.get("builder", "")), **values), tuple(names)
    except AnonymizerError as error:
        raise HierarchyError(
            _("The rule in {name} cannot be used: {problem}").format(name=path.name, problem=error.problem)
        ) from error


def _unusable(path: Path, error: OSError) -> HierarchyError:
    return HierarchyError(
        _("The library at '{path}' cannot be used: {strerror}.").format(
            path=path, strerror=error.strerror or error
        ),
        hint=_("Check that the folder exists and is writable."),
        file=str(path),
    )
