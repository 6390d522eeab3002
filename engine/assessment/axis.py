"""Display order of the values of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.cached import cached_property
from engine.frequency import Attribute
from engine.hierarchies import Hierarchy
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.kernels.grouping import records_by_code
from engine.table import Column, DataType, Kind
from engine.table.values import DATE_FORMATS, decimal_mark, measure, number_type, thousands_mark


@dataclass(frozen=True, eq=False)
class Axis:
    """Values of a column in display order.

    Numbers and dates are sorted, ordered categories follow their type, and texts are arranged so that the
    groups of their hierarchy are contiguous. Values without a position follow, the missing value last.

    Attributes
    ----------
    name : str
    data_type : DataType
    values : tuple of str
        All values, those of the hierarchy that no record has included.
    positions : ndarray of float64, shape (n_values,)
        Numbers, ordinal days or 0 and 1; nan for other values.
    missing : int or None
        Index of the missing value.
    codes : ndarray of int64, shape (n_rows,)
        Value of every row of the input.
    leaves : ndarray of int64, shape (n_values,), or None
        Leaf of each value in the hierarchy; None without one.
    records : ndarray of int64, shape (n_rows,), or None
        Records of every row; None for one each.
    """

    name: str
    data_type: DataType
    values: tuple[str, ...]
    positions: FloatArray
    missing: int | None
    codes: IntArray
    leaves: IntArray | None = None
    records: Counts | None = None

    @classmethod
    def of_column(cls, column: Column) -> Axis:
        """Return the axis of the values in a column."""
        missing = len(column.labels) - 1 if column.has_missing else None
        return cls(
            column.name,
            column.data_type,
            column.labels,
            column.numbers,
            missing,
            column.codes.astype(np.int64),
            records=column.records,
        )

    @classmethod
    def of_attribute(cls, attribute: Attribute, blank: str | None = None) -> Axis:
        """Return the axis of a quasi-identifier; `blank` is the missing value if no record has it."""
        column, hierarchy = attribute.column, attribute.hierarchy
        label = column.missing_label if column.has_missing else attribute.missing
        label = blank if label is None else label
        missing = None if label is None else hierarchy.index.get(label)
        numbers = positions_of(hierarchy.values, column.data_type)
        if missing is not None:
            numbers[missing] = np.nan
        order = _order(hierarchy, column.data_type, numbers, missing)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return cls(
            column.name,
            column.data_type,
            tuple(hierarchy.values[leaf] for leaf in order.tolist()),
            numbers[order],
            None if missing is None else int(place[missing]),
            place[attribute.leaves],
            order,
            column.records,
        )

    @property
    def n_values(self) -> int:
        """Number of values."""
        return len(self.values)

    @cached_property
    def counts(self) -> Counts:
        """Records of the input per value."""
        return self.count(self.codes, self.n_values)

    def count(self, codes: IntArray, n_codes: int, rows: BoolArray | None = None) -> Counts:
        """Count the records of every code, shape (n_codes,).

        Parameters
        ----------
        codes : ndarray of int64, shape (n_rows,)
        n_codes : int
            One more than the largest code.
        rows : ndarray of bool, shape (n_rows,), optional
            Counted rows; all by default.
        """
        records = self.records
        if rows is not None:
            codes, records = codes[rows], None if records is None else records[rows]
        return records_by_code(codes, n_codes, records)

    @cached_property
    def n_placed(self) -> int:
        """Number of values with a position; they come first."""
        return int(np.count_nonzero(~np.isnan(self.positions)))

    @property
    def is_numeric(self) -> bool:
        """Return whether the values are numbers or dates."""
        is_measured = self.data_type.is_numeric or self.data_type.kind is Kind.DATE
        return is_measured and self.n_placed > 0

    @cached_property
    def step(self) -> float:
        """Smallest distance between two positions; 1 if there is at most one."""
        if not self.is_numeric:
            return 1.0
        distances = np.diff(self.positions[: self.n_placed])
        distances = distances[distances > 0]
        return float(distances.min()) if len(distances) else 1.0


def positions_of(texts: Sequence[str], data_type: DataType) -> FloatArray:
    """Return the positions of texts, nan for none; integers may have decimals, as aggregates do."""
    if data_type.is_numeric:
        data_type = number_type(Kind.DECIMAL, decimal_mark(data_type), thousands_mark(data_type))
    elif data_type.kind is Kind.DATE and not data_type.format:
        data_type = DataType(Kind.DATE, DATE_FORMATS[0])
    return measure(texts, data_type)[0]


def _order(hierarchy: Hierarchy, data_type: DataType, numbers: FloatArray, missing: int | None) -> IntArray:
    """Return the leaves in the order of the axis."""
    last = np.isnan(numbers)
    keys: list[Any]
    if data_type.kind is Kind.ORDERED:
        rank = {value: place for place, value in enumerate(data_type.values)}
        ranks = np.array([rank.get(value, len(rank)) for value in hierarchy.values], dtype=np.int64)
        keys, last = [ranks], np.zeros(len(ranks), dtype=np.bool_)
    elif data_type.kind is Kind.TEXT:
        keys = [level.codes for level in hierarchy.levels]
        last = np.zeros(hierarchy.n_leaves, dtype=np.bool_)
    else:
        keys = [np.arange(len(numbers)), np.where(last, 0.0, numbers)]
    if missing is not None:
        last = last.astype(np.int64)
        last[missing] = 2
    return np.lexsort((*keys, last))
