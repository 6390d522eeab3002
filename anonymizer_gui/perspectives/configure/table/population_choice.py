"""Populations and subsets in words, and those read from files."""

from __future__ import annotations

from pathlib import Path

from engine.errors import InputError
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_percent
from engine.project import Project
from engine.project.population import Population, options_beside, without_other_columns
from engine.project.subset import Subset, size_of
from engine.records import Table
from engine.records.opening.files import read_table
from engine.words import _

Setting = Population | Subset | None  # None releases all records, of an unknown population


def setting_of(project: Project) -> Setting:
    """Return what the user has set in a project; records drawn by a model are not such a choice."""
    is_drawn = project.subset is not None and project.subset.draw is not None
    return project.population or (None if is_drawn else project.subset)


def preview_of(setting: Setting, table: Table, monitor: Monitor = SILENT) -> str:
    """Describe the result of a setting.

    Raises
    ------
    InputError
        It does not fit the table.
    """
    monitor.step(0, 1, _("Counting"))
    n_records = table.n_records
    if setting is None:
        return _("The population is unknown; all records are released.")
    if isinstance(setting, Subset):
        found = size_of(setting, table)
        return _(
            "{n_records} of {n_people} records are released ({fraction}); the whole table is the population."
        ).format(
            n_records=as_exact_count(found.n_records),
            n_people=as_exact_count(found.n_people),
            fraction=as_percent(found.fraction),
        )
    size = setting.size_for(n_records)
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
        n_records_2=as_percent(setting.fraction_for(n_records)),
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


def read_people(path: Path, project: Project, monitor: Monitor = SILENT) -> Population:
    """Read a population table; only the columns that the records have too are used."""
    people, options = read_table(path, options_beside(project.options), monitor)
    return Population(table=without_other_columns(people, project.table), path=path, options=options)


def read_rows(path: Path, project: Project, monitor: Monitor = SILENT) -> Subset:
    """Read the rows of a subset."""
    rows, options = read_table(path, options_beside(project.options), monitor)
    return Subset(rows=rows, path=path, options=options)
