"""Releases that differential privacy refuses, because its guarantee would not cover them."""

from __future__ import annotations

from engine.errors import InputError
from engine.frequency import Problem
from engine.frequency.problem import narrowed
from engine.privacy import Requirement
from engine.privacy.differential_privacy import LEVELS, DifferentialPrivacy
from engine.privacy.k_anonymity import KAnonymity
from engine.project.project import Project
from engine.recoding import Transformation
from engine.recoding.ruled import rule_of
from engine.recoding.transformation import RULED
from engine.words import _


def refuse_uncovered(project: Project) -> None:
    """Refuse settings by which the release would depend on the data in other ways than by classes.

    Raises
    ------
    InputError
    """
    model = project.requirement.sampling
    if model is None:
        return
    refuse_models_beside(project.requirement)
    for name in uncovered_columns(project):
        raise _refused(
            model,
            _("'{column}' would be released unchanged, which differential privacy does not cover.")
            if rule_of(project, name) is None
            else _("'{column}' would differ by record, which differential privacy does not cover."),
            _("Make it quasi-identifying with a hierarchy, or identifying, which hides its values."),
            name,
        )
    if project.subset is None or project.subset.draw is None or project.population is not None:
        raise _refused(
            model,
            _("Differential privacy draws its own records from the complete table."),
            _("Remove the subset or the population."),
        )
    if project.person is not None and project.table.column(project.person).counts.max(initial=0) > 1:
        raise _refused(
            model,
            _("Some people have several records. Differential privacy of records does not cover them."),
            _("Keep one record per person, or remove the model."),
        )
    if project.microaggregation:
        raise _refused(
            model,
            _("'{column}' is released as an aggregate, which differential privacy does not cover.").format(
                column=next(iter(project.microaggregation))
            ),
            _("Release its generalized values."),
        )
    if project.recoding is not None:
        raise _refused(
            model,
            _("Levels that vary by record depend on the data, which differential privacy does not cover."),
            _("Release one level per column."),
        )
    refuse_uncovered_rules(project.requirement, project.transformation, project.identifying)


def uncovered_columns(project: Project) -> tuple[str, ...]:
    """Return the sensitive and insensitive columns whose released cells differ by record, or may."""
    found = []
    for column in (column for role in RULED for column in project.columns_of(role)):
        rule = rule_of(project, column.name)
        if rule is None or not rule.is_constant:
            found.append(column.name)
    return tuple(found)


def refuse_models_beside(requirement: Requirement) -> None:
    """Refuse models other than k-anonymity with one that draws records: they would depend on the data.

    Raises
    ------
    InputError
    """
    model = requirement.sampling
    for other in requirement.models if model is not None else ():
        if other is not model and not isinstance(other, KAnonymity):
            assert model is not None
            raise _refused(
                model,
                _("{model} in addition to differential privacy would depend on the data.").format(
                    model=other.title
                ),
                _("Remove it. Only k-anonymity can be added; the larger class size counts."),
            )


def refuse_uncovered_rules(
    requirement: Requirement, transformation: Transformation, identifying: tuple[str, ...]
) -> None:
    """Refuse to write texts in identifying columns that differ by record.

    Raises
    ------
    InputError
    """
    model = requirement.sampling
    for name in identifying if model is not None else ():
        rule = transformation.identifier_rule(name)
        if not rule.is_constant:
            assert model is not None
            raise _refused(
                model,
                _("'{column}' would differ by record, which differential privacy does not cover.").format(
                    column=name
                ),
                _("Replace it with * or a constant text, or remove the column."),
            )


def with_fixed_node(project: Project, problem: Problem) -> Problem:
    """Return the problem with the declared node only, if differential privacy declares one.

    Raises
    ------
    InputError
        The allowed levels do not contain the node, or leave several.
    """
    model = project.requirement.sampling
    if model is None or not model.is_node_fixed:
        return problem
    if model.node == LEVELS:
        if problem.lattice.n_nodes > 1:
            raise _refused(
                model,
                _("The node is not declared: the allowed levels leave {n} nodes.").format(
                    n=problem.lattice.n_nodes
                ),
                _("Allow only one level in each column, or declare a degree."),
            )
        return problem
    node = model.fixed_node(tuple(attribute.hierarchy.height for attribute in problem.attributes))
    assert node is not None, "declared by its degree"
    return narrowed(problem, node)


def _refused(model: DifferentialPrivacy, problem: str, hint: str, column: str = "") -> InputError:
    return InputError(problem.format(column=column) if column else problem, hint=hint, model=model.key)
