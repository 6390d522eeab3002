"""Nodes as metrics see them: their levels and what a look-up tells of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.frequency import Problem
from engine.kernels.arrays import Counts, Reals

if TYPE_CHECKING:
    from engine.scoring.lookups import Lookup


class JudgedNodes:
    """Some nodes under a requirement; implements `engine.utility.Candidates`.

    Figures are looked up when first asked for, those of labels once for all metrics.

    Parameters
    ----------
    problem : Problem
    levels : ndarray of int, shape (n_nodes, n_qi)
    lookup : Lookup
        Of the same nodes.
    required_k : int or None
        The class size the requirement asks for, if it asks.
    """

    def __init__(
        self, problem: Problem, levels: NDArray[np.integer[Any]], lookup: Lookup, required_k: int | None
    ) -> None:
        self.problem = problem
        self.levels = levels
        self.lookup = lookup
        self.required_k = required_k
        self._leaves: dict[int, Counts] = {}
        self._spans: dict[int, Reals] = {}

    @cached_property
    def suppressed(self) -> Counts:
        """Records of classes that miss the requirement."""
        return self.lookup.suppressed

    @cached_property
    def kept_classes(self) -> Counts:
        """Classes that meet the requirement."""
        return self.lookup.kept_classes

    @cached_property
    def kept_squares(self) -> Counts:
        """Sum of squared numbers of records of the kept classes."""
        return self.lookup.kept_squares

    @cached_property
    def kept_sizes(self) -> Counts:
        """Sum of sizes of the kept classes."""
        return self.lookup.kept_sizes

    @cached_property
    def kept_k(self) -> Counts:
        """Size of the smallest kept class; 0 where nothing is kept."""
        return self.lookup.kept_k

    def kept_leaves(self, attribute: int) -> Counts:
        """Sum over kept records of the leaves their label covers."""
        if attribute not in self._leaves:
            self._leaves[attribute] = self.lookup.kept_leaves(attribute)
        return self._leaves[attribute]

    def kept_spans(self, attribute: int) -> Reals:
        """Sum over kept records of the numeric width of their label."""
        if attribute not in self._spans:
            self._spans[attribute] = self.lookup.kept_spans(attribute)
        return self._spans[attribute]
