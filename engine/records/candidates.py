"""Candidate types of a column, each with the share of its cells that parse; all values are tried."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.cached import cached_property
from engine.kernels.arrays import BoolArray, IntArray
from engine.records.table import Column, Table
from engine.records.types import DataType, Kind
from engine.records.values import DETECTED_DATE_FORMATS, days_of, measure, number_type

if TYPE_CHECKING:
    from engine.records.options import ReadOptions


@dataclass(frozen=True, eq=False)
class Misfits:
    """The cells of a column that do not parse as a type, missing cells excluded.

    Attributes
    ----------
    data_type : DataType
        The type they do not parse as.
    """

    column: Column
    data_type: DataType

    @property
    def n_cells(self) -> int:
        """Number of cells that do not parse."""
        return len(self.records)

    @cached_property
    def records(self) -> IntArray:
        """Records of the cells, from 0, in ascending order."""
        return np.flatnonzero(self._is_misfit[self.column.codes])

    @cached_property
    def values(self) -> tuple[tuple[str, int], ...]:
        """Distinct values that do not parse, with their numbers of cells, most frequent first."""
        counts = np.bincount(self.column.codes, minlength=len(self.column.labels))
        labels = self.column.labels
        found = ((labels[i], int(counts[i])) for i in np.flatnonzero(self._is_misfit).tolist())
        return tuple(sorted(found, key=lambda entry: (-entry[1], entry[0])))

    def cells(self, start: int, stop: int) -> list[tuple[int, str]]:
        """Return (record from 0, value) of a slice of the cells."""
        return [(record, self.column.text(record)) for record in self.records[start:stop].tolist()]

    @cached_property
    def _is_misfit(self) -> BoolArray:
        """Mask of the labels that do not parse."""
        _, parses = measure(self.column.labels, self.data_type)
        if self.column.has_missing:
            parses[-1] = True
        return ~parses


# Formats that are offered in addition to the detected ones, but never chosen automatically.
_OFFERED = (
    "%d.%m.%y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%y-%m-%d",
    "%Y%m%d",
    "%d%m%Y",
    "%Y-%m",
    "%m/%Y",
    "%d.%m.%y %H:%M",
)
_NEARLY = 0.8
_DIGITS = {"%Y": "0{4}", "%y": "0{2}"}
_SHAPE = str.maketrans("123456789", "0" * 9)


@dataclass(frozen=True)
class Candidate:
    """A type, and the share of a column's cells that parse as it.

    Attributes
    ----------
    share : float
        Share of the cells that are not missing.
    n_cells, n_values : int
        Cells, and distinct values, that parse.
    """

    data_type: DataType
    share: float
    n_cells: int
    n_values: int


def type_candidates(
    labels: Sequence[str], counts: IntArray, decimal: str = ".", thousands: str = ""
) -> tuple[Candidate, ...]:
    """Return the types that any cell parses as, most cells first, and text last.

    Parameters
    ----------
    labels : sequence of str
        All distinct texts of the column, without the missing one.
    counts : ndarray of int64, shape (n_labels,)
        Number of cells with each label.
    decimal, thousands : str
        The decimal mark and the thousands separator; the latter may be empty.
    """
    counts = np.asarray(counts, dtype=np.int64)
    whole = int(counts.sum())
    found: list[Candidate] = []

    def add(data_type: DataType, parses: BoolArray) -> None:
        n_cells = int(counts[parses].sum())
        if n_cells:
            found.append(Candidate(data_type, n_cells / whole, n_cells, int(np.count_nonzero(parses))))

    marks = ("", thousands) if thousands else ("",)
    plain = [DataType(Kind.BOOLEAN)]
    plain += [number_type(kind, decimal, mark) for kind in (Kind.INTEGER, Kind.DECIMAL) for mark in marks]
    for data_type in plain:
        add(data_type, measure(labels, data_type)[1])
    shapes = {label.translate(_SHAPE) for label in labels}
    for date_format in (*DETECTED_DATE_FORMATS, *_OFFERED):
        add(DataType(Kind.DATE, date_format), _are_dates(labels, shapes, date_format))
    order = sorted(range(len(found)), key=lambda i: (-found[i].n_cells, i))
    return (*(found[i] for i in order), Candidate(DataType(), 1.0, whole, len(labels)))


def candidates_of(column: Column, decimal: str = ".", thousands: str = "") -> tuple[Candidate, ...]:
    """Return the types that any cell of a column parses as; see `type_candidates`."""
    n = len(column.labels) - column.has_missing
    return type_candidates(column.labels[:n], column.counts[:n], decimal, thousands)


def nearly_all_fit(table: Table, found: ReadOptions, given: ReadOptions) -> Mapping[str, Misfits]:
    """Return the misfits of text columns of which nearly all cells fit another type.

    Parameters
    ----------
    found : ReadOptions
        Options with everything detected filled in.
    given : ReadOptions
        Options given by the user; columns whose type they give are skipped.
    """
    misfits = {}
    for column in table.columns:
        if column.data_type.kind is not Kind.TEXT or column.name in given.types:
            continue
        best = candidates_of(column, found.decimal or ".", found.thousands)[0]
        if _NEARLY <= best.share < 1 and best.data_type.kind is not Kind.TEXT:
            misfits[column.name] = Misfits(column, best.data_type)
    return misfits


def _are_dates(labels: Sequence[str], shapes: set[str], date_format: str) -> BoolArray:
    """Return whether each label is a date; only labels with digits where the format has them are parsed."""
    parts = re.split("(%.)", date_format)
    shape = re.compile(
        "".join(_DIGITS.get(part, "0{1,2}") if part.startswith("%") else re.escape(part) for part in parts)
    )
    fitting = {own for own in shapes if shape.fullmatch(own)}
    dates = np.zeros(len(labels), dtype=np.bool_)
    if fitting:
        places = [i for i, label in enumerate(labels) if label.translate(_SHAPE) in fitting]
        dates[places] = np.isfinite(days_of([labels[i] for i in places], date_format))
    return dates
