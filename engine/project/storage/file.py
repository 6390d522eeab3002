"""Project files (`.anon`): a project in one zip; no pickle, no absolute path, the table as Parquet."""

from __future__ import annotations

import io
import json
import os
import re
import time
import zipfile
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, BinaryIO

from engine import files
from engine.errors import InputError, ProjectFileError
from engine.files import atomic_write
from engine.hierarchies import Hierarchy
from engine.monitor import SILENT, Monitor
from engine.project.deciding import REFUSE, decided_to_json, old_roles, with_decided
from engine.project.pins_and_runs import (
    ProjectState,
    pins_from_json,
    pins_to_json,
    runs_from_json,
    runs_to_json,
)
from engine.project.project import AttributeHierarchy, Project
from engine.project.recipe.reading import build, parse
from engine.project.recipe.section import Section
from engine.project.recipe.settings import settings_from_json, settings_to_json
from engine.project.recipe.writing import compose, relative
from engine.project.storage.members import (
    DATABASE,
    FILES,
    HISTORY,
    NOTES,
    POPULATION,
    PROJECT,
    RECIPE,
    SUBSET,
    TABLE,
    DamagedFileError,
    Members,
    checksum,
    damaged,
    hierarchy_members,
    open_archive,
)
from engine.project.storage.opened_project import OpenedProject
from engine.project.storage.parquet import write_parquet
from engine.project.storage.reference import SavedFiles, SavedTable, TableAwayError, place_of
from engine.records import Table
from engine.records.databases.address import Connection, kept_in_file
from engine.records.options import ReadOptions
from engine.records.text.writing import write_records
from engine.words import _

FORMAT = 3  # 1: without checksums; up to 2 the recipe in it does not name insensitive columns
NAMES_INSENSITIVE = 3

_FIRST_DAY, _LAST_DAY = 315_532_800, 4_354_732_800  # 1980-01-01 to 2107-12-31: what a zip can hold


# Saving ------------------------------------------------------------------------------------------


def save_project(
    project: Project, path: Path | str, state: ProjectState = ProjectState(), monitor: Monitor = SILENT
) -> None:
    """Save a project; the file is replaced only once all of it is on disk.

    It contains the input table, so only its owner may read it, even if it replaces a file that others could
    read. Of a table that stays in files or in a database it contains what `engine.project.storage.reference`
    says instead. The same project gives the same bytes on the same platform.

    Raises
    ------
    ExportError
        The file cannot be written; it is unchanged.
    CancelledError
        The monitor asks to stop; the file is unchanged.
    """
    folder = Path(path).parent.absolute()
    project = project.with_ledger(lambda ledger: relative(Path(ledger), folder))
    pack = packing(project, Path(path).parent, write_parquet, monitor)
    members = members_of(project, state, pack, hierarchy_text, monitor)
    about = about_project(project, state, {name: checksum(data) for name, data in members.items()})
    with atomic_write(path, lambda _whole: monitor.step(1, 1, _("Saved")), is_private=True) as file:
        write_archive(file, {PROJECT: to_json(about), **members})


def about_project(project: Project, state: ProjectState, checksums: Mapping[str, str]) -> dict[str, Any]:
    """Return the first member: what the others do not contain, and their checksums."""
    about = {
        "format": FORMAT,
        "name": project.name,
        "applied": state.applied,
        "selected": state.selected,
        "encoding": project.options.encoding,
        **({"database": kept_in_file(project.database)} if project.database and not project.remote else {}),
        **decided_to_json(project),
        **({"sampling_key": project.sampling_key} if project.sampling_key else {}),
        "checksums": dict(checksums),
    }
    reading = settings_to_json(project.options)
    return about | ({"reading": reading} if reading else {})


def packing(
    project: Project, base: Path | None, pack: Callable[[Table], bytes], monitor: Monitor
) -> Callable[[Table], bytes]:
    """Return a function that packs tables; of a project's own that is not in memory, the reference to it.

    Parameters
    ----------
    base : Path or None
        Folder that the paths are relative to; None for absolute ones.
    pack : callable
        Packs any other table.
    """

    def packed(table: Table) -> bytes:
        if table is project.table and project.stored is not None:
            return to_json(asdict(SavedFiles.of(project, base, monitor)))
        if table is project.table and project.remote is not None:
            return to_json(asdict(SavedTable.of(project, base)))
        return pack(table)

    return packed


def members_of(
    project: Project,
    state: ProjectState,
    pack_table: Callable[[Table], bytes],
    pack_hierarchy: Callable[[Hierarchy], bytes],
    monitor: Monitor,
) -> dict[str, bytes]:
    """Return all members of a project file after the first, in order; `pack_table` is made by `packing`."""
    paths = _hierarchy_paths(project)
    read_from_file = {c: p for c, p in paths.items() if not _names_builder(project.hierarchies[c])}
    own: str = TABLE
    encoding: str | None = "utf-8"
    if project.stored is not None:
        own, encoding = FILES, project.options.encoding
    elif project.remote is not None:
        own, encoding = DATABASE, None
        paths = read_from_file  # others are built again, so that no value of the table is kept
    recipe = compose(_held(project), own, encoding, read_from_file, POPULATION, SUBSET)
    members = {RECIPE: recipe.encode("utf-8")}
    n_steps = 1 + len(paths)
    for number, (column, member) in enumerate(paths.items()):
        monitor.step(number, n_steps, _("Saving the hierarchy of {column}").format(column=column))
        members[member] = pack_hierarchy(project.hierarchies[column].hierarchy)
    monitor.step(n_steps - 1, n_steps, _("Saving the table"))
    members[own] = pack_table(project.table)
    if project.population is not None and project.population.table is not None:
        members[POPULATION] = pack_table(project.population.table)
    if project.subset is not None and project.subset.rows is not None:
        members[SUBSET] = pack_table(project.subset.rows)
    members[HISTORY] = to_json(runs_to_json(state.runs))
    members[NOTES] = to_json(pins_to_json(state.pins))
    return members


def hierarchy_text(hierarchy: Hierarchy) -> bytes:
    """Return a hierarchy as stored in a member."""
    buffer = io.BytesIO()
    write_records(buffer, (), [(level.labels, level.codes) for level in hierarchy.levels], ";")
    return buffer.getvalue()


def write_archive(file: BinaryIO, members: Mapping[str, bytes]) -> None:
    """Write members as a zip; the same members give the same bytes."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            _add(archive, name, data)


def to_json(value: Any) -> bytes:
    """Return a value as stored in a member."""
    return (json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8")


# Opening -----------------------------------------------------------------------------------------


def open_project(
    path: Path | str,
    monitor: Monitor = SILENT,
    moved: Mapping[str, Path] | None = None,
    connection: Connection | None = None,
) -> OpenedProject:
    """Open an intact project file.

    Parameters
    ----------
    moved : mapping of str to Path, optional
        New paths of files of the table that are not at the path in the project.
    connection : Connection, optional
        To the table, if that stays in a server; nothing is asked because a project file names it.

    Returns
    -------
    OpenedProject
        The project has no source: its table is in the project file, unless that refers to files or a
        database.

    Raises
    ------
    DamagedFileError
        Part of the file has changed since it was saved; `salvage` opens the rest.
    TableAwayError
        Its table has changed since it was saved. If it is in a server and there is no connection,
        its address is the context's `database`.
    ProjectFileError
        The file cannot be read, or was written by a newer version.
    """
    path = Path(path)
    try:
        with open_archive(path) as fetch:
            return read_opened(Members(fetch, path.name, path.parent, moved, connection), path.name, monitor)
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> InputError:
    """Return the error for a file that the system cannot read."""
    if isinstance(error, FileNotFoundError):
        return ProjectFileError(
            _("The project '{path}' does not exist.").format(path=path),
            hint=_("Check its name and folder."),
            file=path.name,
        )
    return files.unreadable(ProjectFileError, path, error, _("Choose a project file that you may read."))


def read_opened(members: Members, file: str, monitor: Monitor) -> OpenedProject:
    """Read a project from its intact members."""
    about = read_about(members, file)
    project = build_project(parse_recipe(members, file), about, members, file, monitor)
    return OpenedProject(project, read_state(members, about, file))


def read_about(members: Members, file: str) -> dict[str, Any]:
    """Read the first member; the others are checked against its checksums."""
    about: dict[str, Any] = members.json(PROJECT, dict)
    version = about.get("format")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise damaged(file, _("its format is missing"))
    if version > FORMAT:
        raise ProjectFileError(
            _("'{file}' has format {version}, but this version supports formats up to {limit}.").format(
                file=file, version=version, limit=FORMAT
            ),
            hint=_("Open it with a newer version of the program."),
            file=file,
            format=version,
        )
    if version > 1:
        members.hold_to(about.get("checksums"))
    return about


def parse_recipe(members: Members, file: str) -> Section:
    """Read the member with the settings."""
    try:
        return parse(members.text(RECIPE), RECIPE)
    except DamagedFileError:
        raise
    except InputError as error:
        raise _wrong(file, error) from error


def build_project(
    recipe: Section, about: Mapping[str, Any], members: Members, file: str, monitor: Monitor
) -> Project:
    """Build a project from its recipe and the first member."""
    members.reading = lambda options: reading_options(options, about)
    try:
        name = about.get("name")
        project = build(recipe, name if isinstance(name, str) else Path(file).stem, members, monitor)
    except (DamagedFileError, TableAwayError):
        raise
    except InputError as error:
        raise _wrong(file, error) from error
    encoding = about.get("encoding")
    options = settings_from_json(project.options, about.get("reading"))
    if encoding is None or isinstance(encoding, str):
        options = replace(options, encoding=encoding)
    # Paths in it are not from this program: no file is read because a project file names it.
    transformation = project.transformation.with_paths(lambda _path: None)
    kept = about.get("database")
    # Only for reading the table again: nothing is queried because a project file names it.
    database = members.database or (kept_in_file(kept) if isinstance(kept, str) else "")
    project = replace(
        project.with_ledger(members.beside),
        source=members.source,
        options=options,
        transformation=transformation,
        database=database,
        sampling_key=_key(about.get("sampling_key"), project),
    )
    return with_decided(with_old_roles(project, about), about)


def reading_options(options: ReadOptions, about: Mapping[str, Any]) -> ReadOptions:
    """Return how the file of a table was read: as its recipe says, and the first member."""
    encoding = about.get("encoding")
    found = settings_from_json(options, about.get("reading"))
    return replace(found, encoding=encoding if isinstance(encoding, str) else None)


def read_state(members: Members, about: Mapping[str, Any], file: str) -> ProjectState:
    """Read what is stored next to the project."""
    runs, pins = members.json(HISTORY, list), members.json(NOTES, list)
    try:
        return ProjectState(
            _node(about.get("applied"), file),
            _node(about.get("selected"), file),
            runs_from_json(runs, HISTORY),
            pins_from_json(pins, NOTES),
        )
    except DamagedFileError:
        raise
    except InputError as error:
        raise _wrong(file, error) from error


def _key(kept: Any, project: Project) -> str:
    """Return the stored secret of a draw, if it is one; otherwise that of the project."""
    is_key = isinstance(kept, str) and re.fullmatch("[0-9a-f]{64}", kept) is not None
    return str(kept) if is_key else project.sampling_key


def _wrong(file: str, error: InputError) -> ProjectFileError:
    if lacking := error.context.get("lacking"):  # nothing is damaged: a plug-in is missing
        return ProjectFileError(
            _(
                "'{file}' cannot be opened. This project needs {members}, which this program does not have."
            ).format(file=file, members=lacking),
            hint=error.hint,
            file=file,
        )
    return DamagedFileError(
        _("'{file}' cannot be opened: {problem}").format(file=file, problem=error.problem),
        hint=error.hint,
        file=file,
        reason=error.problem,
    )


def _held(project: Project) -> Project:
    """Return the project as its file stores it: every role named, no path of another table or key."""
    population, subset = project.population, project.subset
    return replace(
        project,
        source=project.source if project.stored is None else place_of(project),
        database="" if project.remote is None else project.database,  # not written: the member names it
        others=REFUSE,
        population=None if population is None else replace(population, path=None),
        subset=None if subset is None or subset.draw is not None else replace(subset, path=None),
        transformation=project.transformation.with_paths(lambda _key: None),
    )


def _names_builder(entry: AttributeHierarchy) -> bool:
    """Return whether the file names the builder of a hierarchy; one that reads files would leave a path."""
    return entry.builder is not None and not entry.builder.paths


def _hierarchy_paths(project: Project) -> dict[str, str]:
    members = hierarchy_members(project.table.names)
    return {column: members[column] for column in project.table.names if column in project.hierarchies}


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    # Fixed date and rights: the same project gives the same bytes.
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = min(max(int(given) if given.isdecimal() else 0, _FIRST_DAY), _LAST_DAY)
    entry = zipfile.ZipInfo(name, time.gmtime(seconds)[:6])
    entry.compress_type = zipfile.ZIP_STORED if name.endswith(".parquet") else zipfile.ZIP_DEFLATED
    entry.create_system = 3
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, data)


def _node(value: Any, file: str) -> tuple[int, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(type(level) is int and level >= 0 for level in value):
        raise damaged(file, _("it names an invalid node"))
    return tuple(value)


def with_old_roles(project: Project, about: Mapping[str, Any], added: Collection[str] = ()) -> Project:
    """Return the project with the roles that an older file omits; columns added since have none."""
    version = about.get("format")
    if not isinstance(version, int) or version >= NAMES_INSENSITIVE:
        return project
    named = about.get("without_role")
    return old_roles(project, [*(named if isinstance(named, list) else ()), *added])
