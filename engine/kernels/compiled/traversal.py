"""Compiled depth-first traversal of one subtree of the lattice, for walks that differ in their step per node.

A walk is a loop over `advance` with its own step per node, which reads the node's classes in the arena.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.merging import merge_runs
from engine.kernels.compiled.rollup import Step, join_neighbours

DONE, PAUSED, NEEDS_CELLS, NEEDS_ARENA, NEEDS_CONTENTS, LOST_RECORDS, RAISED = range(7)


class Plan(NamedTuple):
    """Parameters common to all subtrees.

    Attributes
    ----------
    heights : ndarray of int64, shape (n_positions,)
        Number of levels above the lowest, per attribute in the order of the walk.
    strides : ndarray of int64, shape (n_positions,)
        Distance in node number between a node and its successor.
    shifts : ndarray of int64, shape (n_positions,)
        Number of bits below each attribute's field.
    drops : ndarray of int64, shape (n_positions, most_levels)
        Low bits of the key that a level of the attribute clears, those below the field included.
    tables : ndarray of int64, shape (n_positions, most_levels)
        First row of the level in the weights, or -1.
    masks : ndarray of int64, shape (n_positions, most_levels)
        Number of bits of a label after dropping.
    """

    heights: NDArray[np.int64]
    strides: NDArray[np.int64]
    shifts: NDArray[np.int64]
    drops: NDArray[np.int64]
    tables: NDArray[np.int64]
    masks: NDArray[np.int64]
    n_records: int


class Stack(NamedTuple):
    """Position of the walk; one entry per depth, so that it can pause anywhere and continue.

    Attributes
    ----------
    positions, levels : ndarray of int64
        Attribute raised last, and its level.
    begins, lengths : ndarray of int64
        Rows of the node in the arena.
    numbers : ndarray of int64
        Node numbers.
    following : ndarray of int64
        Attribute to raise next.
    state : ndarray of int64, shape (4,)
        Depth; whether the node there is not visited yet. In walks that score also the number of cells, and of
        nodes written.
    """

    positions: NDArray[np.int64]
    levels: NDArray[np.int64]
    begins: NDArray[np.int64]
    lengths: NDArray[np.int64]
    numbers: NDArray[np.int64]
    following: NDArray[np.int64]
    state: NDArray[np.int64]


def make_stack(depth: int) -> Stack:
    """Allocate a stack for walks of at most a number of raises."""
    positions, levels, begins, lengths, numbers, following = np.zeros((6, depth + 1), dtype=np.int64)
    state = np.zeros(4, dtype=np.int64)
    return Stack(positions, levels, begins, lengths, numbers, following, state)


def start(stack: Stack, position: int, begin: int, length: int, number: int) -> None:
    """Put the walk at the root of a subtree in which attributes from `position` on are raised."""
    stack.positions[0], stack.levels[0] = position, 0
    stack.begins[0], stack.lengths[0] = begin, length
    stack.numbers[0] = number
    stack.state[0], stack.state[1] = 0, 1


@compiled
def leave(plan: Any, stack: Any) -> None:
    """Note that the node is visited, so that its attributes are raised next."""
    stack.state[1] = 0
    stack.following[stack.state[0]] = len(plan.heights) - 1


@compiled
def advance(plan: Any, stack: Any, arena: Any, scratch: Any, weights: Any) -> Any:
    """Leave the node and raise one of its attributes to reach the next node of the subtree.

    Returns
    -------
    int
        RAISED; DONE if no node remains; NEEDS_ARENA if there is no room, and then another call continues.
    """
    positions, levels, begins = stack.positions, stack.levels, stack.begins
    lengths, numbers, following, state = stack.lengths, stack.numbers, stack.following, stack.state
    last = len(plan.heights) - 1
    if state[1]:
        leave(plan, stack)
    while True:
        depth = state[0]
        position = following[depth]
        if position < positions[depth]:
            if depth == 0:
                return DONE
            state[0] = depth - 1
            continue
        level = levels[depth] + 1 if position == positions[depth] else 1
        if level > plan.heights[position]:
            following[depth] = position - 1
            continue
        begin, length = begins[depth], lengths[depth]
        if begin + 2 * length > len(arena.keys):
            return NEEDS_ARENA
        drop, table, mask = plan.drops, plan.tables, plan.masks
        at = (position, level)
        step = Step(position, plan.shifts[position], drop[at], table[at], mask[at])
        if position == last:
            n = join_neighbours(arena, weights, begin, length, step)
        else:
            n = merge_runs(arena, scratch, weights, begin, length, step)
        following[depth] = position - 1
        depth += 1
        positions[depth], levels[depth] = position, level
        begins[depth], lengths[depth] = begin + length, n
        numbers[depth] = numbers[depth - 1] + plan.strides[position]
        state[0], state[1] = depth, 1
        return RAISED


@compiled
def find_levels(stack: Any, levels: Any) -> None:
    """Write the levels of the attributes raised in the subtree at the node, above the lowest ones."""
    levels[:] = 0
    for depth in range(1, stack.state[0] + 1):
        levels[stack.positions[depth]] = stack.levels[depth]
