"""Compiled walk that scores the nodes of one subtree of the lattice."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import index
from engine.kernels.compiled.cells import (
    LOST,
    NO_ROOM,
    cells_by_content,
    cells_by_size,
)
from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.traversal import (
    LOST_RECORDS,
    NEEDS_CELLS,
    NEEDS_CONTENTS,
    PAUSED,
    RAISED,
    advance,
    leave,
)


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
def _count_classes(counts: Any, links: Any, begin: Any, length: Any) -> Any:
    """Return the number of classes with a record; the others have people of the population only."""
    if links is not None and len(links):
        n_classes = np.int64(0)
        for row in range(index(begin), index(begin + length)):
            n_classes += np.int64(counts[row] > 0)
        return n_classes
    return length


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
    scores.n_classes[number] = _count_classes(arena.counts, arena.links, begin, length)
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
    budget: Any,
) -> Any:
    """Score nodes of a subtree until it is done, `budget` classes are visited, or room is missing.

    Plain walks, of an arena without links, have None as `contents` and `union`.

    Returns
    -------
    int
        DONE, PAUSED, NEEDS_CELLS, NEEDS_ARENA, NEEDS_CONTENTS or LOST_RECORDS. Except after the first and the
        last, another call continues; a node is scored completely or not at all.
    """
    state, lengths = stack.state, stack.lengths
    while True:
        depth = state[0]
        if state[1]:
            if state[2] + lengths[depth] > len(cells.kinds) or state[3] == len(scores.nodes):
                return NEEDS_CELLS
            stop = _score(arena, stack, depth, tally, contents, union, cells, scores, plan.n_records)
            if stop == NO_ROOM:
                return NEEDS_CONTENTS
            if stop == LOST:
                return LOST_RECORDS
            leave(plan, stack)
            budget -= lengths[depth]
            if budget < 0:
                return PAUSED
        found = advance(plan, stack, arena, scratch, weights)
        if found != RAISED:
            return found
