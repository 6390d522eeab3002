"""Outline of the satisfying nodes of a small lattice, whose nodes are cells in centred rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Point: TypeAlias = tuple[float, float]
Loop: TypeAlias = tuple[Point, ...]
_Edges: TypeAlias = dict[Point, list[Point]]


def border(rows: Sequence[NDArray[np.int64]], satisfies: NDArray[np.bool_]) -> tuple[Loop, ...]:
    """Return closed lines with all satisfying cells on their left, whether or not these are an up-set.

    Parameters
    ----------
    rows : sequence of ndarray of int64
        Nodes of each row from left to right, the lowest row first. A cell is 1 wide and 1 high; the middle
        of each row is at 0, and row r reaches from height r to r + 1. The first and last cell of a row, and
        the cells of the lowest and highest row, extend to infinity.
    satisfies : ndarray of bool, shape (n_nodes,)

    Returns
    -------
    tuple of loops
        Corners of each line. Two touching cells are separated by a line exactly if one of them satisfies;
        other parts of the lines are at infinity.
    """
    edges: _Edges = {}
    for start, end in _pieces([satisfies[nodes].tolist() for nodes in rows]):
        edges.setdefault(start, []).append(end)
    loops = []
    while edges:
        start = min(edges)
        loop, at, towards = [start], start, _take(edges, start, None)
        while towards != start:
            loop.append(towards)
            at, towards = towards, _take(edges, towards, at)
        loops.append(_corners(loop))
    return tuple(loops)


def cell_bounds(n: int) -> list[float]:
    """Return the sides of the n cells of a row from left to right."""
    return [-inf, *(at - n / 2 for at in range(1, n)), inf]


def _pieces(rows: Sequence[Sequence[bool]]) -> Iterator[tuple[Point, Point]]:
    """Yield the pieces between cells of different states, each with the satisfying cell on its left."""
    beyond: list[bool] = []  # below the lowest and above the highest row
    for height, (below, above) in enumerate(pairwise([beyond, *rows, beyond])):
        y = inf if height == len(rows) else float(height) if height else -inf
        sides = sorted({*cell_bounds(len(below)), *cell_bounds(len(above))})
        for left, right in pairwise(sides):
            is_below, is_above = _state(below, left, right), _state(above, left, right)
            if is_above and not is_below:
                yield (left, y), (right, y)
            elif is_below and not is_above:
                yield (right, y), (left, y)
    for row, states in enumerate(rows):
        low = float(row) if row else -inf
        high = row + 1.0 if row + 1 < len(rows) else inf
        for x, (before, after) in zip(
            cell_bounds(len(states)), pairwise([False, *states, False]), strict=True
        ):
            if before and not after:
                yield (x, low), (x, high)
            elif after and not before:
                yield (x, high), (x, low)


def _state(row: Sequence[bool], left: float, right: float) -> bool:
    """Return whether the cell of a row that reaches from left to right satisfies."""
    bounds = cell_bounds(len(row))
    return any(row[at] for at in range(len(row)) if bounds[at] <= left and right <= bounds[at + 1])


def _take(edges: _Edges, at: Point, before: Point | None) -> Point:
    """Remove and return the end of an edge from a point; where cells meet at a corner only, the left turn."""
    ends = edges[at]
    chosen = 0
    if len(ends) > 1 and before is not None:
        chosen = max(range(len(ends)), key=lambda number: _turn(before, at, ends[number]))
    end = ends.pop(chosen)
    if not ends:
        del edges[at]
    return end


def _turn(before: Point, at: Point, after: Point) -> int:
    """Return 1 for a turn to the left, -1 for one to the right, 0 straight on."""
    ways = [(np.sign(b[0] - a[0]), np.sign(b[1] - a[1])) for a, b in ((before, at), (at, after))]
    return int(ways[0][0] * ways[1][1] - ways[0][1] * ways[1][0])


def _corners(loop: Sequence[Point]) -> Loop:
    """Return the points of a closed line at which it turns."""
    around = zip([loop[-1], *loop[:-1]], loop, [*loop[1:], loop[0]], strict=True)
    return tuple(
        at
        for before, at, after in around
        if len({before[0], at[0], after[0]}) > 1 < len({before[1], at[1], after[1]})
    )
