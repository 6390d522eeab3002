"""What stands between a project and its population: findings of the pre-flight, each with its fix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.advice.findings import Finding, Severity, count, counted, listed
from engine.errors import InputError
from engine.hierarchies.builders.base import Around
from engine.privacy import PrivacyModel
from engine.privacy.delta_presence import DeltaPresence
from engine.project.edits import replace_model, set_hierarchy, set_population, set_subset
from engine.project.population import Population, with_people
from engine.project.project import Project
from engine.project.subset import SubsetSize, size_of
from engine.table import Role


def population_findings(project: Project) -> Iterator[Finding]:
    """Look over population, subset, and the models that need them."""
    yield from _subset(project)
    yield from _population(project)
    for index, model in enumerate(project.requirement.models):
        yield from _model(project, index, model)


def _subset(project: Project) -> Iterator[Finding]:
    if project.subset is None:
        return
    try:
        found: SubsetSize = size_of(project.subset, project.table)
    except InputError as error:
        yield Finding(
            "subset",
            Severity.BLOCKING,
            "The subset cannot be found",
            error.problem,
            "release all records",
            lambda p: set_subset(p, None),
        )
        return
    yield Finding(
        "subset",
        Severity.NOTE,
        "Subset",
        f"{count(found.n_records)} of {counted(found.n_people, 'record is', 'records are')} released",
    )


def _population(project: Project) -> Iterator[Finding]:
    population = project.population
    if population is None:
        return
    n_records = project.table.n_records
    size = population.size_for(n_records)
    if size < n_records:
        yield Finding(
            "population",
            Severity.BLOCKING,
            f"A population of {count(size)} is too small",
            f"There are {counted(n_records, 'record', 'records')}, each about somebody of the population",
            "forget the population",
            lambda p: set_population(p, None),
        )
        return
    if population.table is not None:
        yield from _members(project, population)
    share = population.fraction_for(n_records) * 100
    yield Finding(
        "population",
        Severity.NOTE,
        "Population",
        f"{count(round(size))} people, of whom {share:.3g}\u202f% have a record",
    )


def _members(project: Project, population: Population) -> Iterator[Finding]:
    assert population.table is not None, "only asked for where there is one"
    names = [column.name for column in project.columns_of(Role.QUASI_IDENTIFYING)]
    lacking = [name for name in names if name not in population.table.names]
    if lacking:
        yield Finding(
            "population_columns",
            Severity.BLOCKING,
            f"The population table has no {listed(lacking)}",
            "It needs every quasi-identifying column under the same name",
            "forget the population",
            lambda p: set_population(p, None),
        )
    for name in names:
        entry = project.hierarchies.get(name)
        if entry is None or name in lacking:
            continue
        gaps = entry.hierarchy.gaps(population.table.column(name))
        if gaps:
            yield Finding(
                f"population_gaps:{name}",
                Severity.BLOCKING,
                f"{name}: {counted(len(gaps), 'value', 'values')} of the population not in its hierarchy",
                listed([f"'{value}'" for value in gaps]),
                "add it" if len(gaps) == 1 else "add them",
                lambda p, name=name: add_population_gaps(p, name),  # type: ignore[misc]  # bound now
            )


def add_population_gaps(project: Project, name: str) -> Project:
    """Add the values of the population that a hierarchy lacks: by its builder, if it has one."""
    assert project.population is not None, "found in its table"
    assert project.population.table is not None, "found in it"
    people, entry = project.population.table.column(name), project.hierarchies[name]
    if entry.builder is not None:
        column = with_people(project.table.column(name), project.population)
        built = entry.builder.build(column, Around(project.table))
        if not built.gaps(people):
            return set_hierarchy(project, name, replace(entry, hierarchy=built))
    whole = entry.hierarchy.extended(entry.hierarchy.gaps(people))
    return set_hierarchy(project, name, replace(entry, hierarchy=whole, path=None, builder=None))


def _model(project: Project, index: int, model: PrivacyModel) -> Iterator[Finding]:
    if isinstance(model, DeltaPresence) and model.why_never:
        yield Finding(
            f"never:{index}",
            Severity.BLOCKING,
            f"{model.title}: no table can meet it",
            f"It asks for {model.why_never.removesuffix(' does not exist')}, which does not exist",
            "set the minimum to 0",
            lambda p: replace_model(p, index, replace(model, minimum=0.0)),
        )
    if not model.needs_people or project.subset is not None:
        return
    population = project.population
    if population is not None and (population.table is not None or not model.needs_members):
        return
    has_size = population is not None
    how = "its table" if model.needs_members else "its size or its table"
    # A class never has fewer people than records, so taking the records for all people errs on the safe
    # side; a presence would be 1 everywhere, which nothing meets.
    is_safe = not has_size and not isinstance(model, DeltaPresence)
    yield Finding(
        f"needs_population:{index}",
        Severity.BLOCKING,
        f"{model.title} needs {'the table of the population' if has_size else 'a population'}",
        f"Give {how}, or release a subset of the records",
        "take the records for all people" if is_safe else "",
        (lambda p: records_as_people(p, by_table=model.needs_members)) if is_safe else None,
    )


def records_as_people(project: Project, *, by_table: bool) -> Project:
    """Take the records for all people there are: nobody is better hidden than that says."""
    whole = Population(table=project.table) if by_table else Population(sampling_fraction=1.0)
    return set_population(project, whole)
