"""Whether nodes of a part of the attributes meet a requirement: by their classes, or looked up."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import BoolArray
from engine.privacy import Requirement
from engine.privacy.limit import is_within
from engine.privacy.table_wide import kept_table
from engine.scoring.packing import FrequencySet
from engine.scoring.tuples import judged_classes
from engine.search.part_tuples import Basic
from engine.search.parts import Part
from engine.search.search import Search


class Judge(Protocol):
    """Judges the nodes of one part."""

    def holds(self, number: int) -> bool:
        """Whether a node of the part meets what carries over."""

    def close(self) -> None:
        """Count the work in the search."""


class CountingJudge:
    """Counts the classes of every node asked for.

    Parameters
    ----------
    search : Search
    part : Part
    source : Basic
        Where frequency sets come from.
    candidates : ndarray of bool, shape (n_nodes,)
        Nodes of the part that may be asked for.
    """

    def __init__(self, search: Search, part: Part, source: Basic, candidates: BoolArray) -> None:
        self._search = search
        self._part = part
        roots = np.flatnonzero(part.lattice.minimal(candidates)).tolist()
        self._tuples = source.open(part, [part.node(root) for root in roots])

    def holds(self, number: int) -> bool:
        """See `Judge.holds`."""
        tuples = self._tuples.at(self._part.node(number))
        return is_met(self._search.problem, self._search.inherited, tuples)

    def close(self) -> None:
        """See `Judge.close`."""
        self._tuples.close()


class LookingJudge:
    """Looks nodes up in the whole lattice, scored before, where attributes left out are a single label.

    Parameters
    ----------
    search : Search
    part : Part
    whole : ndarray of bool, shape (n_nodes,)
        Which nodes of the whole lattice meet what carries over.
    """

    def __init__(self, search: Search, part: Part, whole: BoolArray) -> None:
        self._lattice = search.lattice
        self._part = part
        self._whole = whole

    def holds(self, number: int) -> bool:
        """See `Judge.holds`."""
        return bool(self._whole[self._lattice.number(self._part.placed(number, self._lattice.maximum))])

    def close(self) -> None:
        """See `Judge.close`; nothing was derived."""


def is_met(problem: Problem, requirement: Requirement, tuples: FrequencySet) -> bool:
    """Whether the classes of a frequency set meet a requirement."""
    _, _, classes, kept = judged_classes(problem, tuples, requirement)
    if not is_within(problem, requirement, classes, kept):
        return False
    if not requirement.table_wide:
        return True
    figures = kept_table(problem, classes, kept)
    return bool(requirement.holds(figures, np.ones(1, dtype=np.bool_))[0])
