"""Distinct base tuples of the quasi-identifiers, and the values that the contents of classes count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import Counts, IntArray, Keys
from engine.kernels.distances import Pairs
from engine.kernels.grouping import class_labels
from engine.scoring.walk.packing import FrequencySet, class_of_tuples
from engine.scoring.walk.population_tuples import PopulationTuples
from engine.scoring.walk.tuples import measured_classes


@dataclass(frozen=True, eq=False)
class BaseClasses:
    """Distinct base tuples of the quasi-identifiers alone.

    Every record has one value of each group of values: usually a group is a sensitive attribute, or the
    weights. If these are measured in parts of classes, the only group is their combinations; if there are
    none but a population is known person by person, its only value is that of being a record. The tuples
    that only people without a record have are last, and have no records.

    Attributes
    ----------
    fields : tuple of ndarray of int64, each of shape (n_base,)
        Path codes per attribute.
    sizes : ndarray of int64, shape (n_base,)
        Records per tuple.
    groups : tuple of Pairs
        Values of the tuples with records, per group.
    n_values : tuple of int
        Values per group.
    combinations : tuple of ndarray of int64, each of shape (n_combinations,)
        Value of each sensitive attribute per combination; empty unless combinations are counted.
    people : ndarray of int64, shape (n_base,), or None
        People of the population per tuple, if they are known.
    """

    fields: tuple[Keys, ...]
    sizes: Counts
    groups: tuple[Pairs, ...]
    n_values: tuple[int, ...]
    combinations: tuple[IntArray, ...] = ()
    people: Counts | None = None

    @classmethod
    def of(cls, problem: Problem, base: FrequencySet) -> BaseClasses:
        """Join the base tuples over their sensitive values."""
        starts, classes = measured_classes(problem, base)
        fields = tuple(base.field(q, 0)[starts] for q in range(len(problem.attributes)))
        sizes, people = classes.sizes, None
        combinations: tuple[IntArray, ...] = ()
        groups = tuple(classes.pairs(a.name) for a in problem.carried)
        n_values = tuple(a.n_values for a in problem.carried)
        if problem.measures_parts:
            groups, n_values, combinations = _combined(problem, base, starts)
        elif not groups and problem.knows_people:
            groups = (Pairs(np.zeros_like(sizes), sizes, np.arange(len(sizes))),)
            n_values = (1,)
        if isinstance(base, PopulationTuples):
            people, firsts, others = base.people_by_class(starts)
            fields = tuple(
                np.concatenate((own, base.people.field(q, 0)[firsts])) for q, own in enumerate(fields)
            )
            sizes = np.concatenate((sizes, np.zeros_like(others)))
            people = np.concatenate((people, others))
        return cls(fields, sizes, groups, n_values, combinations, people)


def _combined(
    problem: Problem, base: FrequencySet, starts: IntArray
) -> tuple[tuple[Pairs, ...], tuple[int, ...], tuple[IntArray, ...]]:
    """Return the combinations of sensitive values as the only group; see `BaseClasses` for the entries."""
    values = [base.sensitive(j) for j in range(len(problem.sensitive))]
    # in lexicographic order, so that all base tuples of the same records have the same numbers
    numbers, first, _sizes = class_labels(values, [a.n_values for a in problem.sensitive])
    order = np.lexsort((numbers, class_of_tuples(base, starts)))
    combinations = tuple(np.asarray(own[first], dtype=np.int64) for own in values)
    return (Pairs(numbers[order], base.counts[order], starts),), (len(first),), combinations
