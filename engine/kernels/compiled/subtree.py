"""Compiled depth-first walk that scores the nodes of one subtree of the lattice."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiled.cells import (
    LOST,
    NO_ROOM,
    CellFields,
    cells_by_content,
    cells_by_size,
    make_cells,
    make_tally,
)
from engine.kernels.compiled.contents import add_base, grown, make_contents, make_union
from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.merging import make_scratch, merge_runs
from engine.kernels.compiled.rollup import (
    ALL_BITS,
    Weights,
    index,
    join_neighbours,
    make_arena,
)
from engine.kernels.compiled.suppressed_labels import Labels, count_suppressed

DONE, PAUSED, NEEDS_CELLS, NEEDS_ARENA, NEEDS_CONTENTS, LOST_RECORDS = range(6)


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
    n_records : int
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
        Depth; whether the node there is not scored yet; number of cells; number of nodes written.
    """

    positions: NDArray[np.int64]
    levels: NDArray[np.int64]
    begins: NDArray[np.int64]
    lengths: NDArray[np.int64]
    numbers: NDArray[np.int64]
    following: NDArray[np.int64]
    state: NDArray[np.int64]


class Scores(NamedTuple):
    """Scores of all nodes by number, and the nodes of this worker's cells.

    Attributes
    ----------
    n_classes, k, largest, squares : ndarray of int64, shape (n_nodes,)
    nodes, starts : ndarray of int64, shape (node_room,)
        Nodes scored since the buffers were emptied, and the first cell of each.
    """

    n_classes: NDArray[np.int64]
    k: NDArray[np.int64]
    largest: NDArray[np.int64]
    squares: NDArray[np.int64]
    nodes: NDArray[np.int64]
    starts: NDArray[np.int64]


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
def _add_cells(
    arena: Any,
    links: Any,
    begin: Any,
    length: Any,
    tally: Any,
    contents: Any,
    union: Any,
    cells: Any,
    n_cells: Any,
) -> Any:
    if links is not None and len(links):
        return cells_by_content(arena, begin, length, tally, contents, union, cells, n_cells)
    return cells_by_size(arena, begin, length, tally, cells, n_cells)


@compiled
def _score(
    arena: Any,
    stack: Any,
    depth: Any,
    tally: Any,
    contents: Any,
    union: Any,
    cells: Any,
    scores: Any,
    n_records: Any,
) -> Any:
    """Add the cells and scores of the node at a depth; return a negative number on failure."""
    begin, length, number = stack.begins[depth], stack.lengths[depth], stack.numbers[depth]
    n_cells = stack.state[2]
    stop = _add_cells(arena, arena.links, begin, length, tally, contents, union, cells, n_cells)
    if stop < 0:
        return stop
    kinds, records = cells.kinds, cells.records
    smallest, largest, squares, total = np.int64(n_records) + 1, np.int64(0), np.int64(0), np.int64(0)
    for cell in range(index(n_cells), index(stop)):
        size = np.int64(kinds[cell])
        if contents is not None and len(arena.links):
            size = np.int64(contents.sizes[index(kinds[cell])])
        smallest = min(smallest, size)
        largest = max(largest, size)
        squares += size * records[cell]
        total += records[cell]
    if total != n_records:
        return LOST
    scores.n_classes[number] = length
    scores.k[number] = smallest
    scores.largest[number] = largest
    scores.squares[number] = squares
    n_nodes = stack.state[3]
    scores.nodes[n_nodes] = number
    scores.starts[n_nodes] = n_cells
    stack.state[2] = stop
    stack.state[3] = n_nodes + 1
    return stop


@compiled
def walk_subtree(
    plan: Any,
    stack: Any,
    arena: Any,
    scratch: Any,
    weights: Any,
    tally: Any,
    contents: Any,
    union: Any,
    cells: Any,
    scores: Any,
    labels: Any,
    budget: Any,
) -> Any:
    """Score nodes of a subtree until it is done, `budget` classes are visited, or room is missing.

    Plain walks, of an arena without links, have None as `contents` and `union`. A walk with `labels` counts
    those of suppressed records and scores nothing: the five arguments before are None.

    Returns
    -------
    int
        DONE, PAUSED, NEEDS_CELLS, NEEDS_ARENA, NEEDS_CONTENTS or LOST_RECORDS. Except after the first and the
        last, another call continues; a node is scored completely or not at all.
    """
    positions, levels, begins = stack.positions, stack.levels, stack.begins
    lengths, numbers, following, state = stack.lengths, stack.numbers, stack.following, stack.state
    last = len(plan.heights) - 1
    while True:
        depth = state[0]
        if state[1]:
            if labels is not None:
                count_suppressed(arena, stack, depth, labels, labels.failing)
            if cells is not None:
                if state[2] + lengths[depth] > len(cells.kinds) or state[3] == len(scores.nodes):
                    return NEEDS_CELLS
                stop = _score(arena, stack, depth, tally, contents, union, cells, scores, plan.n_records)
                if stop == NO_ROOM:
                    return NEEDS_CONTENTS
                if stop == LOST:
                    return LOST_RECORDS
            state[1] = 0
            following[depth] = last
            budget -= lengths[depth]
            if budget < 0:
                return PAUSED
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
        drop, table, mask = (
            plan.drops[position, level],
            plan.tables[position, level],
            plan.masks[position, level],
        )
        if position == last:
            n = join_neighbours(arena, weights, begin, length, drop, table, mask, position)
        else:
            shift = plan.shifts[position]
            n = merge_runs(arena, scratch, weights, begin, length, shift, drop, table, mask, position)
        following[depth] = position - 1
        depth += 1
        positions[depth], levels[depth] = position, level
        begins[depth], lengths[depth] = begin + length, n
        numbers[depth] = numbers[depth - 1] + plan.strides[position]
        state[0], state[1] = depth, 1


def warm_up() -> None:
    """Compile the plain walk, or load its machine code."""
    walk_four_nodes(is_plain=True)


def walk_four_nodes(*, is_plain: bool, labels: Labels | None = None) -> None:
    """Walk a lattice of four nodes and two records, counting labels if they are given."""
    sensitive, n_reals = not is_plain, int(not is_plain)
    arena = make_arena(16, 1, n_reals, sensitive=sensitive)
    arena.keys[:2] = 0, 3
    arena.counts[:2] = 1
    arena.words[:, :2] = 0
    contents = union = None
    if arena.reals is not None and arena.prints is not None and arena.contents is not None:
        contents, union = make_contents(4, 64), make_union(2, 1)
        prints = np.array([[3, 5], [7, 9]], dtype=np.uint64)
        sizes, numbers = np.ones(2, dtype=np.int32), np.empty(2, dtype=np.int32)
        pairs = np.array([1, (1 << 32) | 1], dtype=np.int64)
        add_base(contents, np.array([0, 1, 2], dtype=np.int64), pairs, prints, sizes, numbers)
        arena.reals[:, :2] = 0
        arena.prints[:, :2] = prints
        arena.contents[:2] = numbers
        contents = grown(contents, 8, 128)
    weights = Weights(
        np.zeros((1, 1), dtype=np.uint64),
        np.zeros((n_reals, 1)),
        np.full((1, 3), ALL_BITS, dtype=np.uint64),
        np.ones((n_reals, 3), dtype=np.bool_),
    )
    n_classes = join_neighbours(arena, weights, 0, 2, 0, -1, 0, 2)
    ones = np.ones(2, dtype=np.int64)
    plan = Plan(
        ones,
        np.array([2, 1]),
        np.array([1, 0]),
        np.array([[1, 2], [0, 1]]),
        np.full((2, 2), -1),
        np.array([[1, 0], [1, 0]]),
        2,
    )
    stack = make_stack(2)
    start(stack, 0, 2, int(n_classes), 0)
    scores = Scores(*(np.zeros(4, dtype=np.int64) for _ in range(6)))
    one = np.ones(1, dtype=np.uint64)
    carried = CellFields(np.zeros(1, dtype=np.int64), one, one)
    tally, cells = make_tally(2, carried, n_reals, sensitive=sensitive), make_cells(16, 1, n_reals)
    scored: tuple[Any, Any, Any, Any, Any] = (tally, contents, union, cells, scores)
    if labels is not None:
        scored = (None, None, None, None, None)
    found = walk_subtree(plan, stack, arena, make_scratch(2), weights, *scored, labels, 1 << 20)
    assert found == DONE, "two records were not scored"
