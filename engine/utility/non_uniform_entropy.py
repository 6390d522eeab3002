"""Non-uniform entropy: the bits that coarsening hides, given how the values are spread [1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import Attribute, Problem
from engine.kernels.arrays import Counts, Reals
from engine.utility.base import Candidates, UtilityMetric, utility_metrics


@utility_metrics.register("non_uniform_entropy")
@dataclass(frozen=True, slots=True)
class NonUniformEntropy(UtilityMetric):
    """Bits lost, summed over attributes and records, the suppressed part included.

    A record loses log2(records with its label / records with its value) per attribute; suppressing
    adds the entropy of the labels among the suppressed records.

    References
    ----------
    .. [1] Gionis, Tassa (2009). k-Anonymization with Minimal Loss of Information. TKDE 21(2).
       In the form ARX 3.9 scores nodes by (its non-monotonic variant).
    """

    title: ClassVar[str] = "Non-uniform entropy"
    unit: ClassVar[str] = "bits"
    meaning: ClassVar[str] = "0 = none lost"
    costly: ClassVar[bool] = True
    weighted: ClassVar[bool] = True

    def natural(self, candidates: Candidates, weights: Reals | None = None) -> Reals:
        """Bits per node; weights multiply the attributes' shares."""
        factors = _factors(candidates.problem, weights)
        total = np.zeros(len(candidates.suppressed))
        for q, factor in enumerate(factors):
            total += factor * candidates.lost_bits(q)
        return total

    def bounds(self, problem: Problem) -> tuple[float, float]:
        """From nothing lost to every attribute hidden."""
        return 0.0, _most(problem, None)

    def normalized(self, candidates: Candidates, weights: Reals | None = None) -> Reals:
        """Share of the bits that hiding everything would lose, weighted alike."""
        most = _most(candidates.problem, weights)
        natural = self.natural(candidates, weights)
        return natural / most if most else natural * 0.0


def _factors(problem: Problem, weights: Reals | None) -> Reals:
    return np.ones(len(problem.attributes)) if weights is None else weights


def _most(problem: Problem, weights: Reals | None) -> float:
    """Bits lost when every attribute is hidden."""
    bits = np.array([hidden_bits(leaf_counts(attribute)) for attribute in problem.attributes])
    return float(_factors(problem, weights) @ bits)


def leaf_counts(attribute: Attribute) -> Counts:
    """Records per leaf, shape (n_leaves,)."""
    return np.bincount(attribute.leaves, minlength=attribute.hierarchy.n_leaves).astype(np.int64)


def coarsening_bits(attribute: Attribute) -> Reals:
    """Bits lost over all records by each level, nothing suppressed, shape (height + 1,)."""
    leaves = leaf_counts(attribute)
    occurring = leaves > 0
    bits = []
    for level in attribute.hierarchy.levels:
        groups = np.bincount(level.codes, weights=leaves)[level.codes[occurring]]
        bits.append(float((leaves[occurring] * np.log2(groups / leaves[occurring])).sum()))
    return np.array(bits)


def hidden_bits(counts: Counts) -> float:
    """Bits lost when values with these counts all become one."""
    occurring = counts[counts > 0]
    return float((occurring * np.log2(occurring.sum() / occurring)).sum())
