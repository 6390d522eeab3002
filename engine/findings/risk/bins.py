"""Bins of a column: single values if they are few, else ranges of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.kernels.arrays import FloatArray, IntArray
from engine.numbers import as_exact_count, as_significant
from engine.records import Column, Kind
from engine.words import _

MOST_VALUES = 12  # shown individually; more numbers are shown as this many ranges
_LONG = 1_000_000  # larger integers at an edge are abbreviated


@dataclass(frozen=True)
class ValueBin:
    """Value or range of values.

    Attributes
    ----------
    label : str
        Value, range such as "20 to 29", or that of other values.
    low, high : float or None
        Smallest and largest number; None if values are not numbers.
    is_range : bool
        Whether it stands for several values.
    ends : tuple of (str, str) or None
        First and last value of a range; None for a value and for other values.
    """

    label: str
    low: float | None = None
    high: float | None = None
    is_range: bool = False
    ends: tuple[str, str] | None = None


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins of a column.

    Attributes
    ----------
    bins : tuple of ValueBin
        Bins in the order of the column; other values and the missing value last.
    codes : ndarray of int64, shape (n_labels,)
        Bin of every label.
    """

    bins: tuple[ValueBin, ...]
    codes: IntArray


def bins_of(column: Column, most: int = MOST_VALUES) -> Bins:
    """Return the bins of the values of a column.

    Numbers and dates are cut into bins with about equal numbers of records, so that a frequent number has
    its own bin; other values beyond the most frequent ones are joined.
    """
    n_values = len(column.labels) - column.has_missing
    if n_values <= most:
        numbers = column.numbers
        found = [_single(label, numbers[code]) for code, label in enumerate(column.labels)]
        return Bins(tuple(found), np.arange(len(column.labels), dtype=np.int64))
    if not np.isnan(column.numbers[:n_values]).any():
        return _joined(column, n_values, _cuts(column, n_values, most), column.numbers)
    if column.data_type.kind is Kind.ORDERED:
        return _joined(column, n_values, _cuts(column, n_values, most), np.full(len(column.labels), np.nan))
    return _most_frequent(column, n_values, most)


def edges_of(bins: Sequence[ValueBin]) -> tuple[str, ...]:
    """Return the edges of ranges of numbers or dates for an axis; empty without ranges."""
    known = [value_bin for value_bin in bins if value_bin.low is not None and value_bin.high is not None]
    n_others = len(bins) - len(known)
    is_last_missing = not bins[-1].label
    if not any(value_bin.is_range for value_bin in known) or n_others > is_last_missing:
        return ()
    ends = [tuple(map(_short, one.ends or (one.label, one.label))) for one in known]
    return (*(first for first, _last in ends), ends[-1][1])


def _short(text: str) -> str:
    """Return a number with significant digits; a date unchanged."""
    try:
        number = float(text)
    except ValueError:
        return text
    return as_exact_count(number) if number.is_integer() and abs(number) < _LONG else as_significant(number)


def _single(label: str, number: float) -> ValueBin:
    return ValueBin(label) if np.isnan(number) else ValueBin(label, float(number), float(number))


def _cuts(column: Column, n_values: int, most: int) -> IntArray:
    """Return the bin of every value: about equal numbers of records per bin, without splitting a value."""
    counts = column.counts[:n_values]
    before = np.cumsum(counts) - counts
    middle = (before + counts / 2) / counts.sum()
    bins = np.minimum((middle * most).astype(np.int64), most - 1)
    # A value with more records than a bin should have gets its own bin.
    is_large = counts * most > counts.sum()
    begins = np.zeros(n_values, dtype=np.bool_)
    begins[1:] = (bins[1:] != bins[:-1]) | is_large[1:] | is_large[:-1]
    return np.asarray(np.cumsum(begins), dtype=np.int64)


def _joined(column: Column, n_values: int, codes: IntArray, numbers: FloatArray) -> Bins:
    found = []
    for number in range(int(codes[-1]) + 1):
        inside = np.flatnonzero(codes == number)
        first, last = int(inside[0]), int(inside[-1])
        if first == last:
            found.append(_single(column.labels[first], numbers[first]))
            continue
        ends = (column.labels[first], column.labels[last])
        label = _("{first} to {last}").format(first=ends[0], last=ends[1])
        low = high = None
        if not np.isnan(numbers[first]):
            low, high = float(numbers[first]), float(numbers[last])
        found.append(ValueBin(label, low, high, is_range=True, ends=ends))
    return _with_missing(column, found, codes)


def _most_frequent(column: Column, n_values: int, most: int) -> Bins:
    counts = column.counts[:n_values]
    order = np.lexsort((np.arange(n_values), -counts))
    shown = np.sort(order[: most - 1])
    codes = np.full(n_values, len(shown), dtype=np.int64)
    codes[shown] = np.arange(len(shown))
    found = [ValueBin(column.labels[code]) for code in shown.tolist()]
    found.append(ValueBin(_("other values"), is_range=True))
    return _with_missing(column, found, codes)


def _with_missing(column: Column, found: list[ValueBin], codes: IntArray) -> Bins:
    if column.has_missing:
        codes = np.append(codes, len(found))
        found = [*found, ValueBin(column.labels[-1])]
    return Bins(tuple(found), codes)
