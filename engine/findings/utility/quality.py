"""Quality of a release by column, as reported by ARX: 1 is best and 0 is worst, except for missings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from engine.findings.given_table import GivenTable
from engine.findings.utility.released_table import ReleasedTable
from engine.frequency import Attribute
from engine.kernels.arrays import Counts, FloatArray
from engine.utility.ambiguity import all_combinations
from engine.utility.non_uniform_entropy import hidden_bits
from engine.utility.recoded_column import RecodedColumn, coarsening_bits


@dataclass(frozen=True)
class Scale:
    """Value with its bounds: nothing lost and everything lost."""

    result: float
    minimum: float
    maximum: float

    @property
    def quality(self) -> float:
        """1 at the minimum and 0 at the maximum; 1 if both are equal."""
        if self.maximum <= self.minimum:
            return 1.0
        return min(max(1 - (self.result - self.minimum) / (self.maximum - self.minimum), 0.0), 1.0)


Scales: TypeAlias = dict[str, Scale]


@dataclass(frozen=True)
class ColumnQuality:
    """One value per column, and three ways of combining columns.

    As in ARX, columns are combined before they are scaled to [0, 1]: results, minima and maxima
    separately. The combined value is therefore not the mean of the columns' values.
    """

    scales: Mapping[str, Scale]

    @property
    def by_column(self) -> dict[str, float]:
        """Quality of each column."""
        return {name: scale.quality for name, scale in self.scales.items()}

    @property
    def arithmetic_mean(self) -> float:
        """By the mean over columns."""
        return self._joined(lambda values: float(np.mean(values)))

    @property
    def geometric_mean(self) -> float:
        """By prod(value + 1) ** (1 / columns) - 1, which a single 0 does not make 0."""
        return self._joined(lambda values: float(np.expm1(np.mean(np.log1p(values)))))

    @property
    def maximum(self) -> float:
        """By the largest value of a column."""
        return self._joined(lambda values: float(np.max(values)))

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        joined = ("arithmetic_mean", "geometric_mean", "maximum")
        return {**{name: getattr(self, name) for name in joined}, "by_attribute": self.by_column}

    def _joined(self, join: Any) -> float:
        scales = self.scales.values()
        columns = ([s.result for s in scales], [s.minimum for s in scales], [s.maximum for s in scales])
        return Scale(*(join(np.array(values)) for values in columns)).quality


@dataclass(frozen=True)
class QualityReport:
    """Quality of a release by column and in total.

    Attributes
    ----------
    columns : mapping of str to ColumnQuality
        First five values of the notes; "squared_error" is absent if no column has numbers or records
        cannot be matched.
    table : mapping of str to Scale
        Other values; the last two are absent in the same cases.

    Notes
    -----
    granularity : mean share of the leaves that a cell covers [1].
    generalization_intensity : mean of level / height, of the lowest level that has the label [2].
    non_uniform_entropy : bits hidden, in stages over the levels present, of those that hiding all
        values would hide [3].
    missings : share of cells suppressed or at the single label of the highest level; the only value with
    0 as best, since its scale has the share of other cells.
    squared_error : see `engine.findings.utility.quality`.
    discernibility : sum of squared class sizes, n for each suppressed record [4].
    average_class_size : kept records by their classes [5].
    ambiguity : number of covered combinations of leaves, summed over records [6].
    squared_error_of_records, distance_of_records : see `engine.findings.utility.quality`.

    References
    ----------
    .. [1] Iyengar (2002). Transforming Data to Satisfy Privacy Constraints. KDD.
    .. [2] Sweeney (2002). Achieving k-Anonymity Privacy Protection Using Generalization and
       Suppression. IJUFKS 10(5).
    .. [3] Gionis, Tassa (2009). k-Anonymization with Minimal Loss of Information. TKDE 21(2).
    .. [4] Bayardo, Agrawal (2005). Data Privacy through Optimal k-Anonymization. ICDE.
    .. [5] LeFevre, DeWitt, Ramakrishnan (2006). Mondrian Multidimensional K-Anonymity. ICDE.
    .. [6] Goldberger, Tassa (2010). Efficient Anonymizations with Enhanced Utility. TDP 3(2).
    """

    columns: Mapping[str, ColumnQuality]
    table: Mapping[str, Scale]

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            **{key: figure.as_dict() for key, figure in self.columns.items()},
            **{
                key: {
                    "value": scale.quality,
                    "result": scale.result,
                    "minimum": scale.minimum,
                    "maximum": scale.maximum,
                }
                for key, scale in self.table.items()
            },
        }


def quality_of(released: ReleasedTable, given: GivenTable) -> QualityReport:
    """Compute the quality of a release whose cells were found in their hierarchies.

    Parameters
    ----------
    given : GivenTable
        Released table, suppressed records included.
    """
    columns: dict[str, ColumnQuality] = {
        "granularity": ColumnQuality(_each(released, _granularity)),
        "generalization_intensity": ColumnQuality(_each(released, _intensity)),
        "non_uniform_entropy": ColumnQuality(_each(released, _entropy)),
        "missings": ColumnQuality(_each(released, _missings)),
    }
    table = {
        "discernibility": _discernibility(released),
        "average_class_size": _average_class_size(released),
        "ambiguity": _ambiguity(released),
    }
    numbers = numbers_of(released, given)
    if numbers:
        errors = squared_errors(numbers)
        columns["squared_error"] = ColumnQuality(errors)
        sums = (
            sum(found.result for found in errors.values()),
            sum(found.maximum for found in errors.values()),
        )
        table["squared_error_of_records"] = Scale(sums[0], 0.0, sums[1])
        table["distance_of_records"] = record_distance(numbers)
    return QualityReport(columns, table)


def _each(released: ReleasedTable, measure: Callable[[RecodedColumn, ReleasedTable], Scale]) -> Scales:
    return {column.attribute.name: measure(column, released) for column in released.columns}


def _granularity(column: RecodedColumn, released: ReleasedTable) -> Scale:
    n_leaves = column.attribute.hierarchy.n_leaves
    covered = int(column.by_place @ column.n_leaves) + released.n_suppressed * n_leaves
    return Scale(covered / (released.n_records * n_leaves), 1 / n_leaves, 1.0)


def _intensity(column: RecodedColumn, released: ReleasedTable) -> Scale:
    height, own = column.attribute.hierarchy.height, column.on_steps
    if not height:
        return Scale(0.0, 0.0, 1.0)
    return Scale(
        (int(own.by_place @ own.levels) / height + released.n_suppressed) / released.n_records, 0.0, 1.0
    )


def _entropy(column: RecodedColumn, released: ReleasedTable) -> Scale:
    most = hidden_bits(column.attribute.leaf_counts)
    return Scale(coarsening_bits(column, released.n_suppressed), 0.0, most)


def _missings(column: RecodedColumn, released: ReleasedTable) -> Scale:
    hierarchy = column.attribute.hierarchy
    # A label that also occurs on lower levels is found there, but counts as on the highest level.
    is_top = [level.labels == hierarchy.levels[hierarchy.height].labels for level in hierarchy.levels]
    at_top = 0
    if hierarchy.height and hierarchy.top_label is not None:
        at_top = int(column.by_place[np.array(is_top)[column.levels]].sum())
    return Scale((released.n_kept - at_top) / released.n_records, 0.0, 1.0)


def _discernibility(released: ReleasedTable) -> Scale:
    n_records, original = released.n_records, released.problem.joint_counts
    result = int(released.kept_squares[0]) + released.n_suppressed * n_records
    return Scale(float(result), float(original @ original), float(n_records) ** 2)


def _average_class_size(released: ReleasedTable) -> Scale:
    n_records, n_classes = released.n_records, len(released.class_sizes)
    average = released.n_kept / n_classes if n_classes else float(n_records)
    return Scale(average, n_records / len(released.problem.joint_counts), float(n_records))


def _ambiguity(released: ReleasedTable) -> Scale:
    n_records, everywhere = released.n_records, all_combinations(released.problem)
    result = float(released.kept_combinations[0]) + released.n_suppressed * everywhere
    return Scale(result, float(n_records), n_records * everywhere)


class Numbers(NamedTuple):
    """Numeric column as numbers, one entry per row.

    Attributes
    ----------
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


def squared_errors(numbers: dict[str, Numbers]) -> Scales:
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
        found[name] = Scale(_sum(error, column.records), 0.0, _sum(total, column.records))
    return found


def record_distance(numbers: dict[str, Numbers]) -> Scale:
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
    mean, most = (float(np.average(np.sqrt(sums), weights=one.records)) for sums in (error, total))
    return Scale(mean, 0.0, most)


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
