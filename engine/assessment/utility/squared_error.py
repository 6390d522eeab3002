"""Squared error of a release: distance of the numbers of labels from the original ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.assessment.given_table import GivenTable
from engine.assessment.utility.released_table import ReleasedTable
from engine.frequency import Attribute
from engine.kernels.arrays import Counts, FloatArray
from engine.utility.recoded_column import RecodedColumn


class Error(NamedTuple):
    """Error, and the total it is compared with.

    Attributes
    ----------
    error, total : float
        Both in the same unit; at least 0.
    """

    error: float
    total: float


class Numbers(NamedTuple):
    """Numeric column as numbers, one entry per row.

    Attributes
    ----------
    original : ndarray of float64
    low, high : ndarray of float64
        Smallest and largest number of the released label; of all numbers for suppressed records.
    lowest, highest : float
        Smallest and largest number of the column.
    records : ndarray of int64, or None
        Records of every row; None for one each.
    """

    original: FloatArray
    low: FloatArray
    high: FloatArray
    lowest: float
    highest: float
    records: Counts | None = None

    @property
    def deviations(self) -> FloatArray:
        """Difference of every number from the mean of the column."""
        return np.asarray(self.original - np.average(self.original, weights=self.records))


def squared_errors(numbers: dict[str, Numbers]) -> dict[str, Error]:
    """Return the sums of squared errors and of squares per column [1].

    The value of a label is the middle of its numbers. The error is the sum over records of
    (original - middle)^2, the total that of (original - mean of the column)^2.

    References
    ----------
    .. [1] Domingo-Ferrer, Mateo-Sanz (2002). Practical Data-Oriented Microaggregation for Statistical
       Disclosure Control. IEEE TKDE 14(1): SSE and SST.
    """
    found = {}
    for name, column in numbers.items():
        error = np.square(column.original - (column.low + column.high) / 2)
        total = np.square(column.deviations)
        found[name] = Error(_sum(error, column.records), _sum(total, column.records))
    return found


def record_distance(numbers: dict[str, Numbers]) -> Error:
    """Return the mean distance of a released record from its original, and its maximum [1].

    The Euclidean distance over the numeric columns, each divided by the standard deviation of its original
    numbers, from the original to the farther end of the label, or to the farther end of all numbers. Columns
    with a single number are excluded.

    References
    ----------
    .. [1] Sánchez, Martínez, Domingo-Ferrer (2016). Comment on "Unique in the shopping mall: On the
       reidentifiability of credit card metadata". Science 351(6279), supplement.
    """
    one = next(iter(numbers.values()))
    error, total = np.zeros(len(one.original)), np.zeros(len(one.original))
    for column in numbers.values():
        deviation = np.sqrt(np.average(np.square(column.deviations), weights=column.records))
        if deviation:
            error += np.square(_furthest(column.original, column.low, column.high) / deviation)
            total += np.square(_furthest(column.original, column.lowest, column.highest) / deviation)
    means = (float(np.average(np.sqrt(sums), weights=one.records)) for sums in (error, total))
    return Error(*means)


def _sum(values: FloatArray, records: Counts | None) -> float:
    return float(values.sum() if records is None else values @ records)


def numbers_of(released: ReleasedTable, given: GivenTable) -> dict[str, Numbers]:
    """Return the numeric columns of a release with their originals, record by record.

    Returns
    -------
    dict of str to Numbers
        Without columns that are not numeric or lack numbers; empty if the records of both tables do not
        correspond one by one: fewer are released, or a label does not cover its original value.
    """
    if given.n_records != released.n_records or not all(_corresponds(c, released) for c in released.columns):
        return {}
    found = {}
    for column in released.columns:
        values = column.attribute.leaf_numbers
        if values is not None and not np.isnan(values[column.attribute.leaves]).any():
            found[column.attribute.name] = _numbers(column, released, values)
    return found


def _corresponds(column: RecodedColumn, released: ReleasedTable) -> bool:
    """Return whether every released label covers the original value of its record."""
    leaves, levels = column.attribute.leaves[released.kept], column.levels[column.places]
    due = np.array([level.codes for level in column.attribute.hierarchy.levels])[levels, leaves]
    return np.array_equal(due, column.labels[column.places])


def _numbers(column: RecodedColumn, released: ReleasedTable, values: FloatArray) -> Numbers:
    lowest, highest = float(np.nanmin(values)), float(np.nanmax(values))
    n_rows = len(column.attribute.leaves)
    low, high = np.full(n_rows, lowest), np.full(n_rows, highest)
    n_levels = len(column.attribute.hierarchy.levels)
    bottom, top = zip(*(_ends(column.attribute, level, values) for level in range(n_levels)), strict=True)
    low[released.kept] = np.concatenate(bottom)[column.places]
    high[released.kept] = np.concatenate(top)[column.places]
    records = released.problem.counts
    return Numbers(values[column.attribute.leaves], low, high, lowest, highest, records)


def _ends(attribute: Attribute, level: int, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and largest number of each label of a level."""
    entry, known = attribute.hierarchy.levels[level], ~np.isnan(values)
    low, high = np.full(len(entry.labels), np.inf), np.full(len(entry.labels), -np.inf)
    np.minimum.at(low, entry.codes[known], values[known])
    np.maximum.at(high, entry.codes[known], values[known])
    return low, high


def _furthest(original: FloatArray, low: FloatArray | float, high: FloatArray | float) -> FloatArray:
    return np.maximum(np.abs(original - low), np.abs(original - high))
