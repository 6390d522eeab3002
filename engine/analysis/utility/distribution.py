"""How the values of a column are spread, before and after: the release over the axis of the input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from engine.analysis.tables import Figure, FigureColumn, FigureTable
from engine.kernels.arrays import BoolArray, Counts, IntArray, Reals
from engine.table import DataType


@dataclass(frozen=True)
class Band:
    """A released cell text, and the values of the input that it stands for.

    Attributes
    ----------
    label : str
    low, high : float or None
        The smallest and largest number or date it stands for, both included; None where values are neither.
    first_leaf, last_leaf : int
        The first and the last of its values on the axis; others may lie between.
    n_leaves : int
        How many values it stands for.
    n_records : int
        Records that have it.
    is_hidden : bool
        Whether it says nothing: it stands for every value there is.
    """

    label: str
    low: float | None
    high: float | None
    first_leaf: int
    last_leaf: int
    n_leaves: int
    n_records: int
    is_hidden: bool


@dataclass(frozen=True, eq=False)
class Bands(Sequence[Band]):
    """The bands of a release, kept as arrays since there may be as many as records; see `Band`."""

    labels: tuple[str, ...]
    low: Reals
    high: Reals
    first: IntArray
    last: IntArray
    n_leaves: Counts
    n_records: Counts
    is_hidden: BoolArray

    def __len__(self) -> int:
        return len(self.labels)

    @overload
    def __getitem__(self, index: int) -> Band: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Band, ...]: ...
    def __getitem__(self, index: int | slice) -> Band | tuple[Band, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        return Band(
            self.labels[index],
            _known(self.low[index]),
            _known(self.high[index]),
            int(self.first[index]),
            int(self.last[index]),
            int(self.n_leaves[index]),
            int(self.n_records[index]),
            bool(self.is_hidden[index]),
        )


@dataclass(frozen=True, eq=False)
class DistributionFound:
    """A column before and after, on one axis.

    Attributes
    ----------
    column : str
    data_type : DataType
    is_numeric : bool
        Whether the axis is one of numbers or dates, so that `positions` say where a value stands.
    unit : str
        What positions count: "days" for dates (ordinal days, 1 is the first day of year 1), else empty.
    step : float
        The smallest distance of two values on such an axis: how wide a single value is drawn; else 1.
    values : tuple of str
        The values of the axis, those of the hierarchy that no record has included; in their order, a
        missing value last.
    positions : ndarray of float64, shape (n_values,)
        nan for what has no place on an axis of numbers.
    missing : int or None
        Which of the values stands for missing.
    counts : ndarray of int64, shape (n_values,)
        Records of the input, all of them.
    bands : sequence of Band
        The texts of the release, in the order of the axis.
    spread : ndarray of float64, shape (n_values,)
        Records of the release, each spread evenly over the values that its cell stands for.
    is_estimated : bool
        Whether any cell stands for several values, so that `spread` is no count.
    with_suppressed : bool
        Whether suppressed records are counted in `bands` and `spread`.
    n_records, n_suppressed : int
        Of the input, and how many of them are suppressed.
    """

    column: str
    data_type: DataType
    is_numeric: bool
    unit: str
    step: float
    values: tuple[str, ...]
    positions: Reals
    missing: int | None
    counts: Counts
    bands: Bands
    spread: Reals
    is_estimated: bool
    with_suppressed: bool
    n_records: int
    n_suppressed: int

    def tables(self) -> tuple[FigureTable, ...]:
        """The values of the input, and the texts of the release."""
        spread = FigureColumn(
            "after", "After", "records", "Each released cell counted evenly over the values it stands for."
        )
        values = FigureTable(
            "values",
            f"Values of {self.column}",
            (
                FigureColumn("value", "Value"),
                FigureColumn("before", "Before", "records", "Records of the input with this value."),
                spread,
            ),
            _Rows(self.values, self.counts, self.spread),
        )
        bands = FigureTable(
            "bands",
            f"Released cells of {self.column}",
            (
                FigureColumn("label", "Released cell"),
                FigureColumn("values", "Values", "values", "How many values the cell stands for."),
                FigureColumn("records", "Records", "records", "Released records that have it."),
            ),
            _Rows(self.bands.labels, self.bands.n_leaves, self.bands.n_records),
        )
        return values, bands


@dataclass(frozen=True, eq=False)
class _Rows(Sequence[tuple[Figure, ...]]):
    """Rows made when they are read, of columns that may be very long."""

    labels: Sequence[str]
    first: Counts
    second: Counts | Reals

    def __len__(self) -> int:
        return len(self.labels)

    @overload
    def __getitem__(self, index: int) -> tuple[Figure, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[Figure, ...]]: ...
    def __getitem__(self, index: int | slice) -> tuple[Figure, ...] | Sequence[tuple[Figure, ...]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self.labels[index], self.first[index].item(), self.second[index].item()

    def __iter__(self) -> Iterator[tuple[Figure, ...]]:
        return zip(self.labels, self.first.tolist(), self.second.tolist(), strict=True)


def _known(number: np.float64) -> float | None:
    return None if np.isnan(number) else float(number)
