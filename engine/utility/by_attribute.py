"""Base class of metrics that combine one loss per attribute with an aggregate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import FloatArray
from engine.params import Choice, Real, param
from engine.utility.base import Candidates, UtilityMetric, shares
from engine.words import N_

AGGREGATE = Choice(
    label=N_("Aggregate"),
    help=N_("How the losses of the quasi-identifying columns are combined into one number."),
    options=(
        ("sum", N_("Sum")),
        ("maximum", N_("Maximum")),
        ("arithmetic_mean", N_("Arithmetic mean")),
        ("geometric_mean", N_("Geometric mean")),
        ("rank", N_("Rank: largest loss first")),
    ),
)
CODING = Real(  # of ARX 3.9; it weights suppression against generalization
    label=N_("Coding model"),
    help=N_(
        "At 0.5, generalization and suppression count fully; towards 0 suppression counts "
        "less, towards 1 generalization does."
    ),
    minimum=0.0,
    maximum=1.0,
    usual=(0.25, 0.5, 0.75),
)
_MEANS = ("arithmetic_mean", "geometric_mean")


@dataclass(frozen=True, slots=True)
class AttributeMetric(UtilityMetric):
    """A metric with an aggregate; its members define the loss of an attribute.

    Attributes
    ----------
    aggregate : str
        See `aggregated`.
    """

    weighted: ClassVar[bool] = True
    aggregate: str = param("arithmetic_mean", AGGREGATE)

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


@dataclass(frozen=True, slots=True)
class CodedMetric(AttributeMetric):
    """A metric with an aggregate and the coding model of ARX."""

    coding: float = param(0.5, CODING)

    @property
    def of_generalizing(self) -> float:
        """Factor of the loss of kept records."""
        return generalization_factor(self.coding)

    @property
    def of_suppressing(self) -> float:
        """Factor of the loss of suppressed records."""
        return suppression_factor(self.coding)


def generalization_factor(coding: float) -> float:
    """Return the factor of the loss of kept records, in [0, 1]: less than 1 above 0.5."""
    return 1.0 if coding <= 0.5 else 2 * (1 - coding)


def suppression_factor(coding: float) -> float:
    """Return the factor of the loss of suppressed records, in [0, 1]: less than 1 below 0.5."""
    return 1.0 if coding >= 0.5 else 2 * coding


def aggregated(
    kind: str,
    losses: Iterable[tuple[int, FloatArray]],
    n_nodes: int,
    n_attributes: int,
    weights: FloatArray | None,
) -> FloatArray:
    """Combine losses per attribute; no aggregate decreases if a loss increases.

    With losses v and weights w (1 if none are given):

    - sum: ``sum(w * v)``
    - maximum: ``max(w * v)``
    - arithmetic_mean: ``sum(w * v) / sum(w)``
    - geometric_mean: ``prod((v + 1) ** (w / sum(w))) - 1``, so that a loss of 0 does not hide the others
    - rank: as maximum; equal maxima are decided by `ranked`

    ARX divides both means by the number of attributes, and its geometric mean uses weights as factors, which
    without weights leaves the order of nodes unchanged; otherwise these are its definitions.

    Parameters
    ----------
    kind : str
        One of the options of `AGGREGATE`.
    losses : iterable of (attribute, ndarray of float64 of shape (n_nodes,))
        Losses per attribute; attributes without a loss may be missing, and the arrays may be changed.
    weights : ndarray of float64, shape (n_qi,), or None
        Weights; if all are 0, means weight the attributes equally.

    Returns
    -------
    ndarray of float64, shape (n_nodes,)
    """
    if kind == "geometric_mean":
        return _geometric_mean(losses, n_nodes, n_attributes, weights)
    factors = _factors(weights, n_attributes)
    if kind == "arithmetic_mean":
        factors = shares(weights, n_attributes)
    total = np.zeros(n_nodes)
    for q, loss in losses:
        loss *= factors[q]
        if kind in ("maximum", "rank"):
            np.maximum(total, loss, out=total)
        else:
            total += loss
    return total


def ranked(
    losses: Iterable[tuple[int, FloatArray]], n_nodes: int, n_attributes: int, weights: FloatArray | None
) -> FloatArray:
    """Return weighted losses in descending order, shape (n_nodes, n_qi), which rank compares in turn.

    ARX's rank orders nodes by them lexicographically, the largest loss first.
    """
    values = np.zeros((n_nodes, n_attributes))
    factors = _factors(weights, n_attributes)
    for q, loss in losses:
        values[:, q] = loss * factors[q]
    return np.asarray(-np.sort(-values, axis=1))


def _factors(weights: FloatArray | None, n_attributes: int) -> FloatArray:
    return np.ones(n_attributes) if weights is None else weights


def _geometric_mean(
    losses: Iterable[tuple[int, FloatArray]], n_nodes: int, n_attributes: int, weights: FloatArray | None
) -> FloatArray:
    exponents = shares(weights, n_attributes)
    product = np.ones(n_nodes)
    for q, loss in losses:
        loss += 1
        product *= loss if weights is None else loss ** exponents[q]
    if weights is None:
        product **= 1 / n_attributes
    product -= 1
    return product
