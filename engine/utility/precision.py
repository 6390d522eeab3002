"""Precision: how high the labels stand in their hierarchies, averaged over cells [1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import Reals
from engine.utility.base import Candidates, UtilityMetric, shares, utility_metrics


@utility_metrics.register("precision")
@dataclass(frozen=True, slots=True)
class Precision(UtilityMetric):
    """Mean over cells of level / height; a suppressed cell costs 1, an attribute of height 0 nothing.

    References
    ----------
    .. [1] Sweeney (2002). Achieving k-Anonymity Privacy Protection Using Generalization and
       Suppression. IJUFKS 10(5). Smaller is better here: 1 minus her Prec.
    """

    title: ClassVar[str] = "Precision"
    meaning: ClassVar[str] = "0 = original values, 1 = top level everywhere"
    weighted: ClassVar[bool] = True

    def by_attribute(self, candidates: Candidates) -> Reals:
        """Return the mean over records per attribute, shape (n_nodes, n_qi), in [0, 1]."""
        problem = candidates.problem
        kept = problem.n_records - candidates.suppressed
        values = np.zeros((len(kept), len(problem.attributes)))
        for q, attribute in enumerate(problem.attributes):
            height = attribute.hierarchy.height
            if height:
                values[:, q] = (
                    kept * (candidates.levels[:, q] / height) + candidates.suppressed
                ) / problem.n_records
        return values

    def natural(self, candidates: Candidates, weights: Reals | None = None) -> Reals:
        """Mean over cells per node, in [0, 1]."""
        problem = candidates.problem
        heights = np.array([attribute.hierarchy.height for attribute in problem.attributes])
        counted = np.where(heights > 0, shares(weights, len(heights)), 0.0)
        kept = problem.n_records - candidates.suppressed
        height = candidates.levels.astype(np.float64) @ (counted / np.maximum(heights, 1))
        return np.asarray((kept * height + candidates.suppressed * counted.sum()) / problem.n_records)

    def bounds(self, problem: Problem) -> tuple[float, float]:
        """From original values to the top level everywhere."""
        return 0.0, 1.0
