"""Suppression that is repeated until every remaining class meets all models."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.frequency import Problem
from engine.frequency.measured import ClassRows, PopulationCounts, classes_of_rows
from engine.frequency.persons import SINGLE, sums
from engine.kernels.arrays import BoolArray, IntArray
from engine.privacy.requirement import Requirement


def suppresses_whole(problem: Problem, requirement: Requirement) -> bool:
    """Return whether whole persons are suppressed and these differ from records."""
    return requirement.whole_persons and problem.repeated is not None


def repeats(problem: Problem, requirement: Requirement) -> bool:
    """Return whether suppressed records may make others fail, so that suppression is repeated.

    That is so if whole persons are suppressed, or if attackers know only some of the columns: their classes
    consist of several classes, which shrink together.
    """
    return requirement.has_attackers or suppresses_whole(problem, requirement)


class Remaining(NamedTuple):
    """Rows that remain after repeated suppression.

    Attributes
    ----------
    rows : ndarray of bool, shape (n_rows,)
    rounds : int
        Passes that suppressed something.
    """

    rows: BoolArray
    rounds: int


def remaining_rows(
    problem: Problem,
    requirement: Requirement,
    rows: ClassRows,
    population: PopulationCounts | None = None,
    gone: BoolArray | None = None,
) -> Remaining:
    """Return the rows that remain if suppression is repeated until nothing changes.

    All rows in a failing class of any model are suppressed at once, with all other rows of their persons if
    whole persons are suppressed; then classes are evaluated by the remaining rows. For class sizes and
    distinct values the result is the largest set of rows for which every class meets the requirement,
    whatever the order.

    Parameters
    ----------
    rows : ClassRows
        All records, with their persons if these have several, and fields if attackers know some columns.
    population : PopulationCounts, optional
        The population of the same classes; its people are never suppressed.
    gone : ndarray of bool, shape (n_rows,), optional
        Rows that are suppressed in any case.
    """
    codes = rows.persons if suppresses_whole(problem, requirement) else None
    left = np.ones(len(rows.labels), dtype=np.bool_)
    failing = left & False if gone is None else gone
    rounds = 0
    while True:
        left &= ~failing
        if codes is not None:
            affected = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.bool_)
            affected[codes[failing]] = True
            affected[SINGLE] = False
            left &= ~affected[codes]
        failing = np.zeros_like(left)
        if not left.any():
            return Remaining(left, rounds)
        failing[left] = _failing(problem, requirement, rows, population, np.flatnonzero(left))
        if not failing.any():
            return Remaining(left, rounds)
        rounds += 1


def _failing(
    problem: Problem,
    requirement: Requirement,
    rows: ClassRows,
    population: PopulationCounts | None,
    chosen: IntArray,
) -> BoolArray:
    """Return which of some rows are in a failing class if no other rows exist."""
    numbers, labels = np.unique(rows.labels[chosen], return_inverse=True)
    some = rows.chosen(chosen, labels)
    ones = np.ones(len(chosen), dtype=np.int64)
    records = sums(labels, ones if some.counts is None else some.counts, len(numbers))
    people = None
    if population is not None:
        everybody = population
        people = PopulationCounts(lambda: everybody.people()[numbers], lambda: everybody.rows()[numbers])
    classes = classes_of_rows(problem, some, records, people)
    return np.asarray(~requirement.fulfilled(classes)[labels])
