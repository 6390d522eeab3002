"""A depth-first walk over a spanning tree of the lattice; every node is rolled up from its parent."""

from __future__ import annotations

from collections.abc import Iterator

from engine.frequency import Problem
from engine.scoring.packing import FrequencySet


def walk(problem: Problem, base: FrequencySet) -> Iterator[tuple[int, FrequencySet]]:
    """Yield the number and frequency set of every node, the lowest first.

    The parent of a node is the node with its last raised attribute one level lower. At most
    ``sum(heights) + 1`` frequency sets are alive at a time.
    """
    lattice = problem.lattice
    order = base.layout.order

    def descend(position: int, number: int, tuples: FrequencySet) -> Iterator[tuple[int, FrequencySet]]:
        yield number, tuples
        for i in range(position, len(order)):
            attribute = order[i]
            current, current_number = tuples, number
            for level in range(lattice.minimum[attribute] + 1, lattice.maximum[attribute] + 1):
                current = current.raised(attribute, level)
                current_number += lattice.strides[attribute]
                yield from descend(i + 1, current_number, current)

    return descend(0, 0, base)
