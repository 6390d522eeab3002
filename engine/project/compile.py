"""Compilation of a project into a problem: codes, covering hierarchies and lattice bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.errors import InputError, nearest
from engine.frequency import Attribute, Persons, PopulationMembers, Problem, SensitiveAttribute
from engine.frequency.measures.own import NO_WHOLE_COUNTS, NO_WHOLE_COUNTS_HINT
from engine.frequency.persons import sums
from engine.frequency.population import check_weights
from engine.frequency.problem import WeightAttribute
from engine.hierarchies import Hierarchy
from engine.kernels.arrays import Codes, FloatArray
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.privacy import PrivacyModel, Requirement
from engine.project.ledger.joint import earlier_of
from engine.project.project import BY_SIZE, CHECK, DURING, AttributeHierarchy, Project
from engine.project.refusals import refuse_uncovered, with_fixed_node
from engine.recoding.aggregation.base import AggregateFunction, functions_for
from engine.recoding.ruled import refuse_unmeasurable, released_column, rule_of
from engine.recoding.transformation import RULED
from engine.records import Column, Role
from engine.records.column_selection import ways_of_one
from engine.utility import UtilityMetric, utility_metrics
from engine.utility.objective import Objective
from engine.words import N_, _, ngettext, within_sentence

_KNOW_PEOPLE = N_(
    "Add [population] with size, sampling_fraction or path to the recipe, or release a [subset]."
)
ONE_WAY = N_("Write each value in one form, or read the column as text if the forms differ in meaning.")
_KNOW_MEMBERS = N_("Add [population] with the path of its table to the recipe, or release a [subset].")


def compile_problem(project: Project, monitor: Monitor = SILENT) -> Problem:
    """Compile a project for scoring; its requirement is only checked.

    The monitor is asked while the records of a table that is not in memory are counted.

    Raises
    ------
    InputError
        No column is quasi-identifying; level bounds are outside a hierarchy; a model uses a column that is
        not sensitive or that it cannot measure; a sensitive column has one value in several forms; the subset
        cannot be found; the population does not fit the records; a weight is missing or not above 0; or an
        aggregate is not defined for its column.
    HierarchyGapError
        A hierarchy lacks values of its column, or of the population.
    """
    columns = project.columns_of(Role.QUASI_IDENTIFYING)
    if not columns:
        raise InputError(
            _("No column is quasi-identifying."),
            hint=_("Give this role to columns that outsiders may know, such as age, sex or postal code."),
        )
    records = project.count_rows(monitor)
    around = [_column_of_all(project, column.name) for column in columns]
    chosen = project.microaggregation
    attributes = tuple(
        _aggregated(
            compile_attribute(records.column(column.name), project.hierarchies.get(column.name), beside),
            chosen.get(column.name),
        )
        for column, beside in zip(columns, around, strict=True)
    )
    sensitive = _sensitive(project)
    persons = None if project.person is None else Persons.of(records.column(project.person))
    problem = Problem(
        records.n_records,
        attributes,
        tuple(_weighed(attribute, persons) for attribute in sensitive),
        project.others_as_qi,
        _target(project),
        _people(project, attributes, around, persons),
        persons,
        _weight(project, persons),
        earlier_of(project),
    )
    refuse_uncovered(project)
    for model in project.requirement.models:
        check_model(problem, model)
    return with_fixed_node(project, problem)


def _sensitive(project: Project) -> list[SensitiveAttribute]:
    """Return the sensitive columns as released; a removed one has nothing to protect."""
    found = []
    for name in project.sensitive:
        attribute = released_attribute(project, name)
        if reason := why_sensitive_refused(project, name):
            raise InputError(reason, hint=_(ONE_WAY), column=name)
        if attribute is not None:
            found.append(attribute)
            continue
        for model in project.requirement.models:
            if name in model.columns:
                raise InputError(
                    _("{model} protects '{name}', but the rule of this column removes it.").format(
                        model=model.title, name=name
                    ),
                    hint=_("Remove the model, or release the column by another rule."),
                    column=name,
                )
    return found


def refuse_changed_values(project: Project, problem: Problem) -> None:
    """Refuse a problem whose sensitive columns are no longer released as it measures them.

    Raises
    ------
    InputError
        The key of a rule has changed.
    """
    for attribute in problem.sensitive:
        now, measured = released_column(project, attribute.name), attribute.column
        if now is not measured and (
            now is None or now.labels != measured.labels or not np.array_equal(now.codes, measured.codes)
        ):
            raise InputError(
                _("The released values of '{name}' have changed since the release was made.").format(
                    name=attribute.name
                ),
                hint=_("Its key has changed: create the release again."),
                column=attribute.name,
            )


def why_sensitive_refused(project: Project, name: str) -> str:
    """Return why released values of a sensitive column cannot be distinguished; empty if they can."""
    rule, original = rule_of(project, name), project.rows.column(name)
    column = original if rule is None or rule.keeps_texts else released_column(project, name)
    return "" if column is None else why_not_sensitive(column)


def released_attribute(project: Project, name: str) -> SensitiveAttribute | None:
    """Return a column with its hierarchy as released; None if its rule removes it.

    Raises
    ------
    InputError
        Its rule is not defined for a value, or lacks its key.
    """
    refuse_unmeasurable(project, name)
    column = released_column(project, name)
    if column is None:
        return None
    attribute, rule = sensitive_attribute(project, column), rule_of(project, name)
    if rule is None or attribute.hierarchy is None:
        return attribute
    return replace(attribute, hierarchy=rule.written_hierarchy(attribute.hierarchy))


def why_not_sensitive(column: Column) -> str:
    """Return why values of a column cannot be distinguished as sensitive ones; empty if they can.

    Texts are released as written, so 1 and 1.0 would count as two different values, although a reader knows
    that they are the same.
    """
    ways = ways_of_one(column)
    if ways is None:
        return ""
    return _("'{name}' has the same value in several forms, such as '{first}' and '{second}'.").format(
        name=column.name, first=ways[0], second=ways[1]
    )


def check_model(problem: Problem, model: PrivacyModel) -> None:
    """Refuse a model that cannot be measured in a problem, such as one with a column of another role.

    Raises
    ------
    InputError
        It names no column, or uses a distance that its column does not have; also as `check_people`.
    """
    for name in getattr(model, "known", ()):
        if name not in problem.names:
            raise InputError(
                _("'{name}' is not a quasi-identifying column.").format(name=name),
                hint=nearest(name, problem.names)
                or _("Give it this role, or leave it out of {model}.").format(model=model.title),
                column=name,
            )
    if getattr(model, "column", None) == "" and not model.is_of_attackers:
        raise InputError(
            _("{model} has no column.").format(model=model.title),
            hint=_("Choose the sensitive column that it protects."),
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
    if model.needs_weights:
        _check_weighted(problem, model)
    check_people(problem, model)
    aggregated = [attribute.name for attribute in problem.attributes if attribute.released_as]
    if model.needs_labels and aggregated:
        words = (
            _(
                "{model} counts the people of a population by the released labels, but "
                "'{column}' is released as an aggregate of classes."
            )
            if model.needs_members
            else _(
                "{model} weighs the information of released labels, but '{column}' is released as an "
                "aggregate of classes."
            )
        )
        raise InputError(
            words.format(model=model.title, column=aggregated[0]),
            hint=_("Release its generalized values, or replace the model with k-anonymity."),
            model=model.key,
        )


def _check_weighted(problem: Problem, model: PrivacyModel) -> None:
    """Refuse a model that reads weights if there are none."""
    if problem.weight is not None:
        return
    if problem.repeated is not None:
        raise InputError(
            _("{model} needs one record per person, but the person column repeats a value.").format(
                model=model.title
            ),
            hint=_("Do not count people by that column, or use another model."),
            model=model.key,
        )
    raise InputError(
        _("{model} needs the weights of the records.").format(model=model.title),
        hint=_('Name their column as weight under [roles], such as weight = "w".'),
        model=model.key,
    )


def check_people(problem: Problem, model: PrivacyModel) -> None:
    """Refuse a model that needs to know more about the population than is known.

    Raises
    ------
    InputError
        Also if a model needs a table of all people, and records have no match in it.
    """
    people = problem.people
    if model.needs_people and people is None:
        if model.needs_members:
            text = _("{model} needs a population: give its table, or release a subset of the records.")
        else:
            text = _(
                "{model} needs a population: give its size or its table, or release a subset of the records."
            )
        raise InputError(
            text.format(model=model.title),
            hint=_(_KNOW_MEMBERS) if model.needs_members else _(_KNOW_PEOPLE),
            model=model.key,
        )
    if not model.needs_members or people is None:
        return
    if people.leaves is None:
        raise InputError(
            _("{model} needs the table of the population, but only its size is given.").format(
                model=model.title
            ),
            hint=_(_KNOW_MEMBERS),
            model=model.key,
        )
    spans = [attribute.hierarchy.n_leaves for attribute in problem.attributes]
    leaves = [attribute.leaves for attribute in problem.attributes]
    n_lacking = people.n_lacking(leaves, spans, problem.repeated, problem.counts)
    if n_lacking:
        raise InputError(
            ngettext(
                "{model} cannot be evaluated: {n} record has no match in the population table.",
                "{model} cannot be evaluated: {n} records have no match in the population table.",
                n_lacking,
            ).format(n=as_exact_count(n_lacking), model=model.title),
            hint=_("The population table needs one row per person, including everyone in this table."),
            model=model.key,
        )


def check_metric(problem: Problem, metric: str) -> None:
    """Refuse a utility metric that needs a target column if there is none.

    Raises
    ------
    InputError
    """
    if utility_metrics[metric].needs_target and problem.target is None:
        raise InputError(
            _("The metric '{metric}' needs a target: the column that a recipient wants to predict.").format(
                metric=metric
            ),
            hint=_('Name it as target under [roles], such as target = "salary", or choose another metric.'),
            key=metric,
        )


def _weight(project: Project, persons: Persons | None) -> WeightAttribute | None:
    """Return the weights of the records; None if persons have several, since weights are of persons."""
    if project.weight is None or (persons is not None and persons.are_repeated):
        return None
    column = project.rows.column(project.weight)
    check_weights(column)
    return WeightAttribute(column)


def _target(project: Project) -> SensitiveAttribute | None:
    name = project.target_column
    if name is None:
        return None
    if project.role(name) in RULED:
        return released_attribute(project, name)
    return sensitive_attribute(project, project.rows.column(name))


def sensitive_attribute(project: Project, column: Column) -> SensitiveAttribute:
    """Return a sensitive column with its hierarchy, if any; level bounds matter only for lattices."""
    entry = project.hierarchies.get(column.name)
    return SensitiveAttribute(column, entry.hierarchy if entry else None)


def compile_attribute(
    column: Column, entry: AttributeHierarchy | None, of_all: Column | None = None
) -> Attribute:
    """Compile one quasi-identifying column; without a hierarchy its values stay unchanged.

    `of_all` is the same column of the complete population, if known: the hierarchy covers it too.
    """
    if entry is None:
        whole = Hierarchy.identity(column.labels)
        entry = AttributeHierarchy(whole if of_all is None else whole.extended(of_all.labels))
    hierarchy = entry.hierarchy.covering(column)
    missing = None
    if of_all is not None:
        hint = _("Add them to the hierarchy. People without a place in it cannot be counted.")
        hierarchy = hierarchy.covering(of_all, owner="population", hint=hint)
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
            hint=_("Change the allowed levels of this column."),
            column=column.name,
        )
    leaves = _leaves(hierarchy, column)
    return Attribute(column, hierarchy, leaves, entry.min_level, entry.top_level, missing)


def _aggregated(attribute: Attribute, function: AggregateFunction | None) -> Attribute:
    """Return an attribute released as an aggregate, with a single label if it does not form classes.

    Raises
    ------
    InputError
        The function is not defined for its values.
    """
    if function is None:
        return attribute
    if reason := function.why_not(attribute.column):
        titles = ", ".join(within_sentence(title) for title in functions_for(attribute.column))
        raise InputError(
            reason,
            hint=_("Available for this column: {titles}.").format(titles=titles),
            column=attribute.name,
        )
    named = replace(attribute, released_as=within_sentence(function.title))
    if function.grouping:
        return named
    hierarchy = attribute.hierarchy.rooted()
    return replace(named, hierarchy=hierarchy, minimum=hierarchy.height, maximum=hierarchy.height)


def _leaves(hierarchy: Hierarchy, column: Column) -> Codes:
    leaf_of_label = np.array([hierarchy.index[label] for label in column.labels], dtype=np.int32)
    found: Codes = leaf_of_label[column.codes]
    return found


def _column_of_all(project: Project, name: str) -> Column | None:
    """Return a column of the complete population; None if its members are not known individually."""
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
) -> PopulationMembers | None:
    n_people = project.rows.n_records if persons is None else persons.n_persons
    if project.subset is None and project.population is None:
        return None
    # The table that records are drawn from is only counted: no model compares classes with it.
    is_draw = project.subset is not None and project.subset.draw is not None
    known = [
        (a.hierarchy, column)
        for a, column in zip(attributes, around, strict=True)
        if column is not None and not is_draw
    ]
    if project.population is None:
        size: float = project.table.n_records
    else:
        size = project.population.size_for(n_people)
    theirs = _persons_of_all(project)
    people = PopulationMembers(
        size if theirs is None else theirs.n_persons,
        tuple(_leaves(hierarchy, column) for hierarchy, column in known) or None,
        theirs if theirs is not None and theirs.are_repeated else None,
    )
    people.fraction(n_people)  # refuses a population that is too small
    return people


def _persons_of_all(project: Project) -> Persons | None:
    """Return the persons of the population table; None if each row is one, or there is no table."""
    table = project.table if project.subset is not None else None
    if table is None and project.population is not None:
        table = project.population.table
    if table is None or project.person is None or project.person not in table.names:
        return None
    return Persons.of(table.column(project.person))


def _weighed(attribute: SensitiveAttribute, persons: Persons | None) -> SensitiveAttribute:
    """Return a sensitive column whose records have the weights of `Persons`."""
    if persons is None or not persons.are_repeated:
        return attribute
    weights = sums(attribute.codes.astype(np.int64), persons.weight_of_rows, attribute.n_values)
    return replace(attribute, weights=weights)


def attribute_weights(project: Project, problem: Problem) -> FloatArray | None:
    """Return weights in attribute order, or None if all are 1; other equal weights still scale sums."""
    weights = np.array([project.search.weights.get(name, 1.0) for name in problem.names])
    return None if np.all(weights == 1.0) else weights


def chosen_metric(project: Project) -> UtilityMetric | None:
    """Return the project's metric with its settings; None if these are the defaults."""
    options = project.search.metric_options
    return utility_metrics.create(project.search.metric, **options) if options else None


def searched_requirement(project: Project) -> Requirement:
    """Return the requirement that a search enforces: all models, or those without a sensitive column.

    The other models are then enforced on its result, by suppression or by refusing it.
    """
    requirement = project.requirement
    if project.search.enforce in (DURING, BY_SIZE):
        return requirement
    if project.search.enforce == CHECK:
        return requirement.size_part
    return replace(requirement, models=tuple(model for model in requirement.models if not model.columns))


def objective_of(project: Project, problem: Problem) -> Objective:
    """Return the objective of evaluations: settings act on its metric, weights on all weighted metrics."""
    return Objective(attribute_weights(project, problem), chosen_metric(project))
