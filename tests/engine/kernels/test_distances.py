"""Distances of classes from the table against exact fractions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels import distances
from engine.kernels.distances import (
    Pairs,
    Reference,
    Tree,
    equal_distances,
    hierarchical_distances,
    ordered_distances,
)
from tests.engine.kernels.spreads import Classes, arranged, values_of_classes
from tests.slow_reference import distance, tree_distance
from tests.strategies import Rows, hierarchy_rows, modest

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


@pytest.mark.parametrize("size", [10, 4_999_999, 9_999_999])
def test_distances_of_a_large_table_are_the_exact_fractions_rounded_once(size: int) -> None:
    # Ten million records of 50,000 values: the products of large classes leave 63 bits.
    reference = Reference(np.full(50_000, 200, dtype=np.int64))
    pairs = Pairs(np.array([0, 7]), np.array([size - 3, 3]), np.array([0]))
    expected = sum(abs(Fraction(size - 3 * (i < 7), size) - Fraction(i + 1, 50_000)) for i in range(50_000))
    found = ordered_distances(pairs, np.array([size]), reference)[0]
    assert found == float(expected / 49_999)


def tree_of(rows: Rows, domain: list[str], table_counts: np.ndarray) -> Tree:
    """The tree of a hierarchy's lines over the values of a table."""
    labels = dict(zip((row[0] for row in rows), rows, strict=True))
    levels = list(zip(*rows, strict=True))
    below = levels[:-1] if len(set(levels[-1])) == 1 else levels
    groups = [[sorted(set(level)).index(labels[v][i]) for v in domain] for i, level in enumerate(below)]
    return Tree(np.array(groups, dtype=np.int64).reshape(len(below), len(domain)), table_counts)


@modest
@given(values_of_classes, st.data())
def test_the_hierarchical_distance_is_the_cost_of_balancing_every_inner_node(
    classes: Classes, data: st.DataObject
) -> None:
    table = [f"v{value}" for members in classes for value in members]
    rows = data.draw(hierarchy_rows([f"v{value}" for value in range(8)]))
    pairs, sizes, reference = arranged(classes)
    tree = tree_of(rows, sorted(set(table)), reference.counts)
    full = {row[0]: row for row in rows}
    expected = [float(tree_distance([f"v{v}" for v in members], table, full)) for members in classes]
    assert hierarchical_distances(pairs, sizes, reference, tree).tolist() == expected


def test_diseases_of_one_group_are_near_and_of_two_groups_far() -> None:
    # Three equally frequent values, 0 and 1 below one parent: {0} must move a third by 1/2, a third by 1.
    tree = Tree(np.array([[0, 1, 2], [0, 0, 1]]), np.array([1, 1, 1]))
    found = hierarchical_distances(*arranged([[0], [1], [2]]), tree)
    assert found.tolist() == [0.5, 0.5, 2 / 3]


def test_a_hierarchy_of_one_step_gives_the_equal_distance() -> None:
    pairs, sizes, reference = arranged([[0, 0, 1], [2], [1, 2, 2]])
    tree = Tree(np.array([[0, 1, 2]]), reference.counts)
    by_tree = hierarchical_distances(pairs, sizes, reference, tree)
    assert by_tree.tolist() == equal_distances(pairs, sizes, reference).tolist()


def test_a_hierarchical_distance_with_sums_beyond_63_bits_is_computed_as_a_real() -> None:
    half = 2**30 + 1
    pairs = Pairs(np.array([0]), np.array([half]), np.array([0]))
    reference, tree = Reference(np.array([half, half])), Tree(np.array([[0, 1]] * 8), np.array([half, half]))
    assert hierarchical_distances(pairs, np.array([half]), reference, tree)[0] == pytest.approx(0.5)
