"""Parts of lattices: numbered in the order of addition, not by position in the lattice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.lattice import Lattice, LatticePart, Node

SHAPES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=4)


def part_of(whole: Lattice, nodes: list[Node], first: int = 0) -> LatticePart:
    levels = np.array(nodes, dtype=np.int16).reshape(len(nodes), len(whole.shape))
    return LatticePart(whole, levels[first:], {node: i for i, node in enumerate(nodes)}, first)


@given(SHAPES, st.randoms(use_true_random=False))
def test_a_part_of_all_nodes_in_any_order_agrees_with_the_whole(bounds, random) -> None:  # type: ignore[no-untyped-def]
    whole = Lattice(tuple(low for low, _ in bounds), tuple(low + more for low, more in bounds))
    nodes = [whole.node(number) for number in range(whole.n_nodes)]
    random.shuffle(nodes)
    part = part_of(whole, nodes)
    assert [part.node(part.number(node)) for node in nodes] == nodes
    numbers = np.array([whole.number(node) for node in nodes])
    np.testing.assert_array_equal(part.sums, whole.sums[numbers])
    np.testing.assert_array_equal(part.ranks(np.arange(part.n_nodes)), numbers)
    satisfying = np.array([random.random() < 0.5 for _ in range(whole.n_nodes)])
    np.testing.assert_array_equal(part.minimal(satisfying[numbers]), whole.minimal(satisfying)[numbers])


def test_minimal_nodes_are_minimal_among_those_of_the_part() -> None:
    whole = Lattice((0, 0), (2, 2))
    part = part_of(whole, [(2, 2), (1, 2), (0, 0)])
    assert part.minimal(np.array([True, True, True])).tolist() == [False, True, True]
    assert part.minimal(np.array([True, False, True])).tolist() == [True, False, True]


def test_nodes_outside_a_part_have_no_number() -> None:
    whole = Lattice((0,) * 30, (9,) * 30)
    low, high = (0,) * 30, (9,) * 30
    part = part_of(whole, [low, high], first=1)
    assert (part.find(high), part.find(low), part.n_nodes) == (0, None, 1)
    with pytest.raises(InputError, match="is not scored"):
        part.number(low)
    with pytest.raises(IndexError):
        part.node(1)


def test_a_lattice_finds_its_nodes_and_no_others() -> None:
    whole = Lattice((0, 1), (1, 2))
    assert (whole.find((1, 1)), whole.find((0, 0))) == (2, None)
