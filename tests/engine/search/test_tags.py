"""One check decides all nodes above or below."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.lattice import Lattice, Node
from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.search.search import Search, SearchTask
from engine.search.tags import Grid, Tags
from engine.search.trace import Rule
from tests.strategies import Attributes, Case

TOLD = Rule("told", "it was told")
COUNTED = Rule("counted", "its classes were counted", is_check=True)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=4), st.data())
def test_boxes_contain_the_nodes_above_below_and_between(
    bounds: list[tuple[int, int]], data: st.DataObject
) -> None:
    lattice = Lattice(tuple(low for low, _ in bounds), tuple(low + more for low, more in bounds))
    grid = Grid(lattice)
    numbers = np.arange(lattice.n_nodes).reshape(grid.shape)
    nodes = st.integers(0, lattice.n_nodes - 1).map(lattice.node)
    first, second = data.draw(nodes), data.draw(nodes)
    low = tuple(map(min, first, second))
    high = tuple(map(max, first, second))

    every = [lattice.node(number) for number in range(lattice.n_nodes)]
    cases: list[tuple[tuple[slice, ...], Callable[[Node], bool]]] = [
        (grid.above(first), lambda node: lies_below(first, node)),
        (grid.below(first), lambda node: lies_below(node, first)),
        (grid.between(low, high), lambda node: lies_below(low, node) and lies_below(node, high)),
    ]
    for box, belongs in cases:
        found = {lattice.node(number) for number in numbers[box].reshape(-1).tolist()}
        assert found == {node for node in every if belongs(node)}


def lies_below(node: Node, other: Node) -> bool:
    return all(level <= limit for level, limit in zip(node, other, strict=True))


def tagged() -> tuple[Search, Tags]:
    rows = tuple((str(i), str(i // 2), "*") for i in range(4))
    case = Case(tuple(Attributes(name, ("0", "1", "2", "3"), rows=rows) for name in "pq"))
    search = Search(SearchTask(case.problem, Requirement((KAnonymity(2),), 0.0)), SILENT)
    return search, Tags(search)


def test_a_satisfying_node_decides_those_above_and_a_failing_one_those_below() -> None:
    search, tags = tagged()
    assert tags.check(8, COUNTED)  # (2, 2)
    assert not tags.check(3, COUNTED)  # (1, 0) fails, so does (0, 0)
    assert [n for n in range(9) if not tags.is_tagged(n)] == [1, 2, 4, 5, 6, 7]
    assert tags.check(4, COUNTED)  # (1, 1): two classes of two
    assert [n for n in range(9) if tags.is_tagged(n) and tags.carries(n)] == [4, 5, 7, 8]
    assert tags.untagged(np.array([6, 4, 2])).tolist() == [6, 2]
    assert tags.untagged_between((0, 1), (1, 2)).tolist() == [1, 2]
    assert tags.numbers_between((0, 1), (1, 2)).tolist() == [1, 2, 4, 5]
    assert search.trace.n_inferred == 3


def test_remaining_nodes_are_checked_in_the_end_and_excluded_ones_are_not() -> None:
    search, tags = tagged()
    tags.exclude(np.array([0, 1, 3]), TOLD)
    tags.settle()
    assert search.satisfying.tolist() == [n in (4, 5, 7, 8) for n in range(9)]
    steps = [(step.node, step.rule.key) for step in search.trace]
    assert steps[:3] == [((0, 0), "told"), ((0, 1), "told"), ((1, 0), "told")]
    assert [node for node, key in steps if key == "remaining"] == [(0, 2), (1, 1), (2, 0)]
