"""Choice of a population or a subset, and the setting that results from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from engine.errors import InputError
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_percent
from engine.project import Project
from engine.project.population import Population, options_beside, without_other_columns
from engine.project.subset import Subset, size_of
from engine.table import Table
from engine.table.options import ReadOptions
from engine.table.reading import read_table
from engine.words import _


class PopulationMode(Enum):
    """Kinds of choices; the first four describe the population, the others release a subset."""

    NONE = "none"
    SIZE = "size"
    FRACTION = "fraction"
    TABLE = "table"
    FILTER = "filter"
    ROWS = "rows"
    RANDOM = "random"


@dataclass(frozen=True)
class FileTable:
    """Table with the file it was read from."""

    path: Path | None
    table: Table
    options: ReadOptions = ReadOptions()

    @property
    def name(self) -> str:
        return self.path.name if self.path is not None else _("stored in the project")


@dataclass(frozen=True)
class PopulationChoice:
    """Content of the dialog; only the fields of its kind are used."""

    mode: PopulationMode = PopulationMode.NONE
    size: int = 1_000_000
    fraction: float = 0.1
    people: FileTable | None = None
    filter: str = ""
    rows: FileTable | None = None
    share: float = 0.1
    n_drawn: int | None = None  # number of records from a recipe; replaces the share
    seed: int = 0


def choice_of(project: Project) -> PopulationChoice:
    """Return the current choice of a project."""
    choice = PopulationChoice(size=max(1_000_000, project.table.n_records))
    population, subset = project.population, project.subset
    if population is not None:
        if population.table is not None:
            people = FileTable(population.path, population.table, population.options)
            return replace(choice, mode=PopulationMode.TABLE, people=people)
        if population.size is not None:
            return replace(choice, mode=PopulationMode.SIZE, size=population.size)
        return replace(
            choice, mode=PopulationMode.FRACTION, fraction=population.sampling_fraction or choice.fraction
        )
    if subset is not None and subset.draw is None:
        if subset.rows is not None:
            return replace(
                choice, mode=PopulationMode.ROWS, rows=FileTable(subset.path, subset.rows, subset.options)
            )
        if subset.filter:
            return replace(choice, mode=PopulationMode.FILTER, filter=subset.filter)
        share = subset.fraction
        if share is None:
            share = (subset.size or 0) / max(project.table.n_records, 1)
        return replace(choice, mode=PopulationMode.RANDOM, share=share, n_drawn=subset.size, seed=subset.seed)
    return choice


def setting_of(choice: PopulationChoice) -> Population | Subset | None:
    """Return the population or the subset of a choice.

    Raises
    ------
    InputError
        A field is missing or out of bounds.
    """
    match choice.mode:
        case PopulationMode.NONE:
            return None
        case PopulationMode.SIZE:
            return Population(size=choice.size)
        case PopulationMode.FRACTION:
            return Population(sampling_fraction=choice.fraction)
        case PopulationMode.TABLE:
            if choice.people is None:
                raise InputError(_("No population table is chosen."), hint=_("Choose its file."))
            return Population(
                table=choice.people.table, path=choice.people.path, options=choice.people.options
            )
        case PopulationMode.FILTER:
            if not choice.filter.strip():
                raise InputError(
                    _("No condition is given."),
                    hint=_("For example: age >= 40 and sex = 'female', with the names of the columns."),
                )
            return Subset(filter=choice.filter.strip())
        case PopulationMode.ROWS:
            if choice.rows is None:
                raise InputError(
                    _("No file with records is chosen."), hint=_("Choose a table with some of the records.")
                )
            return Subset(rows=choice.rows.table, path=choice.rows.path, options=choice.rows.options)
        case PopulationMode.RANDOM:
            if choice.n_drawn is not None:
                return Subset(size=choice.n_drawn, seed=choice.seed)
            return Subset(fraction=choice.share, seed=choice.seed)


def preview_of(choice: PopulationChoice, table: Table, monitor: Monitor = SILENT) -> str:
    """Describe the result of a choice; raise as `setting_of` does, and if it does not fit the table."""
    monitor.step(0, 1, _("Counting"))
    made, n_records = setting_of(choice), table.n_records
    if made is None:
        return _("The population is unknown; all records are released.")
    if isinstance(made, Subset):
        found = size_of(made, table)
        return _(
            "{n_records} of {n_people} records are released ({fraction}); the whole table is the population."
        ).format(
            n_records=as_exact_count(found.n_records),
            n_people=as_exact_count(found.n_people),
            fraction=as_percent(found.fraction),
        )
    size = made.size_for(n_records)
    if size < n_records:
        raise InputError(
            _("A population of {size} people is smaller than the {n_records} records.").format(
                size=as_exact_count(size), n_records=as_exact_count(n_records)
            ),
            hint=_("The population includes everyone in the table. Give its total size."),
        )
    return _(
        "{n_records} records from {size} people: {n_records_2} of the population is in the table."
    ).format(
        n_records=as_exact_count(n_records),
        size=as_exact_count(size),
        n_records_2=as_percent(made.fraction_for(n_records)),
    )


def words_of(project: Project) -> str:
    """Return a short description for a button; empty if nothing is set."""
    if project.subset is not None and project.subset.draw is not None:
        return _("Drawn at random: {n} records").format(n=as_exact_count(project.n_records))
    if project.subset is not None:
        return _("Subset: {n} records").format(n=as_exact_count(project.n_records))
    population = project.population
    if population is None:
        return ""
    if population.sampling_fraction is not None:
        return _("Population: {share} sampled").format(share=as_percent(population.sampling_fraction))
    size = population.size_for(project.table.n_records)
    return _("Population: {size}").format(size=as_exact_count(size))


def read_people(path: Path, project: Project, monitor: Monitor = SILENT) -> FileTable:
    """Read a population table; only the columns that the records have too are used."""
    people, options = read_table(path, options_beside(project.options), monitor)
    return FileTable(path, without_other_columns(people, project.table), options)


def read_rows(path: Path, project: Project, monitor: Monitor = SILENT) -> FileTable:
    """Read the rows of a subset."""
    rows, options = read_table(path, options_beside(project.options), monitor)
    return FileTable(path, rows, options)
