"""Suppression of whole persons: all their records go until every remaining class meets all models."""

from __future__ import annotations

import numpy as np

from engine.frequency import Problem
from engine.frequency.measured import ClassRows, PopulationCounts, classes_of_rows
from engine.frequency.persons import SINGLE, sums
from engine.kernels.arrays import BoolArray, IntArray
from engine.privacy.requirement import Requirement


def suppresses_whole(problem: Problem, requirement: Requirement) -> bool:
    """Return whether whole persons are suppressed and these differ from records."""
    return requirement.whole_persons and problem.repeated is not None


def rows_of_whole(
    problem: Problem,
    requirement: Requirement,
    rows: ClassRows,
    population: PopulationCounts | None = None,
    gone: BoolArray | None = None,
) -> BoolArray:
    """Return the rows that remain if whole persons are suppressed until nothing changes.

    All persons with a record in a failing class are suppressed at once, then classes are evaluated by the
    remaining records. For class sizes and distinct values the result is the largest set of persons for whom
    every class meets the requirement, whatever the order.

    Parameters
    ----------
    problem : Problem
    requirement : Requirement
    rows : ClassRows
        All records, with their persons.
    population : PopulationCounts, optional
        The population of the same classes; its people are never suppressed.
    gone : ndarray of bool, shape (n_rows,), optional
        Rows that are suppressed in any case, together with the other rows of their persons.

    Returns
    -------
    ndarray of bool, shape (n_rows,)
    """
    codes = rows.persons
    assert codes is not None, "asked only where persons have several records"
    left = np.ones(len(rows.labels), dtype=np.bool_)
    failing = left & False if gone is None else gone
    while True:
        affected = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.bool_)
        affected[codes[failing]] = True
        affected[SINGLE] = False
        left &= ~failing & ~affected[codes]
        failing = np.zeros_like(left)
        if not left.any():
            return left
        failing[left] = _failing(problem, requirement, rows, population, np.flatnonzero(left))
        if not failing.any():
            return left


def _failing(
    problem: Problem,
    requirement: Requirement,
    rows: ClassRows,
    population: PopulationCounts | None,
    chosen: IntArray,
) -> BoolArray:
    """Return which of some rows are in a failing class if no other rows exist."""
    numbers, labels = np.unique(rows.labels[chosen], return_inverse=True)
    assert rows.persons is not None
    counts = None if rows.counts is None else rows.counts[chosen]
    some = ClassRows(labels, lambda j: rows.values(j)[chosen], counts, rows.persons[chosen])
    ones = np.ones(len(chosen), dtype=np.int64)
    records = sums(labels, ones if counts is None else counts, len(numbers))
    people = None
    if population is not None:
        everybody = population
        people = PopulationCounts(lambda: everybody.people()[numbers], lambda: everybody.rows()[numbers])
    classes = classes_of_rows(problem, some, records, people)
    return np.asarray(~requirement.fulfilled(classes)[labels])
