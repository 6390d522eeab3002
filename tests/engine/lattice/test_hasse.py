"""Order of the nodes of a small lattice within its rows."""

from __future__ import annotations

import time
from itertools import combinations, permutations

import numpy as np
import pytest

from engine.lattice import Lattice
from engine.lattice.hasse import Hasse, hasse

HOSPITAL = (4, 1, 2)


def of(*maximum: int) -> Hasse:
    return hasse(Lattice((0,) * len(maximum), maximum).levels)


def crossings_of(drawn: Hasse) -> int:
    """Return the pairs of edges between the same rows whose ends are in opposite order."""
    place = {
        node: (row, at - len(nodes) / 2)
        for row, nodes in enumerate(drawn.rows)
        for at, node in enumerate(nodes)
    }
    lines = [(*place[low], place[high][1]) for low, high in drawn.edges.tolist()]
    return sum(
        first[0] == second[0] and (first[1] - second[1]) * (first[2] - second[2]) < 0
        for first, second in combinations(lines, 2)
    )


@pytest.mark.parametrize("maximum", [HOSPITAL, (1, 1, 1), (3, 3), (5,), (2, 2, 2, 2), (1, 4, 9), (0, 0)])
def test_every_node_is_in_the_row_of_its_sum_and_every_step_is_an_edge(maximum: tuple[int, ...]) -> None:
    lattice, drawn = Lattice((0,) * len(maximum), maximum), of(*maximum)
    assert sorted(np.concatenate(drawn.rows).tolist()) == list(range(lattice.n_nodes))
    for total, nodes in enumerate(drawn.rows):
        assert set(lattice.sums[nodes]) == {total}
    steps = {
        (number, lattice.number(above))
        for number in range(lattice.n_nodes)
        for above in lattice.successors(lattice.node(number))
    }
    assert set(map(tuple, drawn.edges.tolist())) == steps


@pytest.mark.parametrize("maximum", [HOSPITAL, (2, 2, 2, 2), (1, 4, 9), (4, 4, 3), (1, 1, 1, 1, 1, 2)])
def test_crossings_are_counted_and_no_more_than_in_lexicographic_order(maximum: tuple[int, ...]) -> None:
    lattice, drawn = Lattice((0,) * len(maximum), maximum), of(*maximum)
    assert drawn.crossings == crossings_of(drawn)
    plain = tuple(np.flatnonzero(lattice.sums == total) for total in range(sum(maximum) + 1))
    assert drawn.crossings <= Hasse(plain, drawn.edges).crossings


def test_crossings_of_known_lattices() -> None:
    assert of(*HOSPITAL).crossings <= 16
    assert of(9, 9).crossings == 0  # a lattice of two columns is a grid
    assert of(1, 4, 9).crossings <= 72  # 260 in lexicographic order


def test_the_order_of_the_columns_adds_no_crossings() -> None:
    assert {of(*maximum).crossings for maximum in permutations(HOSPITAL)} == {of(*HOSPITAL).crossings}


def test_a_bounded_lattice_has_rows_from_its_lowest_sum() -> None:
    lattice = Lattice((1, 0, 1), (3, 1, 2))
    drawn = hasse(lattice.levels)
    assert [set(lattice.sums[nodes]) for nodes in drawn.rows] == [{2}, {3}, {4}, {5}, {6}]


def test_a_hundred_nodes_take_less_than_half_a_second() -> None:
    levels = Lattice((0, 0, 0), (4, 4, 3)).levels
    started = time.thread_time()
    hasse(levels)
    assert time.thread_time() - started < 0.5
