"""Loss: the share of the domain that the released labels cover, as a geometric mean over attributes [1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import Reals
from engine.utility.base import Candidates, UtilityMetric, shares, utility_metrics


@utility_metrics.register("loss")
@dataclass(frozen=True, slots=True)
class Loss(UtilityMetric):
    """Per attribute the mean share of leaves covered, rescaled so that original values cost 0; suppressed 1.

    With attribute values v the metric is ``prod(v + 1) ** (1 / m) - 1``; weights turn the exponents
    into ``w / sum(w)``.

    References
    ----------
    .. [1] Iyengar (2002). Transforming Data to Satisfy Privacy Constraints. KDD. With the
       geometric mean that ARX 3.9 takes by default.
    """

    title: ClassVar[str] = "Loss"
    meaning: ClassVar[str] = "0 = none lost, 1 = all hidden"
    weighted: ClassVar[bool] = True

    def by_attribute(self, candidates: Candidates) -> Reals:
        """Return the loss of every attribute, shape (n_nodes, n_qi), in [0, 1]."""
        problem = candidates.problem
        values = np.zeros((len(candidates.suppressed), len(problem.attributes)))
        for q, attribute in enumerate(problem.attributes):
            leaves = attribute.hierarchy.n_leaves
            if leaves > 1:
                covered = candidates.kept_leaves(q) + candidates.suppressed * leaves
                values[:, q] = (covered - problem.n_records) / (problem.n_records * (leaves - 1))
        return np.maximum(values, 0.0)

    def natural(self, candidates: Candidates, weights: Reals | None = None) -> Reals:
        """Combined loss per node, in [0, 1]."""
        values = self.by_attribute(candidates)
        if weights is None:
            return np.asarray(np.prod(values + 1, axis=1) ** (1 / values.shape[1]) - 1)
        return np.asarray(np.prod((values + 1) ** shares(weights, values.shape[1]), axis=1) - 1)

    def bounds(self, problem: Problem) -> tuple[float, float]:
        """From nothing lost to everything hidden."""
        return 0.0, 1.0
