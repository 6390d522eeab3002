"""Releases that are refused: what differential privacy does not cover, and what needs records in memory."""

from __future__ import annotations

from engine.errors import ExportError, InputError
from engine.frequency import Problem
from engine.frequency.problem import narrowed
from engine.numbers import as_exact_count
from engine.privacy import Requirement
from engine.privacy.differential_privacy import LEVELS, DifferentialPrivacy
from engine.privacy.k_anonymity import KAnonymity
from engine.project.project import Project
from engine.recoding import Transformation
from engine.recoding.ruled import rule_of
from engine.recoding.transformation import RULED
from engine.records.options import CLUSTER, CSV, PARQUET, ExportOptions
from engine.records.remote import Order
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


def refuse_without_records(project: Project) -> None:
    """Refuse settings that need every record in memory if the table is not there.

    Raises
    ------
    InputError
    """
    if project.table.home is None:
        return
    n_records = as_exact_count(project.table.n_records)
    remote = project.remote
    if remote is not None and project.subset is not None:
        raise InputError(
            _("A subset needs the records, and the {n} of this table stay in '{name}'.").format(
                n=n_records, name=remote.name
            ),
            hint=_("Let a view select them, and open the view."),
        )
    if remote is not None and remote.order is Order.NONE and project.transformation.shuffle:
        raise InputError(
            _("The records of this table have no order, so they cannot be shuffled."),
            hint=_("Switch shuffling off.")
            if remote.kind == CLUSTER
            else _("Switch shuffling off, or set order_by to columns that identify each record."),
        )
    if project.recoding is not None:
        raise InputError(
            _("{method} needs the records in memory; {n} do not fit.").format(
                method=project.recoding.title, n=n_records
            ),
            hint=_("Release a node without it, or a [subset]."),
        )
    if project.microaggregation:
        raise InputError(
            _("Aggregates of classes need the records in memory; {n} do not fit.").format(n=n_records),
            hint=_("Release labels, or a [subset]."),
        )
    for name in project.table.names:
        rule = rule_of(project, name)
        if rule is not None and rule.is_by_record and remote is not None and remote.order is Order.NONE:
            raise InputError(
                _(
                    "The database returns these records in no fixed order, so '{name}' has no date shift."
                ).format(name=name),
                hint=_("Use another rule, or set order_by to columns that identify each record."),
                column=name,
            )


def refuse_unstreamed(options: ExportOptions) -> None:
    """Refuse a format that is not written record by record.

    Raises
    ------
    ExportError
    """
    if options.kind not in (CSV, PARQUET):
        raise ExportError(
            _("A table that is not in memory cannot be released in this format: {format}.").format(
                format=_(options.kinds()[options.kind])
            ),
            hint=_("Choose a name that ends in .csv or .parquet."),
        )
