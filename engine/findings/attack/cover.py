"""Cells of a test release, and the original values that each of them covers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.findings.cells import Runs, recoded_cells
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, Codes, IntArray
from engine.recoding import Release
from engine.recoding.release import ReleasedColumn
from engine.recoding.transformation import BLANK
from engine.records import Column, Role

C = TypeVar("C", bound="CoverColumn")
_EVERYTHING, _NOTHING = -1, -2  # cells that cover every value, values that only such cells cover


@dataclass(frozen=True, eq=False)
class CoverColumn(ABC):
    """One column of a test release, next to the original values of all records.

    Attributes
    ----------
    values : ndarray of int32, shape (n_records,)
        Original value of every record, also of the control group.
    texts : ndarray of int32, shape (n_released,)
        Text of every released cell.
    n_texts : int
        One more than the largest text.
    cells : ndarray of int32, shape (n_released,)
        Every released cell; -1 if it covers every value.
    """

    name: str
    values: Codes
    texts: Codes
    n_texts: int
    cells: Codes

    def of(self: C, rows: IntArray) -> C:
        """Return the column of some released records."""
        return replace(self, texts=self.texts[rows], cells=self.cells[rows])

    @property
    @abstractmethod
    def n_values(self) -> int:
        """Number of original values that are known of the column."""

    @abstractmethod
    def uncovered(self, value: int) -> BoolArray:
        """Return whether each released cell does not cover a value, shape (n_released,)."""

    @abstractmethod
    def covers(self, row: int, values: Codes) -> BoolArray:
        """Return whether a released cell covers each of some values."""

    @abstractmethod
    def guess_covers(self, value: int, row: int, values: Codes) -> BoolArray:
        """Return which values a cell covers that is made of one value as the cell of a released record is."""


@dataclass(frozen=True, eq=False)
class LevelColumn(CoverColumn):
    """Column whose cells are labels: of one level, or of a level by record; level 0 if it is unchanged.

    Attributes
    ----------
    labels : ndarray of int32, shape (n_levels, n_values)
        Cell that each value has on each level; -2 if none has it.
    levels : ndarray of int16, shape (n_released,), or None
        Level of every released cell; None if there is only one.
    """

    labels: Codes
    levels: NDArray[np.int16] | None = None

    def of(self, rows: IntArray) -> LevelColumn:
        """Return the column of some released records."""
        levels = None if self.levels is None else self.levels[rows]
        return replace(self, texts=self.texts[rows], cells=self.cells[rows], levels=levels)

    @property
    def n_values(self) -> int:
        return int(self.labels.shape[1])

    def uncovered(self, value: int) -> BoolArray:
        own = self.labels[:, value]
        differs = self.cells != (own[0] if self.levels is None else own[self.levels])
        return np.asarray(differs & (self.cells != _EVERYTHING))

    def covers(self, row: int, values: Codes) -> BoolArray:
        cell = self.cells[row]
        if cell == _EVERYTHING:
            return np.ones(len(values), dtype=np.bool_)
        return np.asarray(self.labels[self._level(row)][values] == cell)

    def guess_covers(self, value: int, row: int, values: Codes) -> BoolArray:
        labels = self.labels[self._level(row)]
        if labels[value] == _EVERYTHING:
            return np.ones(len(values), dtype=np.bool_)
        return np.asarray(values == value if labels[value] == _NOTHING else labels[values] == labels[value])

    def _level(self, row: int) -> int:
        return 0 if self.levels is None else int(self.levels[row])


@dataclass(frozen=True, eq=False)
class AggregateColumn(CoverColumn):
    """Column whose cells are aggregates of classes: each covers the values that it stands for.

    Attributes
    ----------
    stands_for : Runs
        Values that each cell covers.
    span : int
        Number of values.
    """

    stands_for: Runs
    span: int

    @property
    def n_values(self) -> int:
        return self.span

    def uncovered(self, value: int) -> BoolArray:
        runs = self.stands_for
        is_inside = (runs.first <= value) & (value <= runs.last)
        if not len(is_inside):
            return np.asarray(self.cells != _EVERYTHING)
        covers = np.logical_or.reduceat(is_inside, runs.starts[:-1])
        return np.asarray(~covers[self.cells] & (self.cells != _EVERYTHING))

    def covers(self, row: int, values: Codes) -> BoolArray:
        cell, runs = int(self.cells[row]), self.stands_for
        if cell == _EVERYTHING:
            return np.ones(len(values), dtype=np.bool_)
        own = slice(int(runs.starts[cell]), int(runs.starts[cell + 1]))
        first, last = runs.first[own, np.newaxis], runs.last[own, np.newaxis]
        return np.asarray(((first <= values) & (values <= last)).any(axis=0))

    def guess_covers(self, value: int, row: int, values: Codes) -> BoolArray:
        return np.asarray(values == value)


def cover_columns(
    original: Release,
    columns: Sequence[Column],
    written: Mapping[str, Column | None],
    test: Release,
    names: Sequence[str],
    blank: str,
) -> list[CoverColumn]:
    """Return the columns of a test release, in the given order.

    Parameters
    ----------
    original : Release
        Release of all records.
    columns : sequence of Column
        Columns of all records, by `names`.
    written : mapping of str to Column
        Those that are not quasi-identifying, as released: unchanged, or as a rule writes them.
    test : Release
        Release of some of them.
    names : sequence of str
        Released columns that are not identifying.
    blank : str
        Text of a missing cell.
    """
    found: list[CoverColumn] = []
    for name, column in zip(names, columns, strict=True):
        released = test.column(name)
        assert released is not None, "named columns are released"
        if released.role is not Role.QUASI_IDENTIFYING:
            own = written[name]
            assert own is not None, "named columns are released"
            found.append(_written(column, own, released, test))
        elif name in test.aggregates:
            found.append(_aggregated(original, released, test, blank))
        else:
            found.append(_generalized(original, released, test))
    return found


def _written(column: Column, written: Column, released: ReleasedColumn, test: Release) -> CoverColumn:
    """Return a column whose cells cover the values that are written so: their own only, without a rule."""
    place = {text: code for code, text in enumerate(released.labels)}
    codes = np.array([place.get(text, _NOTHING) for text in written.labels], dtype=np.int32)
    labels = np.full(len(column.labels), _NOTHING, dtype=np.int32)
    labels[column.codes] = codes[written.codes]
    cells = released.codes.astype(np.int32)
    if test.cells == BLANK:
        cells[test.suppressed] = _EVERYTHING
    return LevelColumn(
        column.name, column.codes, released.codes, len(released.labels), cells, labels.reshape(1, -1)
    )


def _generalized(original: Release, released: ReleasedColumn, test: Release) -> CoverColumn:
    q = original.problem.names.index(released.name)
    attribute, whole = test.problem.attributes[q], original.problem.attributes[q]
    labels = attribute.hierarchy.text_codes.copy()
    hidden = {text: code for code, text in enumerate(attribute.hierarchy.texts)}.get(SUPPRESSED)
    if hidden is not None:
        labels[labels == hidden] = _EVERYTHING
    levels = None
    if test.recoding is None:
        assert test.node is not None, "what is no recoding is a node"
        labels = labels[[test.node[q]]]
        cells = labels[0][attribute.leaves]
    else:
        levels = test.recoding.levels[:, q]
        cells = labels[levels, attribute.leaves]
    cells[test.suppressed] = _EVERYTHING
    return LevelColumn(
        released.name, whole.leaves, released.codes, len(released.labels), cells, labels, levels
    )


def _aggregated(original: Release, released: ReleasedColumn, test: Release, blank: str) -> CoverColumn:
    q = original.problem.names.index(released.name)
    found = recoded_cells(test, q, released, ~test.suppressed, blank or None)
    leaves = found.axis.leaves
    assert leaves is not None, "quasi-identifying columns have leaves"
    place = np.empty(len(leaves), dtype=np.int32)
    place[leaves] = np.arange(len(leaves), dtype=np.int32)
    cells = found.codes.astype(np.int32)
    hidden = np.array([text == SUPPRESSED for text in found.labels], dtype=np.bool_)
    if hidden.any():
        cells[(cells >= 0) & hidden[cells]] = _EVERYTHING
    values = place[original.problem.attributes[q].leaves]
    return AggregateColumn(
        released.name, values, released.codes, len(released.labels), cells, found.stands_for, len(leaves)
    )


def uncovered_cells(columns: Sequence[CoverColumn], record: int) -> NDArray[np.uint16]:
    """Return how many cells of each released record do not cover the values of an original record.

    Parameters
    ----------
    columns : sequence of CoverColumn
        At least one.
    record : int
        Number of the original record.
    """
    counts = np.zeros(len(columns[0].cells), dtype=np.uint16)
    for column in columns:
        counts += column.uncovered(int(column.values[record]))
    return counts
