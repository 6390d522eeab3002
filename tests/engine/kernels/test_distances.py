"""Distances of classes from the table against exact fractions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels import distances
from engine.kernels.distances import Pairs, Reference, equal_distances, ordered_distances
from tests.slow_reference import distance
from tests.strategies import modest

MEASURES = {"equal": equal_distances, "ordered": ordered_distances}


def measured(kind: str, classes: list[list[int]]) -> list[float]:
    """Distances of classes given by the value of each of their records."""
    table = [value for members in classes for value in members]
    domain = sorted(set(table))
    pairs = [(c, domain.index(v), n) for c, m in enumerate(classes) for v, n in sorted(Counter(m).items())]
    numbers, values, counts = (np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True))
    starts = np.searchsorted(numbers, np.arange(len(classes)))
    sizes = np.array([len(members) for members in classes], dtype=np.int64)
    table_counts = np.array([table.count(value) for value in domain], dtype=np.int64)
    return list(MEASURES[kind](Pairs(values, counts, starts), sizes, Reference(table_counts)))


@pytest.mark.parametrize(
    ("kind", "largest_table"), [("equal", 0), ("ordered", 0), ("ordered", distances.LARGEST_TABLE)]
)
def test_the_distance_is_the_exact_fraction_rounded_once(
    kind: str, largest_table: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distances, "LARGEST_TABLE", largest_table)

    @modest
    @given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=8), min_size=1, max_size=6))
    def check(classes: list[list[int]]) -> None:
        table = [str(value) for members in classes for value in members]
        expected = [distance([str(v) for v in m], table, kind, numeric=True) for m in classes]
        assert measured(kind, classes) == [float(d) for d in expected]

    check()


def test_salaries_have_the_ordered_distances_of_the_paper() -> None:
    # Li et al. 2007, section 4.3: nine salaries 3k..11k; {3k, 4k, 5k} is at 0.375, {6k, 8k, 11k} at 0.167.
    near = measured("ordered", [[3, 4, 5], [6, 8, 11], [7, 9, 10]])
    assert near[0] == 0.375
    assert near[1] == pytest.approx(1 / 6)


def test_a_single_value_in_the_table_is_at_distance_0_from_itself() -> None:
    assert measured("ordered", [[4, 4], [4]]) == [0, 0]
    assert measured("equal", [[4, 4], [4]]) == [0, 0]


def test_with_two_values_both_distances_agree() -> None:
    classes = [[0, 0, 1], [1], [0, 1, 1, 1]]
    assert measured("ordered", classes) == measured("equal", classes)


def test_distances_of_a_table_too_large_for_exact_sums_stay_close_to_the_fraction() -> None:
    # Ten million records of 50,000 values: the products leave 63 bits.
    table = np.full(50_000, 200, dtype=np.int64)
    lowest = Pairs(*(np.array([n]) for n in (0, 10, 0)))
    expected = sum((1 - (i + 1) / 50_000) for i in range(50_000)) / 49_999
    measured_distance = ordered_distances(lowest, np.array([10]), Reference(table))[0]
    assert measured_distance == pytest.approx(expected, rel=1e-12)
