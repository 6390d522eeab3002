"""Aggregates of the losses of several columns into one number, as ARX 3.9 offers them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from engine.kernels.arrays import FloatArray
from engine.params import Choice
from engine.utility.base import shares
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
