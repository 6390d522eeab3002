"""Prediction whether a recoding becomes a satisfying release, and of its suppressed records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.frequency import Problem
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.limit import is_satisfied, is_within
from engine.recoding.base import Recoding, RecodingTask
from engine.recoding.distinct import DistinctRecords
from engine.recoding.local import kept_classes, released_texts


def satisfies(problem: Problem, requirement: Requirement, recoding: Recoding) -> bool:
    """Return whether the release made by a recoding meets the requirement, compared by cell texts."""
    problem = recoding.labelled(problem)
    texts = released_texts(problem, recoding)
    _, classes, kept = kept_classes(problem, texts, recoding.suppressed.copy(), requirement)
    return is_satisfied(problem, requirement, classes, kept)


def strictest_needed(
    task: RecodingTask, recode: Callable[[Requirement], Recoding], fallback: Recoding
) -> Recoding:
    """Return a satisfying recoding, made for the requirement or, if necessary, for larger classes.

    Table-wide models do not decide on single classes, so they cannot guide a method; but the larger the
    classes, the sooner such models hold. An additional class size is doubled until they do; a bisection
    then finds the least sufficient size.

    Parameters
    ----------
    recode : callable
        Makes a recoding for a requirement whose models decide on single classes.
    fallback : Recoding
        Recoding returned if no other satisfies.
    """
    requirement, n_records = task.requirement, task.problem.n_records

    def made(size: int) -> Recoding | None:
        models = requirement.by_class.models + ((KAnonymity(size),) if size > 1 else ())
        found = recode(replace(requirement, models=models))
        return found if satisfies(task.problem, requirement, found) else None

    if (found := made(1)) is not None:
        return found
    if not requirement.table_wide:
        return fallback
    too_small = max(requirement.k or 1, 1)
    size = 2 * too_small
    found = made(size)
    while found is None:
        too_small, size = size, 2 * size
        if size > n_records:
            return fallback
        found = made(size)
    while size - too_small > 1:
        middle = (size + too_small) // 2
        if (better := made(middle)) is None:
            too_small = middle
        else:
            size, found = middle, better
    return found


def records_of(task: RecodingTask) -> DistinctRecords:
    """Return the distinct records of a task; cells may be hidden if the highest levels suppress too many."""
    records = DistinctRecords(task.problem)
    labels, _ = records.top_classes()
    classes = records.classes(labels)
    if is_within(task.problem, task.requirement, classes, task.requirement.fulfilled(classes)):
        return records
    return DistinctRecords(task.problem, may_hide=True)


def highest_node(records: DistinctRecords, requirement: Requirement) -> Recoding:
    """Return all records on the highest allowed levels, with classes that miss the requirement suppressed."""
    labels, _ = records.top_classes()
    misses = ~requirement.fulfilled(records.classes(labels))[labels]
    highest = records.problem.lattice.maximum
    if records.may_hide:
        highest = tuple(attribute.hierarchy.height for attribute in records.problem.attributes)
    return Recoding.of_node(highest, misses[records.row_of])
