"""A recipe applied to another table, such as next month's; settings that do not fit are reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from engine.errors import InputError, TableError
from engine.hierarchies.builders.base import BuilderContext, HierarchyBuilder, builders
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.params import ColumnRef, ColumnRefs, describe
from engine.privacy.base import privacy_models
from engine.project.attack_settings import AttackSettings
from engine.project.project import AttributeHierarchy, Project, frozen
from engine.project.recipe.data import read_data_options
from engine.project.recipe.files import Folder, parsed
from engine.project.recipe.reading import Origin, build
from engine.project.recipe.section import BESIDE_BUILDERS, Section
from engine.project.recipe.settings import member_of
from engine.project.reimport import Changes, subset_problem
from engine.sources.cluster_opening import first_records
from engine.sources.opening import open_beginning, open_database, open_table
from engine.table import Column, Table
from engine.table.database_address import NOBODY, DatabaseAddress, Login
from engine.table.databases import read_database
from engine.table.options import ReadOptions
from engine.table.types import DataType
from engine.table.values import retype
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
    monitor : Monitor
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

    def origin(table: Table, options: ReadOptions, lost: dict[str, str]) -> Origin:
        return _Other(path.parent, moved or {}, given=table, options=options, lost=lost)

    wanted = read_data_options(recipe.section("data"))
    project, changes = settle(recipe, name, wanted, place, origin, monitor, login=login, how=how)
    transformation = project.transformation.with_paths(lambda key: str(path.parent / key))
    return replace(project, transformation=transformation), changes


def options_of(path: Path) -> ReadOptions:
    """Return the reading options of a recipe, without reading its table."""
    return read_data_options(parsed(path)[0].section("data"))


def settle(
    recipe: Section,
    name: str,
    wanted: ReadOptions,
    place: Path | DatabaseAddress,
    origin: Callable[[Table, ReadOptions, dict[str, str]], Origin],
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
    place : Path or DatabaseAddress
    origin : callable
        Takes the table, how it was read, and a mapping that receives why the hierarchy of a column could not
        be built; returns the source of everything else.
    monitor : Monitor
    login : Login
    how : ReadOptions, optional
    """
    chosen = {} if how is None else how.types
    if how is not None:
        missing = {**wanted.column_missing, **how.column_missing}
        how = replace(how, column_missing=missing, replacements=wanted.replacements)
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
    left, n_lost, lost = _without(recipe, set(removed))
    project = build(left, name, origin(table, options, lost), PartMonitor(monitor, 1, 2))
    added = tuple(column for column in table.names if column not in known)
    project = replace(
        project,
        source=place if isinstance(place, Path) else None,
        database="" if isinstance(place, Path) else place.full,
        options=replace(options, types=frozen({c.name: c.data_type for c in table.columns}), may_lack=False),
        hierarchies=frozen({c: h for c, h in project.hierarchies.items() if c not in lost}),
    )
    gaps = {
        column: tuple(found)
        for column, entry in project.hierarchies.items()
        if (found := entry.hierarchy.gaps(table.column(column)))
    }

    def lost_as(key: str) -> str:
        name: str = recipe.section("roles").get(key, str, "")
        return name if name in removed else ""

    changes = Changes(
        None,
        table.n_records,
        added,
        removed,
        retyped,
        gaps=gaps,
        n_models_lost=n_lost,
        subset=subset_problem(project),
        lost_hierarchies=lost,
        lost_person=lost_as("person"),
        lost_weight=lost_as("weight"),
        lost_household=lost_as("household"),
        left_out=options.left_out,
    )
    return project, changes


def no_hierarchy(column: Column, table: Table) -> AttributeHierarchy:
    """Return a placeholder for a hierarchy that could not be fetched, until it is noted as lost."""
    return AttributeHierarchy(builders.create("suppress").build(column, BuilderContext(table)))


@dataclass(frozen=True, kw_only=True)
class _Other(Folder):
    """Files that a recipe names, with another table.

    Attributes
    ----------
    lost : dict of str to str
        Why the hierarchies of columns could not be built.
    """

    judges_choices: ClassVar[bool] = False

    given: Table
    options: ReadOptions
    lost: dict[str, str] = field(default_factory=dict)

    def table(self, path: str, options: ReadOptions, monitor: Monitor) -> tuple[Table, ReadOptions]:
        return self.given, self.options

    def from_builder(self, column: Column, builder: HierarchyBuilder, table: Table) -> AttributeHierarchy:
        try:
            return super().from_builder(column, builder, table)
        except InputError as error:
            if "missing" in error.context:
                raise
            self.lost[column.name] = error.problem
            return no_hierarchy(column, table)


def _read(
    place: Path | DatabaseAddress, how: ReadOptions, login: Login, monitor: Monitor
) -> tuple[Table, ReadOptions]:
    """Return the table, read as requested; options of columns that do not exist are omitted."""
    plain = how = replace(how, may_lack=True)
    if how.column_missing or how.replacements:
        plain = replace(how, types={}, column_missing={}, replacements=())
        if isinstance(place, Path):
            known = open_beginning(place, plain).table.names
        else:
            first = first_records if place.is_cluster else read_database
            known = first(place, plain, login, monitor, limit=1)[0].names
        plain = replace(
            how,
            column_missing={c: tokens for c, tokens in how.column_missing.items() if c in known},
            replacements=tuple(change for change in how.replacements if change.column in known),
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


def _without(recipe: Section, removed: set[str]) -> tuple[Section, int, dict[str, str]]:
    """Return the recipe without removed columns, the number of lost models, and the lost hierarchies."""
    lost = {
        column: _("A column that it is built from was removed.")
        for column, entry in recipe.section("hierarchies").values.items()
        if column not in removed and removed & set(_looked_at(recipe.file, entry))
    }
    values: dict[str, Any] = dict(recipe.values)
    roles = dict(recipe.section("roles").values)
    for role in _ROLES:
        if role in roles:
            roles[role] = [column for column in recipe.section("roles").texts(role) if column not in removed]
    for key in _SINGLE:
        if roles.get(key) in removed:
            del roles[key]
    values["roles"] = roles
    if isinstance(asked := values.get("questionnaire"), dict) and "known" in asked:
        known = recipe.section("questionnaire").texts("known")
        values["questionnaire"] = {**asked, "known": [column for column in known if column not in removed]}
    for name in _BY_COLUMN:
        if name in values:
            table = recipe.section(name).values
            dropped = {*removed, *lost} if name == "hierarchies" else removed
            values[name] = {column: entry for column, entry in table.items() if column not in dropped}
    models = recipe.get("privacy", list, [])
    kept = [model for model in models if not removed & set(_columns_of(model))]
    if models:
        values["privacy"] = kept
    if isinstance(values.get("search"), dict) and isinstance(values["search"].get("weights"), dict):
        weights = {c: w for c, w in values["search"]["weights"].items() if c not in removed}
        values["search"] = {**values["search"], "weights": weights}
    if isinstance(values.get("attack_test"), dict):
        values["attack_test"] = _without_names(values["attack_test"], removed)
    return Section(recipe.file, recipe.name, values), len(models) - len(kept), lost


def _without_names(table: Mapping[str, Any], removed: set[str]) -> dict[str, Any]:
    """Return a table of settings without removed columns: names, and lists of names."""
    columns = [d.name for d in describe(AttackSettings) if isinstance(d, ColumnRef | ColumnRefs)]
    kept: dict[str, Any] = {}
    for key, value in table.items():
        if key in columns and isinstance(value, list):
            kept[key] = [name for name in value if name not in removed]
        elif key not in columns or value not in removed:
            kept[key] = value
    return kept


def _columns_of(model: Any) -> Iterator[str]:
    """Yield the columns that a model of the recipe uses."""
    if isinstance(model, dict) and model.get("model") in privacy_models:
        declared = describe(privacy_models[model["model"]])
        yield from (model[d.name] for d in declared if isinstance(d, ColumnRef) and d.name in model)


def _looked_at(file: str, entry: Any) -> tuple[str, ...]:
    """Return the other columns that the builder of a hierarchy looks at."""
    if not isinstance(entry, dict) or entry.get("builder") not in builders:
        return ()
    own = {key: value for key, value in entry.items() if key not in ("builder", *BESIDE_BUILDERS)}
    try:
        return member_of(Section(file, "hierarchies", own), builders, entry["builder"], own, "").looks_at
    except InputError:
        return ()  # reported when it is built
