"""Sums over kept classes of the leaf combinations they cover, at all nodes, by a compiled walk."""

from __future__ import annotations

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import FloatArray, IntArray
from engine.kernels.compiled.covered_leaves import Covered, walk_covered
from engine.scoring.cells.weights import LabelWeights
from engine.scoring.walk.class_walk import ClassWalk, KeptClasses, WalkedNodes, WalkState
from engine.scoring.walk.packing import FrequencySet


def suits(weights: tuple[LabelWeights, ...]) -> bool:
    """Return whether the leaves of every label are looked up by address."""
    return all(own.dense is not None for own in weights)


def covered_sums(
    problem: Problem,
    base: FrequencySet,
    kept: KeptClasses,
    weights: tuple[LabelWeights, ...],
    n_workers: int = 0,
    *,
    are_bits: bool,
    factors: FloatArray | None = None,
) -> FloatArray:
    """Return the combinations covered, summed over kept records, or the bits of the release's cross entropy.

    With factors, the bits that the labels of kept records leave open.

    Parameters
    ----------
    problem : Problem
        A problem that kernels can score.
    base : FrequencySet
        Its base tuples.
    kept : KeptClasses
    weights : tuple of LabelWeights
        Leaves covered by each label, for which `suits` is true.
    n_workers : int
        Number of threads; one per core by default.
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
        lambda nodes: _CoverWalk(nodes, weights, sums, are_bits=are_bits, factors=factors), n_workers
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
