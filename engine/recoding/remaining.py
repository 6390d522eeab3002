"""Some records of a problem, still compared with the whole table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from engine.frequency import Problem, SensitiveAttribute
from engine.kernels.arrays import Codes, IntArray


@dataclass(frozen=True, eq=False)
class _SomeValues(SensitiveAttribute):
    """A sensitive column of some records; what is counted of the table is counted of all of it."""

    own: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    @property
    def codes(self) -> Codes:
        """Value per chosen record."""
        return self.own


@dataclass(frozen=True, eq=False)
class _SomeRecords(Problem):
    """A problem of some records."""

    whole_fraction: float | None = None

    @property
    def sampling_fraction(self) -> float | None:
        """That of the whole table, of which these records are a part."""
        return self.whole_fraction


def remaining(problem: Problem, records: IntArray) -> Problem:
    """A problem of some of the records.

    Distances from the table and the share of the population stay those of the whole table; a node's
    metrics are those of the chosen records alone. People of the population are not counted one by one.

    Parameters
    ----------
    problem : Problem
    records : ndarray of int64, shape (n_chosen,)
    """
    return _SomeRecords(
        len(records),
        tuple(replace(a, leaves=a.leaves[records]) for a in problem.attributes),
        tuple(_chosen(attribute, records) for attribute in problem.sensitive),
        problem.others_as_qi,
        None if problem.target is None else _chosen(problem.target, records),
        None if problem.people is None else replace(problem.people, leaves=None),
        None if problem.persons is None else problem.persons.some(records),
        problem.sampling_fraction,
    )


def _chosen(attribute: SensitiveAttribute, records: IntArray) -> SensitiveAttribute:
    return _SomeValues(attribute.column, attribute.hierarchy, attribute.weights, attribute.codes[records])
