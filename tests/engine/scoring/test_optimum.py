"""Ties between nodes."""

from __future__ import annotations

import numpy as np
import pytest

from engine.lattice import Lattice
from engine.scoring.optimum import best_of

LATTICE = Lattice((0, 0), (1, 2))  # numbers 0..5: 00 01 02 10 11 12


def best(values: list[float], suppressed: list[int], satisfies: str = "111111") -> tuple[int, ...] | None:
    nodes = np.flatnonzero([flag == "1" for flag in satisfies])
    number = best_of(LATTICE, nodes, np.array(values)[nodes], np.array(suppressed)[nodes])
    return None if number is None else LATTICE.node(number)


def test_the_least_value_among_satisfying_nodes_wins() -> None:
    assert best([1, 5, 4, 3, 6, 7], [0] * 6, "011111") == (1, 0)


def test_there_is_no_optimum_if_nothing_satisfies() -> None:
    assert best([1] * 6, [0] * 6, "000000") is None


def test_of_equal_values_the_one_with_fewest_suppressed_records_wins() -> None:
    assert best([2, 2, 2, 9, 2, 2], [5, 5, 4, 0, 3, 4]) == (1, 1)


def test_then_the_lowest_sum_of_levels_wins() -> None:
    assert best([2] * 6, [4, 3, 3, 4, 3, 3]) == (0, 1)
    assert best([2] * 6, [4, 4, 3, 4, 3, 3]) == (0, 2)


def test_then_the_lexicographically_first_wins() -> None:
    assert best([2] * 6, [4, 3, 4, 3, 4, 4]) == (0, 1)


@pytest.mark.parametrize(("factor", "node"), [(1 + 5e-13, (0, 1)), (1 + 5e-12, (0, 0))])
def test_values_tie_within_a_relative_1e_12(factor: float, node: tuple[int, int]) -> None:
    assert best([3.0, 3.0 * factor, 9, 9, 9, 9], [1, 0, 0, 0, 0, 0]) == node


def test_a_missing_value_is_worse_than_any_other() -> None:
    nan = float("nan")
    assert best([nan, nan, 1e9, nan, nan, nan], [0] * 6) == (0, 2)
    assert best([nan] * 6, [1, 1, 1, 1, 1, 0]) == (1, 2)
