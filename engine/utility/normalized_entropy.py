"""Normalized non-uniform entropy: per attribute the share of its bits that is lost [1]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from engine.kernels.arrays import FloatArray
from engine.utility.base import Candidates, utility_metrics
from engine.utility.by_attribute import CodedMetric
from engine.utility.non_uniform_entropy import NonUniformEntropy
from engine.words import lazy


@utility_metrics.register("normalized_entropy")
@dataclass(frozen=True, slots=True)
class NormalizedEntropy(CodedMetric):
    """Bits lost of an attribute, divided by those that hiding all its values would lose.

    So a column with many values does not outweigh one with few; one that has a single value loses nothing.

    References
    ----------
    .. [1] Prasser, Bild, Kuhn (2016). A Generic Method for Assessing the Quality of De-Identified Health
       Data. MIE. In the form ARX 3.9 scores nodes by, of the entropy of Gionis and Tassa (2009).
    """

    title: ClassVar[str] = lazy("Normalized entropy")
    meaning: ClassVar[str] = lazy("0 = none lost, 1 = all hidden")
    costly: ClassVar[bool] = True
    kernels: ClassVar[str] = NonUniformEntropy.kernels

    def losses(self, candidates: Candidates) -> Iterator[tuple[int, FloatArray]]:
        """Losses in [0, 1]."""
        bits = NonUniformEntropy(coding=self.coding)
        most = bits.most(candidates.problem)
        for q, lost in bits.losses(candidates):
            if most[q]:
                lost /= most[q]
                yield q, lost
