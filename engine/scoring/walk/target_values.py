"""Kept records without the most frequent target value of their class, at all nodes, by a compiled walk."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.frequency import Attribute, Problem, SensitiveAttribute
from engine.hierarchies import Hierarchy
from engine.kernels.arrays import Counts, IntArray
from engine.kernels.compiled.target_walk import Targets, walk_targets
from engine.scoring.walk.class_walk import ClassWalk, KeptClasses, WalkedNodes, WalkState
from engine.scoring.walk.packing import FrequencySet


def with_target(problem: Problem, target: SensitiveAttribute) -> Problem:
    """Return a problem with the target as a last attribute that is never raised; nodes keep their numbers."""
    column = target.column
    attribute = Attribute(column, Hierarchy.identity(column.labels), column.codes, 0, 0)
    people = problem.people
    if people is not None and people.leaves is not None:  # people count in their class, whatever the value
        people = replace(people, leaves=(*people.leaves, np.zeros(people.n_members, dtype=np.int32)))
    return replace(problem, attributes=(*problem.attributes, attribute), people=people)


def target_misses(
    problem: Problem, base: FrequencySet, order: tuple[int, ...], kept: KeptClasses, n_workers: int = 0
) -> Counts:
    """Return the kept records without the most frequent target value of their class.

    Parameters
    ----------
    problem : Problem
        A problem of `with_target` that kernels can score.
    base : FrequencySet
        Its base tuples.
    order : tuple of int
        The attributes in the order of the walk, without the target.
    kept : KeptClasses
    n_workers : int
        Number of threads; one per core by default.

    Returns
    -------
    ndarray of int64, shape (n_nodes,)
    """
    misses: Counts = np.zeros(problem.lattice.n_nodes, dtype=np.int64)
    walked = WalkedNodes(problem, base, kept, (*order, len(order)))
    walked.visit(lambda nodes: _TargetWalk(nodes, misses), n_workers)
    return misses


class _TargetWalk(ClassWalk):
    def __init__(self, walked: WalkedNodes, misses: Counts) -> None:
        super().__init__(walked)
        n_flags = self.n_base if walked.contents is not None else 0
        self._targets = Targets(
            self.subtrees.widths[-1],
            np.empty(self.n_base, dtype=np.int64),
            np.empty(self.n_base, dtype=np.int64),
            np.empty((2, n_flags), dtype=np.uint64),
            np.zeros(n_flags, dtype=np.int32),
            misses,
        )

    def begin(self, levels: tuple[int, ...], first: IntArray) -> None:
        """Nothing depends on the fixed attributes."""

    def go_on(self, state: WalkState) -> int:
        return int(walk_targets(*state, self._targets))
