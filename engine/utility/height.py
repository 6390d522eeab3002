"""Height: the levels of a node added up [1]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import FloatArray
from engine.params import param
from engine.utility.base import Candidates, utility_metrics
from engine.utility.by_attribute import AGGREGATE, AttributeMetric, aggregated
from engine.words import N_, lazy


@utility_metrics.register("height")
@dataclass(frozen=True, slots=True)
class Height(AttributeMetric):
    """Steps of generalization, whatever the labels cover and however many records are suppressed.

    References
    ----------
    .. [1] Samarati (2001). Protecting Respondents' Identities in Microdata Release. TKDE 13(6).
    """

    title: ClassVar[str] = lazy("Height")
    unit: ClassVar[str] = N_("levels")
    meaning: ClassVar[str] = lazy("0 = original values; ignores suppressed records")

    aggregate: str = param("sum", AGGREGATE)

    def losses(self, candidates: Candidates) -> Iterator[tuple[int, FloatArray]]:
        """Level per attribute."""
        for q in range(len(candidates.problem.attributes)):
            yield q, candidates.levels[:, q].astype(np.float64)

    def bounds(self, problem: Problem, weights: FloatArray | None = None) -> tuple[float, float]:
        """Return the heights of the lowest and the highest allowed node."""
        lowest, highest = (
            aggregated(
                self.aggregate,
                ((q, np.array([float(level)])) for q, level in enumerate(levels)),
                1,
                len(problem.attributes),
                weights,
            )[0]
            for levels in (
                [attribute.minimum for attribute in problem.attributes],
                [attribute.maximum for attribute in problem.attributes],
            )
        )
        return float(lowest), float(highest)
