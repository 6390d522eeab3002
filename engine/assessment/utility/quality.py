"""Quality of a release by column, as reported by ARX: 1 is best and 0 is worst, except for missings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from engine.assessment.given_table import GivenTable
from engine.assessment.utility.released_table import ReleasedTable
from engine.assessment.utility.squared_error import numbers_of, record_distance, squared_errors
from engine.utility.ambiguity import all_combinations
from engine.utility.non_uniform_entropy import hidden_bits
from engine.utility.recoded_column import RecodedColumn, coarsening_bits


@dataclass(frozen=True)
class Scale:
    """Value with its bounds: nothing lost and everything lost.

    Attributes
    ----------
    result, minimum, maximum : float
    """

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

    Attributes
    ----------
    scales : mapping of str to Scale
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
    squared_error : see `engine.assessment.utility.squared_error`.
    discernibility : sum of squared class sizes, n for each suppressed record [4].
    average_class_size : kept records by their classes [5].
    ambiguity : number of covered combinations of leaves, summed over records [6].
    squared_error_of_records, distance_of_records : see `engine.assessment.utility.squared_error`.

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
    released : ReleasedTable
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
        scales = {name: Scale(found.error, 0.0, found.total) for name, found in errors.items()}
        columns["squared_error"] = ColumnQuality(scales)
        sums = (sum(found.error for found in errors.values()), sum(found.total for found in errors.values()))
        table["squared_error_of_records"] = Scale(sums[0], 0.0, sums[1])
        distance = record_distance(numbers)
        table["distance_of_records"] = Scale(distance.error, 0.0, distance.total)
    return QualityReport(columns, table)


def _each(released: ReleasedTable, measure: Callable[[RecodedColumn, ReleasedTable], Scale]) -> Scales:
    return {column.attribute.name: measure(column, released) for column in released.columns}


def _granularity(column: RecodedColumn, released: ReleasedTable) -> Scale:
    n_leaves = column.attribute.hierarchy.n_leaves
    covered = int(column.by_place @ column.n_leaves) + released.n_suppressed * n_leaves
    return Scale(covered / (released.n_records * n_leaves), 1 / n_leaves, 1.0)


def _intensity(column: RecodedColumn, released: ReleasedTable) -> Scale:
    height = column.attribute.hierarchy.height
    if not height:
        return Scale(0.0, 0.0, 1.0)
    return Scale(
        (int(column.by_place @ column.levels) / height + released.n_suppressed) / released.n_records, 0.0, 1.0
    )


def _entropy(column: RecodedColumn, released: ReleasedTable) -> Scale:
    most = hidden_bits(column.attribute.leaf_counts)
    return Scale(coarsening_bits(column, released.n_suppressed), 0.0, most)


def _missings(column: RecodedColumn, released: ReleasedTable) -> Scale:
    hierarchy = column.attribute.hierarchy
    # A label that also occurs on lower levels is found there, but counts as on the highest level.
    is_top = [level.labels == hierarchy.levels[-1].labels for level in hierarchy.levels]
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
