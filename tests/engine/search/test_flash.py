"""Flash: its order of nodes, and how it bisects a path."""

from __future__ import annotations

import pytest

from engine.errors import InputError
from engine.lattice import Node
from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.search import SearchTask, search_algorithms
from engine.search.flash import flash_order, successor_numbers
from tests.strategies import Attributes, Case, Rows

FOUR = (("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*"))
CHAIN = tuple((str(i), str(i // 2), str(i // 4), str(i // 8), "*") for i in range(16))


def column(name: str, rows: Rows, lowest: int = 0, highest: int | None = None) -> Attributes:
    return Attributes(name, tuple(row[0] for row in rows), rows=rows, min_level=lowest, max_level=highest)


def flat(name: str, n_values: int, n_records: int = 4) -> Attributes:
    rows = tuple((f"{name}{i}", "*") for i in range(n_values))
    return Attributes(name, tuple(f"{name}{i % n_values}" for i in range(n_records)), rows=rows)


def order(*columns: Attributes) -> list[Node]:
    problem = Case(columns).problem
    return [problem.lattice.node(number) for number in flash_order(problem).tolist()]


def test_nodes_come_by_sum_of_levels_then_by_mean_level() -> None:
    # Heights 2 and 1: (1, 0) is a quarter of the way up, (0, 1) and (2, 0) half, (1, 1) three quarters.
    assert order(column("p", FOUR), flat("q", 2)) == [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (2, 1)]


def test_of_equal_mean_level_the_one_comes_first_that_keeps_most_distinct_values() -> None:
    # Raising two values to one loses half of them, raising four loses three quarters.
    assert order(flat("p", 2), flat("q", 4)) == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert order(flat("p", 4), flat("q", 2)) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_values_that_no_record_has_are_not_counted() -> None:
    # Of four values two occur, so that raising loses as much in both, and the first attribute goes first.
    rows = tuple((f"p{i}", "*") for i in range(4))
    rare = Attributes("p", ("p0", "p1", "p0", "p1"), rows=rows)
    assert order(rare, flat("q", 2)) == [(0, 0), (1, 0), (0, 1), (1, 1)]


def test_remaining_ties_are_ordered_with_the_first_attribute_raised_first() -> None:
    assert order(flat("p", 2), flat("q", 2), flat("r", 2))[:5] == [
        (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0),
    ]  # fmt: skip


def test_a_path_is_searched_by_bisection() -> None:
    case = Case((column("p", CHAIN),))  # classes of 1, 2, 4, 8 and 16 records
    task = SearchTask(case.problem, Requirement((KAnonymity(5),), 0.0))
    result = search_algorithms.create("flash").run(task, SILENT)
    told = [(step.node, step.satisfies, step.rule.key) for step in result.trace]
    assert told == [
        ((2,), False, "midway"),
        ((0,), False, "below"),
        ((1,), False, "below"),
        ((3,), True, "midway"),
        ((4,), True, "above"),
    ]
    assert (result.node, result.guarantee, result.efficiency.nodes_inferred) == ((3,), "optimal", 3)


def test_levels_keep_their_numbers_if_they_are_bounded() -> None:
    problem = Case((column("p", CHAIN, lowest=1, highest=3), flat("q", 2, 16))).problem
    assert flash_order(problem).tolist() == [0, 2, 1, 4, 3, 5]
    assert [problem.lattice.node(n) for n in successor_numbers(problem.lattice, 0)] == [(2, 0), (1, 1)]
    result = search_algorithms.create("flash").run(
        SearchTask(problem, Requirement((KAnonymity(8),), 0.0)), SILENT
    )
    assert result.node == (3, 1)
    assert result.satisfying.tolist() == [False] * 5 + [True]


@pytest.mark.parametrize("key", ["flash", "ola", "incognito"])
def test_a_lattice_too_large_to_decide_every_node_is_refused(key: str) -> None:
    problem = Case(tuple(column(f"q{i}", CHAIN) for i in range(9))).problem  # 5 ** 9 nodes
    with pytest.raises(InputError, match="1\u202f953\u202f125 nodes") as refused:
        search_algorithms.create(key).run(SearchTask(problem, Requirement()), SILENT)
    assert "best_first" in refused.value.hint
