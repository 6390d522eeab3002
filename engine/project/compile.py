"""Project -> Problem: codes, covering hierarchies and lattice bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.errors import InputError
from engine.frequency import Attribute, People, Persons, Problem, SensitiveAttribute
from engine.frequency.measures.grassberger import NO_WHOLE_COUNTS, NO_WHOLE_COUNTS_HINT
from engine.frequency.persons import sums
from engine.hierarchies import Hierarchy
from engine.kernels.arrays import Codes, Reals
from engine.privacy import PrivacyModel, Requirement
from engine.project.project import DURING, AttributeHierarchy, Project
from engine.recoding.aggregation.base import AggregateFunction, functions_for
from engine.table import Column, Role
from engine.table.chosen import ways_of_one
from engine.utility import UtilityMetric, utility_metrics
from engine.utility.objective import Objective
from engine.words import N_, _

_KNOW_PEOPLE = N_(
    "Add [population] with size, sampling_fraction or path to the recipe, or release a [subset]."
)
ONE_WAY = N_("Write each value in one way; or read the column as text, if they do mean different things.")
_KNOW_MEMBERS = N_("Add [population] with the path of its table to the recipe, or release a [subset].")


def compile_problem(project: Project) -> Problem:
    """Compile a project for scoring; the requirement plays no part.

    Raises
    ------
    InputError
        Without a quasi-identifier, with level bounds outside a hierarchy, or with a model on a
        column that is not sensitive or that the model cannot measure, or where a sensitive column
        writes one value in several ways.
        Also if the subset that is released cannot be found, or the population cannot be that of the records,
        or where an aggregate cannot be taken of its column.
    HierarchyGapError
        If a hierarchy lacks values of its column, or of the population.
    """
    columns = project.columns_of(Role.QUASI_IDENTIFYING)
    if not columns:
        raise InputError(
            _("No column is quasi-identifying."),
            hint=_("Give that role to the columns an outsider could know, such as age, sex or postal code."),
        )
    records = project.records
    around = [_column_of_all(project, column.name) for column in columns]
    chosen = project.microaggregation
    attributes = tuple(
        _aggregated(
            compile_attribute(records.column(column.name), project.hierarchies.get(column.name), beside),
            chosen.get(column.name),
        )
        for column, beside in zip(columns, around, strict=True)
    )
    for column in project.columns_of(Role.SENSITIVE):
        if reason := why_not_sensitive(column):
            raise InputError(reason, hint=_(ONE_WAY), column=column.name)
    sensitive = [records.column(column.name) for column in project.columns_of(Role.SENSITIVE)]
    persons = None if project.person is None else Persons.of(records.column(project.person))
    problem = Problem(
        records.n_records,
        attributes,
        tuple(_weighed(sensitive_attribute(project, column), persons) for column in sensitive),
        project.others_as_qi,
        _target(project),
        _people(project, attributes, around, persons),
        persons,
    )
    for model in project.requirement.models:
        check_model(problem, model)
    return problem


def why_not_sensitive(column: Column) -> str:
    """Why values of a column cannot be told apart as sensitive ones; empty where they can.

    Texts are released as they are written, so 1 and 1.0 would count as two values to be told apart, and
    whoever reads them knows that they are one.
    """
    ways = ways_of_one(column)
    if ways is None:
        return ""
    return _("'{name}' writes one value in several ways, such as '{way}' and '{way_2}'.").format(
        name=column.name, way=ways[0], way_2=ways[1]
    )


def check_model(problem: Problem, model: PrivacyModel) -> None:
    """Refuse a model that cannot be measured in a problem; its columns have to be sensitive.

    Raises
    ------
    InputError
        If it names no column, or uses a distance its column has not; also as `check_people`.
    """
    if getattr(model, "column", None) == "":
        raise InputError(
            _("{title} names no column.").format(title=model.title),
            hint=_("Choose the sensitive column it protects."),
            model=model.key,
        )
    for name in model.columns:
        distance = getattr(model, "distance", None) or ""
        reason = problem.sensitive_attribute(name).why_not(distance)
        if reason:
            raise InputError(
                _("The {distance} distance cannot be used: {reason}").format(
                    distance=distance, reason=reason
                ),
                column=name,
            )
    if problem.repeated is not None and getattr(model, "estimator", "") == "grassberger":
        raise InputError(_(NO_WHOLE_COUNTS), hint=_(NO_WHOLE_COUNTS_HINT), model=model.key)
    if model.why_never:
        raise InputError(
            f"{model.title}: {model.why_never}.", hint=_("Change one of the two."), model=model.key
        )
    check_people(problem, model)
    aggregated = [attribute.name for attribute in problem.attributes if attribute.released_as]
    if model.needs_members and aggregated:
        raise InputError(
            _(
                "{title} counts the people of a population by the labels that are released, and "
                "'{aggregated}' is released as an aggregate of classes."
            ).format(title=model.title, aggregated=aggregated[0]),
            hint=_("Release its generalized values, or let k-anonymity take the place of the model."),
            model=model.key,
        )


def check_people(problem: Problem, model: PrivacyModel) -> None:
    """Refuse a model that needs to know more of the population than is known.

    Raises
    ------
    InputError
        Also where a model needs a table of all people, and records are about people who are not in it.
    """
    people = problem.people
    if model.needs_people and people is None:
        wanted = _("its table") if model.needs_members else _("its size or its table")
        raise InputError(
            _("{title} needs a population: give {wanted}, or release a subset of the records.").format(
                title=model.title, wanted=wanted
            ),
            hint=_(_KNOW_MEMBERS) if model.needs_members else _(_KNOW_PEOPLE),
            model=model.key,
        )
    if not model.needs_members or people is None:
        return
    if people.leaves is None:
        raise InputError(
            _("{title} counts the people of a population one by one, and only their number is given.").format(
                title=model.title
            ),
            hint=_(_KNOW_MEMBERS),
            model=model.key,
        )
    spans = [attribute.hierarchy.n_leaves for attribute in problem.attributes]
    leaves = [attribute.leaves for attribute in problem.attributes]
    n_lacking = people.n_lacking(leaves, spans, problem.repeated)
    if n_lacking:
        raise InputError(
            _(
                "{n_lacking:,} records have no person of their own in the table of the population, "
                "so {title} cannot be judged."
            ).format(n_lacking=n_lacking, title=model.title),
            hint=_("That table must have a row for everybody, those with a record included."),
            model=model.key,
        )


def check_metric(problem: Problem, metric: str) -> None:
    """Refuse a utility metric that needs a target column where there is none.

    Raises
    ------
    InputError
    """
    if utility_metrics[metric].needs_target and problem.target is None:
        raise InputError(
            _("The metric '{metric}' needs a target: the column that the release should still tell.").format(
                metric=metric
            ),
            hint=_('Name it as target under [roles], such as target = "salary", or choose another metric.'),
            key=metric,
        )


def _target(project: Project) -> SensitiveAttribute | None:
    name = project.target_column
    return None if name is None else sensitive_attribute(project, project.records.column(name))


def sensitive_attribute(project: Project, column: Column) -> SensitiveAttribute:
    """A sensitive column with its hierarchy, if it has one; bounds on levels are a matter of lattices."""
    entry = project.hierarchies.get(column.name)
    return SensitiveAttribute(column, entry.hierarchy if entry else None)


def compile_attribute(
    column: Column, entry: AttributeHierarchy | None, of_all: Column | None = None
) -> Attribute:
    """Compile one quasi-identifier; without a hierarchy its values are kept as they are.

    `of_all` is the same column of the whole population, where it is known: the hierarchy covers it too.
    """
    if entry is None:
        whole = Hierarchy.identity(column.labels)
        entry = AttributeHierarchy(whole if of_all is None else whole.extended(of_all.labels))
    hierarchy = entry.hierarchy.covering(column)
    missing = None
    if of_all is not None:
        mend = _("Add them to the hierarchy: people who have no place in it cannot be counted.")
        hierarchy = hierarchy.covering(of_all, owner="population", hint=mend)
        missing = of_all.missing_label
    if not 0 <= entry.min_level <= entry.top_level <= hierarchy.height:
        raise InputError(
            _(
                "'{name}' may use levels {min_level} to {top_level}, but its hierarchy has levels 0 "
                "to {height}."
            ).format(
                name=column.name,
                min_level=entry.min_level,
                top_level=entry.top_level,
                height=hierarchy.height,
            ),
            hint=_("Change the levels allowed for this column."),
            column=column.name,
        )
    leaves = _leaves(hierarchy, column)
    return Attribute(column, hierarchy, leaves, entry.min_level, entry.top_level, missing)


def _aggregated(attribute: Attribute, function: AggregateFunction | None) -> Attribute:
    """An attribute of which an aggregate is released: without a part in forming classes on one label.

    Raises
    ------
    InputError
        If the function cannot be taken of its values.
    """
    if function is None:
        return attribute
    if reason := function.why_not(attribute.column):
        titles = ", ".join(title.lower() for title in functions_for(attribute.column))
        raise InputError(
            reason,
            hint=_("Of this column can be taken: {titles}.").format(titles=titles),
            column=attribute.name,
        )
    named = replace(attribute, released_as=function.title.lower())
    if function.grouping:
        return named
    hierarchy = attribute.hierarchy.rooted()
    return replace(named, hierarchy=hierarchy, minimum=hierarchy.height, maximum=hierarchy.height)


def _leaves(hierarchy: Hierarchy, column: Column) -> Codes:
    leaf_of_label = np.array([hierarchy.index[label] for label in column.labels], dtype=np.int32)
    found: Codes = leaf_of_label[column.codes]
    return found


def _column_of_all(project: Project, name: str) -> Column | None:
    """A column of the whole population; None where its members are not known one by one."""
    if project.subset is not None:
        return project.table.column(name)
    if project.population is None or project.population.table is None:
        return None
    people = project.population.table
    if name not in people.names:
        raise InputError(
            _("The population table has no column '{name}'.").format(name=name),
            hint=_("It needs every quasi-identifying column, under the same name as in the table."),
            column=name,
        )
    return people.column(name)


def _people(
    project: Project,
    attributes: Sequence[Attribute],
    around: Sequence[Column | None],
    persons: Persons | None,
) -> People | None:
    n_people = project.records.n_records if persons is None else persons.n_persons
    if project.subset is None and project.population is None:
        return None
    known = [
        (a.hierarchy, column) for a, column in zip(attributes, around, strict=True) if column is not None
    ]
    if project.population is None:
        size: float = project.table.n_records
    else:
        size = project.population.size_for(n_people)
    theirs = _persons_of_all(project)
    people = People(
        size if theirs is None else theirs.n_persons,
        tuple(_leaves(hierarchy, column) for hierarchy, column in known) or None,
        theirs if theirs is not None and theirs.are_repeated else None,
    )
    people.fraction(n_people)  # refuses a population that is too small
    return people


def _persons_of_all(project: Project) -> Persons | None:
    """Who the rows of the population's table are; None where each is a person, or there is no table."""
    table = project.table if project.subset is not None else None
    if table is None and project.population is not None:
        table = project.population.table
    if table is None or project.person is None or project.person not in table.names:
        return None
    return Persons.of(table.column(project.person))


def _weighed(attribute: SensitiveAttribute, persons: Persons | None) -> SensitiveAttribute:
    """A sensitive column whose records weigh what `Persons` says."""
    if persons is None or not persons.are_repeated:
        return attribute
    weights = sums(attribute.codes.astype(np.int64), persons.weight_of_records, attribute.n_values)
    return replace(attribute, weights=weights)


def attribute_weights(project: Project, problem: Problem) -> Reals | None:
    """Weights in attribute order, or None where all are 1; equal ones still scale what is summed."""
    weights = np.array([project.search.weights.get(name, 1.0) for name in problem.names])
    return None if np.all(weights == 1.0) else weights


def chosen_metric(project: Project) -> UtilityMetric | None:
    """The project's metric with its settings; None where these are the usual ones."""
    options = project.search.metric_options
    return utility_metrics.create(project.search.metric, **options) if options else None


def searched_requirement(project: Project) -> Requirement:
    """What a search holds nodes to: all models, or those that look at no sensitive column.

    The others are then enforced on its answer, by suppression.
    """
    requirement = project.requirement
    if project.search.enforce == DURING:
        return requirement
    return replace(requirement, models=tuple(model for model in requirement.models if not model.columns))


def objective_of(project: Project, problem: Problem) -> Objective:
    """What evaluations under a project are told: settings act on its metric, weights on all weighted ones."""
    return Objective(attribute_weights(project, problem), chosen_metric(project))
