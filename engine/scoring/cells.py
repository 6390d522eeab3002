"""Cells: alike classes of a node joined, so that any requirement is judged by a look over few numbers.

Two classes of one node are alike when every measure of theirs agrees exactly (size, and per sensitive
attribute distinct values and distances). A threshold cannot tell them apart, so one entry with a count
serves them all. On Adult with nine attributes 36.5 million classes make 1.4 million cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, IntArray, Reals

Array = NDArray[Any]

# Odd multipliers spread the bits of each measure (splitmix64's constants).
_MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def join_alike(sizes: Counts, measures: list[Array]) -> tuple[IntArray, IntArray]:
    """Sort classes so that alike ones are neighbours.

    Returns
    -------
    order : ndarray of int64, shape (n_classes,)
    starts : ndarray of int64, shape (n_cells,)
        Start of each cell within `order`. Classes that differ are never in one cell; alike ones
        may rarely end in two (a hash decides the order, the values decide the cells).
    """
    n_classes = len(sizes)
    index_bits = n_classes.bit_length()
    keys = sizes
    if measures:
        mixed = sizes.astype(np.uint64) * np.uint64(_MIX[0])
        for turn, measure in enumerate(measures):
            bits = measure.view(np.uint64) if measure.dtype == np.float64 else measure.astype(np.uint64)
            mixed = (mixed ^ (mixed >> np.uint64(29))) + bits * np.uint64(_MIX[(turn + 1) % 3])
        mixed ^= mixed >> np.uint64(31)
        keys = (mixed >> np.uint64(index_bits + 1)).astype(np.int64)
    packed = (keys << index_bits) | np.arange(n_classes)
    packed.sort()
    order = packed & ((1 << index_bits) - 1)
    begins = np.zeros(n_classes, dtype=np.bool_)
    begins[0] = True
    for values in (sizes, *measures):
        ordered = values[order]
        begins[1:] |= ordered[1:] != ordered[:-1]
    return order, np.flatnonzero(begins)


@dataclass(frozen=True, eq=False)
class CellSnapshot:
    """What is scored at one moment; arrays do not change any more.

    Attributes
    ----------
    nodes : ndarray of int64, shape (n_scored,)
        Node numbers in the order they were scored.
    starts : ndarray of int64, shape (n_scored,)
        First cell of each node.
    columns : mapping of str to ndarray, each of shape (n_cells,)
    """

    nodes: IntArray
    starts: IntArray
    columns: Mapping[str, Array]


class CellStore:
    """Growing columns of cells, written by one thread and read by others through snapshots.

    Parameters
    ----------
    dtypes : mapping of str to dtype
        Columns and their types.
    n_nodes : int
    """

    def __init__(self, dtypes: Mapping[str, np.dtype[np.generic]], n_nodes: int) -> None:
        self._columns: dict[str, Array] = {name: np.empty(4096, dtype) for name, dtype in dtypes.items()}
        self._nodes = np.empty(n_nodes, dtype=np.int64)
        self._starts = np.empty(n_nodes + 1, dtype=np.int64)
        self._starts[0] = 0
        self._n_scored = 0

    @property
    def n_scored(self) -> int:
        """Nodes whose cells are complete."""
        return self._n_scored

    def append(self, node: int, cells: Mapping[str, Array]) -> None:
        """Add the cells of one node; columns left out are 0."""
        start = int(self._starts[self._n_scored])
        stop = start + len(cells["size"])
        for name, column in self._columns.items():
            if stop > len(column):
                # A new array, so that snapshots of the old one stay as they are.
                grown = np.empty(max(stop, 2 * len(column)), column.dtype)
                grown[:start] = column[:start]
                self._columns[name] = column = grown
            column[start:stop] = cells.get(name, 0)
        self._nodes[self._n_scored] = node
        self._starts[self._n_scored + 1] = stop
        self._n_scored += 1

    def snapshot(self) -> CellSnapshot:
        """Return what is complete now."""
        n_scored = self._n_scored  # read first: columns may only grow after it
        stop = int(self._starts[n_scored])
        return CellSnapshot(
            self._nodes[:n_scored],
            self._starts[:n_scored],
            {name: column[:stop] for name, column in list(self._columns.items())},
        )


def reals(cells: CellSnapshot, name: str) -> Reals:
    """A column of reals."""
    return np.asarray(cells.columns[name], dtype=np.float64)
