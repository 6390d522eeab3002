"""Non-uniform entropy: bits that generalization hides, given the distribution of values [1]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import Attribute, Problem
from engine.kernels.arrays import Counts, FloatArray
from engine.params import param
from engine.utility.base import Candidates, utility_metrics
from engine.utility.by_attribute import AGGREGATE, CodedMetric
from engine.words import N_, lazy


@utility_metrics.register("non_uniform_entropy")
@dataclass(frozen=True, slots=True)
class NonUniformEntropy(CodedMetric):
    """Bits lost, summed over attributes and records, suppression included.

    A record loses log2(records with its label / records with its value) per attribute; suppression adds the
    entropy of the labels among the suppressed records. The coding model multiplies one of the two.

    References
    ----------
    .. [1] Gionis, Tassa (2009). k-Anonymization with Minimal Loss of Information. TKDE 21(2).
       In the form ARX 3.9 scores nodes by (its non-monotonic variant).
    """

    title: ClassVar[str] = lazy("Non-uniform entropy")
    unit: ClassVar[str] = N_("bits")
    meaning: ClassVar[str] = lazy("0 = none lost")
    costly: ClassVar[bool] = True
    kernels: ClassVar[str] = "label_walk"

    aggregate: str = param("sum", AGGREGATE)

    def losses(self, candidates: Candidates) -> Iterator[tuple[int, FloatArray]]:
        """Bits per attribute."""
        kept, hidden = self.of_generalizing, self.of_suppressing
        for q in range(len(candidates.problem.attributes)):
            bits = candidates.lost_bits(q)
            if kept != hidden:
                bits = kept * bits + (hidden - kept) * candidates.suppressed_bits(q)
            yield q, bits

    def most(self, problem: Problem) -> FloatArray:
        """Bits lost per attribute if it is hidden."""
        return np.array([hidden_bits(attribute.leaf_counts) for attribute in problem.attributes])


def coarsening_bits(attribute: Attribute) -> FloatArray:
    """Return the bits lost over all records by each level without suppression, shape (height + 1,)."""
    leaves = attribute.leaf_counts
    occurring = leaves > 0
    bits = []
    for level in attribute.hierarchy.levels:
        groups = np.bincount(level.codes, weights=leaves)[level.codes[occurring]]
        bits.append(float((leaves[occurring] * np.log2(groups / leaves[occurring])).sum()))
    return np.array(bits)


def hidden_bits(counts: Counts) -> float:
    """Return the bits lost if values with these counts get one label."""
    occurring = counts[counts > 0]
    return float((occurring * np.log2(occurring.sum() / occurring)).sum())
