"""Equivalence classes measured from (class, sensitive value) pairs with counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.frequency.classes import POPULATION, Measure
from engine.frequency.measures import MEASURES
from engine.frequency.problem import SensitiveAttribute
from engine.kernels.arrays import Counts, IntArray, Reals
from engine.kernels.distances import Pairs
from engine.kernels.grouping import class_labels, run_starts


@dataclass(frozen=True, eq=False)
class Parts:
    """The records a sensitive column is looked at together: those of a class, or only some of them.

    Attributes
    ----------
    sizes : ndarray of int64, shape (n_parts,)
    pairs : Pairs
        Their distinct (part, value) pairs with record counts.
    starts : ndarray of int64, shape (n_classes,), or None
        The first part of every class, parts being sorted by class; None where every class is one part.
    """

    sizes: Counts
    pairs: Pairs
    starts: IntArray | None = None

    def of_class(self, number: int) -> range:
        """The parts of a class."""
        if self.starts is None:
            return range(number, number + 1)
        is_last = number + 1 == len(self.starts)
        return range(int(self.starts[number]), len(self.sizes) if is_last else int(self.starts[number + 1]))


NO_MEMBERS = "Nobody knows how many people of the population are in a class."
NO_MEMBERS_HINT = "Give the table of the population, or choose the records of this table that are released."


class MeasuredClasses:
    """Classes of one node; measures are computed when first asked for.

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_classes,)
    sensitive : sequence of SensitiveAttribute
    pairs : callable
        Given the number of a sensitive attribute, its distinct (class, value) pairs and their record
        counts, sorted by class then value.
    parts : callable, optional
        Given the number of a sensitive attribute, the parts of classes it is measured in; a class has
        the measure of its worst part. Without it classes are measured whole.
    population : callable, optional
        How many people of the population are in each class; without it nobody knows.
    sampling_fraction : float, optional
        See `EquivalenceClasses.sampling_fraction`.
    """

    def __init__(
        self,
        sizes: Counts,
        sensitive: Sequence[SensitiveAttribute],
        pairs: Callable[[int], Pairs],
        parts: Callable[[int], Parts] | None = None,
        population: Callable[[], Counts] | None = None,
        sampling_fraction: float | None = None,
    ) -> None:
        self.sizes = sizes
        self.sampling_fraction = sampling_fraction
        self._count_population = population
        self._sensitive = {attribute.name: (j, attribute) for j, attribute in enumerate(sensitive)}
        self._make_pairs = pairs
        self._make_parts = parts
        self._pairs: dict[str, Pairs] = {}
        self._parts: dict[str, Parts] = {}
        self._measured: dict[Measure, IntArray | Reals] = {}

    @property
    def knows_members(self) -> bool:
        """Whether the people of the population are known one by one."""
        return self._count_population is not None

    def pairs(self, column: str) -> Pairs:
        """Distinct (class, value) pairs of a sensitive column with their record counts."""
        if column not in self._pairs:
            self._pairs[column] = self._make_pairs(self._sensitive[column][0])
        return self._pairs[column]

    def parts(self, column: str) -> Parts:
        """The parts of classes that a sensitive column is measured in."""
        if column not in self._parts:
            if self._make_parts is None:
                self._parts[column] = Parts(self.sizes, self.pairs(column))
            else:
                self._parts[column] = self._make_parts(self._sensitive[column][0])
        return self._parts[column]

    def measured(self, measure: Measure) -> IntArray | Reals:
        """See `EquivalenceClasses.measured`."""
        if measure.name == POPULATION and measure not in self._measured:
            if self._count_population is None:
                raise InputError(NO_MEMBERS, hint=NO_MEMBERS_HINT)
            self._measured[measure] = self._count_population()
        if measure not in self._measured:
            parts, starts = self.measured_parts(measure), self.parts(measure.column).starts
            if starts is None:
                self._measured[measure] = parts
            else:
                worst = np.minimum if MEASURES[measure.name].lowest_is_worst else np.maximum
                self._measured[measure] = worst.reduceat(parts, starts)
        return self._measured[measure]

    def measured_parts(self, measure: Measure) -> IntArray | Reals:
        """A measure of a sensitive column per part, shape (n_parts,)."""
        parts, attribute = self.parts(measure.column), self._sensitive[measure.column][1]
        return MEASURES[measure.name].function(parts.pairs, parts.sizes, attribute, measure.parameter)

    def default_distance(self, column: str) -> str:
        """See `EquivalenceClasses.default_distance`."""
        return self._sensitive[column][1].default_distance


def pairs_of(
    labels: IntArray, values: NDArray[np.integer[Any]], counts: Counts | None, n_values: int
) -> Pairs:
    """Count the distinct (class, value) pairs of rows.

    Parameters
    ----------
    labels, values : ndarray of int, shape (n_rows,)
        Class and sensitive value per row.
    counts : ndarray of int64, shape (n_rows,), or None
        Records per row; None for one each.
    n_values : int
        One more than the largest value.
    """
    keys = labels * n_values + values
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = run_starts(keys)
    if counts is None:
        sums = np.diff(np.append(starts, len(keys)))
    else:
        sums = np.add.reduceat(counts[order], starts)
    return pairs_from(keys[starts] // n_values, keys[starts] % n_values, sums)


def pairs_from(classes: IntArray, values: IntArray, counts: Counts) -> Pairs:
    """Pairs already distinct and sorted, every class among them."""
    return Pairs(values, counts, run_starts(classes))


def parts_by_others(
    labels: IntArray,
    sensitive: Sequence[SensitiveAttribute],
    codes: Sequence[NDArray[np.integer[Any]]],
    counts: Counts | None,
    number: int,
) -> Parts:
    """Split classes into the parts that are alike in the other sensitive columns.

    For whom the others may be known too: pyCANON's second way with several sensitive attributes.

    Parameters
    ----------
    labels : ndarray of int64, shape (n_rows,)
        Class per row.
    sensitive : sequence of SensitiveAttribute
    codes : sequence of integer ndarray, each of shape (n_rows,)
        Value per row, per sensitive column.
    counts : ndarray of int64, shape (n_rows,), or None
        Records per row; None for one each.
    number : int
        The column that is looked at.
    """
    others = [j for j in range(len(sensitive)) if j != number]
    columns = [labels, *(codes[j] for j in others)]
    spans = [int(labels.max()) + 1, *(sensitive[j].n_values for j in others)]
    parts, first, rows = class_labels(columns, spans)
    sizes = rows if counts is None else np.bincount(parts, weights=counts).astype(np.int64)
    pairs = pairs_of(parts, codes[number], counts, sensitive[number].n_values)
    return Parts(sizes.astype(np.int64, copy=False), pairs, run_starts(labels[first]))
