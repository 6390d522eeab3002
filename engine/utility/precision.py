"""Precision: level of the labels in their hierarchies, averaged over cells [1]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.kernels.arrays import FloatArray
from engine.utility.base import Candidates, shares, utility_metrics
from engine.utility.by_attribute import CodedMetric
from engine.words import lazy


@utility_metrics.register("precision")
@dataclass(frozen=True, slots=True)
class Precision(CodedMetric):
    """Mean over cells of level / height; a suppressed cell costs 1, an attribute of height 0 nothing.

    The coding model multiplies the costs of suppressed or of kept cells.

    References
    ----------
    .. [1] Sweeney (2002). Achieving k-Anonymity Privacy Protection Using Generalization and
       Suppression. IJUFKS 10(5). Smaller is better here: 1 minus her Prec.
    """

    title: ClassVar[str] = lazy("Precision")
    meaning: ClassVar[str] = lazy("0 = original values, 1 = top level everywhere")

    @property
    def has_floor(self) -> bool:
        """Return false if a suppressed record may cost less than a label of a high level."""
        return self.of_suppressing == 1

    def losses(self, candidates: Candidates) -> Iterator[tuple[int, FloatArray]]:
        """Losses in [0, 1]."""
        problem = candidates.problem
        kept = (problem.n_records - candidates.suppressed) * self.of_generalizing
        suppressed = candidates.suppressed * self.of_suppressing
        for q, attribute in enumerate(problem.attributes):
            if height := attribute.hierarchy.height:
                yield q, (kept * (candidates.levels[:, q] / height) + suppressed) / problem.n_records

    def natural(self, candidates: Candidates, weights: FloatArray | None = None) -> FloatArray:
        if self.aggregate != "arithmetic_mean":
            return CodedMetric.natural(self, candidates, weights)
        problem = candidates.problem
        heights = np.array([attribute.hierarchy.height for attribute in problem.attributes])
        counted = np.where(heights > 0, shares(weights, len(heights)), 0.0)
        kept = problem.n_records - candidates.suppressed
        height = candidates.levels.astype(np.float64) @ (counted / np.maximum(heights, 1))
        height *= self.of_generalizing
        hidden = counted.sum() * self.of_suppressing
        return np.asarray((kept * height + candidates.suppressed * hidden) / problem.n_records)
