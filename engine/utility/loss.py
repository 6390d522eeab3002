"""Loss: the share of the domain that the released labels cover, as a geometric mean over attributes [1]."""

from __future__ import annotations

from collections.abc import Iterator
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
        values = np.zeros((len(candidates.suppressed), len(candidates.problem.attributes)))
        for q, loss in self._losses(candidates):
            values[:, q] = loss
        return values

    def natural(self, candidates: Candidates, weights: Reals | None = None) -> Reals:
        """Combined loss per node, in [0, 1]."""
        n_attributes = len(candidates.problem.attributes)
        exponents = shares(weights, n_attributes)
        product = np.ones(len(candidates.suppressed))
        for q, loss in self._losses(candidates):
            loss += 1
            product *= loss if weights is None else loss ** exponents[q]
        if weights is None:
            product **= 1 / n_attributes
        product -= 1
        return product

    def _losses(self, candidates: Candidates) -> Iterator[tuple[int, Reals]]:
        """Loss of every attribute that can lose something."""
        n_records = candidates.problem.n_records
        suppressed = candidates.suppressed.astype(np.float64)  # whole numbers: exact below 2**53
        for q, attribute in enumerate(candidates.problem.attributes):
            leaves = attribute.hierarchy.n_leaves
            if leaves > 1:
                loss = suppressed * leaves
                loss += candidates.kept_leaves(q)
                loss -= n_records
                loss /= n_records * (leaves - 1)
                yield q, np.maximum(loss, 0.0, out=loss)

    def bounds(self, problem: Problem) -> tuple[float, float]:
        """From nothing lost to everything hidden."""
        return 0.0, 1.0
