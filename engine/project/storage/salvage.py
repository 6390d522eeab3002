"""Salvage of damaged project files: opens the readable parts and reports the lost ones.

Members are found by the directory of the archive, and used only if they are byte for byte as saved: by the
checksum in the first member, or if that is lost by the one of the archive.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

from engine.errors import InputError
from engine.hierarchies.builders.base import BuilderContext, HierarchyBuilder
from engine.monitor import SILENT, Monitor
from engine.project.deciding import with_decided
from engine.project.pins_and_runs import ProjectState
from engine.project.project import AttributeHierarchy, Project, frozen
from engine.project.recipe.data import read_data_options
from engine.project.recipe.reuse import settle
from engine.project.recipe.section import Section
from engine.project.reimport import Changes
from engine.project.storage.file import (
    build_project,
    parse_recipe,
    read_about,
    read_state,
    reading_options,
    unreadable,
    with_old_roles,
)
from engine.project.storage.members import (
    DATABASE,
    FILES,
    HISTORY,
    NOTES,
    POPULATION,
    RECIPE,
    SUBSET,
    TABLE,
    DamagedFileError,
    Members,
    checksum,
    damaged,
    data_apart,
    hierarchy_members,
    open_zip,
    read_entry,
)
from engine.project.storage.opened_project import DamagedProject, Loss, OpenedProject
from engine.project.storage.reference import TableAwayError
from engine.records import Column, Table
from engine.records.databases.address import NOBODY, DatabaseAddress, Login
from engine.records.options import ReadOptions
from engine.words import N_, _

_AGAIN = N_("Set it again, or open an earlier copy of the file.")
_POPULATION_LOST = N_("The population"), _AGAIN
_SUBSET_LOST = (
    N_("The selection of released records"),
    N_("All records are released until you select some again."),
)
_WHOLE = N_("Nothing is lost. Save the project to repair its file.")


def salvage(path: Path | str, monitor: Monitor = SILENT) -> OpenedProject:
    """Open the readable parts of a project file; see `salvage_remains`.

    Parameters
    ----------
    path : Path or str
        A file that `open_project` refuses as damaged.
    """
    path = Path(path)
    return salvage_remains(DamagedProject(path, path.name), monitor)


def salvage_remains(remains: DamagedProject, monitor: Monitor = SILENT) -> OpenedProject:
    """Open the readable parts of a project.

    Returns
    -------
    OpenedProject
        With at least one loss: if everything could be read, that the file itself is damaged.

    Raises
    ------
    DamagedFileError
        Its table is lost, or the readable parts do not fit together. If its settings are readable, which
        `restore` applies to a table that is read again, the context's `has_settings` is true.
    ProjectFileError
        The file cannot be read, or was written by a newer version.
    """
    with _looked_into(remains, monitor) as found:
        return found.opened()


def restore(
    remains: DamagedProject,
    place: Path | DatabaseAddress,
    monitor: Monitor = SILENT,
    *,
    login: Login = NOBODY,
    how: ReadOptions | None = None,
) -> tuple[OpenedProject, Changes]:
    """Apply the settings of a project whose table is lost to a table that is read again.

    Parameters
    ----------
    place : Path or DatabaseAddress
        Location of the table.
    login : Login
        For a table in the database of a server.
    how : ReadOptions, optional
        How the table is read, if not as before.

    Returns
    -------
    OpenedProject
        With the other losses, and without a release.
    Changes
        Differences in the table, as shown by the settings.

    Raises
    ------
    DamagedFileError
        The settings are lost too.
    TableError
        The table cannot be read.
    InputError
        The table has none of the columns.
    """
    with _looked_into(remains, monitor) as found:
        return found.restored(place, login, how)


@contextmanager
def _looked_into(remains: DamagedProject, monitor: Monitor) -> Iterator[_Salvage]:
    try:
        with open_zip(remains.path, partial(damaged, remains.name)) as archive:
            yield _Salvage(archive, remains, monitor)
    except OSError as error:
        raise unreadable(remains.path, error) from error


class _Part(NamedTuple):
    """A table of the settings: its keys, its name in messages, and what the user can do."""

    keys: tuple[str, ...]
    what: str
    hint: str


class _Salvage:
    """Salvage of one damaged file; losses are listed in the order they are found."""

    def __init__(self, archive: ZipFile, remains: DamagedProject, monitor: Monitor) -> None:
        self._archive = archive
        self._names = set(archive.namelist())
        self._file = remains.name
        self._folder = remains.folder
        self._base = remains.path.parent if remains.folder is None else None  # recovered paths are absolute
        self._monitor = monitor
        self._losses: list[Loss] = []
        self._checksums: dict[str, Any] = {}

    def opened(self) -> OpenedProject:
        """Open the readable parts."""
        members = Members(self._fetch, self._file, self._base)
        about = self._about(members)
        self._check_table(members)
        recipe = self._recipe(members)
        if recipe is None:
            project = self._without_settings(members, about)
        else:
            project = self._project(recipe, about, members)
        state = self._state(members, about)
        if not self._losses:
            self._lose(_("The directory of the file"), _("it is truncated or damaged"), _(_WHOLE))
        return OpenedProject(project, state, tuple(self._losses))

    def _fetch(self, name: str) -> bytes:
        """Return a member that matches its checksum, from next to the archive or from inside."""
        wanted = self._checksums.get(name)
        apart = None if self._folder is None else data_apart(self._folder, wanted)
        if apart is not None and checksum(apart) == wanted:
            return apart
        for entry in self._archive.infolist():  # a second member of a name may be somebody else's
            if entry.filename == name:
                with suppress(DamagedFileError):
                    data = read_entry(self._archive, entry, partial(damaged, self._file))
                    if wanted is None or checksum(data) == wanted:
                        return data
        if name in self._names:
            reason = _("'{name}' has changed since it was saved").format(name=name)
        else:
            reason = _("'{name}' is missing").format(name=name)
        raise damaged(self._file, reason)

    def restored(
        self, place: Path | DatabaseAddress, login: Login, how: ReadOptions | None
    ) -> tuple[OpenedProject, Changes]:
        """Apply the settings to another table."""
        members = _Rebuilt(self._fetch, self._file, self._base)
        about = self._about(members)
        recipe = parse_recipe(members, self._file)
        plain = read_data_options(recipe.section("data"))
        wanted = reading_options(plain, about)
        members.know_columns(tuple(plain.types))
        name = about.get("name")
        settings = Section(self._file, recipe.name, self._with_tables_left(recipe, members))
        project, changes = settle(
            settings,
            name if isinstance(name, str) else Path(self._file).stem,
            wanted,
            place,
            members,
            self._monitor,
            login=login,
            how=how,
        )
        project = replace(
            project.with_ledger(members.beside),
            transformation=project.transformation.with_paths(lambda _path: None),
        )
        project = with_decided(with_old_roles(project, about, changes.added), about)
        if not {FILES, DATABASE} & self._names:
            self._lose(_("The table"), _("it is damaged"), _("It was read again. Apply a node again."))
        state = self._state(members, {})
        return OpenedProject(project, state, tuple(self._losses)), changes

    def _lose(self, what: str, why: str, hint: str = "") -> None:
        self._losses.append(Loss(what, why, hint or _(_AGAIN)))

    def _lose_hierarchy(self, column: str, error: InputError) -> None:
        what = _("The hierarchy of '{column}'").format(column=column)
        self._lose(what, _reason(error), _("Build or import it again."))

    def _about(self, members: Members) -> dict[str, Any]:
        try:
            about = read_about(members, self._file)
        except DamagedFileError as error:
            self._lose(
                _("Its name, the chosen nodes and the list of its parts"),
                _reason(error),
                _("Check the settings: it could not be verified that they belong to this table."),
            )
            return {}
        checksums = about.get("checksums")
        self._checksums = checksums if isinstance(checksums, dict) else {}
        return about

    def _check_table(self, members: Members) -> None:
        problem = ""
        place: Path | DatabaseAddress | None = None
        if self._is_there(members, FILES):
            problem, place = _("'{file}' is damaged. Its table is in other files."), members.saved_files()[1]
        elif self._is_there(members, DATABASE):
            place = members.saved_table()[1]
            problem = (
                _("'{file}' is damaged. Its table is on a cluster.")
                if place.is_cluster
                else _("'{file}' is damaged. Its table is in a database.")
            )
        if problem:
            raise TableAwayError(
                problem.format(file=self._file),
                hint=_("Read the table again and reuse the remaining settings."),
                place=place,
                has_settings=self._is_there(members, RECIPE),
            )
        try:
            members.data(TABLE)
        except DamagedFileError as error:
            hierarchies = sorted(name for name in self._names if name.startswith("hierarchies/"))
            left = [name for name in (RECIPE, *hierarchies) if self._is_there(members, name)]
            if left:
                problem = _("'{file}' is damaged, and its table is lost: {reason}. Readable parts: {parts}.")
            else:
                problem = _("'{file}' is damaged, and its table is lost: {reason}.")
            raise DamagedFileError(
                problem.format(file=self._file, reason=_reason(error), parts=", ".join(left)),
                hint=_("Open an earlier copy, or import the table again and reuse the remaining settings."),
                file=self._file,
                reason=_reason(error),
                has_settings=self._is_there(members, RECIPE),
            ) from error

    def _is_there(self, members: Members, name: str) -> bool:
        with suppress(DamagedFileError):
            members.data(name)
            return True
        return False

    def _recipe(self, members: Members) -> Section | None:
        """Return the settings without references to lost members; None if they are lost."""
        try:
            members.data(RECIPE)
        except DamagedFileError as error:
            self._lose(_("All settings"), _reason(error), _("Set roles, types, models and limits again."))
            return None
        recipe = parse_recipe(members, self._file)
        values = dict(recipe.values)
        values["hierarchies"] = dict(recipe.section("hierarchies").values)
        table = members.table(TABLE, ReadOptions(), self._monitor)[0]
        for column in list(values["hierarchies"]):
            if column not in table.names:
                continue  # the recipe is wrong, which its own error says
            try:
                members.hierarchy(table.column(column))
            except InputError as error:
                del values["hierarchies"][column]
                self._lose_hierarchy(column, error)
        return Section(
            recipe.file,
            recipe.name,
            self._with_tables_left(Section(recipe.file, recipe.name, values), members),
        )

    def _with_tables_left(self, recipe: Section, members: Members) -> dict[str, Any]:
        """Return the settings without references to lost additional tables."""
        values = dict(recipe.values)
        for key, member, what, hint in (
            ("population", POPULATION, *_POPULATION_LOST),
            ("subset", SUBSET, *_SUBSET_LOST),
        ):
            section = values.get(key)
            if not isinstance(section, dict) or section.get("path") != member:
                continue
            try:
                members.other_table(member, ReadOptions(), self._monitor)
            except InputError as error:
                del values[key]
                self._lose(_(what), _reason(error), _(hint))
        return values

    def _project(self, recipe: Section, about: dict[str, Any], members: Members) -> Project:
        """Return the project without the sections that do not fit the rest."""
        values = dict(recipe.values)
        while True:
            left = Section(recipe.file, recipe.name, values)
            try:
                return build_project(left, about, members, self._file, self._monitor)
            except DamagedFileError as error:
                reason = _reason(error)
                places = {f"'{recipe.file}': {title}": place for title, place in _droppable(values).items()}
                fitting = [start for start in places if reason.startswith(start)]
                if not fitting:
                    raise
                keys, what, hint = places[max(fitting, key=len)]
                values = _dropped(values, keys)
                self._lose(what, reason, hint)

    def _without_settings(self, members: Members, about: dict[str, Any]) -> Project:
        table, options = members.table(TABLE, ReadOptions(), self._monitor)
        name = about.get("name")
        hierarchies = {}
        for column, member in hierarchy_members(table.names).items():
            if member not in self._names:
                continue
            try:
                hierarchies[column] = AttributeHierarchy(members.hierarchy(table.column(column)))
            except InputError as error:
                self._lose_hierarchy(column, error)
        return Project(
            name if isinstance(name, str) else Path(self._file).stem,
            None,
            options,
            table,
            hierarchies=frozen(hierarchies),
        )

    def _state(self, members: Members, about: dict[str, Any]) -> ProjectState:
        """Return the state stored next to the project, each part on its own."""
        empty = Members(lambda _name: b"[]", self._file)
        try:
            state = read_state(empty, about, self._file)
        except DamagedFileError as error:
            self._lose(_("The chosen nodes"), _reason(error), _("Choose them again."))
            state = ProjectState()
        if self._losses and (state.applied or state.selected) is not None:
            self._lose(
                _("The applied release"), _("a part that it was made from is lost"), _("Apply a node again.")
            )
            state = ProjectState()
        for name, what in ((HISTORY, _("The releases that were applied")), (NOTES, _("The pinned nodes"))):
            try:
                data = {HISTORY: b"[]", NOTES: b"[]", name: members.data(name)}
                found = read_state(Members(data.__getitem__, self._file), {}, self._file)
            except DamagedFileError as error:
                self._lose(what, _reason(error), _("Open an earlier copy of the file to see them."))
            else:
                state = replace(state, runs=state.runs + found.runs, pins=state.pins + found.pins)
        return state


class _Rebuilt(Members):
    """Readable members, for another table: hierarchies are built again, because its values may differ."""

    def from_builder(self, column: Column, builder: HierarchyBuilder, table: Table) -> AttributeHierarchy:
        if builder.paths:
            raise damaged(column.name, _("it is read from another file"))
        return AttributeHierarchy(builder.build(column, BuilderContext(table)), builder=builder)


def _droppable(values: Mapping[str, Any]) -> dict[str, _Part]:
    """Return the sections that a project can do without, by title."""
    hierarchies = values.get("hierarchies")
    found = {
        f'[hierarchies."{column}"]': _Part(
            ("hierarchies", column),
            _("The hierarchy of '{column}'").format(column=column),
            _("Build or import it again."),
        )
        for column in (hierarchies if isinstance(hierarchies, dict) else ())
    }
    for name, what, hint in (
        ("subset", *_SUBSET_LOST),
        ("population", *_POPULATION_LOST),
        ("identifiers", N_("The rules of identifying columns"), _AGAIN),
        ("rules", N_("The rules of sensitive and insensitive columns"), _AGAIN),
    ):
        if name in values:
            found[f"[{name}]"] = _Part((name,), _(what), _(hint))
    return found


def _dropped(values: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """Return the settings without one of their tables, at any depth."""
    first, *inner = keys
    rest = {key: value for key, value in values.items() if key != first}
    return rest | {first: _dropped(values[first], inner)} if inner else rest


def _reason(error: InputError) -> str:
    """Return the reason of an error, without the sentence around it."""
    reason = error.context.get("reason")
    return (reason if isinstance(reason, str) else error.problem).rstrip(".")
