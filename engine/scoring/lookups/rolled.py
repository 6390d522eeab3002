"""Evaluated nodes that can be rolled up again, for metrics whose values no cell has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.cached import cached_property
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.privacy import Requirement
from engine.scoring.lookups import joint_figures
from engine.scoring.lookups.evaluated_sets import EvaluatedSet, kept_for_walk, measured_nodes
from engine.scoring.lookups.look_up import Lookup
from engine.utility.non_uniform_entropy import NonUniformEntropy, coarsening_bits

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes


class RolledNodes:
    """All or some nodes of a profile under a requirement; implements `engine.utility.Candidates`.

    Values are looked up when first needed, those of labels once for all metrics.

    Parameters
    ----------
    lookup : Lookup
        Look-up of the same nodes.
    nodes : ndarray of int64, or None
        Scored nodes; None for all.
    required_k : int or None
        The class size that the requirement demands, and that metrics divide by, if any.
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
        self.problem = profile.problem
        self.levels = levels if nodes is None else levels[nodes]
        self.lookup = lookup
        self.required_k = required_k
        self._leaves: dict[int, Counts] = {}
        self._spans: dict[int, FloatArray] = {}
        self._source = profile, requirement
        self._nodes: IntArray | slice = slice(None) if nodes is None else nodes
        self._open: dict[tuple[float, ...], FloatArray] = {}

    @cached_property
    def suppressed(self) -> Counts:
        """Records of classes that fail the requirement."""
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
        """Size of the smallest kept class; 0 if nothing is kept."""
        return self.lookup.kept_k

    def kept_leaves(self, attribute: int) -> Counts:
        """Return the sum over kept records of the leaves their label covers."""
        if attribute not in self._leaves:
            self._leaves[attribute] = self.lookup.kept_leaves(attribute)
        return self._leaves[attribute]

    def kept_spans(self, attribute: int) -> FloatArray:
        """Return the sum over kept records of the numeric width of their label."""
        if attribute not in self._spans:
            self._spans[attribute] = self.lookup.kept_spans(attribute)
        return self._spans[attribute]

    def suppressed_leaves(self, attribute: int) -> Counts:
        """Return the sum over suppressed records of the leaves their label would cover, per node."""
        totals = self._source[0].scorer.leaf_weights[attribute].totals
        found: Counts = totals[self.levels[:, attribute]] - self.kept_leaves(attribute)
        return found

    def suppressed_bits(self, attribute: int) -> FloatArray:
        """Return the bits that suppression hides beyond generalization, per node."""
        return self._bits[:, attribute]

    def lost_bits(self, attribute: int) -> FloatArray:
        """Return the bits that generalizing an attribute and then suppression hides, per node."""
        coarsened = coarsening_bits(self.problem.attributes[attribute])[self.levels[:, attribute]]
        return np.asarray(coarsened + self._bits[:, attribute])

    @cached_property
    def kept_misses(self) -> Counts:
        """Kept records without the most frequent target value of their class, per node."""
        return joint_figures.kept_misses(*self._source, self._wanted)[self._nodes]

    @cached_property
    def kept_combinations(self) -> FloatArray:
        """Sum over kept records of the leaf combinations their labels cover, per node."""
        return joint_figures.kept_combinations(*self._source, self._wanted)[self._nodes]

    @cached_property
    def spread_bits(self) -> FloatArray:
        """Cross entropy of the release with the input, summed over records, per node."""
        return joint_figures.spread_bits(*self._source, self._wanted)[self._nodes]

    def kept_bits(self, factors: FloatArray) -> FloatArray:
        """Return the sum over kept records of the bits that their labels leave open, per node."""
        key = tuple(factors.tolist())
        if key not in self._open:
            self._open[key] = self._kept_bits(factors)
        return self._open[key]

    def _kept_bits(self, factors: FloatArray) -> FloatArray:
        bits = np.zeros(len(self.levels))
        for q, attribute in enumerate(self.problem.attributes):
            records = attribute.leaf_counts
            by_level = [
                records @ np.log2(level.n_leaves)[level.codes] for level in attribute.hierarchy.levels
            ]
            bits += factors[q] * np.array(by_level)[self.levels[:, q]]
        if not self.suppressed.any():
            return bits
        wanted = self._suppressing
        return np.where(
            self.suppressed > 0,
            joint_figures.kept_bits(*self._source, wanted, factors)[self._nodes],
            bits,
        )

    def kept_risk(self, most: float, *, of_population: bool) -> FloatArray:
        """Return the expected re-identifications in kept classes of at most `most` people, per node."""
        if not most:
            return np.zeros(len(self.levels))
        of_members = of_population and self.problem.knows_people
        found = joint_figures.kept_risk(*self._source, self._wanted, most, of_members=of_members)
        return found[self._nodes]

    @cached_property
    def _bits(self) -> FloatArray:
        return suppressed_bits(*self._source, self._suppressing)[self._nodes]

    @property
    def _suppressing(self) -> BoolArray:
        """Return the nodes of the lattice that these are and that suppress records."""
        wanted = self._wanted.copy()
        wanted[self._nodes] &= self.suppressed > 0
        return wanted

    @property
    def _wanted(self) -> BoolArray:
        """Return which nodes of the lattice these are, by number."""
        wanted = np.zeros(self._source[0].lattice.n_nodes, dtype=np.bool_)
        wanted[self._nodes] = True
        return wanted


def entropy_bits(counts: Counts) -> float:
    """Return the entropy of a distribution times its number of records: -sum c log2(c / S), bits."""
    occurring = counts[counts > 0]
    total = occurring.sum()
    return float(-(occurring * np.log2(occurring / total)).sum()) + 0.0 if total else 0.0


def suppressed_bits(profile: ScoredNodes, requirement: Requirement, wanted: BoolArray) -> FloatArray:
    """Return the entropy of every attribute's labels in the suppressed records, for all wanted nodes.

    Returns
    -------
    ndarray of float64, shape (n_nodes, n_qi)
        Bits, summed over the suppressed records; 0 for nodes outside `wanted`.
    """
    problem = profile.problem
    compiled = _bits_by_kernels(profile, requirement, wanted)
    if compiled is not None:
        return compiled

    def measure(found: EvaluatedSet) -> FloatArray:
        own = np.zeros(len(problem.attributes))
        failing = np.flatnonzero(~found.kept)
        for q, level in enumerate(found.node):
            if len(failing) and len(problem.attributes[q].hierarchy.levels[level].labels) > 1:
                own[q] = entropy_bits(_sums(found.labels(q)[failing], found.records[failing]))
        return own

    bits = np.zeros((profile.lattice.n_nodes, len(problem.attributes)))
    for number, own in measured_nodes(profile, requirement, wanted, "suppressed", measure):
        bits[number] = own
    return bits


def _bits_by_kernels(profile: ScoredNodes, requirement: Requirement, wanted: BoolArray) -> FloatArray | None:
    """Return the same by a compiled walk; None if it cannot serve."""
    kept = kept_for_walk(profile, requirement, wanted, NonUniformEntropy.kernels)
    if kept is None:
        return None
    from engine.scoring.walk.metric_walks import are_labels_few, label_bits  # imports numba

    if not are_labels_few(profile.base):
        return None
    bits = label_bits(profile.problem, profile.base, kept)
    bits[~wanted] = 0.0
    return bits


def _sums(labels: Counts, weights: Counts) -> Counts:
    if int(labels.max()) < 1 << 16:
        return np.bincount(labels, weights=weights)
    _, compact = np.unique(labels, return_inverse=True)
    return np.bincount(compact, weights=weights)
