"""Nodes, their numbers and their neighbours."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.lattice import Lattice
from tests.strategies import modest

bounds = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=4).map(
    lambda pairs: Lattice(tuple(low for low, _ in pairs), tuple(low + more for low, more in pairs))
)


@modest
@given(bounds)
def test_nodes_are_numbered_in_mixed_radix_with_the_last_attribute_fastest(lattice: Lattice) -> None:
    ranges = (range(low, high + 1) for low, high in zip(lattice.minimum, lattice.maximum, strict=True))
    nodes = list(product(*ranges))
    assert lattice.n_nodes == len(nodes)
    assert [lattice.node(i) for i in range(len(nodes))] == nodes
    assert [lattice.number(node) for node in nodes] == list(range(len(nodes)))
    assert [tuple(levels) for levels in lattice.levels.tolist()] == nodes
    assert lattice.sums.tolist() == [sum(node) for node in nodes]


@modest
@given(bounds)
def test_neighbours_differ_by_one_step_of_one_attribute_and_are_mutual(lattice: Lattice) -> None:
    nodes = [lattice.node(i) for i in range(lattice.n_nodes)]
    for node in nodes:
        above = [n for n in nodes if sorted(np.subtract(n, node)) == [0] * (len(node) - 1) + [1]]
        assert sorted(lattice.successors(node)) == sorted(above)
        assert all(node in lattice.predecessors(successor) for successor in above)
        assert len(lattice.predecessors(node)) == sum(
            g > low for g, low in zip(node, lattice.minimum, strict=True)
        )


@modest
@given(st.data())
def test_minimal_nodes_satisfy_while_no_predecessor_does(data: st.DataObject) -> None:
    lattice = data.draw(bounds)
    flags = data.draw(st.lists(st.booleans(), min_size=lattice.n_nodes, max_size=lattice.n_nodes))
    minimal = lattice.minimal(np.array(flags))
    for number, flag in enumerate(flags):
        below = [flags[lattice.number(p)] for p in lattice.predecessors(lattice.node(number))]
        assert minimal[number] == (flag and not any(below))


@pytest.mark.parametrize("node", [(0, 0), (1, 3), (1, 1, 1), (1,)])
def test_a_node_outside_the_bounds_is_refused_with_the_levels_that_exist(node: tuple[int, ...]) -> None:
    lattice = Lattice((1, 0), (2, 2))
    assert node not in lattice
    with pytest.raises(InputError, match="not in the lattice"):
        lattice.number(node)


@pytest.mark.parametrize("number", [-1, 6])
def test_there_is_no_node_before_the_first_or_after_the_last(number: int) -> None:
    with pytest.raises(IndexError):
        Lattice((1, 0), (2, 2)).node(number)


@pytest.mark.parametrize(("low", "high"), [((1,), (0,)), ((-1,), (0,)), ((0, 0), (1,))])
def test_bounds_without_a_node_are_refused(low: tuple[int, ...], high: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="No node"):
        Lattice(low, high)


def test_a_lattice_beyond_64_bits_still_counts_and_numbers_its_nodes() -> None:
    lattice = Lattice((0,) * 40, (9,) * 40)
    assert lattice.n_nodes == 10**40
    assert lattice.node(lattice.number((9,) * 40)) == (9,) * 40
