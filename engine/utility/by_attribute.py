"""Base class of metrics that combine one loss per attribute with an aggregate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import FloatArray
from engine.utility.aggregates import aggregated, ranked
from engine.utility.base import Candidates, UtilityMetric
from engine.utility.coding import generalization_factor, suppression_factor

_MEANS = ("arithmetic_mean", "geometric_mean")


class AttributeMetric(UtilityMetric):
    """A metric with the settings `aggregate` and `coding`; its members define the loss of an attribute.

    Attributes
    ----------
    aggregate : str
        See `engine.utility.aggregates.aggregated`.
    coding : float
        See `engine.utility.coding`.
    """

    __slots__ = ()
    aggregate: str
    coding: float
    weighted: ClassVar[bool] = True

    def losses(self, candidates: Candidates) -> Iterator[tuple[int, FloatArray]]:
        """Return the loss of every attribute that can lose something, per node; the arrays may be changed."""
        raise NotImplementedError

    def most(self, problem: Problem) -> FloatArray:
        """Return the largest loss of every attribute, shape (n_qi,)."""
        return np.ones(len(problem.attributes))

    def by_attribute(self, candidates: Candidates) -> FloatArray:
        """Return the loss of every attribute, shape (n_nodes, n_qi)."""
        values = np.zeros((len(candidates.suppressed), len(candidates.problem.attributes)))
        for q, loss in self.losses(candidates):
            values[:, q] = loss
        return values

    def natural(self, candidates: Candidates, weights: FloatArray | None = None) -> FloatArray:
        """Losses of the attributes combined by the aggregate, per node."""
        n_nodes, n_attributes = len(candidates.suppressed), len(candidates.problem.attributes)
        return aggregated(self.aggregate, self.losses(candidates), n_nodes, n_attributes, weights)

    def ties(self, candidates: Candidates, weights: FloatArray | None = None) -> FloatArray | None:
        """Return the losses in descending order if the aggregate is rank."""
        if self.aggregate != "rank":
            return None
        n_nodes, n_attributes = len(candidates.suppressed), len(candidates.problem.attributes)
        return ranked(self.losses(candidates), n_nodes, n_attributes, weights)

    def bounds(self, problem: Problem, weights: FloatArray | None = None) -> tuple[float, float]:
        """Return no loss and the largest loss of every attribute."""
        most = self.most(problem)
        if self.aggregate in _MEANS and np.all(most == most[0]):
            return 0.0, float(most[0])
        losses = ((q, np.array([value])) for q, value in enumerate(most))
        return 0.0, float(aggregated(self.aggregate, losses, 1, len(most), weights)[0])

    @property
    def of_generalizing(self) -> float:
        """Factor of the loss of kept records."""
        return generalization_factor(self.coding)

    @property
    def of_suppressing(self) -> float:
        """Factor of the loss of suppressed records."""
        return suppression_factor(self.coding)
