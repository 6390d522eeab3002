"""Full-domain recoding: every column at one level, failing classes suppressed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.frequency import Attribute, Problem
from engine.frequency.measured import ClassRows, MeasuredClasses, PopulationCounts, classes_of_rows
from engine.frequency.persons import Persons, people_of_classes
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.kernels.grouping import class_labels
from engine.lattice import Node
from engine.privacy import Requirement
from engine.recoding.microaggregation import aggregated_columns, aggregates_of, classes_as_written
from engine.recoding.release import Release, ReleasedColumn
from engine.recoding.transformation import ReleaseSource
from engine.recoding.untouched import passed_columns
from engine.table import Role


def make_release(
    source: ReleaseSource, problem: Problem, node: Node, requirement: Requirement | None = None
) -> Release:
    """Apply a node to the records, independent of the scoring.

    Where cells are aggregates, classes may be written alike that the node tells apart. What is kept is
    then judged once more, as it is written.

    Parameters
    ----------
    source : ReleaseSource
        The project: for its columns, its transformation settings and, by default, its requirement.
    problem : Problem
        The project compiled.
    node : tuple of int
        One level per quasi-identifier.
    requirement : Requirement, optional

    Returns
    -------
    Release
        Whether or not the node satisfies; `Release.satisfies` tells.

    Raises
    ------
    InputError
        If the node is not in the lattice.
    """
    problem.lattice.number(node)
    requirement = requirement or source.requirement
    columns = [a.hierarchy.levels[g].codes[a.leaves] for a, g in zip(problem.attributes, node, strict=True)]
    spans = [len(a.hierarchy.levels[g].labels) for a, g in zip(problem.attributes, node, strict=True)]
    labels, first, sizes = class_labels(columns, spans)
    classes = measured_classes(problem, labels, sizes, _population(problem, node, first))
    kept = requirement.fulfilled(classes)
    suppressed = ~kept[labels]
    functions = aggregates_of(source, problem)
    recoded = {
        attribute.name: _generalized(attribute, level, suppressed)
        for attribute, level in zip(problem.attributes, node, strict=True)
    } | aggregated_columns(problem, functions, labels, suppressed)
    if any(function.grouping for function in functions.values()):
        written, first, joined = classes_as_written(recoded, labels, suppressed)
        if len(joined) < len(sizes):
            labels = written
            classes = measured_classes(problem, written, joined, _population(problem, node, first))
            kept = requirement.fulfilled(classes) & ~suppressed[first]
            suppressed = ~kept[labels]
            recoded = {name: _hidden(column, suppressed) for name, column in recoded.items()}
    released = passed_columns(source, suppressed, recoded)
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
    )


def measured_classes(
    problem: Problem, labels: IntArray, sizes: Counts, population: PopulationCounts | None = None
) -> MeasuredClasses:
    """Classes of records as privacy models see them.

    Parameters
    ----------
    problem : Problem
    labels : ndarray of int64, shape (n_records,)
        Class of every record.
    sizes : ndarray of int64, shape (n_classes,)
        Records of every class.
    population : PopulationCounts, optional
        Of the same classes; without it nobody knows.
    """
    sensitive = problem.sensitive
    persons = None if problem.repeated is None else problem.repeated.codes
    rows = ClassRows(labels, lambda j: sensitive[j].codes, None, persons)
    return classes_of_rows(problem, rows, sizes, population)


def _population(problem: Problem, node: Node, first: IntArray) -> PopulationCounts | None:
    """What of the population is in each class, given its first record; None where they are not known."""
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
        # Records first, so that each of their classes is told by one of the first labels.
        labels, _, sizes = class_labels(columns, [len(level.labels) for _, level in attributes])
        return people_of_classes(labels[len(first) :], persons, len(sizes))[labels[: len(first)]]

    return PopulationCounts(lambda: count(people.persons), lambda: count(None))


def _generalized(attribute: Attribute, level: int, suppressed: BoolArray) -> ReleasedColumn:
    entry = attribute.hierarchy.levels[level]
    labels = entry.labels if SUPPRESSED in entry.labels else (*entry.labels, SUPPRESSED)
    codes = np.where(suppressed, labels.index(SUPPRESSED), entry.codes[attribute.leaves])
    return ReleasedColumn(attribute.name, Role.QUASI_IDENTIFYING, labels, codes.astype(np.int32))


def _hidden(column: ReleasedColumn, suppressed: BoolArray) -> ReleasedColumn:
    codes = np.where(suppressed, column.labels.index(SUPPRESSED), column.codes)
    return replace(column, codes=codes.astype(np.int32))
