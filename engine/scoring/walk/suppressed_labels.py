"""Entropy of the suppressed records' labels at all nodes, by a compiled walk that counts labels."""

from __future__ import annotations

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.kernels.compiled.label_walk import Labels, walk_labels
from engine.scoring.walk.class_walk import ClassWalk, KeptClasses, WalkedNodes, WalkState
from engine.scoring.walk.packing import FrequencySet

MOST_LABELS = 1 << 14  # of one attribute at one level: every node looks at all of them


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
    walked = WalkedNodes(problem, base, kept)
    bits = np.zeros((problem.lattice.n_nodes, len(problem.attributes)))
    walked.visit(lambda nodes: _LabelWalk(nodes, bits), n_workers)
    by_column = np.empty_like(bits)
    by_column[:, list(walked.subtrees.order)] = bits
    return by_column


class _LabelWalk(ClassWalk):
    def __init__(self, walked: WalkedNodes, bits: FloatArray) -> None:
        super().__init__(walked)
        subtrees, n_base = self.subtrees, self.n_base
        lattice, n_fixed, raised = subtrees.problem.lattice, subtrees.n_fixed, subtrees.raised
        most = max(subtrees.n_labels(q, lattice.minimum[q]) for q in subtrees.order)
        masks = np.zeros_like(self.plan.drops)
        level_totals = np.zeros((*masks.shape, most), dtype=np.int64)
        for position, q in enumerate(raised):
            for number in range(lattice.shape[q]):
                level = lattice.minimum[q] + number
                masks[position, number] = subtrees.n_labels(q, level) - 1
                self._fill_totals(q, level, level_totals[position, number])
        self._labels = Labels(
            self.plan.drops,
            masks,
            self.number_bits,
            np.zeros((n_fixed, n_base), dtype=np.int64),
            np.zeros(n_fixed, dtype=np.int64),
            level_totals,
            np.zeros((n_fixed, most), dtype=np.int64),
            np.zeros(n_base, dtype=np.int64),
            np.zeros(most, dtype=np.int64),
            np.zeros(len(raised), dtype=np.int64),
            np.log2(np.maximum(np.arange(subtrees.problem.n_records + 1), 1)),
            bits,
        )

    def _fill_totals(self, attribute: int, level: int, totals: Counts) -> None:
        """Fill the records of the table per label of a level."""
        base = self.subtrees.base
        paths = base.fields[attribute] >> self.subtrees.dropped[attribute][level]
        totals[:] = np.bincount(paths, weights=base.sizes, minlength=len(totals))

    def begin(self, levels: tuple[int, ...], first: IntArray) -> None:
        """Fill the labels of the fixed attributes."""
        labels, subtrees = self._labels, self.subtrees
        for column, (q, level) in enumerate(zip(subtrees.fixed, levels, strict=True)):
            labels.fixed[column, : len(first)] = subtrees.base.fields[q][first] >> subtrees.dropped[q][level]
            labels.n_labels[column] = subtrees.n_labels(q, level)
            self._fill_totals(q, level, labels.fixed_totals[column])

    def go_on(self, state: WalkState) -> int:
        return int(walk_labels(*state, self._labels))
