"""Order of the nodes of a small lattice within its rows, so that few edges cross."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property

Ints = NDArray[np.int64]
Rows = list[list[int]]

MOST_NODES = 120
_SWEEPS = 12
_EXCHANGED = 4  # drawings of fewest crossings, in which adjacent nodes are exchanged
_MOST_PERMUTED = 3  # columns whose every order is tried
_MOST_PASSES = 50  # of exchanges; each pass lowers crossings or length, so few are needed


@dataclass(frozen=True, eq=False)
class Hasse:
    """Nodes of a lattice in rows by sum of levels, with the edges between them.

    Attributes
    ----------
    rows : tuple of ndarray of int64
        Node indices of each row from left to right, the lowest sum first.
    edges : ndarray of int64, shape (n_edges, 2)
        Lower and upper node of every step of one level.

    References
    ----------
    .. [1] Sugiyama, Tagawa, Toda (1981). Methods for Visual Understanding of Hierarchical System Structures.
    """

    rows: tuple[Ints, ...]
    edges: Ints

    @cached_property
    def crossings(self) -> int:
        """Number of pairs of edges that cross if all rows are centred."""
        return _Drawing(self.edges, [row.tolist() for row in self.rows]).cost()[0]


def hasse(levels: NDArray[np.integer]) -> Hasse:
    """Order the nodes of a small lattice; depends on the levels alone.

    Parameters
    ----------
    levels : ndarray of int, shape (n_nodes, n_qi)
        Level vectors, of at most about `MOST_NODES` nodes.

    Returns
    -------
    Hasse
        The best of lexicographic orders, of orders after sweeps by the barycentre of the neighbours, and
        after exchanges of adjacent nodes.
    """
    edges = _edges(levels)
    found = []
    for columns in _orders(levels):
        drawing = _Drawing(edges, _lexicographic(levels, columns))
        found.append(drawing)
        for _turn in range(_SWEEPS):
            drawing = drawing.swept()
            found.append(drawing)
    found.sort(key=_Drawing.cost)
    best = min((drawing.exchanged() for drawing in found[:_EXCHANGED]), key=_Drawing.cost)
    return Hasse(tuple(np.array(row, dtype=np.int64) for row in best.rows), edges)


def _orders(levels: NDArray[np.integer]) -> list[Sequence[int]]:
    """Return the orders of the columns to start from, since a tall first column often crosses least."""
    columns = range(levels.shape[1])
    if len(columns) <= _MOST_PERMUTED:
        return list(permutations(columns))
    heights = levels.max(axis=0)
    tallest_first = np.argsort(-heights, kind="stable").tolist()
    return [columns, tallest_first, tallest_first[::-1]]


def _lexicographic(levels: NDArray[np.integer], columns: Sequence[int]) -> Rows:
    """Return the nodes of each row in lexicographic order of their levels."""
    sums = levels.sum(axis=1)
    order = np.lexsort((*levels.T[list(columns)][::-1], sums))
    return [order[sums[order] == total].tolist() for total in np.unique(sums)]


def _edges(levels: NDArray[np.integer]) -> Ints:
    numbers = {tuple(node): number for number, node in enumerate(levels.tolist())}
    found = [
        (number, above)
        for node, number in numbers.items()
        for q, level in enumerate(node)
        if (above := numbers.get((*node[:q], level + 1, *node[q + 1 :]))) is not None
    ]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


class _Drawing:
    """Rows in an order; `x` is the distance of a node from the middle of its row."""

    def __init__(self, edges: Ints, rows: Rows) -> None:
        self._edges, self.rows = edges, rows
        self._up: dict[int, list[int]] = {node: [] for row in rows for node in row}
        self._down: dict[int, list[int]] = {node: [] for row in rows for node in row}
        for low, high in edges.tolist():
            self._up[low].append(high)
            self._down[high].append(low)
        self._x: dict[int, float] = {}
        for row in rows:
            self._place(row)

    def cost(self) -> tuple[int, float]:
        """Return the number of crossings, and the sum of the widths of all edges."""
        crossings = sum(self._between(row) for row in self.rows[:-1])
        return crossings, sum(abs(self._x[a] - self._x[b]) for a, b in self._edges.tolist())

    def swept(self) -> _Drawing:
        """Order every row by its neighbours' middle, upward by those below and then downward."""
        new = _Drawing(self._edges, [list(row) for row in self.rows])
        for row in new.rows[1:]:
            new._sort(row, new._down)
        for row in new.rows[-2::-1]:
            new._sort(row, new._up)
        return new

    def exchanged(self) -> _Drawing:
        """Exchange adjacent nodes while that lowers the crossings, or the length at equal crossings."""
        new = _Drawing(self._edges, [list(row) for row in self.rows])
        for _pass in range(_MOST_PASSES):
            n_changed = sum(new._exchange(row, at) for row in new.rows for at in range(len(row) - 1))
            if not n_changed:
                break
        return new

    def _exchange(self, row: list[int], at: int) -> bool:
        first, second = row[at], row[at + 1]
        x, y = self._x[first], self._x[second]
        gain, shorter = 0, 0.0
        for around in (self._up, self._down):
            ends, others = ([self._x[node] for node in around[end]] for end in (first, second))
            gain += sum((a > b) - (a < b) for a in ends for b in others)
            shorter += sum(abs(a - x) - abs(a - y) for a in ends) + sum(
                abs(b - y) - abs(b - x) for b in others
            )
        if gain < 0 or (gain == 0 and shorter <= 1e-9):
            return False
        row[at], row[at + 1] = second, first
        self._x[first], self._x[second] = y, x
        return True

    def _between(self, row: Sequence[int]) -> int:
        """Return the crossings between a row and the next one."""
        ends = [above for node in row for above in sorted(self._up[node], key=self._x.__getitem__)]
        x = np.array([self._x[node] for node in ends])
        return int(np.count_nonzero(np.triu(x[:, None] > x[None, :], 1)))

    def _sort(self, row: list[int], around: dict[int, list[int]]) -> None:
        def middle(node: int) -> float:
            ends = around[node]
            return sum(self._x[end] for end in ends) / len(ends) if ends else self._x[node]

        row.sort(key=middle)
        self._place(row)

    def _place(self, row: Sequence[int]) -> None:
        for at, node in enumerate(row):
            self._x[node] = at - (len(row) - 1) / 2
