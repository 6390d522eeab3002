"""Equivalence classes measured from (class, sensitive value) pairs with counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.frequency.classes import Measure
from engine.frequency.measures import MEASURES
from engine.frequency.problem import SensitiveAttribute
from engine.kernels.arrays import Counts, IntArray, Reals
from engine.kernels.distances import Pairs
from engine.kernels.grouping import run_starts


class MeasuredClasses:
    """Classes of one node; measures are computed when first asked for.

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_classes,)
    sensitive : sequence of SensitiveAttribute
    pairs : callable
        Given the number of a sensitive attribute, its distinct (class, value) pairs and their record
        counts, sorted by class then value.
    """

    def __init__(
        self, sizes: Counts, sensitive: Sequence[SensitiveAttribute], pairs: Callable[[int], Pairs]
    ) -> None:
        self.sizes = sizes
        self._sensitive = {attribute.name: (j, attribute) for j, attribute in enumerate(sensitive)}
        self._make_pairs = pairs
        self._pairs: dict[str, Pairs] = {}
        self._measured: dict[Measure, IntArray | Reals] = {}

    def pairs(self, column: str) -> Pairs:
        """Distinct (class, value) pairs of a sensitive column with their record counts."""
        if column not in self._pairs:
            self._pairs[column] = self._make_pairs(self._sensitive[column][0])
        return self._pairs[column]

    def measured(self, measure: Measure) -> IntArray | Reals:
        """See `EquivalenceClasses.measured`."""
        if measure not in self._measured:
            function, attribute = MEASURES[measure.name].function, self._sensitive[measure.column][1]
            pairs = self.pairs(measure.column)
            self._measured[measure] = function(pairs, self.sizes, attribute, measure.parameter)
        return self._measured[measure]

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
