"""A recipe applied to another table, such as next month's; settings that do not fit are reported."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from engine.errors import InputError, ProjectFileError, TableError
from engine.hierarchies.builders.base import BuilderContext, HierarchyBuilder, builders
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.project.project import AttributeHierarchy, Project, frozen
from engine.project.recipe.data import read_data_options
from engine.project.recipe.files import Folder, parsed, placed
from engine.project.recipe.reading import Origin, build
from engine.project.recipe.section import Section
from engine.project.reimport import Changes, gaps_in, subset_problem, without_columns
from engine.records import Column, Table
from engine.records.clusters.opening import first_records
from engine.records.databases.address import NOBODY, DatabaseAddress, Login
from engine.records.databases.tables import read_database
from engine.records.opening import open_beginning, open_database, open_table
from engine.records.options import ReadOptions
from engine.records.types import DataType, Kind
from engine.records.values import retype
from engine.words import _

_BY_COLUMN = ("hierarchies", "identifiers", "rules", "microaggregation")
_ROLES = ("identifying", "quasi_identifying", "sensitive", "insensitive")
_SINGLE = ("person", "target", "weight", "household")  # keys with one column


def apply_recipe(
    path: Path,
    place: Path | DatabaseAddress,
    monitor: Monitor = SILENT,
    *,
    login: Login = NOBODY,
    how: ReadOptions | None = None,
    moved: Mapping[str, Path] | None = None,
) -> tuple[Project, Changes]:
    """Return the project that a recipe gives with another table, and the differences.

    The table is read as the recipe says. Roles, hierarchies and models of columns that it does not have are
    omitted. Columns that the recipe does not name have the role that it gives to others, or none.

    Parameters
    ----------
    path : Path
        The recipe.
    place : Path or DatabaseAddress
        Location of the table.
    login : Login
        For a table in the database of a server.
    how : ReadOptions, optional
        How the table is read, if not as the recipe says.
    moved : mapping of str to Path, optional
        New paths of other files that are not at the path in the recipe.

    Raises
    ------
    RecipeError
        The recipe cannot be read.
    TableError, HierarchyError
        The table, or a file that the recipe names, cannot be read. If a file does not exist, its path in the
        recipe is the context's `missing`.
    InputError
        The table has none of the columns the recipe names.
    """
    recipe, name = parsed(path)
    wanted, files = read_data_options(recipe.section("data")), Folder(path.parent, moved or {})
    project, changes = settle(recipe, name, wanted, place, files, monitor, login=login, how=how)
    project = placed(recipe, project, path.parent)
    name = place.name.split(".")[0] if isinstance(place, Path) else place.table
    return replace(project, name=name or project.name), changes


def options_of(path: Path) -> ReadOptions:
    """Return the reading options of a recipe, without reading its table."""
    return read_data_options(parsed(path)[0].section("data"))


def settle(
    recipe: Section,
    name: str,
    wanted: ReadOptions,
    place: Path | DatabaseAddress,
    files: Origin,
    monitor: Monitor,
    *,
    login: Login = NOBODY,
    how: ReadOptions | None = None,
) -> tuple[Project, Changes]:
    """Return the project of settings applied to a table they were not made for; see `apply_recipe`.

    Parameters
    ----------
    recipe : Section
        The settings, parsed.
    name : str
        Name of the project.
    wanted : ReadOptions
        Reading options in the settings.
    files : Origin
        Source of everything else. A hierarchy that is damaged there, or cannot be built, is reported.
    """
    chosen = {} if how is None else how.types
    if how is not None:
        missing = {**wanted.column_missing, **how.column_missing}
        how = replace(
            how,
            column_missing=missing,
            replacements=wanted.replacements,
            forms={**wanted.forms, **how.forms},
            leave_out=how.leave_out or wanted.leave_out,
        )
    reading = how or replace(wanted, types={})
    table, options = _read(place, reading, login, PartMonitor(monitor, 0, 2))
    table, retyped = _typed(table, {n: t for n, t in wanted.types.items() if n not in chosen})
    known = _known(recipe, wanted)
    if known and not set(known) & set(table.names):
        raise InputError(
            _("The table has none of the columns that '{file}' names.").format(file=recipe.file),
            hint=_("Choose a table with the same columns."),
            file=recipe.file,
        )
    removed = tuple(column for column in known if column not in table.names)
    origin = _Other(files, table, options, removed)
    project = build(_without_hierarchies(recipe, removed), name, origin, PartMonitor(monitor, 1, 2))
    project, of_removed = without_columns(project, removed)
    project = replace(
        project,
        source=place if isinstance(place, Path) else None,
        database="" if isinstance(place, Path) else place.full,
        table=table,
        options=replace(options, types=frozen({c.name: c.data_type for c in table.columns}), may_lack=False),
        hierarchies=frozen({c: h for c, h in project.hierarchies.items() if c not in origin.lost}),
    )
    changes = Changes(
        None,
        table.n_records,
        tuple(column for column in table.names if column not in known),
        removed,
        retyped,
        gaps=gaps_in(project),
        subset=subset_problem(project),
        lost_hierarchies=origin.lost,
        left_out=options.left_out,
        **of_removed,
    )
    return project, changes


def _without_hierarchies(recipe: Section, removed: Collection[str]) -> Section:
    """Return the recipe without the hierarchies of some columns, whose files need not exist."""
    given = recipe.section("hierarchies").values
    kept = {column: entry for column, entry in given.items() if column not in removed}
    return Section(recipe.file, recipe.name, {**recipe.values, "hierarchies": kept})


@dataclass(frozen=True)
class _Other:
    """Files that settings name, with another table.

    Attributes
    ----------
    removed : collection of str
        Columns that the settings name and the table lacks; each is a column of ones until it is removed from
        the project.
    lost : dict of str to str
        Why the hierarchies of columns could not be built.
    """

    judges_choices: ClassVar[bool] = False

    files: Origin
    given: Table
    options: ReadOptions
    removed: Collection[str]
    lost: dict[str, str] = field(default_factory=dict)

    def table(self, path: str, options: ReadOptions, monitor: Monitor) -> tuple[Table, ReadOptions]:
        ones = (
            Column(name, DataType(Kind.INTEGER), ("1",), np.zeros(0, dtype=np.int32), False, np.ones(1))
            for name in self.removed
        )
        return Table((*self.given.columns, *ones)), self.options

    def other_table(
        self, path: str, options: ReadOptions, monitor: Monitor
    ) -> tuple[Table, ReadOptions, Path | None]:
        return self.files.other_table(path, options, monitor)

    def from_file(self, column: Column, path: str) -> AttributeHierarchy:
        try:
            return self.files.from_file(column, path)
        except ProjectFileError as error:
            return self._none(column, str(error.context.get("reason", error.problem)))

    def from_builder(self, column: Column, builder: HierarchyBuilder, table: Table) -> AttributeHierarchy:
        if not set(self.removed).isdisjoint(builder.looks_at):
            return self._none(column, _("A column that it is built from was removed."))
        try:
            return self.files.from_builder(column, builder, self.given)
        except InputError as error:
            if "missing" in error.context:
                raise
            return self._none(column, str(error.context.get("reason", error.problem)))

    def _none(self, column: Column, why: str) -> AttributeHierarchy:
        """Note why a hierarchy is lost; return one that takes its place until it is removed."""
        self.lost[column.name] = why
        return AttributeHierarchy(builders.create("suppress").build(column, BuilderContext(self.given)))


def _read(
    place: Path | DatabaseAddress, how: ReadOptions, login: Login, monitor: Monitor
) -> tuple[Table, ReadOptions]:
    """Return the table, read as requested; options of columns that do not exist are omitted."""
    plain = how = replace(how, may_lack=True)
    if how.column_missing or how.replacements or how.forms:
        plain = replace(how, types={}, column_missing={}, replacements=(), forms={}, leave_out="")
        if isinstance(place, Path):
            known = open_beginning(place, plain).table.names
        else:
            first = first_records if place.is_cluster else read_database
            known = first(place, plain, login, monitor, limit=1)[0].names
        plain = replace(
            how,
            column_missing={c: tokens for c, tokens in how.column_missing.items() if c in known},
            replacements=tuple(change for change in how.replacements if change.column in known),
            forms={c: forms for c, forms in how.forms.items() if c in known},
        )
    if isinstance(place, Path):
        reading = open_table(place, plain, monitor)
        return reading.table, reading.options
    return open_database(place, plain, login, monitor)


def _typed(table: Table, types: Mapping[str, DataType]) -> tuple[Table, dict[str, tuple[DataType, DataType]]]:
    """Return the table with the given types if the values fit, and the columns whose values do not."""
    retyped, columns = {}, []
    for column in table.columns:
        wanted = types.get(column.name, column.data_type)
        if wanted != column.data_type:
            try:
                column = retype(column, wanted)
            except TableError:
                retyped[column.name] = (wanted, column.data_type)
        columns.append(column)
    return Table(tuple(columns)), retyped


def _known(recipe: Section, options: ReadOptions) -> tuple[str, ...]:
    """Return the columns that a recipe names, in order."""
    roles = recipe.section("roles")
    of_roles = [column for role in _ROLES for column in roles.texts(role)]
    single = [name for key in _SINGLE if (name := roles.get(key, str, None))]
    tables = [recipe.section(name).values for name in _BY_COLUMN]
    taken = [column.name for column in options.take]
    of_tables = [column for table in tables for column in table]
    named = (*options.types, *taken, *of_roles, *single, *of_tables)
    return tuple(dict.fromkeys(named))
