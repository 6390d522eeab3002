"""Project files (`.anon`): all of a project in one zip; no pickle, no absolute path, the table as Parquet."""

from __future__ import annotations

import hashlib
import io
import json
import os
import time
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.errors import InputError, ProjectFileError
from engine.files import atomic_write
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import HierarchyBuilder
from engine.monitor import SILENT, Monitor
from engine.project.opened import Opened
from engine.project.parquet import read_parquet, write_parquet
from engine.project.project import AttributeHierarchy, Project, frozen
from engine.project.recipe_reading import build, parse
from engine.project.recipe_writing import compose
from engine.project.remembered import (
    ProjectState,
    pins_from_json,
    pins_to_json,
    runs_from_json,
    runs_to_json,
)
from engine.table import Column, Role, Table, dialect
from engine.table.reading import ReadOptions
from engine.table.writing import write_records

FORMAT = 2  # 1: without checksums

_PROJECT, _RECIPE, _TABLE = "project.json", "recipe.toml", "table.parquet"
_POPULATION, _SUBSET = "population.parquet", "subset.parquet"
_HISTORY, _NOTES = "history.json", "notes.json"
_MOST = 1 << 28  # bytes a member may unpack to; the table is stored as it is and cannot grow
_FIRST_DAY, _LAST_DAY = 315_532_800, 4_354_732_800  # 1980-01-01 to 2107-12-31: what a zip can hold


def save_project(
    project: Project, path: Path | str, state: ProjectState = ProjectState(), monitor: Monitor = SILENT
) -> None:
    """Save a project; the file is replaced only when all of it is on disk.

    The same project gives the same bytes on the same platform.

    Raises
    ------
    ExportError
        The file cannot be written; it is as it was.
    """
    members = _members(project, state, monitor)
    about = {
        "format": FORMAT,
        "name": project.name,
        "applied": state.applied,
        "selected": state.selected,
        "encoding": project.options.encoding,
        "without_role": [name for name in project.table.names if name not in project.roles],
        "checksums": {name: _checksum(data) for name, data in members.items()},
    }
    with atomic_write(path) as file, zipfile.ZipFile(file, "w") as archive:
        _add(archive, _PROJECT, _json(about))
        for name, data in members.items():
            packing = zipfile.ZIP_STORED if name.endswith(".parquet") else zipfile.ZIP_DEFLATED
            _add(archive, name, data, packing)
    monitor.step(1, 1, "Saved")


def _members(project: Project, state: ProjectState, monitor: Monitor) -> dict[str, bytes]:
    """All that a project file holds beside the first member, in its order."""
    paths = _hierarchy_paths(project)
    read_from_file = {c: p for c, p in paths.items() if not _names_builder(project.hierarchies[c])}
    recipe = compose(_held(project), _TABLE, "utf-8", read_from_file, _POPULATION, _SUBSET)
    members = {_RECIPE: recipe.encode("utf-8")}
    n_steps = 1 + len(paths)
    for number, (column, member) in enumerate(paths.items()):
        monitor.step(number, n_steps, f"Saving the hierarchy of {column}")
        members[member] = _hierarchy_bytes(project.hierarchies[column].hierarchy)
    monitor.step(n_steps - 1, n_steps, "Saving the table")
    members[_TABLE] = write_parquet(project.table)
    if project.population is not None and project.population.table is not None:
        members[_POPULATION] = write_parquet(project.population.table)
    if project.subset is not None and project.subset.rows is not None:
        members[_SUBSET] = write_parquet(project.subset.rows)
    members[_HISTORY] = _json(runs_to_json(state.runs))
    members[_NOTES] = _json(pins_to_json(state.pins))
    return members


def open_project(path: Path | str, monitor: Monitor = SILENT) -> Opened:
    """Open a project file.

    Returns
    -------
    Opened
        The project has no source: its table lives in the project file.

    Raises
    ------
    ProjectFileError
        The file cannot be read, is damaged, or was written by a newer version.
    """
    path = Path(path)
    try:
        with zipfile.ZipFile(path) as archive:
            return _open(_Members(archive, path.name), path.name, monitor)
    except FileNotFoundError:
        raise ProjectFileError(
            f"The project '{path}' does not exist.", hint="Check its name and folder.", file=path.name
        ) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise _damaged(path.name, "it is no complete zip archive") from error
    except OSError as error:
        raise ProjectFileError(
            f"'{path.name}' cannot be read: {error.strerror or error}.",
            hint="Choose a project file that you may read.",
            file=path.name,
        ) from error


def _open(members: _Members, file: str, monitor: Monitor) -> Opened:
    about = members.json(_PROJECT, dict)
    version = about.get("format")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise _damaged(file, "it does not say its format")
    if version > FORMAT:
        raise ProjectFileError(
            f"'{file}' has format {version}, and this version reads formats up to {FORMAT}.",
            hint="Open it with a newer version of the program.",
            file=file,
            format=version,
        )
    if version > 1:
        members.hold_to(about.get("checksums"))
    try:
        recipe = parse(members.text(_RECIPE), _RECIPE)
        name = about.get("name")
        project = build(recipe, name if isinstance(name, str) else Path(file).stem, members, monitor)
    except ProjectFileError:
        raise
    except InputError as error:
        raise ProjectFileError(
            f"'{file}' cannot be opened: {error.problem}", hint=error.hint, file=file
        ) from error
    encoding, undecided = about.get("encoding"), about.get("without_role")
    if encoding is None or isinstance(encoding, str):
        project = replace(project, options=replace(project.options, encoding=encoding))
    if isinstance(undecided, list):
        project = replace(project, roles=_without(project.roles, undecided))
    return Opened(project, _state(members, about, file))


def _state(members: _Members, about: dict[str, Any], file: str) -> ProjectState:
    runs, pins = members.json(_HISTORY, list), members.json(_NOTES, list)
    try:
        return ProjectState(
            _node(about.get("applied"), file),
            _node(about.get("selected"), file),
            runs_from_json(runs, _HISTORY),
            pins_from_json(pins, _NOTES),
        )
    except ProjectFileError:
        raise
    except InputError as error:
        raise ProjectFileError(
            f"'{file}' cannot be opened: {error.problem}", hint=error.hint, file=file
        ) from error


class _Members:
    """The members of an archive, read by known names only and never unpacked to disk."""

    def __init__(self, archive: zipfile.ZipFile, file: str) -> None:
        self._archive = archive
        self._file = file
        self._names: dict[str, str] = {}  # of hierarchies, by column
        self._checksums: dict[str, Any] | None = None

    def hold_to(self, checksums: Any) -> None:
        """Refuse from now on every member that is not the one that was saved."""
        if not isinstance(checksums, dict):
            raise _damaged(self._file, "it does not say what belongs to it")
        self._checksums = checksums

    def bytes(self, name: str) -> bytes:
        entries = [entry for entry in self._archive.infolist() if entry.filename == name]
        if len(entries) != 1:
            raise _damaged(self._file, f"it has {len(entries) or 'no'} '{name}'")
        entry = entries[0]
        if entry.flag_bits & 1:
            raise _damaged(self._file, "it is encrypted")
        stored = entry.compress_type == zipfile.ZIP_STORED and entry.file_size == entry.compress_size
        if entry.file_size > _MOST and not stored:
            raise _damaged(self._file, f"'{name}' is packed larger than a project can be")
        data = self._archive.read(entry)
        if self._checksums is not None and self._checksums.get(name) != _checksum(data):
            raise _damaged(self._file, f"'{name}' is not the one that was saved")
        return data

    def text(self, name: str) -> str:
        try:
            return self.bytes(name).decode("utf-8")
        except UnicodeDecodeError as error:
            raise _damaged(self._file, f"'{name}' is no text in UTF-8") from error

    def json(self, name: str, kind: type) -> Any:
        try:
            value = json.loads(self.text(name))
        except (ValueError, RecursionError) as error:
            raise _damaged(self._file, f"'{name}' is no valid JSON") from error
        if not isinstance(value, kind):
            raise _damaged(self._file, f"'{name}' holds something else than expected")
        return value

    def table(self, path: str, options: ReadOptions, monitor: Monitor) -> tuple[Table, ReadOptions]:
        if path != _TABLE:
            raise _damaged(self._file, "its recipe names another table")
        monitor.step(0, 1, "Reading the table")
        table = self._table(_TABLE, options)
        self._names = _members_of(table.names)
        return table, options

    def other_table(
        self, path: str, options: ReadOptions, monitor: Monitor
    ) -> tuple[Table, ReadOptions, Path | None]:
        if path not in (_POPULATION, _SUBSET):
            raise _damaged(self._file, "its recipe names a table that is not in it")
        monitor.step(0, 1, "Reading a further table")
        return self._table(path, options), options, None

    def _table(self, name: str, options: ReadOptions) -> Table:
        data = self.bytes(name)
        try:
            return read_parquet(data, options.types)
        except InputError:
            raise
        except (ValueError, KeyError, TypeError, OSError) as error:
            raise _damaged(self._file, "its table cannot be read") from error

    def from_file(self, column: Column, path: str) -> AttributeHierarchy:
        if path != self._names[column.name]:
            raise _damaged(self._file, f"its recipe names another hierarchy for '{column.name}'")
        return AttributeHierarchy(self._hierarchy(column))

    def from_builder(self, column: Column, builder: HierarchyBuilder, table: Table) -> AttributeHierarchy:
        if builder.paths:
            raise _damaged(self._file, f"the hierarchy of '{column.name}' is read from another file")
        # As it was saved, even if a later version builds another.
        return AttributeHierarchy(self._hierarchy(column), builder=builder)

    def _hierarchy(self, column: Column) -> Hierarchy:
        text = self.text(self._names[column.name])
        rows = [row for _, row in dialect.records(text, ";", self._file)]
        return Hierarchy.from_rows(rows, source=f"The hierarchy of '{column.name}'")


def _held(project: Project) -> Project:
    """The project as its file holds it: no path of a further table leaves with it."""
    population, subset = project.population, project.subset
    return replace(
        project,
        population=None if population is None else replace(population, path=None),
        subset=None if subset is None else replace(subset, path=None),
    )


def _names_builder(entry: AttributeHierarchy) -> bool:
    """Whether the file says what built a hierarchy; a builder that reads files would leave a path there."""
    return entry.builder is not None and not entry.builder.paths


def _hierarchy_paths(project: Project) -> dict[str, str]:
    members = _members_of(project.table.names)
    return {column: members[column] for column in project.table.names if column in project.hierarchies}


def _members_of(columns: tuple[str, ...]) -> dict[str, str]:
    """By position, since a column may be called anything."""
    return {column: f"hierarchies/{number:03d}.csv" for number, column in enumerate(columns, start=1)}


def _hierarchy_bytes(hierarchy: Hierarchy) -> bytes:
    buffer = io.BytesIO()
    write_records(buffer, (), [(level.labels, level.codes) for level in hierarchy.levels], ";")
    return buffer.getvalue()


def _add(archive: zipfile.ZipFile, name: str, data: bytes, packing: int = zipfile.ZIP_DEFLATED) -> None:
    # Fixed date and rights: the same project gives the same bytes.
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = min(max(int(given) if given.isdecimal() else 0, _FIRST_DAY), _LAST_DAY)
    entry = zipfile.ZipInfo(name, time.gmtime(seconds)[:6])
    entry.compress_type = packing
    entry.create_system = 3
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, data)


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8")


def _node(value: Any, file: str) -> tuple[int, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(type(level) is int and level >= 0 for level in value):
        raise _damaged(file, "it names a node that is none")
    return tuple(value)


def _without(roles: Mapping[str, Role], undecided: list[Any]) -> Mapping[str, Role]:
    """Take away roles nobody has decided on; a recipe has no word for them."""
    return frozen({name: r for name, r in roles.items() if not (r is Role.INSENSITIVE and name in undecided)})


def _damaged(file: str, reason: str) -> ProjectFileError:
    return ProjectFileError(
        f"'{file}' is damaged or no project file: {reason}.",
        hint="Open an earlier copy, or start again from the recipe or the table.",
        file=file,
    )
