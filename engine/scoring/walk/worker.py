"""One thread's share of compiled scoring: subtree after subtree, with its own memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InvariantError
from engine.kernels.compiled.cell_order import make_order_scratch, order_by_size
from engine.kernels.compiled.cells import make_cells, make_tally
from engine.kernels.compiled.contents import (
    Contents,
    add_base,
    grown,
    make_contents,
    make_union,
    without_table,
)
from engine.kernels.compiled.merging import make_scratch
from engine.kernels.compiled.pairs import MOST_BYTES
from engine.kernels.compiled.rollup import ClassBuffer, Step, join_neighbours, make_arena
from engine.kernels.compiled.subtree import Scores, walk_subtree
from engine.kernels.compiled.traversal import (
    DONE,
    LOST_RECORDS,
    NEEDS_ARENA,
    NEEDS_CELLS,
    NEEDS_CONTENTS,
    Plan,
    make_stack,
    start,
)
from engine.scoring.cells.label_words import LabelWords
from engine.scoring.cells.shared import CellArrays, CellBlock
from engine.scoring.walk.base_classes import BaseClasses
from engine.scoring.walk.subtrees import Subtrees

BUDGET = 1 << 19  # classes between two checks for other work: milliseconds, with contents some tens
NODE_ROOM = 1 << 12
CELL_ROOM = 1 << 17
CONTENT_ROOM = 1 << 18
BYTES_PER_CONTENT = 16  # of its pairs


class Fingerprints:
    """Random numbers per value, and the contents of the base tuples made from them.

    Attributes
    ----------
    prints : ndarray of uint64, shape (2, n_base)
    starts, pairs : ndarray of int64
        As for `engine.kernels.compiled.contents.add_base`.
    n_values : int
        Number of values of all groups; the last one is a person of the population, if it is known.
    n_counted : int
        Number of values that count records.
    numbers : ndarray of uint64, shape (2, n_values)
    """

    def __init__(self, base: BaseClasses) -> None:
        # new numbers in every run, so that no table can be constructed to make two contents collide
        random = np.random.default_rng()
        n_base = len(base.sizes)
        self.prints = np.zeros((2, n_base), dtype=np.uint64)
        rows, values, counts, drawn = [], [], [], []
        self.n_values = 0
        for pairs, n_values in zip(base.groups, base.n_values, strict=True):
            numbers = random.integers(0, 1 << 64, (2, n_values), dtype=np.uint64) | np.uint64(1)
            drawn.append(numbers)
            shares = numbers[:, pairs.values] * pairs.counts.astype(np.uint64)
            self.prints[:, : len(pairs.starts)] += np.add.reduceat(shares, pairs.starts, axis=1)
            rows.append(pairs.classes)
            values.append(pairs.values + self.n_values)
            counts.append(pairs.counts)
            self.n_values += n_values
        self.n_counted = self.n_values
        if base.people is not None:
            numbers = random.integers(0, 1 << 64, (2, 1), dtype=np.uint64) | np.uint64(1)
            drawn.append(numbers)
            self.prints += numbers * base.people.astype(np.uint64)
            rows.append(np.flatnonzero(base.people))
            values.append(np.full(len(rows[-1]), self.n_values))
            counts.append(base.people[rows[-1]])
            self.n_values += 1
        self.numbers = np.concatenate(drawn, axis=1)
        owners = np.concatenate(rows)
        # by base tuple, then by value: pairs of each attribute are sorted so already
        order = np.argsort(owners, kind="stable")
        self.pairs = ((np.concatenate(values) << 32) | np.concatenate(counts))[order]
        self.starts = np.searchsorted(owners[order], np.arange(n_base + 1))


class Worker:
    """Memory of one thread, and the position of its walk; it may pause at any moment and continue later.

    Parameters
    ----------
    scores : tuple of four ndarray of int64, each of shape (n_nodes,)
        Number of classes, smallest, largest size and sum of squares; workers write different nodes.
    fingerprints : Fingerprints or None
        None if sizes alone distinguish classes.

    Attributes
    ----------
    contents : (Contents, int)
        The contents that returned cells refer to, and how many of them are final.
    """

    contents: tuple[Contents, int]

    def __init__(
        self,
        subtrees: Subtrees,
        words: LabelWords,
        plan: Plan,
        scores: tuple[NDArray[np.int64], ...],
        fingerprints: Fingerprints | None,
    ) -> None:
        self._subtrees, self._words, self._plan = subtrees, words, plan
        self._fingerprints = fingerprints
        self._counts = subtrees.base.sizes.astype(np.int32)
        n_base, n_reals = len(self._counts), len(words.reals)
        sensitive = fingerprints is not None
        self._sensitive = sensitive
        self._is_plain = not sensitive and not n_reals  # the kind of walk
        self._arena = make_arena(6 * n_base, words.n_carriers, n_reals, sensitive=sensitive)
        self._scratch = make_scratch(n_base)
        self._tally = make_tally(n_base, words.carried, n_reals, sensitive=sensitive)
        self._cells = make_cells(max(CELL_ROOM, n_base), words.n_words, n_reals)
        self._order = make_order_scratch(n_base)
        self._sizes = np.arange(0 if sensitive else plan.n_records + 1, dtype=np.int32)  # of kinds
        self._stack = make_stack(int(plan.heights.sum()))
        self._scores = Scores(*scores, *(np.empty(NODE_ROOM, dtype=np.int64) for _ in range(2)))
        self._is_walking = self._is_done = False
        self._contents = make_contents(1, 1)
        self._union = make_union(1, 1, 1)
        if fingerprints is not None:
            room = CONTENT_ROOM + n_base
            self._contents = make_contents(
                room, BYTES_PER_CONTENT * room + MOST_BYTES * len(fingerprints.pairs)
            )
            self._union = make_union(fingerprints.n_values, len(subtrees.base.groups), fingerprints.n_counted)
            self._base_contents = np.empty(n_base, dtype=np.int32)
            add_base(
                self._contents,
                fingerprints.starts,
                fingerprints.pairs,
                fingerprints.prints,
                self._counts,
                self._base_contents,
            )
        self._publish()

    @property
    def is_walking(self) -> bool:
        """Return whether a subtree is begun and not done, or its last cells are not taken."""
        return self._is_walking

    @property
    def n_bytes(self) -> int:
        """Memory of the contents."""
        return sum(array.nbytes for array in self._contents)

    def begin(self, levels: Sequence[int]) -> None:
        """Put the walk at the lowest node of a subtree, given the levels of the fixed attributes."""
        keys, order = self._subtrees.root(levels)
        words, reals = self._words.at(levels)
        arena, n_base = self._arena, len(keys)
        arena.keys[:n_base] = keys
        arena.counts[:n_base] = self._counts[order]
        arena.words[:, :n_base] = words[:, order]
        if arena.reals is not None:
            arena.reals[:, :n_base] = reals[:, order]
        if self._fingerprints is not None:
            assert arena.prints is not None
            assert arena.contents is not None
            arena.prints[:, :n_base] = self._fingerprints.prints[:, order]
            arena.contents[:n_base] = self._base_contents[order]
        position = len(self._subtrees.raised)  # of no attribute: joining equal tuples raises none
        n_classes = join_neighbours(arena, self._words.weights, 0, n_base, Step(position))
        start(self._stack, 0, n_base, n_classes, self._subtrees.number(levels))
        self._is_walking = True

    def go_on(self) -> CellBlock:
        """Continue for a while; return the cells of all nodes scored since `empty`, in reused arrays.

        Raises
        ------
        InvariantError
            If the classes of a node do not have every record.
        """
        while True:
            found = walk_subtree(
                self._plan,
                self._stack,
                self._arena,
                self._scratch,
                self._words.weights,
                self._tally,
                None if self._is_plain else self._contents,
                None if self._is_plain else self._union,
                self._cells,
                self._scores,
                BUDGET,
            )
            if found == NEEDS_ARENA:
                depth = int(self._stack.state[0])
                used = int(self._stack.begins[depth] + self._stack.lengths[depth])
                self._arena = enlarged(self._arena, used)
            elif found == NEEDS_CONTENTS:
                room, pair_room = 2 * len(self._contents.sizes), 2 * len(self._contents.pairs)
                self._contents = grown(self._contents, room, pair_room)
            elif found == LOST_RECORDS:
                raise InvariantError("the classes of a node do not hold every record")
            elif found == NEEDS_CELLS and self._stack.state[2] == 0:
                raise InvariantError("a node has more classes than there are base tuples")
            else:
                break
        self._is_done = found == DONE
        n_cells, n_nodes = int(self._stack.state[2]), int(self._stack.state[3])
        self._publish()
        cells = self._cells
        sizes = self._contents.sizes if self._sensitive else self._sizes
        order_by_size(self._scores.starts[:n_nodes], n_cells, sizes, cells, self._order)
        found = CellArrays(
            self._scores.nodes[:n_nodes],
            self._scores.starts[:n_nodes],
            cells.kinds[:n_cells],
            cells.records[:n_cells],
            cells.reals[:, :n_cells],
        )
        return CellBlock(found, cells.words)

    def empty(self) -> None:
        """Make room for more, after the caller has stored what `go_on` returned."""
        self._stack.state[2:] = 0
        self._is_walking = not self._is_done

    def _publish(self) -> None:
        """Publish the contents numbered by now: a kernel may be in the middle of the next one."""
        self.contents = (self._contents, int(self._contents.used[0]))

    def release(self) -> None:
        """Free the memory that only a walk needs; the contents stay."""
        words, n_reals = self._words, len(self._words.reals)
        self._arena = make_arena(0, words.n_carriers, n_reals, sensitive=self._sensitive)
        self._scratch = make_scratch(0)
        self._tally = make_tally(0, words.carried, n_reals, sensitive=self._sensitive)
        self._cells = make_cells(0, words.n_words, n_reals)
        self._order = make_order_scratch(0)
        self._contents = without_table(self._contents)
        self._publish()


def enlarged(arena: ClassBuffer, used: int) -> ClassBuffer:
    """Return an arena of twice the room with the used rows of another."""
    larger: list[Any] = [
        None if a is None else np.empty((*a.shape[:-1], 2 * a.shape[-1]), a.dtype) for a in arena
    ]
    for before, after in zip(arena, larger, strict=True):
        if before is not None and after is not None:
            after[..., :used] = before[..., :used]
    return ClassBuffer(*larger)
