"""Judged nodes that can be rolled up again, for the metrics whose figures no cell carries."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from engine.kernels.arrays import BoolArray, Counts, IntArray, Reals
from engine.privacy import Requirement
from engine.scoring import joint_figures
from engine.scoring.judged import JudgedNodes
from engine.scoring.lookups import Lookup, level_sums
from engine.scoring.suppressed import suppressed_bits
from engine.utility.non_uniform_entropy import coarsening_bits

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes


class RolledNodes(JudgedNodes):
    """Some or all nodes of a profile under a requirement; implements all of `engine.utility.Candidates`.

    Parameters
    ----------
    profile : ScoredNodes
    requirement : Requirement
    lookup : Lookup
        Of the same nodes.
    nodes : ndarray of int64, or None
        Scored nodes; None for all.
    required_k : int or None
        The class size that metrics divide by, if one is asked for.
    """

    def __init__(
        self,
        profile: ScoredNodes,
        requirement: Requirement,
        lookup: Lookup,
        nodes: IntArray | None,
        required_k: int | None,
    ) -> None:
        levels = profile.lattice.levels
        super().__init__(profile.problem, levels if nodes is None else levels[nodes], lookup, required_k)
        self._source = profile, requirement
        self._nodes: IntArray | slice = slice(None) if nodes is None else nodes

    def suppressed_leaves(self, attribute: int) -> Counts:
        """Sum over suppressed records of the leaves their label would cover, per node."""
        totals = level_sums(self._source[0]).leaves[attribute].totals
        found: Counts = totals[self.levels[:, attribute]] - self.kept_leaves(attribute)
        return found

    def suppressed_bits(self, attribute: int) -> Reals:
        """Bits that suppressing hides beyond coarsening, per node."""
        return self._bits[:, attribute]

    def lost_bits(self, attribute: int) -> Reals:
        """Bits that coarsening an attribute hides, and then suppressing, per node."""
        coarsened = coarsening_bits(self.problem.attributes[attribute])[self.levels[:, attribute]]
        return np.asarray(coarsened + self._bits[:, attribute])

    @cached_property
    def kept_misses(self) -> Counts:
        """Records of kept classes that have not their class's most frequent target value, per node."""
        return joint_figures.kept_misses(*self._source, self._wanted)[self._nodes]

    @cached_property
    def kept_combinations(self) -> Reals:
        """Sum over kept records of the leaf combinations their labels cover, per node."""
        return joint_figures.kept_combinations(*self._source, self._wanted)[self._nodes]

    @cached_property
    def spread_bits(self) -> Reals:
        """Cross entropy of the release with the input, summed over records, per node."""
        return joint_figures.spread_bits(*self._source, self._wanted)[self._nodes]

    @cached_property
    def _bits(self) -> Reals:
        wanted = self._wanted.copy()
        wanted[self._nodes] &= self.suppressed > 0
        return suppressed_bits(*self._source, wanted)[self._nodes]

    @property
    def _wanted(self) -> BoolArray:
        """The nodes of the lattice that these are, by number."""
        wanted = np.zeros(self._source[0].lattice.n_nodes, dtype=np.bool_)
        wanted[self._nodes] = True
        return wanted
