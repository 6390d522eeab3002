"""Lower bounds of a metric at a node and all more general nodes, whatever is suppressed.

A metric may have two properties: suppression never lowers it below its value with every record kept, and
without suppression it never decreases from a node to its successor. With both, that value is a lower bound.
If suppression may lower the metric, the records that may be suppressed lower the bound.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.lattice import Node
from engine.privacy import Requirement
from engine.privacy.limit import most_suppressed
from engine.scoring.evaluate import evaluate
from engine.scoring.optimum import ABSOLUTE_ROUNDING, RELATIVE_ROUNDING
from engine.scoring.scored import ScoredNodes
from engine.utility.base import UtilityMetric
from engine.utility.by_attribute import AttributeMetric, CodedMetric, aggregated
from engine.utility.loss import Loss
from engine.utility.non_uniform_entropy import coarsening_bits
from engine.utility.objective import Objective


class Unsuppressed:
    """Nodes with every record kept; the part of `Candidates` that losses by attribute read.

    Parameters
    ----------
    levels : ndarray of int, shape (n_nodes, n_qi)
    """

    required_k = None

    def __init__(self, problem: Problem, levels: IntArray) -> None:
        self.problem = problem
        self.levels = levels
        self.suppressed: Counts = np.zeros(len(levels), dtype=np.int64)

    def kept_leaves(self, attribute: int) -> Counts:
        """Return the sum over all records of the leaves their label covers, per node."""
        entry = self.problem.attributes[attribute]
        sums = [int(entry.leaf_counts @ level.n_leaves[level.codes]) for level in entry.hierarchy.levels]
        return np.array(sums, dtype=np.int64)[self.levels[:, attribute]]

    def suppressed_leaves(self, attribute: int) -> Counts:
        """Return 0, since no record is suppressed."""
        return self.suppressed

    def lost_bits(self, attribute: int) -> FloatArray:
        """Return the bits that generalizing an attribute hides, per node."""
        return coarsening_bits(self.problem.attributes[attribute])[self.levels[:, attribute]]

    def suppressed_bits(self, attribute: int) -> FloatArray:
        """Return 0, since no record is suppressed."""
        return np.zeros(len(self.levels))

    def kept_spans(self, attribute: int) -> FloatArray:
        """Return the sum over all records of the numeric width of their label, per node."""
        entry = self.problem.attributes[attribute]
        sums = [
            float(entry.leaf_counts @ entry.label_spans(number)[level.codes])
            for number, level in enumerate(entry.hierarchy.levels)
        ]
        return np.array(sums)[self.levels[:, attribute]]


def generalization_loss(problem: Problem) -> FloatArray:
    """Return the loss of every node if no record is suppressed; needs no scoring and no threshold.

    Returns
    -------
    ndarray of float64, shape (n_nodes,)
        In [0, 1], with equal weights of attributes; at most the loss under any requirement.
    """
    nodes = Unsuppressed(problem, problem.lattice.levels)  # type: ignore[arg-type]  # int16 serves as index
    return Loss().natural(nodes)  # type: ignore[arg-type]  # reads no other figure


NOTHING_KNOWN = -np.inf


class Bounds:
    """Lower bounds of one metric on one problem.

    Parameters
    ----------
    metric : str
        The classes of scored nodes bound metrics that levels do not bound.
    objective : Objective or ndarray of float64 of shape (n_qi,), optional
        Settings of the metric and weights, or weights alone.
    """

    def __init__(
        self,
        problem: Problem,
        requirement: Requirement,
        metric: str,
        objective: Objective | FloatArray | None = None,
    ) -> None:
        self._n_people = problem.n_people
        self._allowed = most_suppressed(problem, requirement)
        self._k = requirement.k
        self._metric = metric
        self._objective = Objective.of(objective)
        self._member = self._objective.member(metric)
        self._costs = _level_costs(problem, self._member, self._allowed)

    @property
    def is_by_classes(self) -> bool:
        """Return whether the bound of a node needs its classes and not only its levels."""
        return self._costs is None and (self.is_exact or self._metric == "c_avg")

    @property
    def is_exact(self) -> bool:
        """Return whether the bound of a node is its value if nothing is suppressed."""
        return self._member.monotonic and self._member.has_floor

    def of_levels(self, nodes: Sequence[Node]) -> FloatArray:
        """Bound each node by its levels alone, shape (n_nodes,)."""
        if self._costs is None:
            return np.full(len(nodes), NOTHING_KNOWN)
        levels = np.array(nodes, dtype=np.int64)
        n_nodes, n_qi = levels.shape
        costs = self._costs[levels, np.arange(n_qi)]
        assert isinstance(self._member, AttributeMetric), "others have no costs by level"
        columns = ((q, costs[:, q].copy()) for q in range(n_qi))
        return aggregated(self._member.aggregate, columns, n_nodes, n_qi, self._objective.weights)

    def of_scored(self, found: ScoredNodes) -> FloatArray:
        """Bound scored nodes and all more general ones by their classes, shape (n_nodes,)."""
        if self._metric == "c_avg":
            # A kept class has at least k people, and a satisfying node keeps most of them.
            kept = max(self._n_people - self._allowed, 0)
            return np.maximum(kept / (found.n_classes * (self._k or np.inf)), 1.0)
        if not self.is_exact:
            return np.full(len(found.n_classes), NOTHING_KNOWN)
        return evaluate(found, Requirement(), self._objective).metric(self._metric)


def rounded_down(bound: float) -> float:
    """Return a bound that rounding has not raised above the value it bounds."""
    return bound - abs(bound) * RELATIVE_ROUNDING - ABSOLUTE_ROUNDING if np.isfinite(bound) else bound


def _level_costs(problem: Problem, metric: UtilityMetric, allowed: int) -> FloatArray | None:
    """Return the least cost of every level of every attribute, shape (n_levels, n_qi); None if unknown."""
    if not isinstance(metric, AttributeMetric):
        return None
    heights = [attribute.hierarchy.height for attribute in problem.attributes]
    levels = np.minimum(np.arange(max(heights, default=0) + 1)[:, None], heights)
    costs = metric.by_attribute(Unsuppressed(problem, levels))  # type: ignore[arg-type]  # reads no other figure
    if isinstance(metric, CodedMetric) and not metric.has_floor:
        # Every record that may be suppressed lowers the cost, at most by the factor of suppression.
        costs = np.maximum(costs - allowed / problem.n_records * (1 - metric.of_suppressing), 0.0)
    # The minimum from a level upwards, since rounding may lower a cost from one level to the next.
    return np.minimum.accumulate(costs[::-1])[::-1]
