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
        problem = candidates.problem
        kept = problem.n_records - candidates.suppressed
        values = np.zeros((len(kept), len(problem.attributes)))
        for q, attribute in enumerate(problem.attributes):
            width = attribute.numeric_width
            if attribute.hierarchy.n_leaves < 2 or width == 0:
                continue
            if width is None:
                cost = (candidates.kept_leaves(q) - kept) / (attribute.hierarchy.n_leaves - 1)
            else:
                cost = candidates.kept_spans(q) / width
            values[:, q] = (cost + candidates.suppressed) / problem.n_records
        return values

    def natural(self, candidates: Candidates, weights: Reals | None = None) -> Reals:
        """Mean over cells per node, in [0, 1]."""
        values = self.by_attribute(candidates)
        return np.asarray(values @ shares(weights, values.shape[1]))

    def bounds(self, problem: Problem) -> tuple[float, float]:
        """From nothing lost to everything hidden."""
        return 0.0, 1.0
