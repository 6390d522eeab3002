"""A problem reduced to one node, so that a single node is scored by the same code as all of them."""

from __future__ import annotations

from dataclasses import replace

from engine.frequency import Problem
from engine.lattice import Node


def narrowed(problem: Problem, node: Node) -> Problem:
    """Return the problem whose lattice has only this node; `InputError` if it is not in the lattice."""
    problem.lattice.number(node)
    attributes = tuple(
        replace(attribute, minimum=level, maximum=level)
        for attribute, level in zip(problem.attributes, node, strict=True)
    )
    return replace(problem, attributes=attributes)
