"""What one column of a table holds: its most and least frequent value, and the moments of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from engine.table import Column, Kind
from engine.table.values import exact_number


@dataclass(frozen=True)
class Moments:
    """Of the numbers of a column, cells without a number left out; variance of the population (divisor n)."""

    mean: float
    median: float
    std: float
    var: float


@dataclass(frozen=True)
class ColumnStatistics:
    """Frequencies of the values of a column; a missing cell has no value.

    Attributes
    ----------
    max_freq_value, min_freq_value : str, int, float or None
        The most and the least frequent value, a number in a numeric column; the first in the order of
        the column where several tie. None where every cell is missing.
    max_freq, min_freq : int
    n_missing : int
    moments : Moments or None
        None for columns that hold no numbers.
    """

    max_freq_value: str | int | float | None
    max_freq: int
    min_freq_value: str | int | float | None
    min_freq: int
    n_missing: int
    moments: Moments | None

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values; the moments of numbers only, missing cells only where there are any."""
        found: dict[str, Any] = {
            "max_freq_value": self.max_freq_value,
            "max_freq": self.max_freq,
            "min_freq_value": self.min_freq_value,
            "min_freq": self.min_freq,
        }
        if self.moments is not None:
            found |= {name: getattr(self.moments, name) for name in ("mean", "median", "std", "var")}
        if self.n_missing:
            found["missing"] = self.n_missing
        return found


def column_statistics(column: Column) -> ColumnStatistics:
    """Count the values of a column; texts of equal numbers (1 and 1.0) are one value."""
    values: dict[str | int | Decimal, int] = {}
    for label, count in zip(_present(column), column.counts.tolist(), strict=False):
        value = _value(column, label)
        values[value] = values.get(value, 0) + count
    n_missing = len(column.codes) - sum(values.values())
    if not values:
        return ColumnStatistics(None, 0, None, 0, n_missing, None)
    most, least = max(values, key=values.__getitem__), min(values, key=values.__getitem__)
    moments = _moments(column) if column.data_type.is_numeric else None
    return ColumnStatistics(_plain(most), values[most], _plain(least), values[least], n_missing, moments)


def _present(column: Column) -> tuple[str, ...]:
    return column.labels[:-1] if column.has_missing else column.labels


def _value(column: Column, label: str) -> str | int | Decimal:
    """What tells one value from another: of numbers the exact number, which a float may not hold."""
    number = exact_number(label, column.data_type) if column.data_type.is_numeric else None
    if number is None:
        return label
    return int(number) if column.data_type.kind is Kind.INTEGER else number


def _moments(column: Column) -> Moments:
    numbers = column.numbers[column.codes]
    numbers = numbers[~np.isnan(numbers)]
    return Moments(
        float(np.mean(numbers)), float(np.median(numbers)), float(np.std(numbers)), float(np.var(numbers))
    )


def _plain(value: str | int | Decimal) -> str | int | float:
    return float(value) if isinstance(value, Decimal) else value
