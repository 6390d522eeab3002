"""Full-domain recoding: every column at one level, failing classes suppressed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from engine.frequency import Problem
from engine.frequency.measured import ClassRows, MeasuredClasses, PopulationCounts, classes_of_rows
from engine.frequency.persons import Persons, people_of_classes
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, Codes, Counts, FloatArray, IntArray
from engine.kernels.grouping import class_labels, records_by_code
from engine.lattice import Node
from engine.privacy import Requirement
from engine.privacy.repetition import remaining_rows, repeats
from engine.privacy.suppressed_group import SuppressedGroup, outside_first
from engine.recoding.aggregation import AggregateFunction
from engine.recoding.microaggregation import aggregated_columns, aggregates_of, classes_as_written
from engine.recoding.release import Release, ReleasedColumn
from engine.recoding.ruled import planned_records, released_column, rule_context
from engine.recoding.transformation import BLANK, ReleaseSource
from engine.records import Role

Fields = Callable[[int], Codes]


def make_release(
    source: ReleaseSource, problem: Problem, node: Node, requirement: Requirement | None = None
) -> Release:
    """Apply a node to the records, independent of the scoring.

    If cells are aggregates, different classes of the node may be written alike. The kept records are
    then evaluated again in their written form.

    Parameters
    ----------
    source : ReleaseSource
        The project: for its columns, its transformation settings and, by default, its requirement.
    problem : Problem
        The project compiled.
    node : tuple of int
        One level per quasi-identifier.

    Returns
    -------
    Release
        Whether or not the node satisfies; see `Release.satisfies`.

    Raises
    ------
    InputError
        If the node is not in the lattice.
    """
    problem.lattice.number(node)
    requirement = requirement or source.requirement
    columns, spans = problem.codes_at(node)
    labels, first, _unused = class_labels(columns, spans)
    sizes = records_by_code(labels, len(first), problem.counts)
    population = _population(problem, node, first)
    labels, classes, kept = judged_records(
        problem,
        requirement,
        labels,
        sizes,
        lambda q: columns[q],
        population,
        information=lambda: problem.information_losses(node),
    )
    suppressed = ~kept[labels]
    functions = aggregates_of(source, problem)
    recoded = _generalized(problem, node, suppressed)
    recoded |= aggregated_columns(problem, functions, labels, suppressed)
    if any(function.grouping for function in functions.values()):
        written, first, joined = classes_as_written(recoded, labels, suppressed)
        if len(joined) < len(classes.sizes) or requirement.has_attackers:
            population = _population(problem, node, first)
            labels, classes, kept = judged_records(
                problem,
                requirement,
                written,
                joined,
                _written_fields(problem, recoded, functions, columns),
                population,
                suppressed,
            )
            suppressed = ~kept[labels]
            recoded = {
                name: starred(name, own.role, own.labels, own.codes, suppressed)
                for name, own in recoded.items()
            }
    group = group_of_records(
        problem,
        requirement,
        labels,
        suppressed,
        recoded,
        lambda of_class: _population(problem, node, of_class, with_others=True),
    )
    is_blank = source.transformation.cells_of(group) == BLANK
    released = passed_columns(source, suppressed & is_blank, recoded)
    stored = None
    if source.records.home is not None:
        stored = planned_records(source, problem, node, labels, kept, is_blank=is_blank)
    return Release(
        problem,
        node,
        requirement,
        source.transformation,
        released,
        labels,
        classes,
        kept,
        aggregates=functions,
        group=group,
        stored=stored,
    )


def group_of_records(
    problem: Problem,
    requirement: Requirement,
    labels: IntArray,
    suppressed: BoolArray,
    recoded: Mapping[str, ReleasedColumn],
    population: Callable[[IntArray], PopulationCounts | None] | None = None,
) -> SuppressedGroup | None:
    """Return the records with `*` in all quasi-identifying columns as one class; None without any.

    Parameters
    ----------
    labels : ndarray of int64, shape (n_records,)
        Class of every record.
    suppressed : ndarray of bool, shape (n_records,)
    recoded : mapping of str to ReleasedColumn
        All quasi-identifying columns in their written form.
    population : callable, optional
        Given a record of each other class, the population of these, and of no class.
    """
    if not suppressed.any() or requirement.sampling is not None:  # records drawn at random are removed
        return None
    inside = np.ones(len(labels), dtype=np.bool_)
    for column in recoded.values():
        inside &= np.array([label == SUPPRESSED for label in column.labels], dtype=np.bool_)[column.codes]
    rows = _rows(problem, labels, lambda q: recoded[problem.names[q]].codes)
    people = None
    if population is not None:
        first = outside_first(rows, inside)[1]
        people = population(first[:-1])
    return SuppressedGroup.of(problem, requirement, rows, inside, people)


def make_suppressed_release(
    source: ReleaseSource,
    problem: Problem,
    node: Node,
    requirement: Requirement,
    suppressed: BoolArray,
    *,
    is_blank: bool = False,
) -> Release:
    """Apply a node to records of a larger release, of which it is known which are suppressed.

    Parameters
    ----------
    source, problem, node, requirement
        As for `make_release`; cells are labels, not aggregates.
    suppressed : ndarray of bool, shape (n_records,)
    is_blank : bool
        Whether these are written as `*` in all columns.

    Returns
    -------
    Release
        Its classes have the records at hand only.
    """
    columns, spans = problem.codes_at(node)
    labels, first, _unused = class_labels([*columns, suppressed.astype(np.int64)], [*spans, 2])
    sizes = records_by_code(labels, len(first), problem.counts)
    classes = measured_classes(
        problem,
        labels,
        sizes,
        _population(problem, node, first),
        lambda q: columns[q],
        suppressed if repeats(problem, requirement) else None,
        lambda: problem.information_losses(node),
    )
    recoded = _generalized(problem, node, suppressed)
    released = passed_columns(source, suppressed & is_blank, recoded)
    written = replace(source.transformation, blank_suppressed=is_blank)
    return Release(problem, node, requirement, written, released, labels, classes, ~suppressed[first])


def judged_records(
    problem: Problem,
    requirement: Requirement,
    labels: IntArray,
    sizes: Counts,
    fields: Fields,
    population: PopulationCounts | None = None,
    gone: BoolArray | None = None,
    information: Callable[[], FloatArray] | None = None,
) -> tuple[IntArray, MeasuredClasses, BoolArray]:
    """Return which classes of records a requirement keeps.

    If whole persons are suppressed, the kept and the suppressed part of a class become two classes.

    Parameters
    ----------
    labels : ndarray of int64, shape (n_records,)
        Class of every record.
    sizes : ndarray of int64, shape (n_classes,)
        Records of every class.
    fields : callable
        Given the number of a quasi-identifying column, a code per record, equal for equal labels.
    population : PopulationCounts, optional
        Of the same classes; unknown without it.
    gone : ndarray of bool, shape (n_records,), optional
        Records that are suppressed anyway, all or none of a class.
    information : callable, optional
        Information loss per record; unknown by default.

    Returns
    -------
    labels : ndarray of int64, shape (n_records,)
    kept : ndarray of bool, shape (n_classes,)
    """
    if not repeats(problem, requirement):
        classes = measured_classes(problem, labels, sizes, population, fields, information=information)
        kept = requirement.fulfilled(classes)
        if gone is not None:
            kept[labels[gone]] = False
        return labels, classes, kept
    rows = _rows(problem, labels, fields, information=information)
    left = remaining_rows(problem, requirement, rows, population, gone).rows
    parts, first, _unused = class_labels([labels, (~left).astype(np.int64)], [len(sizes), 2])
    sizes = records_by_code(parts, len(first), problem.counts)
    if population is not None:
        whole, own = population, labels[first]
        population = PopulationCounts(lambda: whole.people()[own], lambda: whole.rows()[own])
    classes = measured_classes(problem, parts, sizes, population, fields, ~left, information)
    return parts, classes, left[first]


def measured_classes(
    problem: Problem,
    labels: IntArray,
    sizes: Counts,
    population: PopulationCounts | None = None,
    fields: Fields | None = None,
    apart: BoolArray | None = None,
    information: Callable[[], FloatArray] | None = None,
) -> MeasuredClasses:
    """Classes of records as privacy models see them.

    Parameters
    ----------
    labels : ndarray of int64, shape (n_records,)
        Class of every record.
    sizes : ndarray of int64, shape (n_classes,)
        Records of every class.
    population : PopulationCounts, optional
        Of the same classes; unknown without it.
    fields, apart, information
        As for `ClassRows`.
    """
    rows = _rows(problem, labels, fields, apart, information)
    return classes_of_rows(problem, rows, sizes, population)


def _rows(
    problem: Problem,
    labels: IntArray,
    fields: Fields | None = None,
    apart: BoolArray | None = None,
    information: Callable[[], FloatArray] | None = None,
) -> ClassRows:
    carried = problem.carried
    persons = None if problem.repeated is None else problem.repeated.codes
    return ClassRows(labels, lambda j: carried[j].codes, problem.counts, persons, fields, apart, information)


def _written_fields(
    problem: Problem,
    recoded: Mapping[str, ReleasedColumn],
    functions: Mapping[str, AggregateFunction],
    columns: Sequence[Codes],
) -> Fields:
    """Return the cells that attackers see; an aggregate that forms no classes is not known to them."""

    def written(q: int) -> Codes:
        name = problem.names[q]
        is_seen = name not in functions or functions[name].grouping
        return recoded[name].codes if is_seen else columns[q]

    return written


def _population(
    problem: Problem, node: Node, first: IntArray, *, with_others: bool = False
) -> PopulationCounts | None:
    """Return the population of each class, given its first record; then of all others, if asked."""
    people = problem.people
    leaves = people.leaves if people is not None else None
    if people is None or leaves is None:
        return None
    attributes = [(a, a.hierarchy.levels[g]) for a, g in zip(problem.attributes, node, strict=True)]

    def count(persons: Persons | None) -> Counts:
        columns = [
            level.codes[np.concatenate((attribute.leaves[first], theirs))]
            for (attribute, level), theirs in zip(attributes, leaves, strict=True)
        ]
        # Records first, so that each of their classes is represented by one of the first labels.
        labels, _, sizes = class_labels(columns, [len(level.labels) for _, level in attributes])
        own, theirs = labels[: len(first)], labels[len(first) :]
        counts = people_of_classes(theirs, persons, len(sizes))[own]
        if not with_others:
            return counts
        is_other = np.ones(len(sizes), dtype=np.int64)
        is_other[own] = 0
        return np.append(counts, people_of_classes(is_other[theirs], persons, 2)[1])

    return PopulationCounts(lambda: count(people.persons), lambda: count(None))


def _generalized(problem: Problem, node: Node, suppressed: BoolArray) -> dict[str, ReleasedColumn]:
    found = {}
    for attribute, number in zip(problem.attributes, node, strict=True):
        name, level = attribute.name, attribute.hierarchy.levels[number]
        codes = level.codes[attribute.leaves]
        found[name] = starred(name, Role.QUASI_IDENTIFYING, level.labels, codes, suppressed)
    return found


def starred(name: str, role: Role, labels: tuple[str, ...], codes: Codes, stars: BoolArray) -> ReleasedColumn:
    """Return a column with `*` in some records."""
    labels = labels if SUPPRESSED in labels else (*labels, SUPPRESSED)
    written = np.where(stars, labels.index(SUPPRESSED), codes)
    return ReleasedColumn(name, role, labels, written.astype(np.int32, copy=False))


def passed_columns(
    source: ReleaseSource, blank: BoolArray, recoded: Mapping[str, ReleasedColumn]
) -> tuple[ReleasedColumn, ...]:
    """All columns of a release in the order of the table; one without a role is not released.

    Parameters
    ----------
    blank : ndarray of bool, shape (n_records,)
        Records that have `*` in all columns.
    recoded : mapping of str to ReleasedColumn
        The quasi-identifying columns.
    """
    released = []
    context = rule_context(source)
    for column in source.rows.columns:
        role = source.role(column.name)
        if role is Role.QUASI_IDENTIFYING:
            released.append(recoded[column.name])
        elif role is Role.IDENTIFYING:
            rule = source.transformation.identifier_rule(column.name)
            if rule.is_by_record and column.records is not None:
                continue  # what is written of tuples is not known; see `planned_records`
            if (written := rule.apply(column, context)) is not None:
                released.append(_passed(column.name, role, *written, blank))
        elif role is not None and (own := released_column(source, column.name)) is not None:
            released.append(_passed(own.name, role, own.labels, own.codes, blank))
    return tuple(released)


def _passed(name: str, role: Role, labels: tuple[str, ...], codes: Codes, blank: BoolArray) -> ReleasedColumn:
    if not blank.any():
        return ReleasedColumn(name, role, labels, codes)
    return starred(name, role, labels, codes, blank)
