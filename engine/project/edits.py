"""Pure edits: each takes a project and returns a new one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.errors import InputError
from engine.frequency.population import WEIGHT_HINT, why_no_weights
from engine.privacy import PrivacyModel
from engine.project.population import Population
from engine.project.project import AttributeHierarchy, Project, frozen
from engine.project.replacing import replace_values as replace_values
from engine.project.statement import StatementAnswers
from engine.project.subset import Subset, records_of
from engine.recoding import Transformation
from engine.recoding.aggregation import AggregateFunction
from engine.recoding.rules import ColumnRule
from engine.recoding.transformation import RULED
from engine.records import Column, DataType, Decider, Kind, Role, retype, role_word
from engine.records.options import ExportOptions
from engine.words import N_, _

_SURVEY_ROLES = (Role.INSENSITIVE, Role.IDENTIFYING)  # of weights and households
_SURVEY_HINT = N_(
    "Make it insensitive to release it unchanged, or identifying: its rule determines how it is released."
)
_PERSON_HINT = N_(
    "Make it identifying, or choose an identifying column. Its rule determines how it is released."
)


def set_roles(
    project: Project, columns: Iterable[str], role: Role | None, by: Decider = Decider.PERSON
) -> Project:
    """Set or remove the role of columns, with everything that depends on it.

    Removed are models of columns that are no longer sensitive, and attackers who know none of the
    quasi-identifying columns any more, as well as aggregates of columns that are no longer
    quasi-identifying, rules of columns that are no longer sensitive or insensitive, and the rule by which a
    recipe withheld a column that it did not name. New
    quasi-identifying columns join the order of the lattice at their place in the table if the lattice has the
    table's order, otherwise at its end. A target that becomes identifying is no longer the target, because a
    release does not show it; a person column that is no longer identifying no longer names persons, and a
    column of weights or households with a role that these cannot have is no longer one.
    """
    chosen = list(dict.fromkeys(project.table.column(name).name for name in columns))
    roles = {name: given for name, given in project.roles.items() if name not in chosen}
    if role is not None:
        roles |= dict.fromkeys(chosen, role)
    decided_by = {name: given for name, given in project.decided_by.items() if name not in chosen}
    if role is not None and by is not Decider.PERSON:
        decided_by |= dict.fromkeys(chosen, by)
    order = [name for name in project.qi_order if roles.get(name) is Role.QUASI_IDENTIFYING]
    in_table_order = order == [name for name in project.table.names if name in order]
    order += [name for name in chosen if role is Role.QUASI_IDENTIFYING and name not in order]
    if in_table_order:
        order.sort(key=project.table.names.index)
    models = tuple(
        left
        for model in project.requirement.models
        if all(roles.get(column) is Role.SENSITIVE for column in model.columns)
        if (left := model.among(order)) is not None
    )
    requirement = project.requirement
    if models != requirement.models:
        requirement = replace(requirement, models=models)
    is_hidden = project.target is not None and roles.get(project.target) is Role.IDENTIFYING
    given_back = [name for name in chosen if project.decided_by.get(name) is Decider.OTHERS]
    return replace(
        project,
        roles=frozen(roles),
        decided_by=frozen(decided_by),
        qi_order=tuple(order),
        requirement=requirement,
        target=None if is_hidden else project.target,
        person=project.person if roles.get(project.person or "") is Role.IDENTIFYING else None,
        weight=project.weight if roles.get(project.weight or "") in _SURVEY_ROLES else None,
        household=project.household if roles.get(project.household or "") in _SURVEY_ROLES else None,
        microaggregation=_only(project.microaggregation, order),
        transformation=_with_rules_of(_without_rules(project.transformation, given_back), roles),
    )


def set_target(project: Project, column: str | None) -> Project:
    """Set the target, which a recipient wants to predict; None uses the first sensitive column."""
    return replace(project, target=None if column is None else project.table.column(column).name)


def why_no_person(column: str, role: Role | None) -> str:
    """Return why the values of a column cannot be persons; empty if they can.

    A quasi-identifying column never can, because its generalized values would form the classes whose persons
    it counts.
    """
    if role is Role.IDENTIFYING:
        return ""
    if role is None:
        return _("'{column}' has no role, and persons need an identifying column.").format(column=column)
    return _("'{column}' has the role '{role}', and persons need an identifying column.").format(
        column=column, role=role_word(role)
    )


def set_person(project: Project, column: str | None) -> Project:
    """Set the column whose values are persons; None counts every record as one person.

    Raises
    ------
    InputError
        The table has no such column, or it is not identifying.
    """
    if column is None:
        return replace(project, person=None)
    name = project.table.column(column).name
    if problem := why_no_person(name, project.roles.get(name)):
        raise InputError(
            problem,
            hint=_(_PERSON_HINT),
            column=name,
        )
    return replace(project, person=name)


def why_not_of_survey(column: str, role: Role | None) -> str:
    """Return why a column cannot have the weights or the households of records; empty if it can.

    A quasi-identifying or sensitive one would have two purposes.
    """
    if role in _SURVEY_ROLES:
        return ""
    if role is None:
        return _(
            "'{column}' has no role, and weights and households need an insensitive or identifying column."
        ).format(column=column)
    return _(
        "'{column}' has the role '{role}', and weights and households need an insensitive or "
        "identifying column."
    ).format(column=column, role=role_word(role))


def set_weight(project: Project, column: str | None) -> Project:
    """Set the column of survey weights; None for none.

    Raises
    ------
    InputError
        The table has no such column, its role is quasi-identifying or sensitive, or it is not numeric.
    """
    name = _of_survey(project, column)
    if name is not None and not (found := project.table.column(name)).data_type.is_numeric:
        raise InputError(why_no_weights(found), hint=_(WEIGHT_HINT), column=name)
    return replace(project, weight=name)


def set_household(project: Project, column: str | None) -> Project:
    """Set the column whose values are households; None for none.

    Raises
    ------
    InputError
        The table has no such column, or its role is quasi-identifying or sensitive.
    """
    return replace(project, household=_of_survey(project, column))


def _of_survey(project: Project, column: str | None) -> str | None:
    """Return the name of a column that may have weights or households; None for none."""
    if column is None:
        return None
    name = project.table.column(column).name
    if problem := why_not_of_survey(name, project.roles.get(name)):
        raise InputError(problem, hint=_(_SURVEY_HINT), column=name)
    return name


def set_hierarchy(project: Project, column: str, hierarchy: AttributeHierarchy | None) -> Project:
    """Set or remove the hierarchy of a column."""
    return set_hierarchies(project, {column: hierarchy})


def set_hierarchies(project: Project, changes: Mapping[str, AttributeHierarchy | None]) -> Project:
    """Set the hierarchies of several columns; None removes one."""
    merged = dict(project.hierarchies) | dict(changes)
    return replace(
        project, hierarchies=frozen({name: entry for name, entry in merged.items() if entry is not None})
    )


def set_levels(project: Project, column: str, min_level: int, max_level: int | None) -> Project:
    """Set the bounds of the levels that a search may use for a column."""
    entry = replace(project.hierarchies[column], min_level=min_level, max_level=max_level)
    return set_hierarchy(project, column, entry)


def keep_levels(project: Project, levels: Mapping[str, int]) -> Project:
    """Allow only the given level of each column, such as those of a node for a series of releases."""
    changes = {
        column: replace(entry, min_level=level, max_level=level)
        for column, level in levels.items()
        if (entry := project.hierarchies.get(column)) is not None
        and (entry.min_level, entry.top_level) != (level, level)
    }
    return set_hierarchies(project, changes) if changes else project


def set_column(project: Project, column: Column) -> Project:
    """Replace a column with one of the same name, such as one with another data type."""
    types = dict(project.options.types) | {column.name: column.data_type}
    return replace(
        project,
        table=project.table.replace_column(column),
        options=replace(project.options, types=frozen(types)),
    )


def set_columns(
    project: Project,
    columns: Iterable[str],
    *,
    role: Role | None = None,
    kind: Kind | None = None,
    date_format: str = "",
    order: Sequence[str] = (),
    min_level: int | None = None,
    max_level: int | None = None,
    weight: float | None = None,
    drops_hierarchy: bool = False,
) -> Project:
    """Set the same properties for several columns; None leaves a property unchanged.

    Parameters
    ----------
    kind : Kind, optional
        The kind of values; a column that has this kind keeps its format, unless another is given.
    date_format : str
        Date format, such as "%d.%m.%Y"; empty for one that fits.
    order : sequence of str
        Ordered categories, the lowest first; empty for the current order. Categories that a column does not
        have stay in its list.
    min_level, max_level : int, optional
        Levels that a search may use, for columns with a hierarchy; at most its height.
    weight : float, optional
        For the columns that are then quasi-identifying.
    drops_hierarchy : bool
        Whether hierarchies are removed.

    Raises
    ------
    TableError
        A value of a column does not fit the kind.
    """
    names = list(dict.fromkeys(columns))
    for name in names:
        column = project.table.column(name)
        if kind is not None:
            given = date_format if kind is Kind.DATE else "", tuple(order) if kind is Kind.ORDERED else ()
            wanted = DataType(kind, *given)
            if column.data_type.kind is not kind or (any(given) and column.data_type != wanted):
                project = set_column(project, retype(column, wanted))
    if role is not None:
        project = set_roles(project, names, role)
    changes: dict[str, AttributeHierarchy | None] = {}
    for name in names:
        entry = project.hierarchies.get(name)
        if entry is None or (not drops_hierarchy and min_level is None and max_level is None):
            continue
        changes[name] = None if drops_hierarchy else _bounded(entry, min_level, max_level)
    if changes:
        project = set_hierarchies(project, changes)
    weighed = [name for name in names if name in project.quasi_identifying]
    if weight is not None and weighed:
        project = set_weights(project, dict(project.search.weights) | dict.fromkeys(weighed, weight))
    return project


def add_model(project: Project, model: PrivacyModel) -> Project:
    """Add a privacy model to the requirement."""
    models = (*project.requirement.models, model)
    return replace(project, requirement=replace(project.requirement, models=models))


def replace_model(project: Project, index: int, model: PrivacyModel) -> Project:
    """Replace one model of the requirement."""
    models = list(project.requirement.models)
    models[index] = model
    return replace(project, requirement=replace(project.requirement, models=tuple(models)))


def remove_model(project: Project, index: int) -> Project:
    """Remove one model of the requirement."""
    models = project.requirement.models
    rest = models[:index] + models[index + 1 :]
    return replace(project, requirement=replace(project.requirement, models=rest))


def set_suppression_limit(project: Project, limit: float) -> Project:
    """Set the fraction of records that may be suppressed."""
    return replace(project, requirement=replace(project.requirement, suppression_limit=limit))


def set_limit_counts(project: Project, counts: str) -> Project:
    """Set whether the suppression limit counts "records" or "persons" who lose one."""
    return replace(project, requirement=replace(project.requirement, limit_counts=counts))


def set_whole_persons(project: Project, whole_persons: bool) -> Project:
    """Set whether all records of a person are suppressed together."""
    return replace(project, requirement=replace(project.requirement, whole_persons=whole_persons))


def set_population(project: Project, population: Population | None) -> Project:
    """Set or remove the population that the records were sampled from; a research subset is removed."""
    subset = project.subset if population is None else None
    return replace(project, population=population, subset=subset)


def set_subset(project: Project, subset: Subset | None) -> Project:
    """Release a subset of the records, or all of them again; a subset removes another population.

    Raises
    ------
    InputError
        The subset holds no record, or cannot be found in the table.
    """
    if subset is not None:
        records_of(subset, project.table)
    population = project.population if subset is None else None
    return replace(project, population=population, subset=subset)


def set_metric(project: Project, metric: str, options: Mapping[str, Any] | None = None) -> Project:
    """Set the utility metric by key, with those of its parameters that differ from the defaults."""
    search = replace(project.search, metric=metric, metric_options=frozen(options or {}))
    return replace(project, search=search)


def set_weights(project: Project, weights: Mapping[str, float]) -> Project:
    """Set attribute weights; attributes without one weigh 1."""
    return replace(project, search=replace(project.search, weights=frozen(weights)))


def set_algorithm(project: Project, algorithm: str, options: Mapping[str, Any] | None = None) -> Project:
    """Set the search algorithm by key, with those of its parameters that differ from the defaults."""
    search = replace(project.search, algorithm=algorithm, options=frozen(options or {}))
    return replace(project, search=search)


def set_export(project: Project, export: ExportOptions) -> Project:
    """Set how a release is written to a file; its kind is that of the file's ending."""
    return replace(project, export=replace(export, kind=project.export.kind))


def set_statement(project: Project, answers: StatementAnswers) -> Project:
    """Set the answers that de-identification statements ask for."""
    return replace(project, statement=answers)


def set_aggregate(project: Project, column: str, function: AggregateFunction | None) -> Project:
    """Set the aggregate released for a quasi-identifying column; None for generalized values."""
    chosen = {name: entry for name, entry in project.microaggregation.items() if name != column}
    if function is not None:
        chosen[project.table.column(column).name] = function
    return replace(project, microaggregation=frozen(chosen))


def set_rules(project: Project, rules: Mapping[str, ColumnRule | None]) -> Project:
    """Set the rules of columns by their role; None for the default of identifying columns, or unchanged.

    Raises
    ------
    InputError
        A column is quasi-identifying or has no role, and so no rule.
    """
    transformation = project.transformation
    own, others = dict(transformation.identifiers), dict(transformation.rules)
    for name, rule in rules.items():
        role = project.role(project.table.column(name).name)
        if role not in (*RULED, Role.IDENTIFYING):
            raise InputError(
                _("'{name}' has the role '{role}', so it is not released by a rule.").format(
                    name=name, role=role_word(role)
                ),
                hint=_("Give it another role first."),
                column=name,
            )
        chosen = own if role is Role.IDENTIFYING else others
        chosen.pop(name, None)
        if rule is not None:
            chosen[name] = rule
    if own != dict(transformation.identifiers):
        transformation = replace(transformation, identifiers=frozen(own))
    if others != dict(transformation.rules):
        transformation = replace(transformation, rules=frozen(others))
    return (
        project
        if transformation is project.transformation
        else replace(project, transformation=transformation)
    )


def _bounded(entry: AttributeHierarchy, low: int | None, high: int | None) -> AttributeHierarchy:
    """Return an entry with levels within the height; a given bound moves the other if they cross."""
    height = entry.hierarchy.height
    lowest = entry.min_level if low is None else min(low, height)
    highest = entry.top_level if high is None else min(high, height)
    if lowest > highest:
        lowest, highest = (lowest, lowest) if high is None else (highest, highest)
    return replace(entry, min_level=lowest, max_level=None if highest == height else highest)


def _without_rules(transformation: Transformation, columns: Iterable[str]) -> Transformation:
    """Return the transformation without rules of some columns; the same object if they have none."""
    rules = {name: rule for name, rule in transformation.identifiers.items() if name not in set(columns)}
    if len(rules) == len(transformation.identifiers):
        return transformation
    return replace(transformation, identifiers=frozen(rules))


def _with_rules_of(transformation: Transformation, roles: Mapping[str, Role]) -> Transformation:
    """Return the transformation with rules of sensitive and insensitive columns only."""
    rules = {name: rule for name, rule in transformation.rules.items() if roles.get(name) in RULED}
    if len(rules) == len(transformation.rules):
        return transformation
    return replace(transformation, rules=frozen(rules))


def _only(chosen: Mapping[str, AggregateFunction], columns: Iterable[str]) -> Mapping[str, AggregateFunction]:
    """Return the aggregates of some columns; the same mapping if those are all."""
    kept = {name: chosen[name] for name in chosen if name in set(columns)}
    return chosen if len(kept) == len(chosen) else frozen(kept)
