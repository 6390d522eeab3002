"""Positions of all nodes of a lattice in rows and columns, independent of thresholds and pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.lattice.hasse import hasse

Ints = NDArray[np.int64]

MOST_SLOTS = 6  # largest number of nodes above one another in a column of dots
GAP = 1 / 6  # space between two rows, as a share of their nodes' height
# Reference area for the number of slots; canvases of similar shape give the same number.
_NOMINAL_WIDTH, _NOMINAL_HEIGHT = 974.0, 408.0


@dataclass(frozen=True, eq=False)
class LatticeLayout:
    """Positions of all nodes, computed once per lattice and independent of thresholds.

    Attributes
    ----------
    positions : ndarray of int64, shape (n_nodes, 3)
        Row (by sum of levels), column (0 in the middle) and slot of each node.
    slots : int
        Nodes above one another in a column.
    rows : tuple of ndarray
        Node indices of each row from left to right, each column from top to bottom.
    sums : tuple of int
        Sum of levels of each row.
    edges : ndarray of int64, shape (n_edges, 2), optional
        Lower and upper node of every step, for lattices small enough to be drawn with all edges.
    """

    positions: Ints
    slots: int
    rows: tuple[Ints, ...]
    keys: tuple[Ints, ...]
    sums: tuple[int, ...]
    edges: Ints | None = None

    @property
    def n_nodes(self) -> int:
        return len(self.positions)

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    @cached_property
    def n_columns(self) -> int:
        """Number of columns of the widest row."""
        return -(-max(len(row) for row in self.rows) // self.slots)

    @property
    def band(self) -> float:
        """Height of a row in slots, with the space to the next."""
        return self.slots * (1 + GAP)

    def node_at(self, row: int, column: int, slot: int) -> int | None:
        """Return the node at a position, if there is one."""
        if not 0 <= row < self.n_rows or not 0 <= slot < self.slots:
            return None
        key = column * self.slots + slot
        at = int(np.searchsorted(self.keys[row], key))
        if at < len(self.keys[row]) and self.keys[row][at] == key:
            return int(self.rows[row][at])
        return None

    def beside(self, node: int, step: int) -> int | None:
        """Return the node `step` positions to the right in the row, slot by slot."""
        row, column, slot = (int(value) for value in self.positions[node])
        at = int(np.searchsorted(self.keys[row], column * self.slots + slot)) + step
        return int(self.rows[row][at]) if 0 <= at < len(self.rows[row]) else None


def lay_out(sums: Ints, losses: NDArray[np.float64]) -> LatticeLayout:
    """Place all nodes; a sum without nodes has no row.

    Parameters
    ----------
    sums : ndarray of int64, shape (n_nodes,)
        Sum of levels.
    losses : ndarray of float64, shape (n_nodes,)
        Order within a row: the least is in the middle, the others alternate outward. It must not
        depend on any threshold.
    """
    row_sums, counts = np.unique(sums, return_counts=True)
    slots = _slots(int(counts.max()), len(counts))
    positions = np.empty((len(sums), 3), dtype=np.int64)
    rows, keys = [], []
    order = np.lexsort((np.arange(len(sums)), losses, sums))
    starts = np.concatenate(([0], np.cumsum(counts)))
    for row in range(len(row_sums)):
        nodes = order[starts[row] : starts[row + 1]]
        rank = np.arange(len(nodes))
        turn = rank // slots
        # 0, 1, -1, 2, -2, ...
        column = np.where(turn % 2 == 1, (turn + 1) // 2, -(turn // 2))
        positions[nodes] = np.column_stack((np.full(len(nodes), row), column, rank % slots))
        key = column * slots + rank % slots
        by_place = np.argsort(key)
        rows.append(nodes[by_place])
        keys.append(key[by_place])
    return LatticeLayout(positions, slots, tuple(rows), tuple(keys), tuple(row_sums.tolist()))


def lay_out_small(levels: NDArray[np.int16]) -> LatticeLayout:
    """Place the nodes of a small lattice so that few edges cross.

    Parameters
    ----------
    levels : ndarray of int16, shape (n_nodes, n_qi)
        Level vectors; the order depends on nothing else.
    """
    drawn = hasse(levels)
    positions = np.zeros((len(levels), 3), dtype=np.int64)
    keys = []
    for row, nodes in enumerate(drawn.rows):
        columns = np.arange(len(nodes)) - (len(nodes) - 1) // 2
        positions[nodes, 0], positions[nodes, 1] = row, columns
        keys.append(columns)
    sums = tuple(int(levels[nodes[0]].sum()) for nodes in drawn.rows)
    return LatticeLayout(positions, 1, drawn.rows, tuple(keys), sums, drawn.edges)


def _slots(widest: int, n_rows: int) -> int:
    """Return the number of nodes per column that gives each node the most room."""

    def room(slots: int) -> float:
        columns = -(-widest // slots)
        return min(_NOMINAL_WIDTH / columns, _NOMINAL_HEIGHT / (n_rows * slots * (1 + GAP)))

    return max(range(1, MOST_SLOTS + 1), key=lambda slots: (room(slots), -slots))
