"""Groups of equal rows, found in steps that are short enough to stop between two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, IntArray, Keys
from engine.kernels.grouping import INT64_MAX, run_starts
from engine.monitor import SILENT, Monitor

TEXT = "Comparing records"


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows sorted by what they are equal in.

    Attributes
    ----------
    order : ndarray of int64, shape (n_rows,)
        Rows, those of a group side by side.
    starts : ndarray of int64, shape (n_groups,)
        Where each group begins in that order.
    """

    order: IntArray
    starts: IntArray

    @property
    def sizes(self) -> Counts:
        """Rows per group."""
        return np.diff(self.starts, append=len(self.order))

    @property
    def first(self) -> IntArray:
        """A row of each group."""
        return self.order[self.starts]

    @property
    def of_row(self) -> IntArray:
        """Group of each row."""
        found = np.empty(len(self.order), dtype=np.int64)
        found[self.order] = np.repeat(np.arange(len(self.starts)), self.sizes)
        return found


def keys_of(
    columns: Sequence[NDArray[np.integer[Any]]], spans: Sequence[int], monitor: Monitor = SILENT
) -> Keys:
    """One key per row, equal where all columns are; see `engine.kernels.grouping.class_keys`."""
    keys = np.zeros(len(columns[0]), dtype=np.int64)
    span = 1
    for done, (column, cardinality) in enumerate(zip(columns, spans, strict=True)):
        monitor.step(done, len(columns), TEXT)
        if span > INT64_MAX // max(cardinality, 1):
            distinct, keys = np.unique(keys, return_inverse=True)
            span = len(distinct)
            monitor.step(done, len(columns), TEXT)
        keys = keys * cardinality + column
        span *= cardinality
    return keys


def groups_of(
    columns: Sequence[NDArray[np.integer[Any]]], spans: Sequence[int], monitor: Monitor = SILENT
) -> Groups:
    """Group rows that are equal in all columns; at least one row.

    Parameters
    ----------
    columns : sequence of integer ndarray, each of shape (n_rows,)
    spans : sequence of int
        One more than the largest code of each column.
    monitor : Monitor
    """
    keys = keys_of(columns, spans, monitor)
    order = np.argsort(keys, kind="stable")
    monitor.step(len(columns), len(columns), TEXT)
    return Groups(order, run_starts(keys[order]))
