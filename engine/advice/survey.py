"""Pre-flight findings on survey weights and households."""

from __future__ import annotations

from collections.abc import Iterator

from engine.advice.findings import Finding, Severity
from engine.errors import InputError
from engine.frequency.persons import is_repeated
from engine.frequency.population import weight_counts, why_no_weights
from engine.numbers import as_exact_count, as_people, as_records
from engine.project.edits import remove_model, set_household, set_person, set_weight
from engine.project.project import Project
from engine.words import _, ngettext


def survey_findings(project: Project) -> Iterator[Finding]:
    """Yield findings on the columns of weights and households, and on models that need weights."""
    try:
        records = project.records
    except InputError:
        return  # a subset that cannot be found has a finding of its own
    if project.weight is not None:
        column = records.column(project.weight)
        if problem := why_no_weights(column):
            yield Finding(
                "weights",
                Severity.BLOCKING,
                _("Survey weights cannot be used"),
                problem,
                _("ignore the weights"),
                lambda p: set_weight(p, None),
            )
        elif n_small := weight_counts(column).below_one:
            yield Finding(
                "small_weights",
                Severity.LOOK_AT,
                ngettext(
                    "{column}: {n} record with a weight below 1",
                    "{column}: {n} records with a weight below 1",
                    n_small,
                ).format(column=column.name, n=as_exact_count(n_small)),
                _("A record stands for at least one person. Check whether these are survey weights"),
            )
        else:
            yield Finding(
                "weights",
                Severity.READY,
                _("Survey weights"),
                _("{records} stand for {people}, by {column}").format(
                    records=as_records(records.n_records),
                    people=as_people(round(float(column.numbers @ column.counts))),
                    column=column.name,
                ),
            )
    if project.household is not None:
        column = records.column(project.household)
        n_missing = int(column.counts[-1]) if column.has_missing else 0
        if n_missing:
            yield Finding(
                "no_household",
                Severity.NOTE,
                ngettext(
                    "{column}: {n} record without a household",
                    "{column}: {n} records without a household",
                    n_missing,
                ).format(column=column.name, n=as_exact_count(n_missing)),
                _("Each counts as a household"),
            )
        elif int(column.counts.max(initial=0)) <= 1:
            yield Finding(
                "single_households",
                Severity.LOOK_AT,
                _("{column}: every household has one record").format(column=column.name),
                _("Household risk then equals individual risk"),
                _("ignore the households"),
                lambda p: set_household(p, None),
            )
    yield from _models(project)


def _models(project: Project) -> Iterator[Finding]:
    """Yield findings on models that need weights and have none."""
    person = None if project.person is None else project.table.column(project.person)
    for index, model in enumerate(project.requirement.models):
        if not model.needs_weights:
            continue
        if project.weight is None:
            yield Finding(
                f"needs_weights:{index}",
                Severity.BLOCKING,
                _("{model} needs survey weights").format(model=model.title),
                _("Select a numeric column, check Survey weights, or remove the model"),
                _("remove the model"),
                lambda p, number=index: remove_model(p, number),  # type: ignore[misc]
            )
        elif person is not None and is_repeated(person):
            yield Finding(
                f"weights_of_people:{index}",
                Severity.BLOCKING,
                _("{model} needs one record per person").format(model=model.title),
                _("'{column}' repeats, so people have several records").format(column=person.name),
                _("count records"),
                lambda p: set_person(p, None),
            )
