"""What a metric costs at least at a node and all that is more general, whatever is suppressed.

Of a metric two things may hold: suppressing never takes it below its value with every record kept, and
without suppression it never falls from a node to its successor. Then that value bounds it from below.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import Reals
from engine.lattice import Node
from engine.privacy import Requirement
from engine.scoring.explored import ExploredNodes
from engine.scoring.generalization import Unsuppressed
from engine.scoring.optimum import ABSOLUTE_ROUNDING, RELATIVE_ROUNDING
from engine.utility.base import shares, utility_metrics
from engine.utility.gen_iloss import GeneralizedInformationLoss
from engine.utility.loss import Loss
from engine.utility.non_uniform_entropy import coarsening_bits
from engine.utility.precision import Precision

NOTHING_KNOWN = -np.inf

_BY_ATTRIBUTE: dict[str, type[Loss | GeneralizedInformationLoss | Precision]] = {
    "loss": Loss,
    "gen_iloss": GeneralizedInformationLoss,
    "precision": Precision,
}


class Bounds:
    """Lower bounds of one metric on one problem.

    Parameters
    ----------
    problem : Problem
    requirement : Requirement
    metric : str
        Those that no level bounds are bounded by the classes of scored nodes.
    weights : ndarray of float64, shape (n_qi,), or None
    """

    def __init__(
        self, problem: Problem, requirement: Requirement, metric: str, weights: Reals | None = None
    ) -> None:
        self._n_records = problem.n_records
        self._allowed = requirement.allowed(problem.n_records)
        self._k = requirement.k
        self._metric = metric
        self._costs, self._factors = _level_costs(problem, metric, weights)

    @property
    def is_by_classes(self) -> bool:
        """Whether the bound of a node needs its classes, not only its levels."""
        return self._costs is None and (self.is_exact or self._metric == "c_avg")

    @property
    def is_exact(self) -> bool:
        """Whether the bound of a node is its value where nothing is suppressed."""
        kind = utility_metrics[self._metric]
        return kind.monotonic and kind.suppressing_costs

    def of_levels(self, nodes: Sequence[Node]) -> Reals:
        """Bound each node by its levels alone, shape (n_nodes,)."""
        if self._costs is None:
            return np.full(len(nodes), NOTHING_KNOWN)
        levels = np.array(nodes, dtype=np.int64)
        costs = self._costs[levels, np.arange(levels.shape[1])]
        if self._metric == "loss":
            return np.asarray(np.prod((costs + 1) ** self._factors, axis=1) - 1)
        return np.asarray(costs @ self._factors)

    def of_scored(self, found: ExploredNodes) -> Reals:
        """Bound scored nodes, and what is more general, by their classes, shape (n_nodes,)."""
        if self._metric == "c_avg":
            # A class that is kept has at least k records; a node that satisfies keeps most records.
            kept = self._n_records - self._allowed
            return np.maximum(kept / (found.n_classes * (self._k or np.inf)), 1.0)
        if not self.is_exact:
            return np.full(len(found.n_classes), NOTHING_KNOWN)
        return found.evaluate(Requirement()).metric(self._metric)


def rounded_down(bound: float) -> float:
    """A bound that rounding has not lifted above what it bounds."""
    return bound - abs(bound) * RELATIVE_ROUNDING - ABSOLUTE_ROUNDING if np.isfinite(bound) else bound


def _level_costs(problem: Problem, metric: str, weights: Reals | None) -> tuple[Reals | None, Reals]:
    """Cost of every level of every attribute, shape (n_levels, n_qi), and what each attribute counts."""
    n_qi = len(problem.attributes)
    heights = [attribute.hierarchy.height for attribute in problem.attributes]
    levels = np.minimum(np.arange(max(heights, default=0) + 1)[:, None], heights)
    if metric in _BY_ATTRIBUTE:
        kept = Unsuppressed(problem, levels)
        costs = _BY_ATTRIBUTE[metric]().by_attribute(kept)  # type: ignore[arg-type]  # reads no other figure
        factors = shares(weights, n_qi)
    elif metric == "non_uniform_entropy":
        bits = [coarsening_bits(attribute) for attribute in problem.attributes]
        costs = np.column_stack([bits[q][levels[:, q]] for q in range(n_qi)])
        factors = np.ones(n_qi) if weights is None else weights
    else:
        return None, np.zeros(n_qi)
    # The least from a level on, in case rounding lets a cost fall from one level to the next.
    return np.minimum.accumulate(costs[::-1])[::-1], factors
