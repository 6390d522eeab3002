"""Entropy of the suppressed records' labels at all nodes, by a compiled walk that counts labels."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import InvariantError
from engine.frequency import Problem
from engine.kernels.arrays import BoolArray, Counts, FloatArray
from engine.kernels.compiled.contents import Contents
from engine.kernels.compiled.merging import make_scratch
from engine.kernels.compiled.rollup import join_neighbours, make_arena
from engine.kernels.compiled.subtree import DONE, NEEDS_ARENA, make_stack, start, walk_subtree
from engine.kernels.compiled.suppressed_labels import Labels, enter_failing, look_up_contents
from engine.kernels.threads import n_threads
from engine.scoring.cells.label_words import LabelWords
from engine.scoring.walk.compiled import plan_of
from engine.scoring.walk.packing import FrequencySet
from engine.scoring.walk.subtrees import BaseClasses, Subtrees
from engine.scoring.walk.worker import Fingerprints, enlarged

BUDGET = 1 << 40
MOST_LABELS = 1 << 14  # of one attribute at one level: every node looks at all of them
LEAST_SLOTS = 1 << 10


class KeptClasses(NamedTuple):
    """Which classes a requirement keeps.

    Attributes
    ----------
    met : ndarray of bool, shape (n_records + 1,)
        Whether a class of a size may be kept.
    contents : sequence of (Contents, ndarray of bool)
        The contents of every worker that scored, and which of them fail; empty if sizes decide.
    """

    met: BoolArray
    contents: tuple[tuple[Contents, BoolArray], ...] = ()


def suits(base: FrequencySet) -> bool:
    """Return whether no attribute has too many labels to look at all of them for every node."""
    layout = base.layout
    return all(
        1 << (width - drops[0]) <= MOST_LABELS
        for width, drops in zip(layout.widths, layout.dropped, strict=True)
    )


def label_bits(problem: Problem, base: FrequencySet, kept: KeptClasses, n_workers: int = 0) -> FloatArray:
    """Return the entropy of every attribute's labels in the suppressed records, for all nodes.

    Parameters
    ----------
    problem : Problem
        A problem that kernels can score.
    base : FrequencySet
        Its base tuples, for which `suits` is true.
    kept : KeptClasses
    n_workers : int
        Number of threads; one per core by default.

    Returns
    -------
    ndarray of float64, shape (n_nodes, n_qi)
        Bits, summed over the suppressed records.
    """
    layout = base.layout
    subtrees = Subtrees(problem, BaseClasses.of(problem, base), layout.widths, layout.dropped, layout.order)
    bits = np.zeros((problem.lattice.n_nodes, len(problem.attributes)))
    failing = _Failing(problem, subtrees.base, kept) if kept.contents else None
    waiting = list(subtrees.levels())
    n_workers = min(n_workers or n_threads(), len(waiting))
    walks = [_Walk(subtrees, kept.met.view(np.uint8), failing, bits) for _unused in range(n_workers)]

    def work(walk: _Walk) -> None:
        while waiting:
            try:
                levels = waiting.pop()
            except IndexError:  # another worker took the last one
                return
            walk.count(levels)

    with ThreadPoolExecutor(n_workers, "labels") as pool:
        for _unused in pool.map(work, walks):
            pass
    by_column = np.empty_like(bits)
    by_column[:, list(subtrees.order)] = bits
    return by_column


class _Failing:
    """The failing contents by fingerprint, and whether the base tuples fail."""

    def __init__(self, problem: Problem, base: BaseClasses, kept: KeptClasses) -> None:
        prints = Fingerprints(problem, base)
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


class _Walk:
    """Memory of one thread."""

    def __init__(
        self, subtrees: Subtrees, met: NDArray[np.uint8], failing: _Failing | None, bits: FloatArray
    ) -> None:
        self._subtrees, self._failing = subtrees, failing
        self._words = LabelWords.of(subtrees, (), ())
        self._plan = plan_of(subtrees, self._words)
        self._counts = subtrees.base.sizes.astype(np.int32)
        n_base, problem = len(self._counts), subtrees.problem
        self._arena = make_arena(6 * n_base, 0, 0, sensitive=failing is not None)
        self._scratch = make_scratch(n_base)
        self._stack = make_stack(int(self._plan.heights.sum()))
        n_fixed, raised = subtrees.n_fixed, subtrees.raised
        most = max(self._n_labels(q, problem.lattice.minimum[q]) for q in subtrees.order)
        masks = np.zeros_like(self._plan.drops)
        level_totals = np.zeros((*masks.shape, most), dtype=np.int64)
        for position, q in enumerate(raised):
            for number in range(problem.lattice.shape[q]):
                level = problem.lattice.minimum[q] + number
                masks[position, number] = self._n_labels(q, level) - 1
                self._fill_totals(q, level, level_totals[position, number])
        logs = np.log2(np.maximum(np.arange(problem.n_records + 1), 1))
        self._labels = Labels(
            met,
            None if failing is None else failing.table,
            np.zeros(1, dtype=np.int64),
            self._plan.drops,
            masks,
            subtrees.shifts[0] + subtrees.widths[raised[0]],
            np.zeros((n_fixed, n_base), dtype=np.int64),
            np.zeros(n_fixed, dtype=np.int64),
            level_totals,
            np.zeros((n_fixed, most), dtype=np.int64),
            np.zeros(n_base, dtype=np.int64),
            np.zeros(most, dtype=np.int64),
            np.empty(n_base, dtype=np.int64),
            np.zeros(len(raised), dtype=np.int64),
            logs,
            bits,
        )

    def _n_labels(self, attribute: int, level: int) -> int:
        return 1 << (self._subtrees.widths[attribute] - self._subtrees.dropped[attribute][level])

    def _fill_totals(self, attribute: int, level: int, totals: Counts) -> None:
        """Fill the records of the table per label of a level."""
        base = self._subtrees.base
        paths = base.fields[attribute] >> self._subtrees.dropped[attribute][level]
        totals[:] = np.bincount(paths, weights=base.sizes, minlength=len(totals))

    def count(self, levels: tuple[int, ...]) -> None:
        """Fill the bits of the nodes of a subtree, given the levels of the fixed attributes."""
        keys, order = self._subtrees.root(levels)
        labels, n_base = self._labels, len(keys)
        self._arena.keys[:n_base] = keys
        self._arena.counts[:n_base] = self._counts[order]
        if self._failing is not None:
            arena = self._arena
            assert arena.prints is not None
            assert arena.contents is not None
            arena.prints[:, :n_base] = self._failing.prints[:, order]
            arena.contents[:n_base] = self._failing.of_base[order]
        numbers = keys >> labels.number_bits
        first = np.flatnonzero(np.diff(numbers, prepend=-1))
        for column, (q, level) in enumerate(zip(self._subtrees.fixed, levels, strict=True)):
            paths = self._subtrees.base.fields[q][order[first]]
            labels.fixed[column, : len(first)] = paths >> self._subtrees.dropped[q][level]
            labels.n_labels[column] = self._n_labels(q, level)
            self._fill_totals(q, level, labels.fixed_totals[column])
        position = len(self._subtrees.raised)  # of no attribute: joining equal tuples raises none
        weights = self._words.weights
        n_classes = join_neighbours(self._arena, weights, 0, n_base, 0, -1, 0, position)
        start(self._stack, 0, n_base, n_classes, self._subtrees.number(levels))
        while True:
            found = walk_subtree(
                self._plan,
                self._stack,
                self._arena,
                self._scratch,
                weights,
                None,
                None,
                None,
                None,
                None,
                labels,
                BUDGET,
            )
            if found == DONE:
                return
            if found != NEEDS_ARENA:
                raise InvariantError("a walk that counts labels lacks something other than room")
            depth = int(self._stack.state[0])
            used = int(self._stack.begins[depth] + self._stack.lengths[depth])
            self._arena = enlarged(self._arena, used)
