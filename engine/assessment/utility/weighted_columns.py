"""Weighted means, quartiles and shares of columns of a survey, in its original and in a released table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from engine.frequency.weights import check_weights
from engine.kernels.arrays import FloatArray
from engine.kernels.survey import weighted_mean, weighted_quantile, weighted_shares
from engine.table import Column, Table
from engine.table.column_selection import by_value

MOST_VALUES = 20  # of a column, those with the largest shares of the original


class WeightedNumbers(NamedTuple):
    """Weighted mean and quartiles of the numbers of a column."""

    mean: float
    lower_quartile: float
    median: float
    upper_quartile: float


@dataclass(frozen=True)
class WeightedColumn:
    """Estimates of the population from one column.

    Attributes
    ----------
    before, after : WeightedNumbers or None
        Of the original and of the released table; None if the column is not numeric there.
    shares : mapping of str to (float, float)
        Share of the weights of the most frequent original values, in both tables.
    """

    before: WeightedNumbers | None
    after: WeightedNumbers | None
    shares: dict[str, tuple[float, float]]

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name."""
        sides = {"before": self.before, "after": self.after}
        return {
            **{side: None if own is None else own._asdict() for side, own in sides.items()},
            "shares": {
                value: {"before": before, "after": after} for value, (before, after) in self.shares.items()
            },
        }


def weighted_columns(
    raw: Table, released: Table, names: Sequence[str], weight: str
) -> dict[str, WeightedColumn]:
    """Compare columns of two tables that both have the weights.

    Raises
    ------
    TableError
        A table lacks the column of weights.
    InputError
        The values cannot be weights.
    """
    for table in (raw, released):
        check_weights(table.column(weight))
    found, original = {}, by_value(raw, [name for name in names if name in raw.names])
    for name in names:
        if name in raw.names:
            found[name] = _compared(
                original.column(name), raw.column(weight), released.column(name), released.column(weight)
            )
    return found


def _compared(before: Column, weights_before: Column, after: Column, weights_after: Column) -> WeightedColumn:
    own, other = _shares(before, weights_before), _shares(after, weights_after)
    most = sorted(own, key=lambda value: -own[value])[:MOST_VALUES]
    return WeightedColumn(
        _numbers(before, weights_before),
        _numbers(after, weights_after),
        {value: (own[value], other.get(value, 0.0)) for value in most},
    )


def _shares(column: Column, weights: Column) -> dict[str, float]:
    shares = weighted_shares(column.codes.astype(np.int64), _amounts(weights), len(column.labels))
    return dict(zip(column.labels, shares.tolist(), strict=True))


def _numbers(column: Column, weights: Column) -> WeightedNumbers | None:
    numbers = column.numbers[column.codes] if column.data_type.is_numeric else np.array([])
    known = np.isfinite(numbers)
    if not known.any():
        return None
    numbers, amounts = numbers[known], _amounts(weights)[known]
    quartiles = (weighted_quantile(numbers, amounts, share) for share in (0.25, 0.5, 0.75))
    return WeightedNumbers(weighted_mean(numbers, amounts), *quartiles)


def _amounts(weights: Column) -> FloatArray:
    """Return the people whom every row stands for."""
    own = weights.numbers[weights.codes]
    return own if weights.records is None else own * weights.records
