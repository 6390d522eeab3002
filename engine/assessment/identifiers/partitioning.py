"""Partition of rows by subsets of columns, by compiled kernels if available."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels import partitions as numpy_partitions
from engine.kernels.arrays import Counts, IntArray
from engine.kernels.partitions import FIGURES, NarrowCodes, Partition, whole
from engine.scoring.acceleration import kernels

BUDGET = 5_000_000  # cells processed between two checks of the monitor: some tens of milliseconds


def at_once(n_rows: int) -> int:
    """Return by how many columns to extend a partition of `n_rows` rows between two checks of the monitor."""
    return max(2, BUDGET // n_rows)


class Partitioning:
    """Partition by a subset, derived from that by its first columns, which are cached.

    Meant for subsets in lexicographic order. Each thread needs its own object.
    """

    def __init__(self, codes: NarrowCodes, cardinalities: IntArray, weights: NDArray[np.int32]) -> None:
        self._codes = codes
        self._cardinalities = cardinalities
        self._stack: list[tuple[tuple[int, ...], Partition]] = [((), whole(weights))]
        self._compiled = kernels("partitions")
        if self._compiled is not None:
            self._rooms: list[
                Any
            ] = []  # by number of columns; a partition is overwritten by the next of its size
            self._scratch = self._compiled.Scratch(int(max(cardinalities, default=1)))

    def partition(self, subset: tuple[int, ...]) -> Partition:
        """Return the partition by some columns in ascending order; valid until the next call."""
        while self._stack[-1][0] != subset[: len(self._stack[-1][0])]:
            self._stack.pop()
        columns, partition = self._stack[-1]
        for column in subset[len(columns) :]:
            columns, partition = (*columns, column), self._refined(partition, column, len(columns))
            self._stack.append((columns, partition))
        return partition

    def refined(self, partition: Partition, column: int) -> Partition:
        """Return a partition split by one more column."""
        return self._refined(partition, column, None)

    def _refined(self, partition: Partition, column: int, depth: int | None) -> Partition:
        if self._compiled is None:
            cardinality = int(self._cardinalities[column])
            return numpy_partitions.refine(partition, self._codes[column], cardinality)
        room = None
        if depth is not None:
            if depth == len(self._rooms):
                self._rooms.append(self._compiled.Room.of(len(self._codes[column])))
            room = self._rooms[depth]
        made: Partition = self._compiled.refine(partition, self._codes[column], self._scratch, room)
        return made

    def extended(self, partition: Partition, columns: IntArray) -> Counts:
        """Return the counts of a partition's columns with each of some others, shape (n_columns, 3)."""
        figures = np.empty((len(columns), FIGURES), dtype=np.int64)
        if self._compiled is None:
            numpy_partitions.extend(partition, self._codes, self._cardinalities, columns, figures)
        else:
            self._compiled.extend(
                partition, self._codes, self._cardinalities, columns, figures, self._scratch
            )
        return figures
