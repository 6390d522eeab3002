"""Records that are equal in some columns, split by further columns; by numpy.

A unique record stays unique if columns are added, so a partition stores only the classes that can still be
split, and the sums over the others (stripped partitions [1]_).

References
----------
.. [1] Huhtala, Kärkkäinen, Porkka, Toivonen (1999). TANE: an efficient algorithm for discovering
   functional and approximate dependencies. The Computer Journal 42(2).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, IntArray

NarrowCodes = NDArray[np.integer[Any]]
FIGURES = 3  # of a column set: singletons, distinct combinations, ordered pairs of equal records
_DENSE = 8  # possible keys per row up to which keys are counted in a table; more are sorted


class Partition(NamedTuple):
    """The classes of rows by a set of columns.

    Attributes
    ----------
    rows : ndarray of int32, shape (n_open,)
        Rows of the classes with at least two rows, class by class.
    weights : ndarray of int32, shape (n_open,)
        Number of records that each row represents.
    starts : ndarray of int32, shape (n_classes + 1,)
        Start of each class in `rows`, and the end of the last.
    settled : ndarray of int64, shape (3,)
        Singletons, distinct combinations and ordered pairs of equal records among all other rows.
    """

    rows: NDArray[np.int32]
    weights: NDArray[np.int32]
    starts: NDArray[np.int32]
    settled: Counts

    @property
    def figures(self) -> Counts:
        """Singletons, distinct combinations and ordered pairs of equal records, over all rows."""
        sizes = np.add.reduceat(self.weights.astype(np.int64), self.starts[:-1]) if self.n_classes else _NONE
        return self.settled + figures_of(sizes)

    @property
    def n_classes(self) -> int:
        """Number of classes that can still be split."""
        return len(self.starts) - 1


_NONE = np.zeros(0, dtype=np.int64)


def figures_of(sizes: Counts) -> Counts:
    """Return singletons, number of classes and ordered pairs of records in one class, shape (FIGURES,).

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_classes,)
        Number of records per class.
    """
    return np.array([np.count_nonzero(sizes == 1), len(sizes), (sizes * (sizes - 1)).sum()], dtype=np.int64)


def whole(weights: NDArray[np.int32]) -> Partition:
    """Return the partition by no column: one class of all rows."""
    n_rows = len(weights)
    rows = np.arange(n_rows, dtype=np.int32)
    if n_rows < 2:
        return Partition(rows[:0], weights[:0], np.zeros(1, np.int32), figures_of(weights.astype(np.int64)))
    return Partition(rows, weights, np.array([0, n_rows], dtype=np.int32), np.zeros(FIGURES, dtype=np.int64))


def refine(partition: Partition, codes: NarrowCodes, cardinality: int) -> Partition:
    """Split every class by one more column.

    Parameters
    ----------
    codes : ndarray of integers, shape (n_rows,)
        The column's code of every row.
    cardinality : int
        One more than its largest code.
    """
    if not partition.n_classes:
        return partition
    keys = _keys(partition, codes, cardinality)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    sizes = np.diff(starts, append=len(keys))
    is_open = sizes > 1
    kept = order[np.repeat(is_open, sizes)]
    alone = partition.weights[order[starts[~is_open]]].astype(np.int64)
    ends = np.concatenate(([0], np.cumsum(sizes[is_open])))
    return Partition(
        partition.rows[kept],
        partition.weights[kept],
        ends.astype(np.int32),
        partition.settled + figures_of(alone),
    )


def extend(
    partition: Partition, codes: NarrowCodes, cardinalities: IntArray, columns: IntArray, figures: Counts
) -> None:
    """Compute the figures of the partition's columns extended by each of several columns.

    Parameters
    ----------
    codes : ndarray of integers, shape (n_columns, n_rows)
    cardinalities : ndarray of int64, shape (n_columns,)
    columns : ndarray of int64, shape (n_extensions,)
        The columns to add, each separately.
    figures : ndarray of int64, shape (n_extensions, 3)
        Output: singletons, distinct combinations and ordered pairs of equal records.
    """
    figures[:] = partition.settled
    if not partition.n_classes:
        return
    for place, column in enumerate(columns.tolist()):
        cardinality = int(cardinalities[column])
        keys = _keys(partition, codes[column], cardinality)
        span = partition.n_classes * cardinality
        if span > _DENSE * len(keys):
            distinct, keys = np.unique(keys, return_inverse=True)
            span = len(distinct)
        sizes = np.bincount(keys, partition.weights, span)  # exact, since the integers are far below 2**53
        figures[place] += figures_of(sizes[sizes > 0].astype(np.int64))


def _keys(partition: Partition, codes: NarrowCodes, cardinality: int) -> IntArray:
    """Return class and code of every row in one number; below 2**62, since both have 31 bits."""
    labels = np.repeat(np.arange(partition.n_classes, dtype=np.int64), np.diff(partition.starts))
    return labels * cardinality + codes[partition.rows]
