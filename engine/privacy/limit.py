"""The suppression limit as a number of records, or of persons who lose a record."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.frequency import Problem
from engine.frequency.measured import MeasuredClasses
from engine.kernels.arrays import BoolArray
from engine.privacy.requirement import PERSONS, Requirement
from engine.privacy.table_wide import kept_table


def limits_persons(problem: Problem, requirement: Requirement) -> bool:
    """Return whether the limit counts persons and these differ from records."""
    return requirement.limit_counts == PERSONS and problem.repeated is not None


def allowed_losses(problem: Problem, requirement: Requirement) -> int:
    """Return the number of records, or of persons if these are counted, that may be lost."""
    return requirement.allowed(
        problem.n_people if limits_persons(problem, requirement) else problem.n_records
    )


def most_suppressed(problem: Problem, requirement: Requirement) -> int:
    """Return the largest number of records that a satisfying node may suppress."""
    allowed = allowed_losses(problem, requirement)
    if limits_persons(problem, requirement):
        assert problem.repeated is not None, "persons are counted where they have several records"
        return problem.repeated.most_records(allowed)
    return allowed


@dataclass(frozen=True)
class Losses:
    """Suppressed records, or people who lose a record, with the limit on them.

    Attributes
    ----------
    count, allowed, total : int
        Number lost, number allowed, and number in all.
    """

    count: int
    allowed: int
    total: int
    are_people: bool

    @property
    def are_allowed(self) -> bool:
        """Return whether they are within the limit."""
        return self.count <= self.allowed


def losses_of(
    problem: Problem, requirement: Requirement, classes: MeasuredClasses, kept: BoolArray
) -> Losses:
    """Return what suppressing all but the kept classes of a node loses, as the limit counts.

    Parameters
    ----------
    classes : MeasuredClasses
        Classes of all records of the problem.
    kept : ndarray of bool, shape (n_classes,)
    """
    allowed = allowed_losses(problem, requirement)
    if limits_persons(problem, requirement) and classes.persons is not None:
        return Losses(classes.persons.n_in(~kept), allowed, problem.n_people, are_people=True)
    return Losses(int(classes.records[~kept].sum()), allowed, problem.n_records, are_people=False)


def is_within(problem: Problem, requirement: Requirement, classes: MeasuredClasses, kept: BoolArray) -> bool:
    """Return whether the losses of `losses_of` are within the limit."""
    return losses_of(problem, requirement, classes, kept).are_allowed


def is_satisfied(
    problem: Problem, requirement: Requirement, classes: MeasuredClasses, kept: BoolArray
) -> bool:
    """Return whether the losses are within the limit, and the kept classes meet the table-wide models."""
    if not is_within(problem, requirement, classes, kept):
        return False
    if not requirement.table_wide:
        return True
    return bool(requirement.holds(kept_table(problem, classes, kept), np.ones(1, dtype=np.bool_))[0])
