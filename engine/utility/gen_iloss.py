"""Generalized information loss: distance between the values of a label, averaged over cells [1]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.kernels.arrays import FloatArray
from engine.utility.base import Candidates, utility_metrics
from engine.utility.by_attribute import CodedMetric
from engine.words import lazy


@utility_metrics.register("gen_iloss")
@dataclass(frozen=True, slots=True)
class GeneralizedInformationLoss(CodedMetric):
    """Mean over cells of width / domain width for numeric labels, (leaves - 1) / (all - 1) for others.

    A suppressed cell costs 1, an attribute with one leaf 0. The domain of a numeric column with missing
    values is that of its numbers; a label of numbers and missing costs 1, missing alone 0. The coding model
    multiplies the costs of suppressed or of kept cells.

    References
    ----------
    .. [1] Iyengar (2002). Transforming Data to Satisfy Privacy Constraints. KDD.
    """

    title: ClassVar[str] = lazy("Generalized information loss")
    meaning: ClassVar[str] = lazy("0 = none lost, 1 = all hidden")

    @property
    def has_floor(self) -> bool:
        """Return false if a suppressed record may cost less than a generalized one."""
        return self.of_suppressing == 1

    def losses(self, candidates: Candidates) -> Iterator[tuple[int, FloatArray]]:
        """Losses in [0, 1]."""
        problem = candidates.problem
        suppressed = candidates.suppressed.astype(np.float64)
        kept = problem.n_records - suppressed
        for q, attribute in enumerate(problem.attributes):
            width = attribute.numeric_width
            if attribute.hierarchy.n_leaves < 2 or width == 0:
                continue
            if width is None:
                cost = candidates.kept_leaves(q) - kept
                cost /= attribute.hierarchy.n_leaves - 1
            else:
                cost = candidates.kept_spans(q) / width
            if self.of_generalizing < 1:
                cost *= self.of_generalizing
            cost += suppressed if self.of_suppressing == 1 else suppressed * self.of_suppressing
            cost /= problem.n_records
            yield q, cost
