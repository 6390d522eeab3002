"""What the suppression limit allows: in records, or in persons who lose a record."""

from __future__ import annotations

from dataclasses import dataclass

from engine.frequency import Problem
from engine.frequency.measured import MeasuredClasses
from engine.kernels.arrays import BoolArray
from engine.privacy.requirement import PERSONS, Requirement


def limits_persons(problem: Problem, requirement: Requirement) -> bool:
    """Whether persons who lose a record are counted, and are not simply the suppressed records."""
    return requirement.limit_counts == PERSONS and problem.repeated is not None


def allowed_losses(problem: Problem, requirement: Requirement) -> int:
    """How many records, or persons where these are counted, may be lost."""
    return requirement.allowed(
        problem.n_people if limits_persons(problem, requirement) else problem.n_records
    )


def most_suppressed(problem: Problem, requirement: Requirement) -> int:
    """Records that a node which satisfies may suppress at most."""
    allowed = allowed_losses(problem, requirement)
    if limits_persons(problem, requirement):
        assert problem.repeated is not None, "persons are counted where they have several records"
        return problem.repeated.most_records(allowed)
    return allowed


@dataclass(frozen=True)
class Losses:
    """What the suppression limit counts: suppressed records, or people who lose one.

    Attributes
    ----------
    count, allowed, total : int
        How many are lost, how many may be, and of how many.
    are_people : bool
    """

    count: int
    allowed: int
    total: int
    are_people: bool

    @property
    def are_allowed(self) -> bool:
        """Whether they stay within the limit."""
        return self.count <= self.allowed


def losses_of(
    problem: Problem, requirement: Requirement, classes: MeasuredClasses, kept: BoolArray
) -> Losses:
    """What suppressing all but the kept classes of a node loses, as the limit counts.

    Parameters
    ----------
    problem : Problem
    requirement : Requirement
    classes : MeasuredClasses
        Of all records of the problem.
    kept : ndarray of bool, shape (n_classes,)
    """
    allowed = allowed_losses(problem, requirement)
    if limits_persons(problem, requirement) and classes.persons is not None:
        return Losses(classes.persons.n_in(~kept), allowed, problem.n_people, are_people=True)
    return Losses(int(classes.records[~kept].sum()), allowed, problem.n_records, are_people=False)


def is_within(problem: Problem, requirement: Requirement, classes: MeasuredClasses, kept: BoolArray) -> bool:
    """Whether suppressing all but the kept classes of a node stays within the limit; see `losses_of`."""
    return losses_of(problem, requirement, classes, kept).are_allowed
