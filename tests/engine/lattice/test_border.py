"""The line around satisfying nodes, on random sets of nodes that are up-sets or not."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from engine.lattice.border import Loop, border, cell_bounds

Piece = tuple[float, float, float, float]


def pieces_of(loops: tuple[Loop, ...]) -> list[Piece]:
    """Return the straight parts of lines, each with its lower and left end first."""
    found = []
    for loop in loops:
        for (x, y), (next_x, next_y) in zip(loop, (*loop[1:], loop[0]), strict=True):
            assert (x == next_x) != (y == next_y)
            found.append((min(x, next_x), min(y, next_y), max(x, next_x), max(y, next_y)))
    return found


def covered(pieces: list[Piece], wanted: Piece) -> bool:
    """Return whether the part between two cells lies on a line."""
    left, low, right, high = wanted
    return any(a <= left and right <= c and b <= low and high <= d for a, b, c, d in pieces)


def touching(rows: list[np.ndarray]) -> list[tuple[int, int, Piece]]:
    """Return every pair of touching cells with the part between them."""
    found = []
    for row, nodes in enumerate(rows):
        bounds, low, high = cell_bounds(len(nodes)), row or -inf, row + 1 if row + 1 < len(rows) else inf
        found += [(nodes[i], nodes[i + 1], (x, low, x, high)) for i, x in enumerate(bounds[1:-1])]
        if row + 1 == len(rows):
            continue
        above = rows[row + 1]
        others = cell_bounds(len(above))
        for i, node in enumerate(nodes):
            for j, other in enumerate(above):
                left, right = max(bounds[i], others[j]), min(bounds[i + 1], others[j + 1])
                if left < right:
                    found.append((node, other, (left, row + 1, right, row + 1)))
    return found


@pytest.mark.parametrize("part", range(5))
def test_touching_cells_are_separated_exactly_if_their_states_differ(part: int) -> None:
    rng = np.random.default_rng(part)
    for _ in range(100):
        lengths = rng.integers(1, 7, rng.integers(1, 8))
        rows = np.split(rng.permutation(lengths.sum()), np.cumsum(lengths)[:-1])
        satisfies = rng.random(lengths.sum()) < rng.choice([0.2, 0.5, 0.8])
        if rng.random() < 0.5:  # whole rows from one on, up to one node
            satisfies[:] = False
            for nodes in rows[rng.integers(0, len(rows)) :]:
                satisfies[nodes] = True
        pieces = pieces_of(border(rows, satisfies))
        for node, other, between in touching(rows):
            assert covered(pieces, between) == (satisfies[node] != satisfies[other])


def test_an_island_has_a_line_of_its_own_and_no_state_has_none() -> None:
    rows = [np.arange(0, 3), np.arange(3, 8), np.arange(8, 11)]
    nothing = np.zeros(11, dtype=np.bool_)
    assert border(rows, nothing) == ()
    island = nothing.copy()
    island[5] = True
    ((*corners,),) = border(rows, island)
    assert set(corners) == {(-0.5, 1.0), (0.5, 1.0), (0.5, 2.0), (-0.5, 2.0)}
    (whole,) = border(rows, ~nothing)
    assert {abs(value) for corner in whole for value in corner} == {inf}
