"""Cells of a released column, the order of values, and the input values that each cell stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.frequency import Attribute
from engine.hierarchies import Hierarchy
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.kernels.grouping import records_by_code
from engine.recoding import Release
from engine.recoding.aggregation import AggregateFunction
from engine.recoding.release import ReleasedColumn
from engine.records import Column, DataType, Kind
from engine.records.values import DATE_FORMATS, decimal_mark, measure, number_type, thousands_mark


@dataclass(frozen=True, eq=False)
class Axis:
    """Values of a column in display order.

    Numbers and dates are sorted, ordered categories follow their type, and texts are arranged so that the
    groups of their hierarchy are contiguous. Values without a position follow, the missing value last.

    Attributes
    ----------
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
        keys = [level.codes for level in hierarchy.steps.levels]
        last = np.zeros(hierarchy.n_leaves, dtype=np.bool_)
    else:
        keys = [np.arange(len(numbers)), np.where(last, 0.0, numbers)]
    if missing is not None:
        last = last.astype(np.int64)
        last[missing] = 2
    return np.lexsort((*keys, last))


N = TypeVar("N", np.int64, np.float64)


@dataclass(frozen=True, eq=False)
class Runs:
    """Sets of values as runs of adjacent values on an axis.

    Attributes
    ----------
    starts : ndarray of int64, shape (n_sets + 1,)
        Index of the first run of each set in the arrays below; no set is empty.
    first, last : ndarray of int64, shape (n_runs,)
        First and last value of each run, both included.
    """

    starts: IntArray
    first: IntArray
    last: IntArray

    @classmethod
    def of_pairs(cls, sets: IntArray, values: IntArray, n_sets: int) -> Runs:
        """Return the sets given by sorted distinct pairs of set and value."""
        begins = np.ones(len(sets), dtype=np.bool_)
        begins[1:] = (sets[1:] != sets[:-1]) | (values[1:] != values[:-1] + 1)
        first = np.flatnonzero(begins)
        last = np.append(first[1:], len(sets))[: len(first)] - 1
        starts = np.searchsorted(sets[first], np.arange(n_sets + 1))
        return cls(starts.astype(np.int64), values[first], values[last])

    @classmethod
    def of_whole(cls, n_values: int) -> Runs:
        """Return a single set of the first `n_values` values of an axis, at least one."""
        return cls(np.array([0, 1]), np.array([0]), np.array([n_values - 1]))

    @cached_property
    def n_values(self) -> Counts:
        """Number of values of each set, shape (n_sets,)."""
        return self._sums(self.last - self.first + 1)

    @cached_property
    def lowest(self) -> IntArray:
        """First value of each set."""
        return self.first[self.starts[:-1]]

    @cached_property
    def highest(self) -> IntArray:
        """Last value of each set."""
        return self.last[self.starts[1:] - 1]

    def spread(self, amounts: Counts | FloatArray, n_values: int) -> FloatArray:
        """Distribute the amount of each set evenly over its values; return sums, shape (n_values,)."""
        each = np.repeat(amounts / np.maximum(self.n_values, 1), np.diff(self.starts))
        parts = np.zeros(n_values + 1)
        cover = np.zeros(n_values + 1, dtype=np.int64)
        alone = self.first == self.last  # exact; most columns have only single values
        parts[:-1] = np.bincount(self.first[alone], weights=each[alone], minlength=n_values)
        if not alone.all():
            first, last, each = self.first[~alone], self.last[~alone], each[~alone]
            rises = np.bincount(first, weights=each, minlength=n_values + 1)
            falls = np.bincount(last + 1, weights=each, minlength=n_values + 1)
            cover += np.bincount(first, minlength=n_values + 1)
            cover -= np.bincount(last + 1, minlength=n_values + 1)
            # Outside all runs the cumulative sum is 0 except for rounding.
            parts += np.where(np.cumsum(cover) > 0, np.maximum(np.cumsum(rises - falls), 0.0), 0.0)
        return parts[:-1]

    def shares(self, chosen: BoolArray) -> FloatArray:
        """Return the share of each set's values that is chosen, shape (n_sets,)."""
        before = np.concatenate(([0], np.cumsum(chosen)))
        return self._sums(before[self.last + 1] - before[self.first]) / np.maximum(self.n_values, 1)

    def sums(self, amounts: FloatArray) -> FloatArray:
        """Return the sum of an amount per value over each set, shape (n_sets,)."""
        before = np.concatenate(([0.0], np.cumsum(amounts)))
        sums = self._sums(before[self.last + 1] - before[self.first])
        return np.where(self.n_values == 1, amounts[self.lowest], sums) if len(sums) else sums

    def _sums(self, by_run: NDArray[N]) -> NDArray[N]:
        if len(self.starts) == 1:
            return by_run[:0]
        sums: NDArray[N] = np.add.reduceat(by_run, self.starts[:-1])
        return sums


@dataclass(frozen=True, eq=False)
class ReleasedCells:
    """Released cells of one column of the kept records.

    Attributes
    ----------
    axis : Axis
        Axis of the input.
    labels : tuple of str
        Occurring texts, in the order of the axis.
    codes : ndarray of int64, shape (n_rows,)
        Text of every row, -1 for suppressed ones.
    counts : ndarray of int64, shape (n_labels,)
        Kept records per text.
    stands_for : Runs
        Values of the axis that each text stands for. A text for the missing value stands for no other.
    points : ndarray of float64, shape (n_labels,)
        Number or day of an aggregate, which may be absent from the axis; it then stands for the nearest
        value. nan for other texts.
    """

    axis: Axis
    labels: tuple[str, ...]
    codes: IntArray
    counts: Counts
    stands_for: Runs
    points: FloatArray

    @property
    def n_kept(self) -> int:
        """Number of kept records."""
        return int(self.counts.sum())

    @cached_property
    def is_hidden(self) -> BoolArray:
        """Return whether each text is uninformative: it stands for all of several values except missing."""
        everything = self.axis.n_values - (self.axis.missing is not None)
        return np.asarray((self.stands_for.n_values >= everything) & (everything > 1))

    @cached_property
    def is_coarse(self) -> BoolArray:
        """Return whether each text stands for several values."""
        return self.stands_for.n_values > 1

    @property
    def low(self) -> FloatArray:
        """Smallest number or day of each text; nan if it has none."""
        return self._ends(self.stands_for.lowest)

    @property
    def high(self) -> FloatArray:
        """Largest number or day of each text; nan if it has none."""
        return self._ends(np.minimum(self.stands_for.highest, max(self.axis.n_placed - 1, 0)))

    @cached_property
    def spread(self) -> FloatArray:
        """Kept records per value of the axis, each distributed evenly over the values of its text."""
        return self.stands_for.spread(self.counts, self.axis.n_values)

    @cached_property
    def means(self) -> FloatArray:
        """Mean number or day of each text; nan if it has none, or is hidden."""
        return self._moments[0]

    @cached_property
    def variances(self) -> FloatArray:
        """Variance of the numbers or days of each text, all equally likely; nan where `means` is."""
        return self._moments[1]

    @cached_property
    def _moments(self) -> tuple[FloatArray, FloatArray]:
        if not len(self.labels):
            return np.zeros(0), np.zeros(0)
        positions, sets = self.axis.positions, self.stands_for
        is_placed = ~np.isnan(positions)
        # Sums of differences from the middle lose fewer digits than sums of days since year 1.
        middle = float(positions[is_placed].mean()) if is_placed.any() else 0.0
        apart = np.where(is_placed, positions - middle, 0.0)
        n_placed = sets.sums(is_placed.astype(np.float64))
        divisor = np.maximum(n_placed, 1.0)
        shift = sets.sums(apart) / divisor
        means = np.where(n_placed > 0, middle + shift, np.nan)
        means = np.where(sets.n_values == 1, positions[sets.lowest], means)
        means = np.where(np.isnan(self.points), means, self.points)
        means = np.where(self.is_hidden, np.nan, means)
        variances = np.maximum(sets.sums(apart * apart) / divisor - shift * shift, 0.0)
        variances = np.where((sets.n_values == 1) | ~np.isnan(self.points), 0.0, variances)
        return means, np.where(np.isnan(means), np.nan, variances)

    def _ends(self, values: IntArray) -> FloatArray:
        if not len(values):
            return np.zeros(0)
        ends = self.axis.positions[values]
        ends = np.where(self.stands_for.lowest < self.axis.n_placed, ends, np.nan)
        return np.where(np.isnan(self.points), ends, self.points)


def passed_cells(column: Column, kept: BoolArray) -> ReleasedCells:
    """Return the cells of a column whose values are released unchanged."""
    axis = Axis.of_column(column)
    cells = _Cells(axis, column.labels, axis.codes, kept)
    return cells.done(Runs.of_pairs(cells.range, cells.used, len(cells.used)))


def written_cells(column: Column, written: Column, kept: BoolArray) -> ReleasedCells:
    """Return the cells of a column as a rule writes it, which is true of every value.

    Parameters
    ----------
    column, written : Column
        The same records before and after the rule; numbers are read in their written form.
    kept : ndarray of bool, shape (n_records,)
    """
    axis = Axis.of_column(column)
    cells = _Cells(axis, written.labels, written.codes.astype(np.int64), kept)
    own = cells.recode[cells.given]
    joined = np.unique(own[own >= 0] * axis.n_values + axis.codes[own >= 0])
    runs = _without_missing(joined, axis, len(cells.used))
    if not written.data_type.is_numeric:
        return cells.done(runs)
    return cells.done(runs, positions_of(cells.texts, written.data_type))


def recoded_cells(
    release: Release, attribute: int, released: ReleasedColumn, kept: BoolArray, blank: str | None = None
) -> ReleasedCells:
    """Return the cells of a quasi-identifier, whether at one level, at levels by record, or aggregated.

    Parameters
    ----------
    attribute : int
        Number of the quasi-identifier.
    kept : ndarray of bool, shape (n_records,)
    blank : str, optional
        Text of the missing value in the table.
    """
    owner = release.problem.attributes[attribute]
    axis = Axis.of_attribute(owner, blank)
    cells = _Cells(axis, released.labels, released.codes.astype(np.int64), kept)
    function = release.aggregates.get(owner.name)
    if function is not None:
        return _aggregated(cells, function)
    if release.recoding is None:
        assert release.node is not None, "what is no recoding is a node"
        levels: Sequence[int] = (release.node[attribute],)
        level_of = None
    else:
        level_of = release.recoding.levels[:, attribute]
        levels = np.unique(level_of[kept]).tolist()
    place = {text: code for code, text in enumerate(released.labels)}
    keys = []
    for level in levels:
        entry = owner.hierarchy.levels[level]
        codes = np.array([place[label] for label in entry.labels], dtype=np.int64)[entry.codes[axis.leaves]]
        here = kept if level_of is None else kept & (level_of == level)
        occurs = np.bincount(cells.given[here], minlength=len(released.labels)) > 0
        values = np.flatnonzero(occurs[codes])
        keys.append(cells.recode[codes[values]] * axis.n_values + values)
    joined = np.unique(np.concatenate(keys)) if keys else np.zeros(0, dtype=np.int64)
    return cells.done(_without_missing(joined, axis, len(cells.used)))


class _Cells:
    """Texts of a column that kept records have, renumbered.

    Parameters
    ----------
    given : ndarray of int64, shape (n_rows,)
        Text of every row.
    kept : ndarray of bool, shape (n_rows,)
    """

    def __init__(self, axis: Axis, labels: tuple[str, ...], given: IntArray, kept: BoolArray) -> None:
        self.axis, self.labels, self.given, self.kept = axis, labels, given, kept
        counts = axis.count(given, len(labels), kept)
        self.used: IntArray = np.flatnonzero(counts)
        self.counts = counts[self.used]
        self.recode: IntArray = np.full(len(labels), -1, dtype=np.int64)
        self.recode[self.used] = self.range

    @property
    def range(self) -> IntArray:
        """New numbers of the used texts."""
        return np.arange(len(self.used))

    @property
    def texts(self) -> list[str]:
        """Used texts."""
        return [self.labels[code] for code in self.used.tolist()]

    def done(self, runs: Runs, points: FloatArray | None = None) -> ReleasedCells:
        """Return the cells, with texts in the order of the axis."""
        points = np.full(len(self.used), np.nan) if points is None else points
        order = np.lexsort((runs.highest, points, runs.lowest)) if len(self.used) else self.range
        place = np.empty(len(order), dtype=np.int64)
        place[order] = self.range
        codes: IntArray = np.where(self.kept, place[self.recode[self.given]] if len(order) else -1, -1)
        texts = self.texts
        return ReleasedCells(
            self.axis,
            tuple(texts[number] for number in order.tolist()),
            codes,
            self.counts[order],
            _reordered(runs, order),
            points[order],
        )


def _reordered(runs: Runs, order: IntArray) -> Runs:
    lengths = np.diff(runs.starts)[order]
    starts = np.concatenate(([0], np.cumsum(lengths)))
    source = np.repeat(runs.starts[:-1][order] - starts[:-1], lengths) + np.arange(starts[-1])
    return Runs(starts.astype(np.int64), runs.first[source], runs.last[source])


def _without_missing(keys: IntArray, axis: Axis, n_sets: int) -> Runs:
    """Return runs of sorted keys set * n_values + value, without missing in sets with other values."""
    sets, values = keys // max(axis.n_values, 1), keys % max(axis.n_values, 1)
    if axis.missing is not None:
        has_others = np.bincount(sets[values != axis.missing], minlength=n_sets) > 0
        stays = (values != axis.missing) | ~has_others[sets]
        sets, values = sets[stays], values[stays]
    return Runs.of_pairs(sets, values, n_sets)


def _aggregated(cells: _Cells, function: AggregateFunction) -> ReleasedCells:
    """Return cells that are aggregates of the values of a class."""
    axis, kept = cells.axis, cells.kept
    if function.key in ("interval", "set"):
        sets, values = cells.recode[cells.given[kept]], axis.codes[kept]
        if axis.missing is not None:  # a missing aggregate may belong to a class with values
            is_missing = np.array([text == axis.values[axis.missing] for text in cells.texts], dtype=np.bool_)
            values = np.where(is_missing[sets], axis.missing, values)
        keys = np.unique(sets * axis.n_values + values)
        if function.key == "set" and function.counts_missing and not function.ignore_missing:
            return cells.done(Runs.of_pairs(keys // axis.n_values, keys % axis.n_values, len(cells.used)))
        runs = _without_missing(keys, axis, len(cells.used))
        if function.key == "interval":
            runs = Runs(np.arange(len(cells.used) + 1), runs.lowest, runs.highest)
        return cells.done(runs)
    numbers = positions_of(cells.texts, axis.data_type)
    known = {value: number for number, value in enumerate(axis.values)}
    placed = axis.positions[: axis.n_placed]
    found = np.zeros(len(cells.used), dtype=np.int64)
    for number, (text, position) in enumerate(zip(cells.texts, numbers.tolist(), strict=True)):
        is_placed = not np.isnan(position) and len(placed) > 0
        found[number] = known[text] if text in known or not is_placed else _nearest(placed, position)
    points = np.where(found < axis.n_placed, numbers, np.nan)
    return cells.done(Runs.of_pairs(cells.range, found, len(cells.used)), points)


def _nearest(placed: FloatArray, position: float) -> int:
    """Return the index of the nearest of sorted positions, the lower one of two equally near."""
    above = min(int(np.searchsorted(placed, position)), len(placed) - 1)
    below = max(above - 1, 0)
    return below if position - placed[below] <= placed[above] - position else above
