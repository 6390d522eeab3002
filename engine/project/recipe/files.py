"""Recipe files: a project as TOML that people can read, compare and reuse for next month's table."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from engine.errors import InputError, RecipeError, closest, nearest
from engine.files import atomic_write, make_folder, open_regular, unreadable
from engine.hierarchies.builders.base import BuilderContext, HierarchyBuilder
from engine.hierarchies.files import read_hierarchy, write_hierarchy
from engine.monitor import SILENT, Monitor
from engine.project.ledger.joint import earlier_releases
from engine.project.population import Population
from engine.project.project import AttributeHierarchy, Project, frozen
from engine.project.recipe.reading import build, parse
from engine.project.recipe.section import FILES, Section
from engine.project.recipe.writing import compose, file_names, relative
from engine.project.subset import Subset
from engine.records import Column, Table
from engine.records.databases.address import (
    DatabaseAddress,
    file_url,
    is_database,
    login_given,
    parse_address,
)
from engine.records.opening import open_database, open_table
from engine.records.opening.files import read_table
from engine.records.options import AS_IN_RECIPE, Placing, ReadOptions
from engine.records.places import is_there
from engine.records.table_files import exists
from engine.records.text.writing import write_csv
from engine.words import _

_POPULATION, _SUBSET = "population.csv", "subset.csv"


def read_recipe(
    path: Path | str,
    monitor: Monitor = SILENT,
    moved: Mapping[str, Path] | None = None,
    *,
    may_connect: bool = False,
    placing: Placing = AS_IN_RECIPE,
) -> Project:
    """Read a recipe with the table and the hierarchies that it names.

    Parameters
    ----------
    path : Path or str
        A TOML file; paths in it are relative to its folder.
    moved : mapping of str to Path, optional
        New paths of files that are not at the path in the recipe.
    may_connect : bool
        Whether a server database that it names may be queried, with user and password of the environment
        variables ANONYMIZER_DATABASE_USER and ANONYMIZER_DATABASE_PASSWORD. SQLite needs no connection.
    placing : Placing
        Where the records are, over what the recipe says.

    Returns
    -------
    Project
        Named like the file of its table; that of a database, like the recipe, or like its folder if it is
        called recipe. Columns that it does not name have the role that its `others` gives, or none.

    Raises
    ------
    RecipeError
        The recipe cannot be read, contains an unknown key or name (with the nearest known one), or requires
        something that this version does not support.
    TableError, HierarchyError
        The table or a hierarchy that it names cannot be read. If a file does not exist, its path in the
        recipe is the context's `missing`. If a server would have to be queried and may not, its URL is the
        context's `database`.
    """
    path = Path(path)
    recipe, name = parsed(path)
    return project_in(recipe, name, Folder(path.parent, moved or {}, may_connect, placing), monitor)


def project_in(recipe: Section, name: str, folder: Folder, monitor: Monitor = SILENT) -> Project:
    """Return the project of a parsed recipe whose files are in a folder; see `read_recipe`."""
    project = placed(recipe, build(recipe, name, folder, monitor), folder.base)
    named = recipe.section("data").get("path", str, "")
    if is_database(named):
        return replace(project, database=_address(named, folder.base, folder.moved).full)
    source = folder.moved.get(named, folder.base / named)
    return replace(project, name=source.name.split(".")[0] or name, source=source)


def placed(recipe: Section, project: Project, base: Path) -> Project:
    """Return a project whose ledger and keys are where its recipe names them, as seen from a folder."""
    project = in_order(recipe, project.with_ledger(lambda ledger: str(base / ledger)))
    return replace(project, transformation=project.transformation.with_paths(lambda key: str(base / key)))


def in_order(recipe: Section, project: Project) -> Project:
    """Return a project that shuffles records beside earlier releases, if its recipe does not say."""
    if "shuffle" in recipe.section("transformation").values or not earlier_releases(project):
        return project
    return replace(project, transformation=replace(project.transformation, shuffle=True))


def parsed(path: Path) -> tuple[Section, str]:
    """Parse a recipe without reading the files that it names; also return the name of its project.

    Raises
    ------
    RecipeError
        It cannot be read, or contains an unknown key.
    """
    recipe = parse(_text(path), path.name)
    name = path.absolute().parent.name if path.stem == "recipe" else path.stem
    return recipe, name or path.stem


def recipe_text(project: Project, base: Path, files: str = "files") -> str:
    """Return the text of a recipe.

    Parameters
    ----------
    base : Path
        Folder that paths are relative to.
    files : str
        Folder, relative to `base`, of data that are only in memory: an edited hierarchy, or a table from a
        project file. `write_recipe` writes these files.
    """
    data, encoding = _data_place(project, base, files)
    own = own_files(project)
    project = replace(
        project.with_ledger(lambda ledger: relative(Path(ledger), base)),
        hierarchies=frozen(_seen_from(base, project.hierarchies)),
        transformation=project.transformation.with_paths(lambda key: relative(Path(key), base)),
    )
    paths = {
        column: f"{files}/{own[column]}" if entry.path is None else relative(entry.path, base)
        for column, entry in project.hierarchies.items()
        if entry.builder is None
    }
    return compose(
        project,
        data,
        encoding,
        paths,
        _other_path(project.population, base, f"{files}/{_POPULATION}"),
        _other_path(project.subset, base, f"{files}/{_SUBSET}"),
    )


def write_recipe(project: Project, path: Path | str, *, with_tables: bool = True) -> Path | None:
    """Write a recipe, and a folder next to it for hierarchies and tables without a file or builder.

    Parameters
    ----------
    with_tables : bool
        Whether tables without a file are written too, readable only by their owner; otherwise the recipe
        names them, and its user is asked for their location.

    Returns
    -------
    Path or None
        The folder, None if the recipe needs none.

    Raises
    ------
    ExportError
        A file could not be written; the recipe is unchanged.
    """
    path = Path(path)
    folder = files_beside(path)
    own = own_files(project)
    others = _own_tables(project) if with_tables else {}
    has_own_table = with_tables and project.source is None and not project.is_in_database
    needs_folder = bool(own or others or has_own_table)
    if needs_folder:
        make_folder(folder, parents=False)
    for column, name in own.items():
        write_hierarchy(project.hierarchies[column].hierarchy, folder / name)
    if has_own_table:
        _write_table(project, folder / "data.csv")
    for name, table in others.items():
        columns = [(column.labels, column.codes) for column in table.columns]
        write_csv(folder / name, table.names, columns, is_private=True)
    with atomic_write(path) as file:
        file.write(recipe_text(project, path.parent, folder.name).encode("utf-8"))
    return folder if needs_folder else None


def files_beside(recipe: Path) -> Path:
    """Return the folder of the hierarchies and tables that a recipe cannot contain."""
    return recipe.with_name(f"{recipe.stem}{FILES}")


@dataclass(frozen=True)
class Folder:
    """Files that a recipe names, relative to its folder."""

    judges_choices: ClassVar[bool] = True

    base: Path
    moved: Mapping[str, Path]
    may_connect: bool = False
    placing: Placing = AS_IN_RECIPE

    def _place(self, path: str) -> Path:
        return self.moved.get(path, self.base / path)

    @contextmanager
    def _at(self, path: str) -> Iterator[Path]:
        """Yield the path of a file; the error if it does not exist gets the context `missing`."""
        place = self._place(path)
        try:
            yield place
        except InputError as error:
            if not is_there(place):
                error.context["missing"] = path
            raise

    def table(self, path: str, options: ReadOptions, monitor: Monitor) -> tuple[Table, ReadOptions]:
        if is_database(path):
            return self._from_database(path, options, monitor)
        with self._at(path) as place:
            reading = open_table(place, options.placed(self.placing), monitor)
            return reading.table, reading.options

    def _from_database(self, path: str, options: ReadOptions, monitor: Monitor) -> tuple[Table, ReadOptions]:
        address = _address(path, self.base, self.moved)
        if not address.is_file and not self.may_connect:
            raise RecipeError(
                _("The table is in the database '{name}', which was not queried.").format(name=address.name),
                hint=_("No connection is made without your confirmation."),
                database=address.full,
            )
        try:
            return open_database(address, options.placed(self.placing), login_given(address), monitor)
        except InputError as error:
            if address.is_file and not exists(address.path):
                error.context["missing"] = path
            raise

    def other_table(
        self, path: str, options: ReadOptions, monitor: Monitor
    ) -> tuple[Table, ReadOptions, Path | None]:
        with self._at(path) as place:
            return *read_table(place, options, monitor), place

    def from_file(self, column: Column, path: str) -> AttributeHierarchy:
        with self._at(path) as place:
            return AttributeHierarchy(read_hierarchy(place), place)

    def from_builder(self, column: Column, builder: HierarchyBuilder, table: Table) -> AttributeHierarchy:
        placed = builder.with_paths(lambda path: str(self._place(path)))
        try:
            return AttributeHierarchy(placed.build(column, BuilderContext(table, self.base)), builder=placed)
        except InputError as error:
            absent = [named for named in builder.paths.values() if not exists(self._place(named))]
            if absent:
                error.context["missing"] = absent[0]
            raise


def _address(named: str, base: Path, moved: Mapping[str, Path]) -> DatabaseAddress:
    """Return the address of a database that a recipe names, with an absolute path for a file."""
    address = parse_address(named)[0]
    if address.is_file and named in moved:
        address = replace(address, url=file_url(moved[named]))
    return address.seen_from(base)


def _seen_from(base: Path, hierarchies: Mapping[str, AttributeHierarchy]) -> dict[str, AttributeHierarchy]:
    """Return the hierarchies with the paths of their builders relative to the folder of the recipe."""
    return {
        column: entry
        if entry.builder is None
        else replace(entry, builder=entry.builder.with_paths(lambda path: relative(Path(path), base)))
        for column, entry in hierarchies.items()
    }


def _data_place(project: Project, base: Path, files: str) -> tuple[str, str | None]:
    """Return the location of the table, as seen from a folder, and its encoding."""
    if project.source is not None:
        return relative(project.source, base), project.options.encoding
    if project.is_in_database:
        return parse_address(project.database)[0].seen_from(base, base).full, None
    return f"{files}/data.csv", "utf-8"


def own_files(project: Project) -> dict[str, str]:
    """Return file names of the hierarchies without a file and builder, by column."""
    columns = [
        column
        for column in project.table.names
        if column in project.hierarchies
        and project.hierarchies[column].path is None
        and project.hierarchies[column].builder is None
    ]
    return file_names(columns)


def _own_tables(project: Project) -> dict[str, Table]:
    """Return the additional tables that are only in memory, by file name."""
    tables = {}
    if project.population is not None and project.population.path is None and project.population.table:
        tables[_POPULATION] = project.population.table
    if project.subset is not None and project.subset.path is None and project.subset.rows:
        tables[_SUBSET] = project.subset.rows
    return tables


def _other_path(other: Population | Subset | None, base: Path, own: str) -> str:
    return own if other is None or other.path is None else relative(other.path, base)


def _write_table(project: Project, path: Path) -> None:
    columns = [(column.labels, column.codes) for column in project.table.columns]
    header = () if project.options.header is False else project.table.names
    write_csv(path, header, columns, project.options.delimiter or ",", is_private=True)


def _text(path: Path) -> str:
    try:
        with open_regular(path) as file:
            return file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecipeError(
            _("'{name}' is not valid UTF-8: byte {start} cannot be read.").format(
                name=path.name, start=error.start + 1
            ),
            hint=_("Save the recipe as a text file in UTF-8."),
            file=path.name,
        ) from None
    except FileNotFoundError:
        others = [p.name for p in path.parent.iterdir()] if os.path.isdir(path.parent) else []
        raise RecipeError(
            _("The recipe '{path}' does not exist.").format(path=path),
            hint=nearest(path.name, others)
            if closest(path.name, others)
            else _("Check its name and folder."),
            file=path.name,
        ) from None
    except OSError as error:
        hint = _("Choose a recipe file that you may read.")
        raise unreadable(RecipeError, path, error, hint) from error
