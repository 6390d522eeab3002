"""Values of costly metrics at all nodes, by compiled walks over classes: leaves and labels."""

from __future__ import annotations

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.kernels.compiled.covered_leaves import Covered, walk_covered
from engine.kernels.compiled.label_walk import Labels, walk_labels
from engine.scoring.cells.weights import LabelWeights
from engine.scoring.walk.class_walk import ClassWalk, KeptClasses, WalkedNodes, WalkState
from engine.scoring.walk.packing import FrequencySet


def are_leaves_dense(weights: tuple[LabelWeights, ...]) -> bool:
    """Return whether the leaves of every label are looked up by address."""
    return all(own.dense is not None for own in weights)


def covered_sums(
    problem: Problem,
    base: FrequencySet,
    kept: KeptClasses,
    weights: tuple[LabelWeights, ...],
    *,
    are_bits: bool,
    factors: FloatArray | None = None,
) -> FloatArray:
    """Return the covered combinations, summed over kept records, or the bits of the cross entropy.

    With factors, the bits of uncertainty in the labels of kept records.

    Parameters
    ----------
    problem : Problem
        A problem that kernels can score.
    base : FrequencySet
        Its base tuples.
    weights : tuple of LabelWeights
        Leaves covered by each label, for which `are_leaves_dense` is true.
    are_bits : bool
        Whether the cross entropy is wanted.
    factors : ndarray of float64, shape (n_qi,), optional
        Factor of each attribute's bits, if those of the labels are wanted.

    Returns
    -------
    ndarray of float64, shape (n_nodes,)
    """
    sums = np.zeros(problem.lattice.n_nodes)
    WalkedNodes(problem, base, kept).visit(
        lambda nodes: _CoverWalk(nodes, weights, sums, are_bits=are_bits, factors=factors)
    )
    return sums


class _CoverWalk(ClassWalk):
    def __init__(
        self,
        walked: WalkedNodes,
        weights: tuple[LabelWeights, ...],
        sums: FloatArray,
        *,
        are_bits: bool,
        factors: FloatArray | None,
    ) -> None:
        super().__init__(walked)
        self._weights, self._are_bits = weights, are_bits
        self._factors = np.ones(len(weights)) if factors is None else factors
        problem, raised = self.subtrees.problem, self.subtrees.raised
        masks, firsts = np.zeros_like(self.plan.drops), np.full_like(self.plan.drops, -1)
        constants, leaves, n_labels = np.zeros(masks.shape), [np.zeros(1)], 1
        for position, q in enumerate(raised):
            for number in range(problem.lattice.shape[q]):
                level = problem.lattice.minimum[q] + number
                own = self._leaves(q, level)
                if isinstance(own, float):
                    constants[position, number] = own
                    continue
                masks[position, number] = self.subtrees.n_labels(q, level) - 1
                firsts[position, number] = n_labels
                leaves.append(own)
                n_labels += len(own)
        shares = all_bits = None
        if factors is not None:
            shares, all_bits = np.zeros(problem.n_records + 1), np.inf
        elif are_bits:
            shares = np.log2(np.maximum(np.arange(problem.n_records + 1), 1) / problem.n_records)
            all_bits = float(sum(np.log2(a.hierarchy.n_leaves) for a in problem.attributes))
        self._covered = Covered(
            self.plan.drops,
            masks,
            firsts,
            constants,
            np.concatenate(leaves),
            self.number_bits,
            np.zeros(self.n_base),
            np.zeros(self.n_base),
            np.zeros(len(raised), dtype=np.int64),
            shares,
            all_bits or 0.0,
            sums,
        )

    def _leaves(self, attribute: int, level: int) -> float | FloatArray:
        """Return the leaves that all labels of a level cover, or those of every label by path code."""
        weights = self._weights[attribute]
        constant, table = weights.constant[level], weights.tables[level]
        if constant is not None:
            return float(self._bits(attribute, constant)) if self._are_bits else float(constant)
        assert isinstance(table, np.ndarray), "the leaves are looked up by address"
        leaves = np.ones(self.subtrees.n_labels(attribute, level))
        leaves[: len(table)] = np.maximum(table, 1)  # paths of no label have no leaves
        return self._bits(attribute, leaves) if self._are_bits else leaves

    def _bits(self, attribute: int, leaves: float | FloatArray) -> FloatArray:
        return np.asarray(np.log2(leaves) * self._factors[attribute])

    def begin(self, levels: tuple[int, ...], first: IntArray) -> None:
        """Fill the leaves of the fixed attributes."""
        subtrees = self.subtrees
        fixed = self._covered.fixed[: len(first)]
        fixed[:] = 0 if self._are_bits else 1
        for q, level in zip(subtrees.fixed, levels, strict=True):
            own = self._leaves(q, level)
            if not isinstance(own, float):
                own = own[subtrees.base.fields[q][first] >> subtrees.dropped[q][level]]
            with np.errstate(over="ignore"):
                (np.add if self._are_bits else np.multiply)(fixed, own, out=fixed)

    def go_on(self, state: WalkState) -> int:
        return int(walk_covered(*state, self._covered))


MOST_LABELS = 1 << 14  # of one attribute at one level: every node looks at all of them


def are_labels_few(base: FrequencySet) -> bool:
    """Return whether no attribute has too many labels to look at all of them for every node."""
    layout = base.layout
    return all(
        1 << (width - drops[0]) <= MOST_LABELS
        for width, drops in zip(layout.widths, layout.dropped, strict=True)
    )


def label_bits(problem: Problem, base: FrequencySet, kept: KeptClasses) -> FloatArray:
    """Return the entropy of every attribute's labels in the suppressed records, for all nodes.

    Parameters
    ----------
    problem : Problem
        A problem that kernels can score.
    base : FrequencySet
        Its base tuples, for which `are_labels_few` is true.

    Returns
    -------
    ndarray of float64, shape (n_nodes, n_qi)
        Bits, summed over the suppressed records.
    """
    walked = WalkedNodes(problem, base, kept)
    bits = np.zeros((problem.lattice.n_nodes, len(problem.attributes)))
    walked.visit(lambda nodes: _LabelWalk(nodes, bits))
    by_column = np.empty_like(bits)
    by_column[:, list(walked.subtrees.order)] = bits
    return by_column


class _LabelWalk(ClassWalk):
    def __init__(self, walked: WalkedNodes, bits: FloatArray) -> None:
        super().__init__(walked)
        subtrees, n_base = self.subtrees, self.n_base
        lattice, n_fixed, raised = subtrees.problem.lattice, subtrees.n_fixed, subtrees.raised
        most = max(subtrees.n_labels(q, lattice.minimum[q]) for q in subtrees.order)
        level_totals = np.zeros((*self.plan.masks.shape, most), dtype=np.int64)
        for position, q in enumerate(raised):
            for number in range(lattice.shape[q]):
                self._fill_totals(q, lattice.minimum[q] + number, level_totals[position, number])
        self._labels = Labels(
            self.plan.drops,
            self.plan.masks,
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
