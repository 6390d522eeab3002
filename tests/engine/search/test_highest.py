"""Nodes below a failing one are recognized without storing all that failed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.search.exploration import HighestNodes

NODES = st.lists(st.tuples(*[st.integers(0, 3)] * 3), max_size=200)


@given(NODES, NODES)
def test_a_node_is_below_the_highest_if_it_is_below_any(added, asked) -> None:  # type: ignore[no-untyped-def]
    highest = HighestNodes(3)
    for node in added:
        highest.add(node)
    for node in asked:
        below_any = any(all(a <= b for a, b in zip(node, other, strict=True)) for other in added)
        assert highest.has_above(node) == below_any
    maximal = {
        node
        for node in added
        if not any(other != node and all(a <= b for a, b in zip(node, other, strict=True)) for other in added)
    }
    assert len(highest) == len(maximal)
