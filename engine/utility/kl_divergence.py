"""KL divergence of the input's joint distribution from that of the release [1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import FloatArray
from engine.utility.base import Candidates, UtilityMetric, utility_metrics
from engine.words import N_, lazy

# largest -s * log2(s) that a share s of suppressed records adds to the bound of `KLDivergence.bounds`
MOST_OF_SUPPRESSING = float(np.log2(np.e) / np.e)
ROUNDING = 1e-13


@utility_metrics.register("kl_divergence")
@dataclass(frozen=True, slots=True)
class KLDivergence(UtilityMetric):
    """Divergence of the input's joint distribution from the release's, in bits.

    The records of a class are evenly distributed over the combinations of leaves it covers, all suppressed
    ones together over every combination. If both cover a combination they add up, so that the release is a
    distribution.

    References
    ----------
    .. [1] Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007). l-Diversity: Privacy Beyond
       k-Anonymity. TKDD 1(1).
    """

    title: ClassVar[str] = lazy("KL divergence")
    unit: ClassVar[str] = N_("bits")
    meaning: ClassVar[str] = lazy("0 = the joint distribution is unchanged")
    costly: ClassVar[bool] = True
    kernels: ClassVar[str] = "covered_leaves"

    def natural(self, candidates: Candidates, weights: FloatArray | None = None) -> FloatArray:
        """Bits per node, at least 0."""
        problem = candidates.problem
        entropy = input_bits(problem)
        divergence = candidates.spread_bits / problem.n_records - entropy
        # rounding errors of both entropies are not a divergence and must not break ties
        return np.where(divergence < ROUNDING * max(entropy, 1.0), 0.0, divergence)

    def bounds(self, problem: Problem, weights: FloatArray | None = None) -> tuple[float, float]:
        """Return no divergence and the largest that any release can have.

        With a share s of the records suppressed, -log2 of the release is at most log2(N) for kept and log2(N)
        - log2(s) for suppressed records, for N combinations.
        """
        most = sum(float(np.log2(a.hierarchy.n_leaves)) for a in problem.attributes)
        return 0.0, most - input_bits(problem) + MOST_OF_SUPPRESSING if most else 0.0


def input_bits(problem: Problem) -> float:
    """Return the entropy of the joint distribution of original values, in bits."""
    shares = problem.joint_counts / problem.n_records
    return float(-(shares * np.log2(shares)).sum()) + 0.0
