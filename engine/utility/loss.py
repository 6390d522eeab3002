"""Loss: share of the domain that released labels cover, as a geometric mean over attributes [1]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.kernels.arrays import FloatArray
from engine.params import param
from engine.utility.base import Candidates, utility_metrics
from engine.utility.by_attribute import AGGREGATE, CodedMetric
from engine.words import lazy


@utility_metrics.register("loss")
@dataclass(frozen=True, slots=True)
class Loss(CodedMetric):
    """Mean share of leaves covered per attribute, rescaled to 0 for original values and 1 for suppressed.

    With attribute values v the metric is ``prod(v + 1) ** (1 / m) - 1``; weights turn the exponents into ``w
    / sum(w)``. Other aggregates combine the same values.

    If the coding model lets suppression count less (by a factor s), a suppressed record costs the value of
    its label plus s times the rest up to 1; if generalization counts less (g), a kept one costs ``g (leaves -
    1) / (all - g)``. So suppression never lowers the loss, as in ARX 3.9.

    References
    ----------
    .. [1] Iyengar (2002). Transforming Data to Satisfy Privacy Constraints. KDD. With the
       geometric mean that ARX 3.9 takes by default.
    """

    title: ClassVar[str] = lazy("Loss")
    meaning: ClassVar[str] = lazy("0 = none lost, 1 = all hidden")

    aggregate: str = param("geometric_mean", AGGREGATE)

    def losses(self, candidates: Candidates) -> Iterator[tuple[int, FloatArray]]:
        """Losses in [0, 1]."""
        n_records = candidates.problem.n_records
        kept, hidden = self.of_generalizing, self.of_suppressing
        suppressed = candidates.suppressed.astype(np.float64)  # sums of whole numbers are exact below 2**53
        for q, attribute in enumerate(candidates.problem.attributes):
            leaves = attribute.hierarchy.n_leaves
            if leaves > 1:
                loss = suppressed * (leaves * hidden)
                loss += candidates.kept_leaves(q) if kept == 1 else candidates.kept_leaves(q) * kept
                if hidden < 1:
                    loss += candidates.suppressed_leaves(q) * (1 - hidden)
                loss -= n_records * kept
                loss /= n_records * (leaves - kept)
                yield q, np.maximum(loss, 0.0, out=loss)
