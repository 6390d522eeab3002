"""Generalized information loss: how far apart the values are that a label joins, averaged over cells [1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import Reals
from engine.utility.base import Candidates, UtilityMetric, shares, utility_metrics


@utility_metrics.register("gen_iloss")
@dataclass(frozen=True, slots=True)
class GeneralizedInformationLoss(UtilityMetric):
    """Mean over cells: width of a numeric label over the width of the domain, else (leaves - 1) / (all - 1).

    A suppressed cell costs 1; an attribute with one leaf costs 0.

    References
    ----------
    .. [1] Iyengar (2002). Transforming Data to Satisfy Privacy Constraints. KDD.
    """

    title: ClassVar[str] = "Generalized information loss"
    meaning: ClassVar[str] = "0 = none lost, 1 = all hidden"
    weighted: ClassVar[bool] = True

    def by_attribute(self, candidates: Candidates) -> Reals:
        """Return the mean over records per attribute, shape (n_nodes, n_qi), in [0, 1]."""
        costs = self._costs(candidates)
        values = np.zeros((len(candidates.suppressed), len(costs)))
        for q, cost in enumerate(costs):
            if cost is not None:
                values[:, q] = cost
        return values

    def natural(self, candidates: Candidates, weights: Reals | None = None) -> Reals:
        """Mean over cells per node, in [0, 1]."""
        costs = self._costs(candidates)
        total = np.zeros(len(candidates.suppressed))
        for cost, share in zip(costs, shares(weights, len(costs)), strict=True):
            if cost is not None:
                cost *= share
                total += cost
        return total

    def _costs(self, candidates: Candidates) -> list[Reals | None]:
        """Mean over records of each attribute; None where an attribute costs nothing."""
        problem = candidates.problem
        suppressed = candidates.suppressed.astype(np.float64)
        kept = problem.n_records - suppressed
        costs: list[Reals | None] = []
        for q, attribute in enumerate(problem.attributes):
            width = attribute.numeric_width
            if attribute.hierarchy.n_leaves < 2 or width == 0:
                costs.append(None)
                continue
            if width is None:
                cost = candidates.kept_leaves(q) - kept
                cost /= attribute.hierarchy.n_leaves - 1
            else:
                cost = candidates.kept_spans(q) / width
            cost += suppressed
            cost /= problem.n_records
            costs.append(cost)
        return costs

    def bounds(self, problem: Problem) -> tuple[float, float]:
        """From nothing lost to everything hidden."""
        return 0.0, 1.0
