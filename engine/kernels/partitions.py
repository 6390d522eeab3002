"""Records that are equal in some columns, split by further columns.

A unique record stays unique if columns are added, so a partition stores only the classes that can still be
split, and the sums over the others (stripped partitions [1]_). The code can be interpreted or compiled.

References
----------
.. [1] Huhtala, Kärkkäinen, Porkka, Toivonen (1999). TANE: an efficient algorithm for discovering
   functional and approximate dependencies. The Computer Journal 42(2).
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, IntArray, index

NarrowCodes = NDArray[np.integer[Any]]
FIGURES = 3  # of a column set: singletons, distinct combinations, ordered pairs of equal records


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


class Scratch:
    """Working space of one worker, which no two may share.

    Parameters
    ----------
    most : int
        Allocate for the largest cardinality of a column.
    """

    def __init__(self, most: int) -> None:
        self.tables: NDArray[np.int32] = np.zeros((2, most), dtype=np.int32)  # all 0 between two calls
        self.touched: NDArray[np.int32] = np.empty(most, dtype=np.int32)


class Room(NamedTuple):
    """Room for one partition, reused to save allocations."""

    rows: NDArray[np.int32]
    weights: NDArray[np.int32]
    starts: NDArray[np.int32]

    @classmethod
    def of(cls, n_rows: int) -> Room:
        """Allocate room for a number of rows."""
        return cls(
            np.empty(n_rows, dtype=np.int32),
            np.empty(n_rows, dtype=np.int32),
            np.empty(n_rows // 2 + 1, dtype=np.int32),
        )


def refine(
    kernels: ModuleType,
    partition: Partition,
    codes: NarrowCodes,
    scratch: Scratch,
    room: Room | None = None,
) -> Partition:
    """Split every class by one more column.

    Parameters
    ----------
    kernels : module
        This one, or its compiled version.
    codes : ndarray of uint16 or int32, shape (n_rows,)
        The column's code of every row.
    room : Room, optional
        Room for the new partition, overwritten.
    """
    if not partition.n_classes:
        return partition
    room, settled = room or Room.of(len(partition.rows)), partition.settled.copy()
    n_rows, n_classes = kernels.split_classes(
        partition, codes, scratch.tables[0], scratch.touched, room, settled
    )
    rows, weights, starts = room
    return Partition(rows[:n_rows], weights[:n_rows], starts[: n_classes + 1], settled)


def extend(
    kernels: ModuleType,
    partition: Partition,
    codes: NarrowCodes,
    cardinalities: IntArray,
    columns: IntArray,
    figures: Counts,
    scratch: Scratch,
) -> None:
    """Compute the figures of the partition's columns extended by each of several columns.

    Parameters
    ----------
    kernels : module
        This one, or its compiled version.
    codes : ndarray of uint16 or int32, shape (n_columns, n_rows)
        Codes of all columns.
    cardinalities : ndarray of int64, shape (n_columns,)
    columns : ndarray of int64, shape (n_sets,)
        The columns to add, by position among all columns.
    figures : ndarray of int64, shape (n_sets, FIGURES)
        Output for the figures.
    """
    figures[:] = partition.settled
    if partition.n_classes:
        kernels.extend_figures(partition, codes, cardinalities, columns, scratch.tables, figures)


def split_classes(partition: Any, codes: Any, table: Any, touched: Any, room: Any, settled: Any) -> Any:
    """Fill the new partition, and return its rows and classes; `table` is 0 before and after."""
    rows, weights, starts, _settled = partition
    new_rows, new_weights, new_starts = room
    filled, n_classes = index(0), index(0)
    for number in range(index(len(starts) - 1)):
        begin, end = index(starts[number]), index(starts[number + index(1)])
        if end - begin == index(2):  # the most frequent class needs no table
            row, other = rows[begin], rows[begin + index(1)]
            if codes[index(row)] == codes[index(other)]:
                new_starts[n_classes] = np.int32(filled)
                n_classes += index(1)
                new_rows[filled], new_rows[filled + index(1)] = row, other
                new_weights[filled], new_weights[filled + index(1)] = (
                    weights[begin],
                    weights[begin + index(1)],
                )
                filled += index(2)
                continue
            for place in range(begin, end):
                weight = np.int64(weights[place])
                settled[0] += weight == 1
                settled[1] += 1
                settled[2] += weight * (weight - 1)
            continue
        n_touched = index(0)
        for place in range(begin, end):
            code = index(codes[index(rows[place])])
            if table[code] == 0:
                touched[n_touched] = np.int32(code)
                n_touched += index(1)
            table[code] += 1
        for which in range(n_touched):  # now the position of a code's next row; -1: complete
            code = index(touched[which])
            size = index(table[code])
            if size == index(1):
                table[code] = -1
                continue
            table[code] = np.int32(filled)
            new_starts[n_classes] = np.int32(filled)
            n_classes += index(1)
            filled += size
        for place in range(begin, end):
            row = rows[place]
            code = index(codes[index(row)])
            target = table[code]
            if target < 0:
                weight = np.int64(weights[place])
                settled[0] += weight == 1
                settled[1] += 1
                settled[2] += weight * (weight - 1)
                continue
            new_rows[index(target)] = row
            new_weights[index(target)] = weights[place]
            table[code] = target + 1
        for which in range(n_touched):
            table[index(touched[which])] = 0
    new_starts[n_classes] = np.int32(filled)
    return np.int64(filled), np.int64(n_classes)


def extend_figures(
    partition: Any, codes: Any, cardinalities: Any, columns: Any, tables: Any, figures: Any
) -> None:
    """Add to the figures of each extension, two at a time, since a counter just written is slow to read."""
    rows, weights, starts, _settled = partition
    table, other_table = tables[0], tables[1]
    n_columns = index(len(columns))
    for entry in range(index(0), n_columns, index(2)):
        has_other = entry + index(1) < n_columns
        other_entry = entry + index(1) if has_other else entry
        column, other = codes[index(columns[entry])], codes[index(columns[other_entry])]
        cardinality = index(cardinalities[index(columns[entry])])
        other_cardinality = index(cardinalities[index(columns[other_entry])])
        sums, other_sums = figures[entry], figures[other_entry]
        for number in range(index(len(starts) - 1)):
            begin, end = index(starts[number]), index(starts[number + index(1)])
            if end - begin == index(2):  # the most frequent class needs no table
                row, last = index(rows[begin]), index(rows[begin + index(1)])
                weight, last_weight = np.int64(weights[begin]), np.int64(weights[begin + index(1)])
                add_pair(column[row] == column[last], weight, last_weight, sums)
                if has_other:
                    add_pair(other[row] == other[last], weight, last_weight, other_sums)
                continue
            if has_other:
                for place in range(begin, end):
                    row, weight = index(rows[place]), weights[place]
                    table[index(column[row])] += weight
                    other_table[index(other[row])] += weight
                add_counted(rows, begin, end, other, other_cardinality, other_table, other_sums)
            else:
                for place in range(begin, end):
                    table[index(column[index(rows[place])])] += weights[place]
            add_counted(rows, begin, end, column, cardinality, table, sums)


def add_pair(are_equal: Any, weight: Any, last_weight: Any, sums: Any) -> None:
    """Add the figures of a class of two rows."""
    if are_equal:
        weight, last_weight = weight + last_weight, np.int64(0)
    sums[0] += np.int64(weight == 1) + np.int64(last_weight == 1)
    sums[1] += 1 + (last_weight > 0)
    sums[2] += weight * (weight - 1) + last_weight * (last_weight - 1)


def add_counted(
    rows: Any, begin: Any, end: Any, column: Any, cardinality: Any, table: Any, sums: Any
) -> None:
    """Add the figures of a class whose codes are counted, and reset the counters."""
    singletons, distinct, pairs = np.int64(0), np.int64(0), np.int64(0)
    if end - begin >= cardinality:
        for entry in range(cardinality):
            size = np.int64(table[entry])
            table[entry] = 0
            distinct += size > 0
            singletons += size == 1
            pairs += size * (size - 1)
    else:
        for place in range(begin, end):
            code = index(column[index(rows[place])])
            size = np.int64(table[code])
            table[code] = 0
            distinct += size > 0
            singletons += size == 1
            pairs += size * (size - 1)
    sums[0] += singletons
    sums[1] += distinct
    sums[2] += pairs
