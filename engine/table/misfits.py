"""Cells that prevent a column from having a type, with their records and values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.cached import cached_property
from engine.kernels.arrays import BoolArray, IntArray
from engine.table.table import Column
from engine.table.types import DataType
from engine.table.values import measure


@dataclass(frozen=True, eq=False)
class Misfits:
    """The cells of a column that do not parse as a type, missing cells excluded.

    Attributes
    ----------
    column : Column
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


def misfits(column: Column, data_type: DataType) -> Misfits:
    """Return the cells of a column that do not parse as a type.

    Parameters
    ----------
    column : Column
    data_type : DataType
    """
    return Misfits(column, data_type)
