"""Compiled walks over all nodes that read the kept classes, for values that no cell has.

They differ in their step per node; subtrees, threads and the look-up of failing classes are the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from engine.errors import InvariantError
from engine.frequency import Problem
from engine.kernels.arrays import BoolArray, IntArray
from engine.kernels.compiled.contents import Contents
from engine.kernels.compiled.failing import Failing, enter_failing, look_up_contents
from engine.kernels.compiled.merging import Scratch, make_scratch
from engine.kernels.compiled.rollup import ClassBuffer, Step, Weights, join_neighbours, make_arena
from engine.kernels.compiled.traversal import DONE, NEEDS_ARENA, Plan, Stack, make_stack, start
from engine.kernels.threads import n_threads
from engine.monitor import SILENT, Monitor
from engine.scoring.cells.label_words import LabelWords
from engine.scoring.walk.base_classes import BaseClasses
from engine.scoring.walk.compiled import plan_of
from engine.scoring.walk.packing import FrequencySet
from engine.scoring.walk.subtrees import Subtrees
from engine.scoring.walk.worker import Fingerprints, enlarged

LEAST_SLOTS = 1 << 10


class KeptClasses(NamedTuple):
    """Classes that a requirement keeps.

    Attributes
    ----------
    met : ndarray of bool, shape (n_records + 1,)
        Whether a class of a size may be kept.
    contents : sequence of (Contents, ndarray of bool)
        The contents of every worker that scored, and which of them fail; empty if sizes decide.
    """

    met: BoolArray
    contents: tuple[tuple[Contents, BoolArray], ...] = ()


class WalkState(NamedTuple):
    """The arguments that all walks have in common."""

    plan: Plan
    stack: Stack
    arena: ClassBuffer
    scratch: Scratch
    weights: Weights
    failing: Failing


class WalkedNodes:
    """Shared data of the threads of a walk.

    Parameters
    ----------
    problem : Problem
        A problem that kernels can score.
    base : FrequencySet
        Its base tuples.
    order : tuple of int, optional
        Attributes in the order of the walk; as in the base tuples by default.

    Attributes
    ----------
    paths : tuple of ndarray of int64, each of shape (n_leaves,)
        Path code of every leaf, per attribute.
    """

    def __init__(
        self, problem: Problem, base: FrequencySet, kept: KeptClasses, order: tuple[int, ...] = ()
    ) -> None:
        layout = base.layout
        self.paths = layout.paths
        self.subtrees = Subtrees(
            problem, BaseClasses.of(problem, base), layout.widths, layout.dropped, order or layout.order
        )
        self.kept = kept
        self.contents = FailingContents(self.subtrees.base, kept) if kept.contents else None

    def visit(self, walk: Callable[[WalkedNodes], ClassWalk], monitor: Monitor = SILENT) -> None:
        """Walk over all nodes by one thread per core.

        Raises
        ------
        CancelledError
            If the monitor cancels, which is asked before every subtree.
        """
        waiting = list(self.subtrees.levels())
        n_subtrees = len(waiting)
        n_workers = min(n_threads(), len(waiting))
        walks = [walk(self) for _unused in range(n_workers)]

        def work(own: ClassWalk) -> None:
            while waiting:
                try:
                    levels = waiting.pop()
                except IndexError:  # another worker took the last one
                    return
                monitor.step(n_subtrees - len(waiting) - 1, n_subtrees)
                own.visit(levels)

        with ThreadPoolExecutor(n_workers, "classes") as pool:
            for _unused in pool.map(work, walks):
                pass


class FailingContents:
    """The failing contents by fingerprint, and whether the base tuples fail."""

    def __init__(self, base: BaseClasses, kept: KeptClasses) -> None:
        prints = Fingerprints(base)
        met, self.prints = kept.met.view(np.uint8), prints.prints
        n_slots = LEAST_SLOTS
        while n_slots < 4 * sum(int(np.count_nonzero(fails)) for _unused, fails in kept.contents):
            n_slots *= 2
        self.table = np.zeros((n_slots, 2), dtype=np.uint64)
        for contents, fails in kept.contents:
            is_failing = np.ascontiguousarray(fails).view(np.uint8)
            starts, pairs, sizes = contents.starts, contents.pairs, contents.sizes
            if enter_failing(starts, pairs, sizes, is_failing, met, prints.numbers, self.table) < 0:
                raise InvariantError("there is no room for all failing contents")
        may_be_kept = kept.met[base.sizes]
        self.of_base = (~may_be_kept).astype(np.int32)
        rows = np.flatnonzero(may_be_kept)
        sink = np.zeros(1, dtype=np.int64)
        look_up_contents(self.table, sink, rows, prints.prints[0], prints.prints[1], self.of_base)


class ClassWalk(ABC):
    """Memory of one thread; a subclass has the step per node."""

    def __init__(self, walked: WalkedNodes) -> None:
        self.subtrees, self._contents = walked.subtrees, walked.contents
        self._words = LabelWords.of(self.subtrees, ())
        self.plan = plan_of(self.subtrees, self._words)
        self._counts = self.subtrees.base.sizes.astype(np.int32)
        self.n_base = len(self._counts)
        self._arena = make_arena(6 * self.n_base, 0, 0, sensitive=self._contents is not None)
        self._scratch = make_scratch(self.n_base)
        self._stack = make_stack(int(self.plan.heights.sum()))
        self._failing = Failing(
            walked.kept.met.view(np.uint8),
            None if self._contents is None else self._contents.table,
            np.zeros(1, dtype=np.int64),
            np.empty(self.n_base, dtype=np.int64),
        )

    @property
    def number_bits(self) -> int:
        """Low bits of the key below the number of the fixed levels."""
        return self.subtrees.shifts[0] + self.subtrees.widths[self.subtrees.raised[0]]

    @abstractmethod
    def begin(self, levels: tuple[int, ...], first: IntArray) -> None:
        """Prepare a subtree, given the levels of its fixed attributes and a base tuple of each number."""

    @abstractmethod
    def go_on(self, state: WalkState) -> int:
        """Call the kernel; return its status."""

    def visit(self, levels: tuple[int, ...]) -> None:
        """Walk over the nodes of a subtree, given the levels of the fixed attributes."""
        keys, order = self.subtrees.root(levels)
        n_base, arena = self.n_base, self._arena
        arena.keys[:n_base] = keys
        arena.counts[:n_base] = self._counts[order]
        if self._contents is not None:
            assert arena.prints is not None
            assert arena.contents is not None
            arena.prints[:, :n_base] = self._contents.prints[:, order]
            arena.contents[:n_base] = self._contents.of_base[order]
        self.begin(levels, order[np.flatnonzero(np.diff(keys >> self.number_bits, prepend=-1))])
        position = len(self.subtrees.raised)  # of no attribute: joining equal tuples raises none
        weights = self._words.weights
        n_classes = join_neighbours(arena, weights, 0, n_base, Step(position))
        start(self._stack, 0, n_base, n_classes, self.subtrees.number(levels))
        while True:
            state = WalkState(self.plan, self._stack, self._arena, self._scratch, weights, self._failing)
            found = self.go_on(state)
            if found == DONE:
                return
            if found != NEEDS_ARENA:
                raise InvariantError("a walk over classes lacks something other than room")
            depth = int(self._stack.state[0])
            used = int(self._stack.begins[depth] + self._stack.lengths[depth])
            self._arena = enlarged(self._arena, used)
