"""Pre-flight findings on the population, each with its fix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.advice.findings import Finding, Severity, listed
from engine.errors import InputError
from engine.hierarchies.builders.base import BuilderContext
from engine.numbers import as_exact_count, as_general, as_records
from engine.privacy import PrivacyModel
from engine.privacy.delta_presence import DeltaPresence
from engine.project.edits import replace_model, set_hierarchy, set_population, set_subset
from engine.project.population import Population, with_people
from engine.project.project import Project
from engine.project.subset import SubsetSize, size_of
from engine.records import Role
from engine.words import _, ngettext


def population_findings(project: Project) -> Iterator[Finding]:
    """Look over population, subset, and the models that need them."""
    yield from _subset(project)
    yield from _population(project)
    for index, model in enumerate(project.requirement.models):
        yield from _model(project, index, model)


def _subset(project: Project) -> Iterator[Finding]:
    if project.subset is None or project.subset.draw is not None:
        return  # a draw has findings of its own
    try:
        found: SubsetSize = size_of(project.subset, project.table)
    except InputError as error:
        yield Finding(
            "subset",
            Severity.BLOCKING,
            _("The subset cannot be determined"),
            error.problem,
            _("release all records"),
            lambda p: set_subset(p, None),
        )
        return
    yield Finding(
        "subset",
        Severity.NOTE,
        _("Subset"),
        ngettext(
            "{n} of {total} record is released", "{n} of {total} records are released", found.n_people
        ).format(n=as_exact_count(found.n_records), total=as_exact_count(found.n_people)),
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
            _("A population of {size} is too small").format(size=as_exact_count(size)),
            _("The table has {n_records}, each about a person of the population").format(
                n_records=as_records(n_records)
            ),
            _("remove the population"),
            lambda p: set_population(p, None),
        )
        return
    if population.table is not None:
        yield from _members(project, population)
    share = population.fraction_for(n_records) * 100
    yield Finding(
        "population",
        Severity.NOTE,
        _("Population"),
        _("{size} people; {share} % of them are in the table").format(
            size=as_exact_count(round(size)), share=as_general(share, 3)
        ),
    )


def _members(project: Project, population: Population) -> Iterator[Finding]:
    assert population.table is not None, "only asked for where there is one"
    names = [column.name for column in project.columns_of(Role.QUASI_IDENTIFYING)]
    lacking = [name for name in names if name not in population.table.names]
    if lacking:
        yield Finding(
            "population_columns",
            Severity.BLOCKING,
            _("The population table lacks {lacking}").format(lacking=listed(lacking)),
            _("It needs every quasi-identifying column, with the same name"),
            _("remove the population"),
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
                ngettext(
                    "{column}: {n} value of the population is not in its hierarchy",
                    "{column}: {n} values of the population are not in its hierarchy",
                    len(gaps),
                ).format(column=name, n=as_exact_count(len(gaps))),
                listed([_("'{name}'").format(name=value) for value in gaps]),
                ngettext("add it", "add them", len(gaps)),
                lambda p, name=name: add_population_gaps(p, name),  # type: ignore[misc]  # bound now
            )


def add_population_gaps(project: Project, name: str) -> Project:
    """Add the values of the population that a hierarchy lacks: by its builder, if it has one."""
    assert project.population is not None, "found in its table"
    assert project.population.table is not None, "found in it"
    people, entry = project.population.table.column(name), project.hierarchies[name]
    if entry.builder is not None:
        column = with_people(project.table.column(name), project.population)
        built = entry.builder.build(column, BuilderContext(project.table))
        if not built.gaps(people):
            return set_hierarchy(project, name, replace(entry, hierarchy=built))
    whole = entry.hierarchy.extended(entry.hierarchy.gaps(people))
    return set_hierarchy(project, name, replace(entry, hierarchy=whole, path=None, builder=None))


def _model(project: Project, index: int, model: PrivacyModel) -> Iterator[Finding]:
    if isinstance(model, DeltaPresence) and model.why_never:
        yield Finding(
            f"never:{index}",
            Severity.BLOCKING,
            _("{title}: no table can meet it").format(title=model.title),
            _("At least {minimum:g} and at most {maximum:g} exclude each other").format(
                minimum=model.minimum, maximum=model.maximum
            ),
            _("set the minimum to 0"),
            lambda p: replace_model(p, index, replace(model, minimum=0.0)),
        )
    if not model.needs_people or project.subset is not None:
        return
    population = project.population
    if population is not None and (population.table is not None or not model.needs_members):
        return
    has_size = population is not None
    # A class never has fewer people than records, so taking the records for all people errs on the safe
    # side; a presence would be 1 everywhere, which nothing meets.
    is_safe = not has_size and not isinstance(model, DeltaPresence)
    yield Finding(
        f"needs_population:{index}",
        Severity.BLOCKING,
        (_("{model} needs a population table") if has_size else _("{model} needs a population")).format(
            model=model.title
        ),
        _("Enter the population table, or release only a subset")
        if model.needs_members
        else _("Enter the population size or the population table, or release only a subset"),
        _("use the records as the population") if is_safe else "",
        (lambda p: records_as_people(p, by_table=model.needs_members)) if is_safe else None,
    )


def records_as_people(project: Project, *, by_table: bool) -> Project:
    """Treat the records as the whole population; the true population can only be larger."""
    whole = Population(table=project.table) if by_table else Population(sampling_fraction=1.0)
    return set_population(project, whole)
