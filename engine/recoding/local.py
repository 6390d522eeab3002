"""Local recoding: the level of a cell may differ from record to record."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.errors import InputError
from engine.frequency import Problem
from engine.frequency.measured import MeasuredClasses
from engine.frequency.persons import SINGLE
from engine.hierarchies import Hierarchy
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, Codes, IntArray
from engine.kernels.grouping import class_labels
from engine.lattice import Node
from engine.privacy import Requirement
from engine.privacy.repetition import suppresses_whole
from engine.recoding.base import Recoding
from engine.recoding.full_domain import (
    group_of_records,
    make_release,
    measured_classes,
    passed_columns,
    starred,
)
from engine.recoding.microaggregation import (
    aggregated_columns,
    aggregates_of,
    refuse_grouped,
    refuse_removed,
)
from engine.recoding.release import Release
from engine.recoding.transformation import BLANK, ReleaseSource
from engine.records import Role
from engine.words import _


def make_local_release(
    source: ReleaseSource,
    problem: Problem,
    recoding: Recoding,
    method: str = "",
    node: Node | None = None,
    requirement: Requirement | None = None,
) -> Release:
    """Apply a recoding to the records; what it says of classes is not believed but counted.

    Classes are the records that look alike in the texts that are written. Those that miss the
    requirement are suppressed, until all that are left meet it. Where records are suppressed, a class with
    `*` in all cells cannot be distinguished from them, and counts as suppressed too.

    Parameters
    ----------
    source : ReleaseSource
        The project: for its columns, its transformation settings and, by default, its requirement.
    problem : Problem
        The project compiled, with `rooted` hierarchies.
    method : str
        Key of the method it comes from.
    node : tuple of int, optional
        The node whose release was improved.

    Raises
    ------
    InputError
        If a level is below or above what is allowed for its column, and does not hide the cell.
        Also where aggregates are asked for that cannot go with levels that differ by record.
    """
    refuse_grouped(source, method or "a recoding")
    requirement = requirement or source.requirement
    problem = recoding.labelled(problem)
    _check_levels(problem, recoding)
    texts = released_texts(problem, recoding)
    labels, classes, kept = kept_classes(problem, texts, recoding.suppressed.copy(), requirement)
    suppressed = ~kept[labels]
    columns = {
        attribute.name: starred(
            attribute.name, Role.QUASI_IDENTIFYING, attribute.hierarchy.texts, texts[q], suppressed
        )
        for q, attribute in enumerate(problem.attributes)
    }
    functions = aggregates_of(source, problem)
    refuse_removed(functions, suppressed, source.transformation.suppressed_records)
    columns |= aggregated_columns(problem, functions, labels, suppressed)
    group = group_of_records(problem, requirement, labels, suppressed, columns)
    is_blank = source.transformation.cells_of(group) == BLANK
    released = passed_columns(source, suppressed & is_blank, columns)
    return Release(
        problem,
        node,
        requirement,
        source.transformation,
        released,
        labels,
        classes,
        kept,
        replace(recoding, suppressed=suppressed),
        method,
        functions,
        group,
    )


def released_texts(problem: Problem, recoding: Recoding) -> list[Codes]:
    """Index of every record's label among `Hierarchy.texts`, per quasi-identifier."""
    return [
        attribute.hierarchy.text_codes[recoding.levels[:, q], attribute.leaves]
        for q, attribute in enumerate(problem.attributes)
    ]


def measured_texts(problem: Problem, texts: list[Codes]) -> tuple[IntArray, MeasuredClasses]:
    """Class of every record by the texts of its labels, and the classes as privacy models see them."""
    spans = [len(attribute.hierarchy.texts) + 1 for attribute in problem.attributes]
    labels, _unused, sizes = class_labels(texts, spans)
    return labels, measured_classes(problem, labels, sizes, fields=lambda q: texts[q])


def kept_classes(
    problem: Problem, texts: list[Codes], suppressed: BoolArray, requirement: Requirement
) -> tuple[IntArray, MeasuredClasses, BoolArray]:
    """Classes by text, the suppressed records as one class of their own, and which classes are kept.

    Parameters
    ----------
    texts : list of ndarray of int32, each of shape (n_records,)
        See `released_texts`.
    suppressed : ndarray of bool, shape (n_records,)
        Records that are suppressed anyway; changed where further ones are.

    Returns
    -------
    labels : ndarray of int64, shape (n_records,)
    kept : ndarray of bool, shape (n_classes,)
    """
    hidden = [len(attribute.hierarchy.texts) for attribute in problem.attributes]
    stars = np.ones(len(suppressed), dtype=np.bool_)
    for attribute, codes in zip(problem.attributes, texts, strict=True):
        stars &= codes == _star(attribute.hierarchy)
    while True:
        if suppressed.any():
            suppressed |= stars
            suppressed |= _of_same_persons(problem, requirement, suppressed)
        own = [np.where(suppressed, mark, codes) for mark, codes in zip(hidden, texts, strict=True)]
        labels, classes = measured_texts(problem, own)
        is_hidden = np.zeros(len(classes.sizes), dtype=np.bool_)
        is_hidden[labels[suppressed]] = True
        kept = requirement.fulfilled(classes) & ~is_hidden
        if np.array_equal(kept[labels], ~suppressed):
            return labels, classes, kept
        suppressed = ~kept[labels]


def _of_same_persons(problem: Problem, requirement: Requirement, suppressed: BoolArray) -> BoolArray:
    """Return all records of persons who lose one if whole persons are suppressed; else the same."""
    if not suppresses_whole(problem, requirement):
        return suppressed
    persons = problem.repeated
    assert persons is not None, "whole persons are some with several records"
    affected = np.zeros(persons.n_codes, dtype=np.bool_)
    affected[persons.codes[suppressed]] = True
    affected[SINGLE] = False
    return np.asarray(suppressed | affected[persons.codes])


def _star(hierarchy: Hierarchy) -> int:
    """Index of `*` among the texts of a hierarchy; -1 if no label is written so."""
    return hierarchy.texts.index(SUPPRESSED) if SUPPRESSED in hierarchy.texts else -1


def _check_levels(problem: Problem, recoding: Recoding) -> None:
    """Every cell is on an allowed level, or hidden by the root of its hierarchy."""
    for q, attribute in enumerate(problem.attributes):
        levels = attribute.hierarchy.step_of[recoding.levels[~recoding.suppressed, q]]
        wrong = (levels < attribute.minimum) | (levels > attribute.maximum)
        wrong &= levels != attribute.hierarchy.height
        if wrong.any():
            raise InputError(
                _("'{name}' cannot be on level {level}; it may use {minimum} to {maximum}.").format(
                    name=attribute.name,
                    level=int(levels[wrong][0]),
                    minimum=attribute.minimum,
                    maximum=attribute.maximum,
                ),
                column=attribute.name,
            )


def remade(source: ReleaseSource, release: Release) -> Release:
    """Return the same records on the same levels, with what `source` says of the other cells.

    Parameters
    ----------
    source : ReleaseSource
        The project, changed in nothing but how a release is written.
    """
    if release.recoding is not None:
        return make_local_release(
            source, release.problem, release.recoding, release.method, release.node, release.requirement
        )
    assert release.node is not None, "what is no recoding is a node"
    return make_release(source, release.problem, release.node, release.requirement)
